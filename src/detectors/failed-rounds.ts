import { FAILURES } from '../core/endings.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { topicsOf } from '../core/topics.ts';
import type { Detector, EventType, Finding } from '../core/types.ts';
import { extended } from './trail.ts';

export type FailedRoundsOptions = {
  /** Endings that count as failures. */
  readonly failures: readonly string[];
  /** From the n-th round in a row on, a round without any call counts as a failed one. */
  readonly textsFrom: number | 'off';
  /** Rounds since a person's last message that it takes to speak. */
  readonly sinceUser: number;
};

const UNBOUNDED = 1_000_000;
const EVENTS: readonly EventType[] = ['turn', 'tool-call', 'tool-result', 'round-done'];

type State = {
  /** The host shows model turns; otherwise each call is a round. */
  readonly turns: boolean;
  /** Failed rounds in a row, the open one left out. */
  readonly count: number;
  /** Rounds without a call in a row. */
  readonly texts: number;
  /** Of the open round: whether it has a call, its last call that failed (0 = none), whether one succeeded. */
  readonly called: boolean;
  readonly failed: number;
  readonly succeeded: boolean;
  readonly calls: readonly number[];
  /** Rounds since a person's last message. */
  readonly since: number;
};
const INITIAL: State = {
  turns: false,
  count: 0,
  texts: 0,
  called: false,
  failed: 0,
  succeeded: false,
  calls: [],
  since: 0,
};

/** Rounds in a row in which something failed and nothing succeeded. */
export const failedRounds: DetectorKind<'failed-rounds', FailedRoundsOptions> = {
  kind: 'failed-rounds',
  defaults: { failures: FAILURES, textsFrom: 'off', sinceUser: 1 },
  create(name, { failures, textsFrom, sinceUser }, { floor }): Detector<State> {
    const enough = textsFrom === 'off' ? Number.POSITIVE_INFINITY : textsFrom;

    function judged(state: State): readonly [State, Finding | null] {
      const { turns, called, failed, succeeded } = state;
      const texts = called ? 0 : state.texts + 1;
      const bad = !succeeded && (failed > 0 || texts >= enough);
      const count = succeeded ? 0 : bad ? state.count + 1 : state.count;
      const calls = succeeded ? [] : failed > 0 ? extended(state.calls, failed) : state.calls;
      const since = Math.min(state.since + 1, sinceUser);
      const next = { turns, count, texts, called: false, failed: 0, succeeded: false, calls, since };
      if (!bad || count < floor || since < sinceUser) return [next, null];
      return [next, { detector: name, subject: 'rounds', count, evidence: calls }];
    }

    return {
      name,
      events: sinceUser > 1 ? [...EVENTS, 'user'] : EVENTS,
      needs: [],
      initial: INITIAL,
      shape: {
        turns: true,
        count: 0,
        texts: 0,
        called: true,
        failed: 0,
        succeeded: true,
        calls: [0],
        since: 0,
      },
      maxCount: UNBOUNDED,
      wakes: topicsOf(failures),
      failures: true,
      reduce(state, { event, status, call, kind }) {
        const { count, texts, calls, turns, since } = state;
        if (event === 'user') return [{ ...state, since: 0 }, null];
        if (event === 'turn')
          return [
            { turns: true, count, texts, called: false, failed: 0, succeeded: false, calls, since },
            null,
          ];
        if (event === 'round-done') return turns ? judged(state) : null;
        // To think is no success.
        if (event === 'tool-result' && status === 'ok' && kind === 'idle') return null;
        // Without turns a round is its result.
        if (event === 'tool-call' && (!turns || state.called)) return null;
        const failed = event === 'tool-result' && failures.includes(status) ? call : state.failed;
        const succeeded = state.succeeded || status === 'ok';
        if (!turns && failed === 0 && count === 0) return null;
        const next = { turns, count, texts, called: true, failed, succeeded, calls, since };
        return turns ? [next, null] : judged(next);
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const failedRoundsDescribed: DescribedKind = /* @__PURE__ */ described(failedRounds, {
  about: 'Rounds in a row in which something failed and nothing succeeded.',
  options: {
    failures: { type: 'names', about: 'The statuses that count as failures.' },
    textsFrom: {
      type: 'integer',
      min: 1,
      max: 1000,
      offable: true,
      about: 'From which round in a row on a round without any call counts as a failed one.',
    },
    sinceUser: {
      type: 'integer',
      min: 1,
      max: 1000,
      about: "How many rounds since a person's last message it takes to speak.",
    },
  } satisfies OptionSpecs<FailedRoundsOptions>,
});
