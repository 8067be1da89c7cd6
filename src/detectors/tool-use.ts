import { fieldsOf, parsedArgs } from '../core/arguments.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Json, Status } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type ToolUseOptions = {
  /** The tools that are counted, together. */
  readonly tools: readonly string[];
  /** Arguments that are lists: each item is a use of its own. */
  readonly items: readonly string[];
  /** Values of the argument `action` that use nothing. */
  readonly free: readonly string[];
  /** Endings that give the use back. */
  readonly returned: readonly string[];
};

/** Call numbers shown. */
const SHOWN = 4;

type State = { readonly used: number; readonly calls: readonly number[] };
const INITIAL: State = { used: 0, calls: [] };

/** Uses of a tool that runs away easily, whatever the arguments. */
export const toolUse: DetectorKind<'tool-use', ToolUseOptions> = {
  kind: 'tool-use',
  defaults: { tools: [], items: [], free: [], returned: ['blocked'] satisfies Status[] },
  create(name, { tools, items, free, returned }, { floor }): Detector<State> {
    function usesOf({ tool, args }: { readonly tool: string; readonly args: Json }): number | null {
      if (!tools.includes(tool)) return null;
      const fields = fieldsOf(parsedArgs(args).value);
      const { action } = fields;
      if (typeof action === 'string' && free.includes(action.trim().toLowerCase())) return 0;
      for (const item of items) {
        const list = fields[item];
        if (Array.isArray(list) && list.length > 0) return list.length;
      }
      return 1;
    }
    return {
      name,
      events: ['tool-call', 'tool-result'],
      needs: [],
      initial: INITIAL,
      shape: { used: 0, calls: [0] },
      maxCount: UNBOUNDED,
      blocks: true,
      note: usesOf,
      observe(event, noted) {
        return event.type === 'tool-call' ? usesOf(event) : noted;
      },
      reduce({ used, calls }, { event, tool, call, status }, fact) {
        const uses = fact as number | null;
        if (uses === null || uses === 0) return null;
        if (event === 'tool-result') {
          if (!returned.includes(status)) return null;
          return [{ used: Math.max(0, used - uses), calls: calls.filter((other) => other !== call) }, null];
        }
        const next = { used: used + uses, calls: [...calls, call].slice(-SHOWN) };
        const count = used + 1;
        if (count < floor) return [next, null];
        return [next, { detector: name, subject: tool, count, evidence: next.calls, facts: { tool, used } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const toolUseDescribed: DescribedKind = /* @__PURE__ */ described(toolUse, {
  about: 'Uses of one tool since the last user message, whatever the arguments.',
  options: {
    tools: { type: 'names', about: 'The tools that are counted, together.' },
    items: { type: 'names', about: 'Arguments that are lists: each item is a use of its own.' },
    free: { type: 'names', about: 'Values of the argument `action` that use nothing.' },
    returned: { type: 'names', about: 'The statuses that give the use back.' },
  } satisfies OptionSpecs<ToolUseOptions>,
});
