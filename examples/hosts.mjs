// Lets an example find the packages of its framework in this repository: those of examples/<name> are in test/hosts/<name>.
// In a project of your own they are in node_modules, and this file is not needed.
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(`
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const hosts = ${JSON.stringify(new URL('../test/hosts/', import.meta.url).href)};

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    const example = /\\/examples\\/([^/]+)\\//.exec(context.parentURL ?? '')?.[1];
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || example === undefined || /^[./]/.test(specifier)) throw error;
    const folders = existsSync(fileURLToPath(hosts)) ? readdirSync(fileURLToPath(hosts)) : [];
    const host = folders.filter((name) => name.replace(/-\\d+$/, '') === example).sort().at(-1);
    if (host === undefined) throw error;
    return next(specifier, { ...context, parentURL: new URL(host + '/package.json', hosts).href });
  }
}
`)}`,
);
