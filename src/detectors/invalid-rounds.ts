import { digestOutcome } from '../core/evidence.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Entry, Finding, Json, Status } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type InvalidRoundsOptions = {
  /** Endings that mean that the arguments were refused. */
  readonly failures: readonly string[];
};

const MAX_TOOLS = 16;

/** `seen` = the round in which the tool was called last, `counted` the one in which it was refused last. */
type Row = readonly [tool: number, error: number, count: number, seen: number, counted: number, call: number];
/** `round` = the last one with a call. */
type State = { readonly round: number; readonly rows: readonly Row[] };
const INITIAL: State = { round: 0, rows: [] };

/** A tool that refuses its arguments for the same reason, round after round. */
export const invalidRounds: DetectorKind<'invalid-rounds', InvalidRoundsOptions> = {
  kind: 'invalid-rounds',
  defaults: { failures: ['invalid'] satisfies Status[] },
  create(name, { failures }, { floor, digestText }): Detector<State> {
    /** A tool that a whole round did without starts anew. */
    function called({ round: last, rows }: State, { round, tool }: Entry): State {
      const key = digestText(tool);
      const kept = round === last ? rows : rows.filter((row) => row[3] === last);
      return {
        round,
        rows: kept.map((row) => (row[0] === key ? [row[0], row[1], row[2], round, row[4], row[5]] : row)),
      };
    }
    function refused({ rows }: State, entry: Entry, error: number): readonly [State, Finding | null] {
      const { round, tool, call } = entry;
      const key = digestText(tool);
      const known = rows.find((row) => row[0] === key && row[1] === error);
      const again = known?.[4] === round ? 0 : 1;
      const count = (known?.[2] ?? 0) + again;
      const others = rows.filter((row) => row[0] !== key).slice(1 - MAX_TOOLS);
      const next = { round, rows: [...others, [key, error, count, round, round, call] as const] };
      if (count < 2 || count < floor) return [next, null];
      const evidence = known === undefined || known[5] === call ? [call] : [known[5], call];
      return [next, { detector: name, subject: tool, count, evidence, facts: { tool } }];
    }
    return {
      name,
      events: ['tool-call', 'tool-result'],
      needs: [],
      initial: INITIAL,
      shape: { round: 0, rows: [[0, 0, 0, 0, 0, 0]] },
      maxCount: UNBOUNDED,
      failures: true,
      observe(event: AgentEvent): Json {
        if (event.type !== 'tool-result' || !failures.includes(event.status)) return null;
        return digestOutcome(event.output, event.status, digestText);
      },
      reduce(state, entry, error) {
        if (error !== null) return refused(state, entry, error as number);
        if (state.rows.length === 0) return null;
        if (entry.event === 'tool-call') return [called(state, entry), null];
        const key = digestText(entry.tool);
        return [{ round: state.round, rows: state.rows.filter((row) => row[0] !== key) }, null];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const invalidRoundsDescribed: DescribedKind = /* @__PURE__ */ described(invalidRounds, {
  about: 'A tool that refuses its arguments for the same reason, round after round.',
  options: {
    failures: { type: 'names', about: 'The statuses that mean refused arguments.' },
  } satisfies OptionSpecs<InvalidRoundsOptions>,
});
