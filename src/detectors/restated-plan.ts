import type { DigestText } from '../core/digest-text.ts';
import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { keepSmallest, roomFor, withSmallest } from './smallest.ts';
import { wordsOf } from './text-words.ts';

export type RestatedPlanOptions = {
  /** Shared words, in percent of all words of two texts, from which on they say the same. */
  readonly likeness: number;
};

/** The smallest digests of a text's words stand for all of them. */
const SKETCH = 16;
/** Shorter texts say the same for many reasons. */
const FEWEST_WORDS = 6;
const MAX_WORDS = 400;
const MAX_PLANS = 4;
const BITS_24 = 0xff_ffff;
/** A result that says that there is none. */
export const NOTHING_FOUND: RegExp =
  /^\s*(?:no\b.{0,40}|none|null|not found.{0,40}|0|\[\s*\]|\{\s*\})?\.?\s*$/i;

type Plan = readonly [round: number, call: number, sketch: readonly number[]];
type State = readonly [current: readonly number[], fruitless: readonly Plan[]];
const NO_WORDS: readonly number[] = [];
const INITIAL: State = [NO_WORDS, []];

/** The agent announces nearly the same again, and again nothing comes of it: a failure, nothing found, nothing new. */
export const restatedPlan: DetectorKind<'restated-plan', RestatedPlanOptions> = {
  kind: 'restated-plan',
  defaults: { likeness: 60 },
  create(name, { likeness }, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['turn', 'tool-result'],
      needs: [],
      initial: INITIAL,
      shape: [[0], [[0, 0, [0]]]],
      maxCount: MAX_PLANS + 1,
      wakes: TOPIC.other,
      ledger: createLedger,
      observe(event: AgentEvent): Json {
        if (event.type === 'turn') return event.text ? sketchOf(event.text, digestText) : NO_WORDS;
        if (event.type !== 'tool-result' || typeof event.output !== 'string') return null;
        return event.output.length <= 60 && NOTHING_FOUND.test(event.output) ? true : null;
      },
      reduce(state, { event, tool, round, call, sight }, fact) {
        const [current, fruitless] = state;
        if (event === 'turn') return [[fact as readonly number[], fruitless], null];
        if (
          sight === null ||
          sight.kind === 'idle' ||
          sight.kind === 'poll' ||
          sight.kind === 'wait' ||
          sight.outage
        )
          return null;
        if (NOT_RUN.includes(sight.status)) return null;
        const failed = sight.family !== 0;
        if (!failed && !sight.stale && fact !== true)
          return fruitless.length === 0 ? null : [[current, []], null];
        if (current.length < FEWEST_WORDS || fruitless.at(-1)?.[0] === round) return null;
        const same = fruitless.filter((plan) => likenessOf(plan[2], current) >= likeness);
        const next: State = [current, [...fruitless.slice(-(MAX_PLANS - 1)), [round, call, current]]];
        const calls = [...same.map((plan) => plan[1]), call];
        if (calls.length < 2 || calls.length < floor) return [next, null];
        return [
          next,
          { detector: name, subject: tool, count: calls.length, evidence: calls, facts: { tool } },
        ];
      },
    };
  },
};

/** The smallest digests of the words of a text, in order. */
function sketchOf(text: string, digestText: DigestText): readonly number[] {
  const { digests, count } = wordsOf(text, digestText);
  if (count < FEWEST_WORDS) return NO_WORDS;
  const smallest = roomFor(SKETCH);
  for (let index = 0; index < count && index < MAX_WORDS; index++)
    keepSmallest(smallest, (digests[index] as number) & BITS_24);
  return withSmallest([], smallest);
}

/** The share of words that two texts have in common, in percent. */
function likenessOf(one: readonly number[], other: readonly number[]): number {
  const both = new Set([...one, ...other]);
  const smallest = [...both].sort((a, b) => a - b).slice(0, SKETCH);
  const shared = smallest.filter((digest) => one.includes(digest) && other.includes(digest));
  return (100 * shared.length) / Math.max(1, smallest.length);
}

/** With help and checks, for those who read presets from JSON. */
export const restatedPlanDescribed: DescribedKind = /* @__PURE__ */ described(restatedPlan, {
  about: 'Nearly the same plan announced again, with nothing coming of it again.',
  options: {
    likeness: {
      type: 'integer',
      min: 1,
      max: 100,
      about: 'Words in common, in percent, from which on two texts say the same.',
    },
  } satisfies OptionSpecs<RestatedPlanOptions>,
});
