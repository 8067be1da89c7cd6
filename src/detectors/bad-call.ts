import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Finding } from '../core/types.ts';

export type BadCallOptions = Record<never, never>;

const MAX_TOOLS = 16;
const MAX_CALLS = 4;
const UNBOUNDED = 1_000_000;
/** The row of all tools that do not exist, whatever their names. */
const INVENTED = 0;

/** Refused rounds in a row, the last of them, and the refused calls. */
type Row = readonly [tool: number, count: number, round: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];

/** Calls that were refused before they could run: a tool that does not exist, arguments that do not fit. */
export const badCall: DetectorKind<'bad-call', BadCallOptions> = {
  kind: 'bad-call',
  defaults: {},
  create(name, _options, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['tool-result', 'control'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, [0]]],
      maxCount: UNBOUNDED,
      wakes: TOPIC.failure,
      failures: true,
      reduce(state, { event, tool, status, call, round }) {
        if (event === 'control') return state.length === 0 ? null : [INITIAL, null];
        const invented = status === 'unknown-tool';
        const key = digestText(tool);
        if (status === 'ok') {
          const left = state.filter((row) => row[0] !== key && row[0] !== INVENTED);
          return left.length === state.length ? null : [left, null];
        }
        if (!invented && status !== 'invalid') return null;
        const named = refused(state, key, round, call);
        const any = invented ? refused(state, INVENTED, round, call) : NONE;
        const others = state.filter((row) => row[0] !== key && (!invented || row[0] !== INVENTED));
        const own = invented ? [named, any] : [named];
        const next: State = [...own, ...others.slice(0, MAX_TOOLS - own.length)];
        const worst = any[1] > named[1] ? any : named;
        const before = state.find((row) => row[0] === worst[0]);
        // A batch is refused once, however many calls it has.
        if (worst[1] < floor || before?.[2] === round) return [next, null];
        const subject = worst === named ? tool : 'unknown tools';
        const finding: Finding = {
          detector: name,
          subject,
          count: worst[1],
          evidence: worst[3],
          facts: { tool, status },
        };
        return [next, finding];
      },
    };
  },
};

const NONE: Row = [INVENTED, 0, 0, []];

function refused(state: State, key: number, round: number, call: number): Row {
  const [, count, last, calls] = state.find((row) => row[0] === key) ?? NONE;
  return [key, last === round ? count : count + 1, round, [...calls, call].slice(-MAX_CALLS)];
}

/** With help and checks, for those who read presets from JSON. */
export const badCallDescribed: DescribedKind = /* @__PURE__ */ described(badCall, {
  about: 'Rounds in which calls of one tool, or of tools that do not exist, are refused before they run.',
  options: {},
});
