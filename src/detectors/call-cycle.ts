import { parsedArgs } from '../core/arguments.ts';
import { FAILURES, NOT_RUN } from '../core/endings.ts';
import { digestPrefix } from '../core/evidence.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { matches } from '../core/tools.ts';
import {
  type Detector,
  type Entry,
  type Finding,
  type Json,
  STATUSES,
  type ToolCallEvent,
} from '../core/types.ts';
import { callSubject, MAX_EVIDENCE } from './trail.ts';

export type CallCycleOptions = {
  /** The fewest calls of one lap; 1 = the same call in a row. */
  readonly shortest: number;
  /** The most calls of one lap. */
  readonly longest: number;
  /** `compared` = the fact `same` tells; `same` = the judgement waits for the result, and another result breaks the cycle. */
  readonly outcomes: 'ignored' | 'compared' | 'same';
  /** Whether the order of keys in the arguments matters. */
  readonly keys: 'canonical' | 'as-sent';
  /** A cycle of nothing but these tools is fine; `*` stands for any part of a name. */
  readonly passes: readonly string[];
  /** Tools of which only the status is compared, not the output; `*` stands for any part of a name. */
  readonly statusOnly: readonly string[];
  /** Whether another text of the model before a call makes it another call. */
  readonly thoughts: 'ignored' | 'compared';
  /** Calls remembered. */
  readonly window: number;
};

type Row = readonly [key: number, outcome: number, call: number, passes: boolean];
type State = readonly Row[];
const INITIAL: State = [];
/** The outcome of a call that is still open, and of one that never ran. */
const OPEN = 0;
const NONE = -1;
/** In place of an outcome: the row is no call, but the text of the model before the next one. */
const THOUGHT = -2;
const SUBJECTS = Number.MAX_SAFE_INTEGER;

function alike(row: Row, other: Row): boolean {
  return row[0] === other[0];
}

function alikeInOutcome(row: Row, other: Row): boolean {
  return row[0] === other[0] && row[1] === other[1];
}

/** How many rows at the end equal the one `period` before them. */
function echoes(state: State, period: number, equal: typeof alike): number {
  let index = state.length - 1;
  while (index >= period && equal(state[index] as Row, state[index - period] as Row)) index -= 1;
  return state.length - 1 - index;
}

/** Whether the laps, two at least, are themselves laps of a shorter one. */
function isComposed(state: State, period: number, equal: typeof alike): boolean {
  for (let part = 1; part <= period / 2; part++) {
    if (echoes(state, part, equal) >= period) return true;
  }
  return false;
}

/** Whether every call before the last one ended as it did a lap earlier; one that never ran says nothing. */
function endedTheSame(run: readonly Row[], period: number): boolean {
  let compared = false;
  for (let index = period; index < run.length - 1; index++) {
    const outcome = (run[index] as Row)[1];
    if (outcome === NONE) continue;
    let earlier = index - period;
    while (run[earlier]?.[1] === NONE) earlier -= period;
    if (earlier < 0) continue;
    if (outcome === OPEN || outcome !== (run[earlier] as Row)[1]) return false;
    compared = true;
  }
  return compared;
}

/** The text of the model that belongs to the next call; with several calls in a turn, to the first of them. */
function thoughtIn(state: State): number | undefined {
  const last = state.at(-1);
  return last?.[1] === THOUGHT ? last[0] : undefined;
}

function withOutcome(state: State, call: number, outcome: number): State {
  const index = state.findLastIndex((row) => row[2] === call);
  const row = state[index];
  if (row === undefined) return state;
  const next = state.slice();
  next[index] = [row[0], outcome, row[2], row[3]];
  return next;
}

/** The last calls are whole laps of one short sequence. */
export const callCycle: DetectorKind<'call-cycle', CallCycleOptions> = {
  kind: 'call-cycle',
  defaults: {
    shortest: 2,
    longest: 4,
    outcomes: 'ignored',
    keys: 'canonical',
    passes: [],
    statusOnly: [],
    thoughts: 'ignored',
    window: 32,
  },
  create(name, options, { floor, digestText }): Detector<State> {
    const { shortest, longest, outcomes, keys, passes, statusOnly, thoughts, window } = options;
    const least = Math.max(2, floor);
    const equal = outcomes === 'same' ? alikeInOutcome : alike;

    function found(state: State, { tool, status }: Entry): Finding | null {
      let laps = least - 1;
      let period = 0;
      let calls = 0;
      for (let lap = shortest; lap <= longest; lap++) {
        const echoed = echoes(state, lap, equal);
        const count = Math.floor(echoed / lap) + 1;
        if (count <= laps || isComposed(state, lap, equal) || state.slice(-lap).every((row) => row[3]))
          continue;
        laps = count;
        period = lap;
        calls = echoed + lap;
      }
      if (period === 0) return null;
      const run = state.slice(-calls);
      // The same for a cycle wherever in its lap it is seen.
      const digest = run.slice(-period).reduce((sum, row) => (sum + row[0]) % SUBJECTS, 0);
      const same = outcomes === 'same' || endedTheSame(run, period);
      return {
        detector: name,
        subject: callSubject(period === 1 ? tool : 'cycle', digest),
        count: laps,
        evidence: run.slice(-MAX_EVIDENCE).map((row) => row[2]),
        facts: {
          tool,
          period,
          calls,
          whole: calls % period === 0,
          same,
          ...(statusOnly.length > 0 && { failed: FAILURES.includes(status) }),
        },
      };
    }

    function outcomeOf({ tool, status, outcome }: Entry): number {
      return statusOnly.some((pattern) => matches(pattern, tool)) ? 1 + STATUSES.indexOf(status) : outcome;
    }

    function recorded(before: State, entry: Entry, fact: Json): readonly [State, Finding | null] {
      const { call, tool, exact } = entry;
      const key = (fact as number | null) ?? exact;
      const thought = thoughtIn(before);
      const state = thought === undefined ? before : before.slice(0, -1);
      const row: Row = [
        thought === undefined ? key : digestText(`${thought} ${key}`),
        entry.event === 'tool-call' ? OPEN : outcomeOf(entry),
        call,
        passes.some((pattern) => matches(pattern, tool)),
      ];
      const next = state.length < window ? state.slice() : state.slice(1);
      next.push(row);
      return [next, found(next, entry)];
    }

    const keyOf = ({ tool, args }: ToolCallEvent) =>
      digestPrefix(tool, parsedArgs(args).value, Number.MAX_SAFE_INTEGER, digestText);

    return {
      name,
      events: [
        ...(thoughts === 'compared' ? (['turn'] as const) : []),
        ...(outcomes === 'same' ? [] : (['tool-call'] as const)),
        ...(outcomes === 'ignored' ? [] : (['tool-result'] as const)),
      ],
      needs: [
        ...(keys === 'canonical' ? (['exact'] as const) : []),
        ...(outcomes === 'ignored' ? [] : (['outcome'] as const)),
      ],
      initial: INITIAL,
      shape: [[0, 0, 0, true]],
      maxCount: shortest <= longest ? Math.floor(window / shortest) : 0,
      blocks: outcomes !== 'same',
      ...(keys === 'as-sent' && outcomes === 'same' && { note: keyOf }),
      ...((keys === 'as-sent' || thoughts === 'compared') && {
        observe(event, noted) {
          if (event.type === 'turn') return digestText(event.text ?? '');
          return event.type === 'tool-call' && keys === 'as-sent' ? keyOf(event) : noted;
        },
      }),
      reduce(state, entry, key) {
        if (entry.poll) return null;
        if (entry.event === 'turn') {
          const calls = thoughtIn(state) === undefined ? state : state.slice(0, -1);
          return [[...calls, [key as number, THOUGHT, 0, false]], null];
        }
        if (entry.event === 'tool-call') return recorded(state, entry, key);
        const ran = !NOT_RUN.includes(entry.status);
        if (outcomes === 'compared')
          return [withOutcome(state, entry.call, ran ? outcomeOf(entry) : NONE), null];
        return ran ? recorded(state, entry, key) : null;
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const callCycleDescribed: DescribedKind = /* @__PURE__ */ described(callCycle, {
  about: 'The last calls are laps of one short sequence.',
  options: {
    shortest: {
      type: 'integer',
      min: 1,
      max: 16,
      about: 'The fewest calls of a lap; 1 = also the same call in a row.',
    },
    longest: { type: 'integer', min: 1, max: 16, about: 'The most calls of a lap.' },
    outcomes: {
      type: 'choice',
      of: ['ignored', 'compared', 'same'],
      about:
        'Whether results matter: not at all, as the fact `same`, or as a condition, judged at the result.',
    },
    keys: {
      type: 'choice',
      of: ['canonical', 'as-sent'],
      about: 'Whether the order of keys in the arguments makes another call.',
    },
    passes: {
      type: 'names',
      about: 'A cycle of these tools alone is none; `*` stands for any part of a name.',
    },
    statusOnly: {
      type: 'names',
      about: 'Tools of which only the status is compared, not the output; `*` stands for any part of a name.',
    },
    thoughts: {
      type: 'choice',
      of: ['ignored', 'compared'],
      about: 'Whether another text of the model before a call makes it another call.',
    },
    window: { type: 'integer', min: 2, max: 64, about: 'How many calls are remembered.' },
  } satisfies OptionSpecs<CallCycleOptions>,
});
