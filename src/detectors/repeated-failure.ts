import { FAILURES } from '../core/endings.ts';
import { createLedger, MOST_ALIKE } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Entry, Finding, Sight } from '../core/types.ts';

export type RepeatedFailureOptions = {
  /** `words` = the same message; `family` = the same kind of message, names and numbers aside; `tool` = one tool, for several kinds of reasons. */
  readonly by: 'words' | 'family' | 'tool';
};

const MAX_TOOLS = 4;
const MAX_CALLS = 4;
const MOST = 1_000_000;
/** Failures of several kinds. */
const VARIED = 0;
const IN_SAME_WORDS = 3;

/** One tool failing in round after round. */
type Row = readonly [tool: number, family: number, round: number, count: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];

/** The same failure again, whatever the arguments; a round counts once, however many of its calls failed. */
export const repeatedFailure: DetectorKind<'repeated-failure', RepeatedFailureOptions> = {
  kind: 'repeated-failure',
  defaults: { by: 'words' },
  create(name, { by }, { floor }): Detector<State> {
    function finding(
      { tool }: Entry,
      { family }: Sight,
      calls: readonly number[],
      count = calls.length,
    ): Finding | null {
      if (count < 2 || count < floor) return null;
      const subject = by === 'tool' ? tool : `${tool}!${family.toString(36)}`;
      return { detector: name, subject, count, evidence: calls, facts: { tool } };
    }
    return {
      name,
      events: ['tool-result', 'state-change'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, [0]]],
      maxCount: by === 'words' ? MOST_ALIKE : MOST,
      wakes: TOPIC.failure,
      ledger: createLedger,
      reduce(state, entry) {
        const { sight } = entry;
        // What failed may work in a world that has changed.
        if (by !== 'words' && (entry.event === 'state-change' || sight?.effect === 'new'))
          return [INITIAL, null];
        if (sight === null) return null;
        const failed = FAILURES.includes(sight.status);
        if (by === 'words') return [state, failed ? finding(entry, sight, sight.alike) : null];
        const key = sight.actor;
        const known = state.find((row) => row[0] === key);
        const others = state.filter((row) => row !== known);
        if (!failed) return sight.status !== 'ok' ? null : [others.length === 0 ? INITIAL : others, null];
        const same = known?.[1] === sight.family;
        const goesOn = by === 'tool' || same ? known : undefined;
        if (goesOn?.[2] === entry.round) return null;
        const count = (goesOn?.[3] ?? 0) + 1;
        const calls = [...(goesOn?.[4] ?? []), entry.call].slice(-MAX_CALLS);
        const family = goesOn === undefined || same ? sight.family : VARIED;
        const row: Row = [key, family, entry.round, count, calls];
        // The narrowest of the three speaks: failures in the same words are no mere family, one family no mere tool.
        const own = by === 'tool' ? family === VARIED : sight.alike.length < IN_SAME_WORDS;
        return [[row, ...others.slice(0, MAX_TOOLS - 1)], own ? finding(entry, sight, calls, count) : null];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const repeatedFailureDescribed: DescribedKind = /* @__PURE__ */ described(repeatedFailure, {
  about: 'The same failure in round after round, whatever the arguments.',
  options: {
    by: {
      type: 'choice',
      of: ['words', 'family', 'tool'],
      about:
        'What makes two failures the same: the words, the kind of error with names and numbers aside, or only the tool, with errors of several kinds.',
    },
  } satisfies OptionSpecs<RepeatedFailureOptions>,
});
