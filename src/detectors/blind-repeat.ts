import { createLedger, MOST_BLIND, weighs } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector } from '../core/types.ts';
import { callSubject, MAX_EVIDENCE } from './trail.ts';

export type BlindRepeatOptions = Record<never, never>;

/** The same call again, when nothing is seen of what came of it: no result, or an empty one. Steps and looks are passed over. */
export const blindRepeat: DetectorKind<'blind-repeat', BlindRepeatOptions> = {
  kind: 'blind-repeat',
  defaults: {},
  create(name, _, { floor }): Detector<null> {
    return {
      name,
      events: ['tool-call', 'tool-result'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: MOST_BLIND,
      wakes: TOPIC.blind,
      ledger: createLedger,
      reduce(state, { tool, sight }) {
        if (sight === null || !weighs(sight.kind)) return null;
        const blind = sight.blind.slice(-MOST_BLIND);
        if (blind.length < 2 || blind.length < floor) return null;
        const subject = callSubject(tool, sight.key);
        const evidence = blind.slice(-MAX_EVIDENCE);
        return [state, { detector: name, subject, count: blind.length, evidence, facts: { tool } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const blindRepeatDescribed: DescribedKind = /* @__PURE__ */ described(blindRepeat, {
  about: 'The same call again, when no result of it is seen.',
  options: {} satisfies OptionSpecs<BlindRepeatOptions>,
});
