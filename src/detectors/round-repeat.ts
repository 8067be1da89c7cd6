import { digestCall, digestPrefix } from '../core/evidence.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Entry, Finding, Json } from '../core/types.ts';
import { salientArgs } from './salient.ts';
import { MAX_EVIDENCE } from './trail.ts';

export type RoundRepeatOptions = {
  /** `exact` = canonical arguments, `raw` = arguments as sent, `salient` = those that say what the call is about. */
  readonly match: 'exact' | 'raw' | 'salient';
  /** Whether two rounds must also have ended the same way. */
  readonly outcomes: 'ignored' | 'same';
  /** Whether the same calls in another order are another round. */
  readonly order: 'kept' | 'free';
  /** Rounds remembered, those without a call included. */
  readonly window: number;
  /** `latest` = the round at hand; `full-window` = the most frequent round, once the window is full. */
  readonly judged: 'latest' | 'full-window';
};

/** Calls of one round whose results are waited for; with more of them, the result of the first is lost. */
export const MAX_CALLS = 24;
const NUMBERS = 2 ** 53;
/** Nothing folded, and so a round that is like no other: without a call, or with a result that never came. */
const UNLIKE = 0;

type Call = readonly [call: number, digest: number, ended: boolean];
type Row = readonly [key: number, call: number];
type State = {
  /** The host shows model turns; otherwise each call is a round. */
  readonly turns: boolean;
  readonly judged: boolean;
  /** What is known of calls that are not in `calls` any more; -1 = a result is missing for good. */
  readonly folded: number;
  readonly calls: readonly Call[];
  readonly rounds: readonly Row[];
};
const INITIAL: State = { turns: false, judged: false, folded: 0, calls: [], rounds: [] };
const LOST = -1;

/** The same round, all its calls and what came of them, again among the latest rounds. */
export const roundRepeat: DetectorKind<'round-repeat', RoundRepeatOptions> = {
  kind: 'round-repeat',
  defaults: { match: 'exact', outcomes: 'same', order: 'kept', window: 20, judged: 'latest' },
  create(name, options, { floor, digestText }): Detector<State> {
    const { match, outcomes, order, window, judged } = options;
    const mixed = (first: number, second: number) => digestText(`${first} ${second}`);
    /** Free of order by a sum, which unlike an exclusive or keeps a call that was made twice. */
    const joined = (first: number, second: number) =>
      order === 'kept'
        ? mixed(first, second)
        : first < NUMBERS - second
          ? first + second
          : first - (NUMBERS - second);
    const folding = (total: number, [, digest, ended]: Call) =>
      total === LOST || (outcomes === 'same' && !ended) ? LOST : joined(total, digest);

    function keyOf({ folded, calls }: State): number {
      const key = calls.reduce(folding, folded);
      return key === LOST ? UNLIKE : key;
    }

    function withRound(state: State, call: number): readonly Row[] {
      const row: Row = [keyOf(state), state.calls.at(-1)?.[0] ?? call];
      return [...(state.rounds.length < window ? state.rounds : state.rounds.slice(1)), row];
    }

    function findingIn(rounds: readonly Row[]): Finding | null {
      if (judged === 'full-window' && rounds.length < window) return null;
      const key = judged === 'latest' ? (rounds.at(-1) as Row)[0] : mostFrequent(rounds);
      if (key === UNLIKE) return null;
      const same = rounds.filter((row) => row[0] === key);
      const count = same.length;
      if (count < floor) return null;
      const evidence = same.map((row) => row[1]).slice(-MAX_EVIDENCE);
      const facts = { rounds: rounds.length };
      return { detector: name, subject: `round#${key.toString(36)}`, count, evidence, facts };
    }

    /** The round as it stands, judged before it has ended. */
    function early(state: State, call: number): readonly [State, Finding | null] {
      const { turns, folded, calls, rounds } = state;
      return [{ turns, judged: true, folded, calls, rounds }, findingIn(withRound(state, call))];
    }

    function called(state: State, entry: Entry, fact: Json): State {
      const digest = match === 'exact' ? entry.exact : (fact as number);
      const full = state.calls.length >= MAX_CALLS;
      const kept = full ? state.calls.slice(1) : state.calls;
      return {
        turns: state.turns,
        judged: state.judged,
        folded: full ? folding(state.folded, state.calls[0] as Call) : state.folded,
        calls: [...kept, [entry.call, digest, false]],
        rounds: state.rounds,
      };
    }

    function ended(state: State, { call, outcome }: Entry): State | null {
      const place = state.calls.findIndex((other) => other[0] === call);
      if (place < 0) return null;
      const calls = state.calls.slice();
      calls[place] = [call, mixed((calls[place] as Call)[1], outcome), true];
      const { turns, folded, rounds } = state;
      return { turns, judged: state.judged, folded, calls, rounds };
    }

    return {
      name,
      events: ['turn', 'tool-call', 'calls-known', 'tool-result', 'round-done'],
      needs: [
        ...(match === 'exact' ? ['exact' as const] : []),
        ...(outcomes === 'same' ? ['outcome' as const] : []),
      ],
      initial: INITIAL,
      shape: { turns: true, judged: true, folded: 0, calls: [[0, 0, true]], rounds: [[0, 0]] },
      maxCount: window,
      ...(match !== 'exact' && {
        observe: (event) =>
          event.type !== 'tool-call'
            ? null
            : match === 'raw'
              ? digestPrefix(event.tool, event.args, Number.MAX_SAFE_INTEGER, digestText)
              : digestCall(event.tool, salientArgs(event.tool, event.args), digestText),
      }),
      reduce(state, entry, fact) {
        if (entry.poll) return null;
        switch (entry.event) {
          case 'turn':
            if (state.turns) return null;
            return [{ turns: true, judged: false, folded: 0, calls: [], rounds: state.rounds }, null];
          case 'tool-call': {
            const next = called(state, entry, fact);
            return next.turns || outcomes === 'same' ? [next, null] : early(next, entry.call);
          }
          case 'calls-known':
            if (outcomes === 'same' || state.judged || state.calls.length === 0) return null;
            return early(state, entry.call);
          case 'tool-result': {
            const next = outcomes === 'same' ? ended(state, entry) : null;
            if (next === null) return null;
            return next.turns ? [next, null] : early(next, entry.call);
          }
          default: {
            const rounds = withRound(state, entry.call);
            const finding = state.judged ? null : findingIn(rounds);
            return [{ turns: state.turns, judged: false, folded: 0, calls: [], rounds }, finding];
          }
        }
      },
    };
  },
};

function mostFrequent(rounds: readonly Row[]): number {
  const counts = new Map<number, number>();
  let most = UNLIKE;
  for (const [key] of rounds) {
    if (key === UNLIKE) continue;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > (counts.get(most) ?? 0)) most = key;
  }
  return most;
}

/** With help and checks, for those who read presets from JSON. */
export const roundRepeatDescribed: DescribedKind = /* @__PURE__ */ described(roundRepeat, {
  about: 'The same round, all its calls and what came of them, again among the latest rounds.',
  options: {
    match: {
      type: 'choice',
      of: ['exact', 'raw', 'salient'],
      about: 'What makes two calls the same: canonical arguments, the text as sent, or what it is about.',
    },
    outcomes: {
      type: 'choice',
      of: ['ignored', 'same'],
      about: 'Whether two rounds must also have ended the same way.',
    },
    order: {
      type: 'choice',
      of: ['kept', 'free'],
      about: 'Whether the same calls in another order are another round.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: 48,
      about: 'How many rounds are remembered, those without a call included.',
    },
    judged: {
      type: 'choice',
      of: ['latest', 'full-window'],
      about: 'The round at hand, or the most frequent one as soon as the window is full.',
    },
  } satisfies OptionSpecs<RoundRepeatOptions>,
});
