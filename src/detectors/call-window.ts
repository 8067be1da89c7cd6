import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Entry } from '../core/types.ts';
import { callSubject, MAX_EVIDENCE } from './trail.ts';

export type CallWindowOptions = {
  /** `exact` = tool and canonical arguments, `tool` = the tool, whatever its arguments. */
  readonly match: 'exact' | 'tool';
  /** The last calls that are looked at, this one included. */
  readonly window: number;
};

/** A call: what it is compared by, its number, and how often its like stood in the window then. */
type Row = readonly [key: number, call: number, count: number];
type State = readonly Row[];
const INITIAL: State = [];
const MAX_WINDOW = 64;

/** The same call several times among the last calls, wherever it stands; an attempt that gets blocked counts. */
export const callWindow: DetectorKind<'call-window', CallWindowOptions> = {
  kind: 'call-window',
  defaults: { match: 'exact', window: 20 },
  create(name, { match, window }, { floor, digestText }): Detector<State> {
    const keyOf = ({ tool, exact }: Entry) => (match === 'exact' ? exact : digestText(tool));
    return {
      name,
      events: ['tool-call'],
      needs: match === 'exact' ? ['exact'] : [],
      initial: INITIAL,
      shape: [[0, 0, 0]],
      maxCount: window,
      blocks: true,
      reduce(state, entry) {
        if (entry.poll) return null;
        const { call, tool } = entry;
        const key = keyOf(entry);
        const kept = state.length < window ? state : state.slice(1);
        const like = kept.filter((row) => row[0] === key);
        const count = like.length + 1;
        const next: State = [...kept, [key, call, count]];
        if (count < floor) return [next, null];
        const before = state.findLast((row) => row[0] === key)?.[2] ?? 0;
        const evidence = [...like.map((row) => row[1]), call].slice(-MAX_EVIDENCE);
        const subject = match === 'exact' ? callSubject(tool, key) : tool;
        const facts = { tool, rising: count > before };
        return [next, { detector: name, subject, count, evidence, facts }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const callWindowDescribed: DescribedKind = /* @__PURE__ */ described(callWindow, {
  about: 'The same call, or the same tool, several times among the last calls.',
  options: {
    match: {
      type: 'choice',
      of: ['exact', 'tool'],
      about: 'What makes two calls the same: tool and canonical arguments, or the tool alone.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: MAX_WINDOW,
      about: 'How many calls are looked at, the newest included.',
    },
  } satisfies OptionSpecs<CallWindowOptions>,
});
