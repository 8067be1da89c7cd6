import { digestCall } from '../core/evidence.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { similarArgs } from '../core/similar.ts';
import { streak, UNBOUNDED } from './streak.ts';

export type SimilarStreakOptions = {
  /** Calls remembered, and so the greatest count. */
  readonly window: number;
};

/** Calls in a row that differ only in arguments which do not say what they are about. */
export const similarStreak: DetectorKind<'similar-streak', SimilarStreakOptions> = {
  kind: 'similar-streak',
  defaults: { window: UNBOUNDED },
  create(name, { window }, { floor, digestText }) {
    return {
      ...streak(name, window, floor, (_entry, similar) => similar as number),
      needs: ['exact'],
      observe(event, _noted, { tool, exact }) {
        if (event.type !== 'tool-call') return null;
        const left = similarArgs(tool, event.args);
        // Where nothing falls away, one digest serves both.
        return left === null ? exact : digestCall(tool, left, digestText);
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const similarStreakDescribed: DescribedKind = /* @__PURE__ */ described(similarStreak, {
  about: 'Calls in a row that say the same by their primary arguments, whatever the others are.',
  options: {
    window: {
      type: 'integer',
      min: 2,
      max: UNBOUNDED,
      about: 'The greatest count it reports.',
    },
  } satisfies OptionSpecs<SimilarStreakOptions>,
});
