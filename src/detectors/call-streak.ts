import { rawPrefix } from '../core/arguments.ts';
import { Digest } from '../core/digest.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { callSubject, extended } from './trail.ts';

export type CallStreakOptions = {
  /** `exact` = canonical arguments, `similar` = primary arguments, `raw` = arguments as sent. */
  readonly match: 'exact' | 'similar' | 'raw';
  /** Compare only so many bytes of raw arguments. */
  readonly prefixBytes: number | 'off';
  /** Calls remembered, and so the greatest count. */
  readonly window: number;
};

const NEVER = 1_000_000;

type State = { readonly key: number; readonly count: number; readonly calls: readonly number[] };
const INITIAL: State = { key: 0, count: 0, calls: [] };

/** The same call again and again with no other in between. */
export const callStreak: DetectorKind<'call-streak', CallStreakOptions> = {
  kind: 'call-streak',
  about: 'The same call again and again, with no other call in between.',
  options: {
    match: {
      type: 'choice',
      of: ['exact', 'similar', 'raw'],
      default: 'exact',
      about:
        'What makes two calls the same: canonical arguments, primary arguments only, or the text as sent.',
    },
    prefixBytes: {
      type: 'integer',
      min: 1,
      max: 1_000_000,
      offable: true,
      default: 'off',
      about: 'With match "raw": compare only this many bytes.',
    },
    window: { type: 'integer', min: 2, max: NEVER, default: NEVER, about: 'The greatest count it reports.' },
  },
  create(name, { match, prefixBytes, window }, { floor, digestText }): Detector<State> {
    function observe(event: AgentEvent): Json {
      if (event.type !== 'tool-call') return null;
      const digest = new Digest(digestText);
      digest.text(event.tool);
      digest.raw(rawPrefix(event.args, prefixBytes === 'off' ? Number.MAX_SAFE_INTEGER : prefixBytes));
      return digest.finish();
    }
    return {
      name,
      events: ['tool-call'],
      needs: match === 'raw' ? [] : [match],
      initial: INITIAL,
      shape: { key: 0, count: 0, calls: [0] },
      maxCount: window,
      blocks: true,
      ...(match === 'raw' ? { observe } : {}),
      reduce(state, { call, tool, exact, similar, poll }, raw) {
        if (poll) return [state, null];
        const key = match === 'exact' ? exact : match === 'similar' ? similar : (raw as number);
        if (key !== state.key) return [{ key, count: 1, calls: [call] }, null];
        const count = Math.min(state.count + 1, window);
        const calls = extended(state.calls, call);
        const next = { key, count, calls };
        if (count < floor) return [next, null];
        return [
          next,
          { detector: name, subject: callSubject(tool, key), count, evidence: calls, facts: { tool } },
        ];
      },
    };
  },
};
