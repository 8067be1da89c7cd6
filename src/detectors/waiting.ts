import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Json } from '../core/types.ts';
import { callSubject, extended } from './trail.ts';

export type WaitingOptions = {
  /** Looks that come faster than this, on average, are no waiting. */
  readonly patienceMs: number;
};

const MAX_POLLS = 4;
const MOST = 1_000_000;

/** `since` = the time of the first look, 0 = not known. */
type Row = readonly [key: number, outcome: number, count: number, since: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];

/**
 * Looking again at something that does not move: polls, and steps whose output is only an acknowledgement. A status
 * that moves starts the count anew. `fast` = the looks come one upon the other, as far as the clock tells. `hasty` =
 * nothing says that waiting is what helps, nor that much time passes; `brisk` = the former, and some time does.
 */
export const waiting: DetectorKind<'waiting', WaitingOptions> = {
  kind: 'waiting',
  defaults: { patienceMs: 5000 },
  create(name, { patienceMs }, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, [0]]],
      maxCount: MOST,
      wakes: TOPIC.wait,
      ledger: createLedger,
      observe(event, _noted, { kind }): Json {
        return kind === 'poll' || kind === 'wait' || kind === 'step' ? (event.at ?? 0) : null;
      },
      reduce(state, { tool, call, sight }, at) {
        if (sight === null || sight.outage) return null;
        if (sight.kind !== 'poll' && sight.kind !== 'wait' && sight.kind !== 'step')
          return sight.moved ? [INITIAL, null] : null;
        if (NOT_RUN.includes(sight.status)) return null;
        const { key, outcome } = sight;
        const now = (at ?? 0) as number;
        const known = state.find((row) => row[0] === key);
        const others = state.filter((row) => row[0] !== key).slice(0, MAX_POLLS - 1);
        if (known === undefined || known[1] !== outcome)
          return [[[key, outcome, 1, now, [call]], ...others], null];
        const count = known[2] + 1;
        const calls = extended(known[4], call);
        const next: State = [[key, outcome, count, known[3], calls], ...others];
        if (count < floor) return [next, null];
        const timed = now > 0 && known[3] > 0;
        const apart = timed ? (now - known[3]) / (count - 1) : 0;
        const fast = timed && apart < patienceMs;
        const callsApart = (call - (calls[0] as number)) / (calls.length - 1);
        const isGuess = sight.sign === 'guessed';
        const hasty =
          sight.sign === 'bare'
            ? callsApart === 1 && apart < 4 * patienceMs
            : isGuess &&
              (apart < 2 * patienceMs || (callsApart <= MAX_POLLS && apart < callsApart * patienceMs));
        const brisk = isGuess && apart < 6 * patienceMs;
        const facts = { tool, fast, hasty, brisk };
        return [next, { detector: name, subject: callSubject(tool, key), count, evidence: calls, facts }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const waitingDescribed: DescribedKind = /* @__PURE__ */ described(waiting, {
  about: 'Looking again and again at something that does not move.',
  options: {
    patienceMs: {
      type: 'integer',
      min: 0,
      max: 3_600_000,
      about: 'Looks that come faster than this on average are told apart (fact "fast"), in milliseconds.',
    },
  } satisfies OptionSpecs<WaitingOptions>,
});
