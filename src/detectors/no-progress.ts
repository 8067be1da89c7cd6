import { createLedger, MOST_REPEATS } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector } from '../core/types.ts';
import { callSubject, MAX_EVIDENCE } from './trail.ts';

export type NoProgressOptions = Record<never, never>;

/**
 * The same call with the same outcome in an unchanged world, anywhere among the last calls. `when` tells whether it is
 * about to run again (`before`) or has run again (`after`), `passed` whether it is a check that found all well.
 */
export const noProgress: DetectorKind<'no-progress', NoProgressOptions> = {
  kind: 'no-progress',
  defaults: {},
  create(name, _, { floor }): Detector<null> {
    return {
      name,
      events: ['tool-call', 'tool-result'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: MOST_REPEATS,
      wakes: TOPIC.repeat,
      blocks: true,
      ledger: createLedger,
      reduce(state, { event, tool, sight }) {
        if (sight === null) return null;
        const calls = sight.repeats;
        if (calls.length < 2 || calls.length < floor) return null;
        const when = event === 'tool-call' ? 'before' : 'after';
        const failed = sight.family !== 0 || sight.status === 'denied';
        return [
          state,
          {
            detector: name,
            subject: callSubject(tool, sight.key),
            count: calls.length,
            evidence: calls.slice(-MAX_EVIDENCE),
            facts: { tool, when, failed, busy: sight.busy, asked: sight.asked, passed: sight.passed },
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const noProgressDescribed: DescribedKind = /* @__PURE__ */ described(noProgress, {
  about: 'The same call with the same outcome, while nothing in the world has changed.',
  options: {} satisfies OptionSpecs<NoProgressOptions>,
});
