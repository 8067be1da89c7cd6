import { digestPrefix } from '../core/evidence.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { EventType } from '../core/types.ts';
import { streak, UNBOUNDED } from './streak.ts';

export type CallStreakOptions = {
  /** `exact` = canonical arguments, `raw` = arguments as sent. */
  readonly match: 'exact' | 'raw';
  /** Compare only so many bytes of raw arguments. */
  readonly prefixBytes: number | 'off';
  /** Calls remembered, and so the greatest count. */
  readonly window: number;
  /** `round` = within one model response, and with no text in between. */
  readonly within: 'run' | 'round';
};

/** Where the host shows no turns, each call is a round. */
const ENDS_OF_ROUNDS: readonly EventType[] = ['round-done', 'text-delta'];

/** The same call again and again with no other in between. */
export const callStreak: DetectorKind<'call-streak', CallStreakOptions> = {
  kind: 'call-streak',
  defaults: { match: 'exact', prefixBytes: 'off', window: UNBOUNDED, within: 'run' },
  create(name, { match, prefixBytes, window, within }, { floor, digestText }) {
    const breaks = within === 'round' ? ENDS_OF_ROUNDS : [];
    if (match === 'exact')
      return { ...streak(name, window, floor, ({ exact }) => exact, breaks), needs: ['exact'] };
    const limit = prefixBytes === 'off' ? Number.MAX_SAFE_INTEGER : prefixBytes;
    return {
      ...streak(name, window, floor, (_entry, raw) => raw as number, breaks),
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
    within: {
      type: 'choice',
      of: ['run', 'round'],
      about: 'How far a run may reach: on and on, or within one model response with no text in between.',
    },
  } satisfies OptionSpecs<CallStreakOptions>,
});
