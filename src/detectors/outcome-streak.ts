import { FAILURES } from '../core/endings.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Entry, Finding, Json } from '../core/types.ts';
import { clears } from './clearing.ts';
import { keyOf, outcomeOf, READINGS, type Reading, reads } from './result-reading.ts';
import { shortDigest } from './short-digest.ts';
import { UNBOUNDED } from './streak.ts';
import { callSubject } from './trail.ts';

export type OutcomeStreakOptions = {
  /** Tools whose equal successes count; empty = every tool. Failures count for all. */
  readonly successes: readonly string[];
  /** `any` = two failures of one call are the same whatever they say. */
  readonly failures: 'any' | 'equal';
  /** Tools whose success makes the next try of what has failed a new one. */
  readonly forgivenBy: readonly string[];
  readonly results: Reading;
  /** Different calls remembered; the one that ended longest ago is forgotten first. */
  readonly window: number;
};

const OK = 0;
const FAILED = 1;
/** The outcome of every failure, where all are the same. */
const ANY_FAILURE = 1;

type Row = readonly [key: number, outcome: number, count: number, last: number, how: number];
type State = readonly Row[];
const INITIAL: State = [];

/** One call that keeps ending the same way, whatever stands in between: reported at its result, and when it is about to run again. */
export const outcomeStreak: DetectorKind<'outcome-streak', OutcomeStreakOptions> = {
  kind: 'outcome-streak',
  defaults: { successes: [], failures: 'any', forgivenBy: [], results: 'whole', window: 24 },
  create(name, options, { floor, digestText }): Detector<State> {
    const { successes, failures, forgivenBy, results, window } = options;

    function finding({ tool, call }: Entry, key: number, row: Row, before: number): Finding | null {
      const [, , count, , how] = row;
      const ran = row[3] === call;
      if (count < floor) return null;
      const evidence = before < call ? [before, call] : [call, before];
      const facts = { tool, failed: how === FAILED, ran };
      return { detector: name, subject: callSubject(tool, key), count, evidence, facts };
    }

    const forgiven = (state: State) => state.filter((row) => row[4] !== FAILED);

    function ended(state: State, entry: Entry, fact: Json): readonly [State, Finding | null] | null {
      const { status, call, tool } = entry;
      const failed = FAILURES.includes(status);
      if (!failed && status !== 'ok') return null;
      const key = keyOf(entry, fact);
      const short = shortDigest(key);
      const known = state.find((row) => row[0] === short);
      let others = state.filter((row) => row !== known);
      if (!failed) {
        if (forgivenBy.length > 0 && clears(entry, forgivenBy)) others = forgiven(others);
        if (successes.length > 0 && !successes.includes(tool)) return [others, null];
      }
      const how = failed ? FAILED : OK;
      const outcome = failed && failures === 'any' ? ANY_FAILURE : shortDigest(outcomeOf(entry, fact));
      const again = known !== undefined && known[4] === how && known[1] === outcome;
      const row: Row = [short, outcome, again ? known[2] + 1 : 1, call, how];
      return [
        [...(others.length < window ? others : others.slice(1)), row],
        again ? finding(entry, key, row, known[3]) : null,
      ];
    }

    return {
      name,
      events: ['tool-call', 'tool-result', 'state-change'],
      needs: ['exact', 'outcome'],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, 0]],
      maxCount: UNBOUNDED,
      blocks: true,
      ...reads(results, digestText),
      reduce(state, entry, fact) {
        if (entry.event === 'state-change') return [forgiven(state), null];
        if (entry.poll) return null;
        if (entry.event === 'tool-result') return ended(state, entry, fact);
        const key = keyOf(entry, fact);
        const short = shortDigest(key);
        const row = state.find((other) => other[0] === short);
        return row === undefined ? null : [state, finding(entry, key, row, row[3])];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const outcomeStreakDescribed: DescribedKind = /* @__PURE__ */ described(outcomeStreak, {
  about: 'One call that keeps ending the same way, whatever stands in between.',
  options: {
    successes: {
      type: 'names',
      about: 'Tools whose equal successes count; empty = every tool. Failures count for every tool.',
    },
    failures: {
      type: 'choice',
      of: ['any', 'equal'],
      about: 'Whether all failures of a call are the same, or only those with the same output.',
    },
    forgivenBy: {
      type: 'names',
      about: 'Tools whose success makes the next try of a failed call a first one.',
    },
    results: { type: 'choice', of: READINGS, about: 'Whose list says what means nothing in a result.' },
    window: { type: 'integer', min: 2, max: 48, about: 'How many different calls are remembered.' },
  } satisfies OptionSpecs<OutcomeStreakOptions>,
});
