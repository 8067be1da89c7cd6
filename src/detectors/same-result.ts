import { createLedger, MOST_SAME } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector } from '../core/types.ts';
import { MAX_EVIDENCE } from './trail.ts';

export type SameResultOptions = {
  /** Shorter results are the same for many good reasons. */
  readonly minSize: number;
};

/** The same long result, whatever was asked and whichever tool gave it, in an unchanged world. */
export const sameResult: DetectorKind<'same-result', SameResultOptions> = {
  kind: 'same-result',
  defaults: { minSize: 200 },
  create(name, { minSize }, { floor }): Detector<null> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: MOST_SAME,
      wakes: TOPIC.echo,
      ledger: createLedger,
      reduce(state, { tool, sight }) {
        // Commands that differ may well print the same.
        if (sight === null || sight.kind === 'shell' || sight.family !== 0 || sight.size < minSize)
          return null;
        const { alike, outcome, soft, among } = sight;
        if (alike.length < floor) return null;
        return [
          state,
          {
            detector: name,
            subject: `${tool}=${outcome.toString(36)}`,
            count: alike.length,
            evidence: alike.slice(-MAX_EVIDENCE),
            facts: { tool, soft, busy: among },
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const sameResultDescribed: DescribedKind = /* @__PURE__ */ described(sameResult, {
  about: 'The same long result again, whatever was asked.',
  options: {
    minSize: {
      type: 'integer',
      min: 1,
      max: 1_000_000,
      about: 'Characters that a result must have to count.',
    },
  } satisfies OptionSpecs<SameResultOptions>,
});
