import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Sight } from '../core/types.ts';
import { callSubject } from './trail.ts';

export type StuckTestOptions = {
  /** `words` = one command, in the same words; `gist` = one program, by the lines that tell what is wrong. */
  readonly by: 'words' | 'gist';
};

const MAX_ROWS = 4;
const MAX_CALLS = 4;
const MOST = 1_000_000;
const NONE = 0;
/** Not always the same command in the same words. */
const VARIED = 0;

type Row = readonly [
  /** The command, or the program. */
  subject: number,
  failure: number,
  /** By gist: the failure before, as two may take turns. */
  other: number,
  deeds: number,
  count: number,
  calls: readonly number[],
  /** The furthest place in a file at which it has stood. */
  furthest: number,
  /** Digest of command and words, as long as there was but one. */
  sole: number,
];
type State = readonly Row[];
const INITIAL: State = [];

/** A command that fails in the same way after each of several changes: the changes do not touch the cause. */
export const stuckTest: DetectorKind<'stuck-test', StuckTestOptions> = {
  kind: 'stuck-test',
  defaults: { by: 'words' },
  create(name, { by }, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, 0, [0], 0, 0]],
      maxCount: MOST,
      wakes: TOPIC.failure,
      ledger: createLedger,
      reduce(state, { tool, call, sight }) {
        if (sight === null || sight.outage || !isCheck(sight, by)) return null;
        // A run that never took place shows nothing.
        if (NOT_RUN.includes(sight.status)) return null;
        const { deeds, place } = sight;
        const subject = by === 'words' ? sight.key : sight.actor;
        const failure = by === 'words' ? sight.outcome : sight.gist;
        const known = state.find((row) => row[0] === subject);
        const others = state.filter((row) => row !== known);
        if (sight.family === 0) return known === undefined ? null : [others, null];
        const turns = by === 'gist' && known?.[2] === failure;
        const row = known !== undefined && (known[1] === failure || turns) ? known : undefined;
        // Without a change in between it is a plain repeat, which others see.
        if (row?.[3] === deeds) return null;
        // The same mistake further down in the file: the one before is mended.
        const furthest = Math.max(place, row?.[6] ?? 0);
        const further = row !== undefined && furthest > row[6];
        const count = (row?.[4] ?? 0) + (further ? 0 : 1);
        const calls = [...(row?.[5] ?? []), call].slice(-MAX_CALLS);
        const other =
          by === 'words' || known === undefined ? NONE : known[turns || row === undefined ? 1 : 2];
        const words = (sight.key ^ sight.outcome) >>> 0;
        const sole = row === undefined || row[7] === words ? words : VARIED;
        const next: Row = [subject, failure, other, deeds, count, calls, furthest, sole];
        const rows: State = [next, ...others.slice(0, MAX_ROWS - 1)];
        // The narrower of the two speaks.
        if (further || count < 2 || count < floor || (by === 'gist' && sole !== VARIED)) return [rows, null];
        return [
          rows,
          { detector: name, subject: callSubject(tool, subject), count, evidence: calls, facts: { tool } },
        ];
      },
    };
  },
};

/** A command, or another call that may check something: a lookup or a change that fails is no test. */
function isCheck({ kind, checks }: Sight, by: StuckTestOptions['by']): boolean {
  return by === 'gist' ? kind === 'shell' && checks : kind === 'shell' || kind === 'other';
}

/** With help and checks, for those who read presets from JSON. */
export const stuckTestDescribed: DescribedKind = /* @__PURE__ */ described(stuckTest, {
  about: 'A command that fails in the same words after each of several changes.',
  options: {
    by: {
      type: 'choice',
      of: ['words', 'gist'],
      about:
        'What stays the same: one command and all that it prints, or one program that checks something and the lines that tell what is wrong.',
    },
  } satisfies OptionSpecs<StuckTestOptions>,
});
