import { guardsHere } from './places.ts';
import type { FunctionTool, ToolFields } from './shapes.ts';

const FIELDS: readonly (keyof ToolFields)[] = [
  'isEnabled',
  'needsApproval',
  'inputGuardrails',
  'outputGuardrails',
];

/** Tools that look different under a guard. */
const shared = new WeakSet<FunctionTool>();

/** Whether it is an agent: the SDK finds that by the very object, when a run goes on that was saved. */
export function isAgentTool(tool: FunctionTool): boolean {
  return 'on' in tool && typeof tool.on === 'function' && !Object.isSealed(tool);
}

/** A tool that may be in the runs of any number of guards, and in others: what a guard adds is there only in its own. */
export function share(tool: FunctionTool): void {
  if (shared.has(tool)) return;
  shared.add(tool);
  const own = copyOf(tool, {});
  for (const field of FIELDS)
    Object.defineProperty(tool, field, {
      configurable: true,
      enumerable: true,
      get: () => seen(tool, own)[field],
      set: (value: unknown) => Reflect.set(own, field, value),
    });
}

function seen(tool: FunctionTool, own: FunctionTool): FunctionTool {
  let now = own;
  for (const guard of guardsHere()) now = guard.lent(tool, now);
  return now;
}

/** The same tool as another object, but for some of its fields. */
export function copyOf<Tool extends object>(tool: Tool, fields: object): Tool {
  return Object.create(Object.getPrototypeOf(tool) as object, {
    ...Object.getOwnPropertyDescriptors(tool),
    ...Object.getOwnPropertyDescriptors({ ...fields }),
  }) as Tool;
}
