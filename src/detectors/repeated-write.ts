import { createLedger, MOST_CHANGES } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector } from '../core/types.ts';
import { callSubject } from './trail.ts';

export type RepeatedWriteOptions = Record<never, never>;

/** The same change made again, whatever it prints: something undoes it, or it piles up. */
export const repeatedWrite: DetectorKind<'repeated-write', RepeatedWriteOptions> = {
  kind: 'repeated-write',
  defaults: {},
  create(name, _, { floor }): Detector<null> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: MOST_CHANGES,
      wakes: TOPIC.change,
      ledger: createLedger,
      reduce(state, { tool, sight }) {
        if (sight === null) return null;
        const { changes, key } = sight;
        if (changes.length < 2 || changes.length < floor) return null;
        return [
          state,
          {
            detector: name,
            subject: callSubject(tool, key),
            count: changes.length,
            evidence: changes,
            facts: { tool },
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const repeatedWriteDescribed: DescribedKind = /* @__PURE__ */ described(repeatedWrite, {
  about: 'The same change to the world made again, whatever it prints.',
  options: {} satisfies OptionSpecs<RepeatedWriteOptions>,
});
