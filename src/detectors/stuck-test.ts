import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Sight } from '../core/types.ts';
import { callSubject } from './trail.ts';

export type StuckTestOptions = Record<never, never>;

const MAX_COMMANDS = 4;
const MAX_CALLS = 4;
const MOST = 1_000_000;

type Row = readonly [key: number, outcome: number, epoch: number, count: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];

/** A command that fails in the same way after each of several changes: the changes do not touch the cause. */
export const stuckTest: DetectorKind<'stuck-test', StuckTestOptions> = {
  kind: 'stuck-test',
  defaults: {},
  create(name, _, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, [0]]],
      maxCount: MOST,
      wakes: TOPIC.failure,
      ledger: createLedger,
      reduce(state, { tool, call, sight }) {
        if (sight === null || sight.outage || !isCheck(sight)) return null;
        // A run that never took place shows nothing.
        if (NOT_RUN.includes(sight.status)) return null;
        const { key, outcome, epoch } = sight;
        const known = state.find((row) => row[0] === key);
        const others = state.filter((row) => row !== known);
        if (sight.family === 0) return known === undefined ? null : [others, null];
        const moved = known === undefined || known[1] !== outcome;
        // Without a change in between it is a plain repeat, which others see.
        if (!moved && known[2] === epoch) return null;
        const count = moved ? 1 : known[3] + 1;
        const calls = moved ? [call] : [...known[4], call].slice(-MAX_CALLS);
        const next: State = [[key, outcome, epoch, count, calls], ...others.slice(0, MAX_COMMANDS - 1)];
        if (count < 2 || count < floor) return [next, null];
        const subject = callSubject(tool, key);
        return [next, { detector: name, subject, count, evidence: calls, facts: { tool } }];
      },
    };
  },
};

/** A command, or another call that may check something: a lookup or a change that fails is no test. */
function isCheck({ kind }: Sight): boolean {
  return kind === 'shell' || kind === 'other';
}

/** With help and checks, for those who read presets from JSON. */
export const stuckTestDescribed: DescribedKind = /* @__PURE__ */ described(stuckTest, {
  about: 'A command that fails in the same words after each of several changes.',
  options: {} satisfies OptionSpecs<StuckTestOptions>,
});
