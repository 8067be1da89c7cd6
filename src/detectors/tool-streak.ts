import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { isGitOverview } from './git-overview.ts';
import { commandOf } from './shell.ts';
import { UNBOUNDED } from './streak.ts';
import { extended } from './trail.ts';

export type ToolStreakOptions = {
  /** The tools it watches; empty = every tool. Any other tool ends the run. */
  readonly tools: readonly string[];
  /** `git-overview` = only commands that look a git repository over; any other ends the run. */
  readonly commands: 'any' | 'git-overview';
};

type State = { readonly key: number; readonly count: number; readonly calls: readonly number[] };
const INITIAL: State = { key: 0, count: 0, calls: [] };

/** One tool again and again with no other in between, whatever its arguments. */
export const toolStreak: DetectorKind<'tool-streak', ToolStreakOptions> = {
  kind: 'tool-streak',
  defaults: { tools: [], commands: 'any' },
  create(name, { tools, commands }, { floor, digestText }): Detector<State> {
    const watches = (tool: string) => tools.length === 0 || tools.includes(tool);
    return {
      name,
      events: ['tool-call'],
      needs: [],
      initial: INITIAL,
      shape: { key: 0, count: 0, calls: [0] },
      maxCount: UNBOUNDED,
      blocks: true,
      observe(event: AgentEvent): Json {
        if (event.type !== 'tool-call' || !watches(event.tool)) return false;
        return commands === 'any' || isGitOverview(commandOf(event) ?? '');
      },
      reduce(state, { tool, call, poll }, watched) {
        if (poll) return null;
        if (watched !== true) return state.count === 0 ? null : [INITIAL, null];
        const key = digestText(tool);
        const goesOn = key === state.key;
        const count = goesOn ? state.count + 1 : 1;
        const calls = goesOn ? extended(state.calls, call) : [call];
        const next = { key, count, calls };
        // One call is no run.
        if (count < 2 || count < floor) return [next, null];
        return [next, { detector: name, subject: tool, count, evidence: calls, facts: { tool } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const toolStreakDescribed: DescribedKind = /* @__PURE__ */ described(toolStreak, {
  about: 'One tool again and again, with no other in between, whatever its arguments.',
  options: {
    tools: { type: 'names', about: 'The tools it watches; empty = every tool. Any other tool ends the run.' },
    commands: {
      type: 'choice',
      of: ['any', 'git-overview'],
      about: 'Which commands count: any, or those that only look a git repository over.',
    },
  } satisfies OptionSpecs<ToolStreakOptions>,
});
