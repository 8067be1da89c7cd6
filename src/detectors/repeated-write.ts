import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { pilingTools } from '../core/tool-kinds.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Finding } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';
import { callSubject, extended } from './trail.ts';

export type RepeatedWriteOptions = Record<never, never>;

/** What was made last that piles up, and how often in a row. */
type State = readonly [key: number, round: number, count: number, calls: readonly number[]];
const INITIAL: State = [0, 0, 0, []];

/** The same change made again, whatever it prints: something undoes it, or it piles up; `act` = something was sent or created in a row, which may be meant. */
export const repeatedWrite: DetectorKind<'repeated-write', RepeatedWriteOptions> = {
  kind: 'repeated-write',
  defaults: {},
  create(name, _, { floor }): Detector<State> {
    const pilesUp = pilingTools();
    return {
      name,
      events: ['tool-result', 'user'],
      needs: [],
      initial: INITIAL,
      shape: [0, 0, 0, [0]],
      maxCount: UNBOUNDED,
      wakes: TOPIC.change,
      ledger: createLedger,
      reduce(state, { event, call, round, tool, sight }) {
        if (event === 'user') return [INITIAL, null];
        if (sight === null || sight.kind === 'idle' || NOT_RUN.includes(sight.status)) return null;
        const { changes, key, kind, effect } = sight;
        const finding = (count: number, evidence: readonly number[], act: boolean): Finding | null =>
          count < Math.max(2, floor)
            ? null
            : { detector: name, subject: callSubject(tool, key), count, evidence, facts: { tool, act } };
        if (kind !== 'act' || effect === 'none' || !pilesUp(tool)) {
          const found = finding(changes.length, changes, false);
          const next = state[0] === key ? state : INITIAL;
          return next === state && found === null ? null : [next, found];
        }
        const next = acted(state, key, round, call);
        return next === state ? null : [next, finding(next[2], next[3], true)];
      },
    };
  },
};

/** One more of the same, or the first; in one round it counts once. */
function acted(state: State, key: number, round: number, call: number): State {
  const [known, last, count, calls] = state;
  if (known !== key || count === 0) return [key, round, 1, [call]];
  return last === round ? state : [key, round, count + 1, extended(calls, call)];
}

/** With help and checks, for those who read presets from JSON. */
export const repeatedWriteDescribed: DescribedKind = /* @__PURE__ */ described(repeatedWrite, {
  about: 'The same change to the world made again, whatever it prints.',
  options: {} satisfies OptionSpecs<RepeatedWriteOptions>,
});
