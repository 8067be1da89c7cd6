import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';
import { callSubject } from './trail.ts';

export type RoundStreakOptions = Record<never, never>;

const UNBOUNDED = 1_000_000;
const MAX_TOOLS = 12;
/** Calls remembered over all tools. */
const MAX_CALLS = 48;

/** A call in the tool's last round or the one before it: how many of the tool's rounds in a row it stood in. */
type Row = readonly [key: number, round: number, count: number, call: number];
/** A tool and its calls; `last` = the round it was called in last. */
type Tool = readonly [tool: number, last: number, before: number, calls: readonly Row[]];
type State = readonly Tool[];
const INITIAL: State = [];

/** One call made again round after round of its tool, whatever else stands in those rounds. */
export const roundStreak: DetectorKind<'round-streak', RoundStreakOptions> = {
  kind: 'round-streak',
  defaults: {},
  create(name, _options, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['tool-call'],
      needs: ['exact'],
      initial: INITIAL,
      shape: [[0, 0, 0, [[0, 0, 0, 0]]]],
      maxCount: UNBOUNDED,
      blocks: true,
      reduce(state, { tool, exact, call, round, poll }) {
        if (poll) return null;
        const key = digestText(tool);
        const known = state.find((row) => row[0] === key) ?? [key, round, 0, []];
        // At the first call of a round, the round that was the last becomes the one to compare with.
        const before = known[1] === round ? known[2] : known[1];
        const recent = known[3].filter((row) => row[1] === round || row[1] === before);
        const found = recent.find((row) => row[0] === exact);
        const count = found === undefined ? 1 : found[1] === round ? found[2] : found[2] + 1;
        const calls: readonly Row[] = [...recent.filter((row) => row !== found), [exact, round, count, call]];
        const others = state.filter((row) => row[0] !== key);
        const next = bounded([...others, [key, round, before, calls]]);
        if (count < 2 || count < floor || found === undefined) return [next, null];
        const evidence = [found[3], call];
        return [
          next,
          { detector: name, subject: callSubject(tool, exact), count, evidence, facts: { tool } },
        ];
      },
    };
  },
};

/** The tools called last, and no more calls than there is room for: the oldest go first. */
function bounded(tools: State): State {
  const kept = tools.slice(-MAX_TOOLS);
  let over = -MAX_CALLS;
  for (const tool of kept) over += tool[3].length;
  if (over <= 0) return kept;
  return kept.map(([tool, last, before, calls]) => {
    const gone = Math.min(Math.max(over, 0), calls.length);
    over -= gone;
    return [tool, last, before, calls.slice(gone)];
  });
}

/** With help and checks, for those who read presets from JSON. */
export const roundStreakDescribed: DescribedKind = /* @__PURE__ */ described(roundStreak, {
  about: 'One call made again round after round of its tool, whatever else stands in those rounds.',
  options: {},
});
