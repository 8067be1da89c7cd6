import { NOT_RUN } from '../core/endings.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';
import { keyOf, outcomeOf, READINGS, type Reading, reads } from './result-reading.ts';
import { callSubject } from './trail.ts';

export type CompactionRepeatOptions = {
  /** Finished calls that are watched after a compaction. */
  readonly calls: number;
  readonly results: Reading;
};

type Row = readonly [key: number, outcome: number, call: number];
/** `since` = the last call before the compaction; `left` = how many more are watched. */
type State = { readonly since: number; readonly left: number; readonly rows: readonly Row[] };
const INITIAL: State = { since: 0, left: 0, rows: [] };

/** The same call with the same result right after a compaction: the summary has sent the agent in a circle. */
export const compactionRepeat: DetectorKind<'compaction-repeat', CompactionRepeatOptions> = {
  kind: 'compaction-repeat',
  defaults: { calls: 3, results: 'whole' },
  create(name, { calls, results }, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['compaction', 'tool-result'],
      needs: ['exact', 'outcome'],
      initial: INITIAL,
      shape: { since: 0, left: 0, rows: [[0, 0, 0]] },
      maxCount: calls,
      ...reads(results, digestText),
      reduce(state, entry, fact) {
        const { event, call, tool, status, poll } = entry;
        if (event === 'compaction') return [{ since: call, left: calls, rows: [] }, null];
        const { since, left, rows } = state;
        if (left === 0 || poll || call <= since || NOT_RUN.includes(status)) return null;
        const row: Row = [keyOf(entry, fact), outcomeOf(entry, fact), call];
        const next = { since, left: left - 1, rows: left === 1 ? [] : [...rows, row] };
        const same = rows.filter(([key, outcome]) => key === row[0] && outcome === row[1]);
        const count = same.length + 1;
        // A first call repeats nothing.
        if (count < 2 || count < floor) return [next, null];
        const evidence = [...same.map((other) => other[2]), call].sort((a, b) => a - b);
        return [
          next,
          { detector: name, subject: callSubject(tool, row[0]), count, evidence, facts: { tool } },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const compactionRepeatDescribed: DescribedKind = /* @__PURE__ */ described(compactionRepeat, {
  about: 'The same call with the same result right after the context was compacted.',
  options: {
    calls: {
      type: 'integer',
      min: 2,
      max: 16,
      about: 'How many finished calls after a compaction are watched.',
    },
    results: { type: 'choice', of: READINGS, about: 'Whose list says what means nothing in a result.' },
  } satisfies OptionSpecs<CompactionRepeatOptions>,
});
