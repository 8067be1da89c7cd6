import type { Detector, Entry, EventType, Json } from '../core/types.ts';
import { callSubject, extended } from './trail.ts';

type State = { readonly key: number; readonly count: number; readonly calls: readonly number[] };
const INITIAL: State = { key: 0, count: 0, calls: [] };

/** The greatest window: as good as none. */
export const UNBOUNDED = 1_000_000;

/** What every detector of calls in a row has in common; `keyOf` says what makes two of them the same, `breaks` what ends a run beside another call. */
export function streak(
  name: string,
  window: number,
  floor: number,
  keyOf: (entry: Entry, fact: Json) => number,
  breaks: readonly EventType[] = [],
): Omit<Detector<State>, 'needs' | 'observe'> {
  return {
    name,
    events: ['tool-call', ...breaks],
    initial: INITIAL,
    shape: { key: 0, count: 0, calls: [0] },
    maxCount: window,
    blocks: true,
    reduce(state, entry, fact) {
      if (entry.event !== 'tool-call') return state.count === 0 ? null : [INITIAL, null];
      if (entry.poll) return null;
      const { call, tool } = entry;
      const key = keyOf(entry, fact);
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
}
