import { NOT_RUN } from '../core/endings.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Entry, Finding } from '../core/types.ts';
import { clears } from './clearing.ts';
import { callSubject, MAX_EVIDENCE } from './trail.ts';

export type OutcomeRepeatOptions = {
  /** Tools whose success with arguments not seen before starts every count anew. */
  readonly clearedBy: readonly string[];
  /** Finished calls remembered. */
  readonly window: number;
};

type Row = readonly [key: number, outcome: number, call: number];
type State = readonly Row[];
const INITIAL: State = [];

/** The same call about to run again; `same` tells whether it ended the same way each time. */
export const outcomeRepeat: DetectorKind<'outcome-repeat', OutcomeRepeatOptions> = {
  kind: 'outcome-repeat',
  defaults: { clearedBy: [], window: 32 },
  create(name, { clearedBy, window }, { floor }): Detector<State> {
    function judged(state: State, { exact, call, tool }: Entry): Finding | null {
      let count = 1;
      for (const row of state) if (row[0] === exact) count += 1;
      if (count < floor) return null;
      const before = state.filter((row) => row[0] === exact);
      const same = before.every((row) => row[1] === before[0]?.[1]);
      const evidence = [...before.map((row) => row[2]), call].slice(-MAX_EVIDENCE);
      return { detector: name, subject: callSubject(tool, exact), count, evidence, facts: { tool, same } };
    }
    function recorded(state: State, entry: Entry): State {
      if (NOT_RUN.includes(entry.status)) return state;
      const fresh = clears(entry, clearedBy) && !state.some((row) => row[0] === entry.exact);
      const row: Row = [entry.exact, entry.outcome, entry.call];
      return fresh ? [row] : [...(state.length < window ? state : state.slice(1)), row];
    }
    return {
      name,
      events: ['tool-call', 'tool-result', 'state-change'],
      needs: ['exact', 'outcome'],
      initial: INITIAL,
      shape: [[0, 0, 0]],
      maxCount: window + 1,
      blocks: true,
      reduce(state, entry) {
        if (entry.event === 'state-change') return [INITIAL, null];
        if (entry.poll) return null;
        if (entry.event === 'tool-result') return [recorded(state, entry), null];
        const finding = judged(state, entry);
        return finding === null ? null : [state, finding];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const outcomeRepeatDescribed: DescribedKind = /* @__PURE__ */ described(outcomeRepeat, {
  about: 'The same call about to run again, after it ended the same way (or each time another way) before.',
  options: {
    clearedBy: {
      type: 'names',
      about: 'Tools whose success with new arguments starts every count anew.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: 64,
      about: 'How many finished calls are remembered.',
    },
  } satisfies OptionSpecs<OutcomeRepeatOptions>,
});
