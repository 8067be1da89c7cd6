import { fieldsOf } from '../fields.ts';
import type { Runtime, ToolCall } from './shapes.ts';
import type { WatchedCall } from './tool-calls.ts';

type Invoke = (input: unknown, config?: Runtime & { readonly state?: unknown }) => Promise<unknown>;

/** The same tools, for a `ToolNode` of your own. */
export function watchedTools<Tools extends readonly object[]>(tools: Tools, watched: WatchedCall): Tools {
  return tools.map((tool) => watchedTool(tool, watched)) as unknown as Tools;
}

function watchedTool(tool: object, watched: WatchedCall): object {
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(tool, {
    get(target, name) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      const own = value.bind(target) as Invoke;
      const same = name === 'invoke' ? watchedInvoke(target, own, watched) : own;
      bound.set(name, same);
      return same;
    },
  });
}

function watchedInvoke(tool: object, invoke: Invoke, watched: WatchedCall): Invoke {
  return async (input, config = {}) => {
    if (fieldsOf(input)['type'] !== 'tool_call') return invoke(input, config);
    return watched(
      { toolCall: input as ToolCall, tool, state: config.state, runtime: config },
      { execute: () => invoke(input, config), toolErrors: 'throw' },
    );
  };
}
