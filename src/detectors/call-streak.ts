import { digestPrefix } from '../core/evidence.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { streak, UNBOUNDED } from './streak.ts';

export type CallStreakOptions = {
  /** `exact` = canonical arguments, `raw` = arguments as sent. */
  readonly match: 'exact' | 'raw';
  /** Compare only so many bytes of raw arguments. */
  readonly prefixBytes: number | 'off';
  /** Calls remembered, and so the greatest count. */
  readonly window: number;
};

/** The same call again and again with no other in between. */
export const callStreak: DetectorKind<'call-streak', CallStreakOptions> = {
  kind: 'call-streak',
  defaults: { match: 'exact', prefixBytes: 'off', window: UNBOUNDED },
  create(name, { match, prefixBytes, window }, { floor, digestText }) {
    if (match === 'exact') return { ...streak(name, window, floor, ({ exact }) => exact), needs: ['exact'] };
    const limit = prefixBytes === 'off' ? Number.MAX_SAFE_INTEGER : prefixBytes;
    return {
      ...streak(name, window, floor, (_entry, raw) => raw as number),
      needs: [],
      observe(event) {
        if (event.type !== 'tool-call') return null;
        return digestPrefix(event.tool, event.args, limit, digestText);
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const callStreakDescribed: DescribedKind = /* @__PURE__ */ described(callStreak, {
  about: 'The same call again and again, with no other call in between.',
  options: {
    match: {
      type: 'choice',
      of: ['exact', 'raw'],
      about: 'What makes two calls the same: canonical arguments, or the text as sent.',
    },
    prefixBytes: {
      type: 'integer',
      min: 1,
      max: 1_000_000,
      offable: true,
      about: 'With match "raw": compare only this many bytes.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: UNBOUNDED,
      about: 'The greatest count it reports.',
    },
  } satisfies OptionSpecs<CallStreakOptions>,
});
