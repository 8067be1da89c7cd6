import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { topicsOf } from '../core/topics.ts';
import type { Detector, Status } from '../core/types.ts';
import { MAX_EVIDENCE } from './trail.ts';

export type RefusalsOptions = {
  /** Endings that count as refusals. */
  readonly statuses: readonly string[];
  /** `row` = refusals with no other ending in between, `window` = those among the last endings. */
  readonly counts: 'row' | 'window';
  /** With `window`: the last endings that are looked at, this one included. */
  readonly window: number;
};

const UNBOUNDED = 1_000_000;
const MAX_WINDOW = 64;

/** `row` = refusals in a row; `refused` = by the number of the ending, the calls of those that still count. */
type State = {
  readonly endings: number;
  readonly row: number;
  readonly refused: readonly (readonly [ending: number, call: number])[];
};
const INITIAL: State = { endings: 0, row: 0, refused: [] };

/** Calls that were refused, by a person or by a guard, whatever they were. */
export const refusals: DetectorKind<'refusals', RefusalsOptions> = {
  kind: 'refusals',
  defaults: { statuses: ['denied'] satisfies Status[], counts: 'row', window: 50 },
  create(name, { statuses, counts, window }, { floor }): Detector<State> {
    const inRow = counts === 'row';
    return {
      name,
      events: ['tool-result', 'control'],
      needs: [],
      initial: INITIAL,
      shape: { endings: 0, row: 0, refused: [[0, 0]] },
      maxCount: inRow ? UNBOUNDED : window,
      wakes: topicsOf(statuses),
      reduce(state, { event, tool, status, call }) {
        if (event === 'control') return [INITIAL, null];
        const endings = state.endings + 1;
        const refuses = statuses.includes(status);
        if (!refuses && state.refused.length === 0) return null;
        if (!refuses) return [{ endings, row: 0, refused: inRow ? [] : state.refused }, null];
        const row = state.row + 1;
        const recent = inRow
          ? state.refused.slice(1 - MAX_EVIDENCE)
          : state.refused.filter(([ending]) => ending > endings - window);
        const refused = [...recent, [endings, call] as const];
        const next: State = { endings, row, refused };
        const count = inRow ? row : refused.length;
        if (count < floor) return [next, null];
        const evidence = refused
          .map((one) => one[1])
          .sort((a, b) => a - b)
          .slice(-MAX_EVIDENCE);
        return [next, { detector: name, subject: 'refusals', count, evidence, facts: { tool, status, row } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const refusalsDescribed: DescribedKind = /* @__PURE__ */ described(refusals, {
  about: 'Calls that a person or a guard refused, in a row or among the last ones.',
  options: {
    statuses: { type: 'names', about: 'The statuses that count as refusals.' },
    counts: {
      type: 'choice',
      of: ['row', 'window'],
      about: 'What is counted: refusals in a row, or those among the last results.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: MAX_WINDOW,
      about: 'With counts "window": how many results are looked at, the newest included.',
    },
  } satisfies OptionSpecs<RefusalsOptions>,
});
