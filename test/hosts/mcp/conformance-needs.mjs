// The conformance suite wants `globSync` of Node 22, for a command that is not used here: an older Node gets one that finds nothing.
import { register } from 'node:module';

const FS = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => [];";
const hooks = `
const FS = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(FS)});
export async function resolve(name, context, next) {
  if (name === 'fs' && context.parentURL?.includes('/conformance/dist/')) return { url: FS, shortCircuit: true };
  return next(name, context);
}`;
if (Number(process.versions.node.split('.', 1)[0]) < 22)
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
