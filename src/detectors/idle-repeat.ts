import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { lookingTools, toolKinds } from '../core/tool-kinds.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Json } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';
import { callSubject, extended } from './trail.ts';

export type IdleRepeatOptions = Record<never, never>;

/** Thoughts that take turns. */
const MAX_ROWS = 4;

/** Of a thought nothing comes but the word that it is noted, and the how manieth it is. */
const THOUGHT = /think|thought/i;

type Row = readonly [key: number, outcome: number, round: number, count: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];

/** The same thought, plan or list of things to do again, and nothing done in between; `look` = the list was only looked at: others may work on it. */
export const idleRepeat: DetectorKind<'idle-repeat', IdleRepeatOptions> = {
  kind: 'idle-repeat',
  defaults: {},
  create(name, _, { floor }): Detector<State> {
    const kindOf = toolKinds();
    const looksAt = lookingTools();
    return {
      name,
      events: ['tool-result', 'user'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, [0]]],
      maxCount: UNBOUNDED,
      wakes: TOPIC.wait,
      ledger: createLedger,
      note({ tool, args }) {
        if (kindOf(tool) !== 'idle') return null;
        if (isEmpty(args) || looksAt(tool) !== 'nothing') return 'look';
        return THOUGHT.test(tool) ? 'thought' : null;
      },
      observe: (_event, noted) => noted,
      reduce(state, { event, call, round, tool, sight }, noted) {
        if (event === 'user') return [INITIAL, null];
        if (sight === null || NOT_RUN.includes(sight.status)) return null;
        if (sight.kind !== 'idle') return state.length === 0 ? null : [INITIAL, null];
        const { key, outcome } = sight;
        const known = state.find((row) => row[0] === key);
        const isAgain = known !== undefined && (known[1] === outcome || noted === 'thought');
        if (isAgain && known[2] === round) return null;
        const count = isAgain ? known[3] + 1 : 1;
        const calls = isAgain ? extended(known[4], call) : [call];
        const others = state.filter((row) => row !== known).slice(0, MAX_ROWS - 1);
        const next: State = [[key, outcome, round, count, calls], ...others];
        if (!isAgain || count < floor) return [next, null];
        const facts = { tool, look: noted === 'look' };
        return [next, { detector: name, subject: callSubject(tool, key), count, evidence: calls, facts }];
      },
    };
  },
};

/** Who says nothing only looks at the list. */
function isEmpty(args: Json): boolean {
  return args === null || args === '{}' || (typeof args === 'object' && Object.keys(args).length === 0);
}

/** With help and checks, for those who read presets from JSON. */
export const idleRepeatDescribed: DescribedKind = /* @__PURE__ */ described(idleRepeat, {
  about: 'The same thought or list of things to do again, with nothing done in between.',
  options: {} satisfies OptionSpecs<IdleRepeatOptions>,
});
