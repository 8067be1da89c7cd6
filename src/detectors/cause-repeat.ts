import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Entry, Finding, Json, Status } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type CauseRepeatOptions = Record<never, never>;

/** More tools or failures than these in one round are beyond one cause anyway. */
export const MAX_IN_ROUND = 16;
/** Calls that did not run. */
const NOT_RUN: readonly Status[] = ['invalid', 'unknown-tool', 'denied', 'cancelled', 'blocked'];

type Failure = readonly [tool: string, error: number, count: number];
/** The round so far; `spoiled` = it proves nothing. */
type Round = {
  readonly open: number;
  readonly spoiled: boolean;
  readonly worked: readonly string[];
  readonly failed: readonly Failure[];
};
/** One failure over the rounds; `doubt` = an ending was not known, so that no count can be trusted to the full. */
type State = {
  readonly tool: string;
  readonly error: number;
  readonly count: number;
  readonly rounds: number;
  readonly doubt: boolean;
  readonly round: Round;
};
const NEW_ROUND: Round = { open: 0, spoiled: false, worked: [], failed: [] };
const INITIAL: State = { tool: '', error: 0, count: 0, rounds: 0, doubt: false, round: NEW_ROUND };

function startedAnew(doubt: boolean): State {
  return { ...INITIAL, doubt };
}

/** The state with another round in progress. */
function within({ tool, error, count, rounds, doubt }: State, round: Round, doubts: boolean): State {
  return { tool, error, count, rounds, doubt: doubt || doubts, round };
}

function called(state: State): State {
  const { open, spoiled, worked, failed } = state.round;
  return within(state, { open: open + 1, spoiled, worked, failed }, false);
}

function ended(state: State, { tool, status }: Entry, error: Json): State {
  const { worked, failed } = state.round;
  const open = Math.max(0, state.round.open - 1);
  const unknown = status === 'unknown' || (status === 'error' && error === null);
  if (unknown || NOT_RUN.includes(status))
    return within(state, { open, spoiled: true, worked, failed }, unknown);
  const { spoiled } = state.round;
  if (status === 'ok') {
    const more = worked.includes(tool) ? worked : [...worked, tool].slice(0, MAX_IN_ROUND);
    return within(state, { open, spoiled, worked: more, failed }, false);
  }
  const known = failed.find((failure) => failure[0] === tool && failure[1] === error);
  const others = failed.filter((failure) => failure !== known).slice(0, MAX_IN_ROUND - 1);
  const more: readonly Failure[] = [...others, [tool, error as number, (known?.[2] ?? 0) + 1]];
  return within(state, { open, spoiled, worked, failed: more }, false);
}

/** What a finished round does to the count; null = it says nothing about this failure. */
function after(state: State): State | null {
  const { open, spoiled, worked, failed } = state.round;
  if (open > 0 || spoiled) return startedAnew(state.doubt);
  const left = failed.filter(([tool]) => !worked.includes(tool));
  const [first] = left;
  if (first === undefined) return worked.includes(state.tool) ? startedAnew(state.doubt) : null;
  if (left.length > 1) return startedAnew(state.doubt);
  const [tool, error, more] = first;
  const same = tool === state.tool && error === state.error;
  return {
    tool,
    error,
    count: (same ? state.count : 0) + more,
    rounds: (same ? state.rounds : 0) + 1,
    doubt: state.doubt,
    round: NEW_ROUND,
  };
}

/** One tool failing for one reason, counted over whole rounds in which nothing else went wrong. */
export const causeRepeat: DetectorKind<'cause-repeat', CauseRepeatOptions> = {
  kind: 'cause-repeat',
  defaults: {},
  create(name, _options, { floor, digestText }): Detector<State> {
    function judged(state: State, { call }: Entry): readonly [State, Finding | null] {
      const next = after(state);
      if (next === null) return [within(state, NEW_ROUND, false), null];
      const { tool, count, rounds, doubt } = next;
      if (count < floor) return [next, null];
      const facts = { tool, rounds, again: rounds > 1, sure: !doubt };
      return [next, { detector: name, subject: tool, count, evidence: [call], facts }];
    }
    return {
      name,
      events: ['tool-call', 'tool-result', 'round-done', 'user'],
      needs: [],
      initial: INITIAL,
      shape: {
        tool: '',
        error: 0,
        count: 0,
        rounds: 0,
        doubt: true,
        round: { open: 0, spoiled: true, worked: [''], failed: [['', 0, 0]] },
      },
      maxCount: UNBOUNDED,
      failures: true,
      observe(event: AgentEvent): Json {
        if (event.type !== 'tool-result') return null;
        const { errorType } = event;
        return typeof errorType === 'string' && errorType !== '' ? digestText(errorType) : null;
      },
      reduce(state, entry, error) {
        switch (entry.event) {
          case 'tool-call':
            return [called(state), null];
          case 'tool-result':
            return [ended(state, entry, error), null];
          case 'user':
            return [startedAnew(state.doubt), null];
          default:
            return judged(state, entry);
        }
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const causeRepeatDescribed: DescribedKind = /* @__PURE__ */ described(causeRepeat, {
  about: 'One tool failing for one reason, counted over whole rounds in which nothing else went wrong.',
  options: {},
});
