import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { matches } from '../core/tools.ts';
import type { Detector } from '../core/types.ts';
import { MAX_EVIDENCE } from './trail.ts';

export type ReadShareOptions = {
  /** Tools that only look; `*` stands for any part of a name. */
  readonly tools: readonly string[];
  /** `free` = nothing counts until another tool was used. */
  readonly opening: 'free' | 'counted';
  /** The last calls that are looked at. */
  readonly window: number;
};

type Row = readonly [call: number, reads: boolean];
type State = { readonly acted: boolean; readonly rows: readonly Row[] };
const INITIAL: State = { acted: false, rows: [] };

/** Most of the last calls only look, after the agent has already begun to act. */
export const readShare: DetectorKind<'read-share', ReadShareOptions> = {
  kind: 'read-share',
  defaults: { tools: ['read_*', 'list_*'], opening: 'free', window: 15 },
  create(name, { tools, opening, window }, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-call'],
      needs: [],
      initial: INITIAL,
      shape: { acted: true, rows: [[0, true]] },
      maxCount: window,
      blocks: true,
      reduce(state, { tool, call, poll }) {
        if (poll) return null;
        const reads = tools.some((pattern) => matches(pattern, tool));
        const acted = state.acted || !reads || opening === 'counted';
        const rows = state.rows.length < window ? state.rows.slice() : state.rows.slice(1);
        rows.push([call, reads]);
        const next = { acted, rows };
        const calls = rows.filter((row) => row[1]).map((row) => row[0]);
        if (!acted || calls.length === 0 || calls.length < floor) return [next, null];
        const evidence = calls.slice(-MAX_EVIDENCE);
        const facts = { window };
        return [next, { detector: name, subject: 'reading', count: calls.length, evidence, facts }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const readShareDescribed: DescribedKind = /* @__PURE__ */ described(readShare, {
  about: 'How many of the last calls only look, once the agent has begun to act.',
  options: {
    tools: { type: 'names', about: 'Tools that only look; `*` stands for any part of a name.' },
    opening: {
      type: 'choice',
      of: ['free', 'counted'],
      about: 'Whether looking around is free until the first call of another tool.',
    },
    window: { type: 'integer', min: 2, max: 64, about: 'How many calls are looked at.' },
  } satisfies OptionSpecs<ReadShareOptions>,
});
