import { NOT_RUN } from '../core/endings.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { matches } from '../core/tools.ts';
import type { AgentEvent, Detector, Entry, Json } from '../core/types.ts';
import { keyOf, outcomeOf, READINGS, type Reading, reads } from './result-reading.ts';
import { UNBOUNDED } from './streak.ts';
import { callSubject } from './trail.ts';

export type ResultStreakOptions = {
  /** Tools whose job is to be repeated; `*` stands for any part of a name. */
  readonly pollers: readonly string[];
  /** From so many characters on a result is large. */
  readonly large: number;
  readonly results: Reading;
};

type State = {
  readonly key: number;
  readonly outcome: number;
  readonly count: number;
  readonly calls: readonly number[];
};
const INITIAL: State = { key: 0, outcome: 0, count: 0, calls: [] };
/** Call numbers shown. */
const SHOWN = 4;

/** The same call with the same result, again and again with no other in between. */
export const resultStreak: DetectorKind<'result-streak', ResultStreakOptions> = {
  kind: 'result-streak',
  defaults: { pollers: [], large: 512, results: 'whole' },
  create(name, { pollers, large, results }, { floor, digestText }): Detector<State> {
    const hooks = reads(results, digestText);
    return {
      name,
      events: ['tool-result'],
      needs: ['exact', 'outcome'],
      initial: INITIAL,
      shape: { key: 0, outcome: 0, count: 0, calls: [0] },
      maxCount: UNBOUNDED,
      ...(hooks.note && { note: hooks.note }),
      observe(event: AgentEvent, noted: Json, entry: Entry): Json {
        if (event.type !== 'tool-result') return null;
        const { output, status } = event;
        return [
          status === 'ok' && typeof output === 'string' && output.length >= large,
          hooks.observe?.(event, noted, entry) ?? null,
        ];
      },
      reduce(state, entry, fact) {
        const { tool, call, status, poll } = entry;
        if (poll || NOT_RUN.includes(status)) return null;
        const [isLarge, read] = fact as readonly [boolean, Json];
        const key = keyOf(entry, read);
        const outcome = outcomeOf(entry, read);
        if (key !== state.key || outcome !== state.outcome)
          return [{ key, outcome, count: 1, calls: [call] }, null];
        const count = state.count + 1;
        const next = { key, outcome, count, calls: [...state.calls, call].slice(-SHOWN) };
        if (count < floor) return [next, null];
        const poller = pollers.some((pattern) => matches(pattern, tool));
        return [
          next,
          {
            detector: name,
            subject: callSubject(tool, key),
            count,
            evidence: [...next.calls].sort((a, b) => a - b),
            facts: { tool, poller, large: isLarge },
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const resultStreakDescribed: DescribedKind = /* @__PURE__ */ described(resultStreak, {
  about: 'The same call with the same result, again and again with no other call in between.',
  options: {
    pollers: {
      type: 'names',
      about: 'Tools whose job is to be repeated, as the fact `poller`; `*` stands for any part of a name.',
    },
    large: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      about: 'From how many characters on a result is large, as the fact `large`.',
    },
    results: { type: 'choice', of: READINGS, about: 'Whose list says what means nothing in a result.' },
  } satisfies OptionSpecs<ResultStreakOptions>,
});
