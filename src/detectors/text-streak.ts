import type { DigestText } from '../core/digest-text.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { ANYTHING, TOPIC } from '../core/topics.ts';
import type { AgentEvent, Detector } from '../core/types.ts';

export type TextStreakOptions = {
  /** `text-only` = turns without a tool call; `same-text` = turns that say the same, with or without one; `same-text-only` = both. */
  readonly counts: 'text-only' | 'same-text' | 'same-text-only';
  /** The iterations the host allows: on the last one a text is the answer that is wanted. */
  readonly maxIterations: number | 'off';
};

const UNBOUNDED = 1_000_000;

type State = {
  readonly count: number;
  readonly rounds: number;
  readonly spoke: boolean;
  readonly called: boolean;
  /** What was said last, where it matters. */
  readonly text: number;
};
const INITIAL: State = { count: 0, rounds: 0, spoke: false, called: false, text: 0 };

/** Model turns one after the other that only talk, or that say the same. */
export const textStreak: DetectorKind<'text-streak', TextStreakOptions> = {
  kind: 'text-streak',
  defaults: { counts: 'text-only', maxIterations: 'off' },
  create(name, { counts, maxIterations }, { floor, digestText }): Detector {
    if (counts === 'same-text') return sameText(name, floor, digestText);
    return textOnly(name, floor, maxIterations, (event) => {
      if (event.type === 'turn' && event.tools === false) return TOOLLESS;
      return counts === 'text-only' ? null : saidIn(event, digestText);
    });
  },
};

/** No text to compare. */
const SILENT = 0;
/** The model could do nothing but talk. */
const TOOLLESS = -1;
type Said = { readonly text: number; readonly count: number };

/** A digest of the words of a turn, whatever the white space. */
function saidIn(event: AgentEvent, digestText: DigestText): number {
  if (event.type !== 'turn' || typeof event.text !== 'string') return SILENT;
  const words = event.text.replace(/\s+/g, ' ').trim();
  return words === '' ? SILENT : digestText(words);
}

function sameText(name: string, floor: number, digestText: DigestText): Detector<Said> {
  return {
    name,
    events: ['turn'],
    needs: [],
    initial: { text: SILENT, count: 0 },
    shape: { text: 0, count: 0 },
    maxCount: UNBOUNDED,
    observe: (event) => saidIn(event, digestText),
    reduce(state, { call }, fact) {
      const text = fact as number;
      if (text === SILENT) return null;
      const count = text === state.text ? state.count + 1 : 1;
      const next = { text, count };
      // A first text repeats nothing.
      if (count < 2 || count < floor) return [next, null];
      return [next, { detector: name, subject: 'text', count, evidence: call > 0 ? [call] : [] }];
    },
  };
}

function textOnly(
  name: string,
  floor: number,
  maxIterations: TextStreakOptions['maxIterations'],
  observe: (event: AgentEvent) => number | null,
): Detector<State> {
  const lastIteration = maxIterations === 'off' ? Number.POSITIVE_INFINITY : maxIterations - 1;
  return {
    name,
    events: ['turn', 'tool-call', 'round-done', 'user'],
    needs: [],
    initial: INITIAL,
    shape: { count: 0, rounds: 0, spoke: true, called: true, text: 0 },
    maxCount: UNBOUNDED,
    // Without a turn there is nothing to count, unless every round is.
    wakes: maxIterations === 'off' ? TOPIC.other : ANYTHING,
    witness: true,
    observe,
    reduce(state, { event, call }, said) {
      if (event === 'user') return [INITIAL, null];
      const { spoke, called } = state;
      if (event === 'turn' && said === TOOLLESS) return [{ ...state, spoke: false }, null];
      if (event === 'turn') {
        const text = (said as number | null) ?? SILENT;
        const before = text === state.text ? state.count : 0;
        return [{ count: before, rounds: state.rounds, spoke: true, called: false, text }, null];
      }
      const { text } = state;
      if (!spoke && state.count === 0 && maxIterations === 'off') return null;
      if (event === 'tool-call' && called) return null;
      if (event === 'tool-call') return [{ count: 0, rounds: state.rounds, spoke, called: true, text }, null];
      const rounds = state.rounds + 1;
      const count = spoke && !called ? state.count + 1 : 0;
      const next = { count, rounds, spoke: false, called: false, text };
      if (count < floor || rounds >= lastIteration) return [next, null];
      return [next, { detector: name, subject: 'text', count, evidence: call > 0 ? [call] : [] }];
    },
  };
}

/** With help and checks, for those who read presets from JSON. */
export const textStreakDescribed: DescribedKind = /* @__PURE__ */ described(textStreak, {
  about: 'Model turns without a tool call, or with the same text, one after the other.',
  options: {
    counts: {
      type: 'choice',
      of: ['text-only', 'same-text', 'same-text-only'],
      about: 'Turns without a tool call, turns that say the same, or turns that do both.',
    },
    maxIterations: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      offable: true,
      about:
        'Unless counts is "same-text": the cap of the host; on the last iteration before it, a text is welcome.',
    },
  } satisfies OptionSpecs<TextStreakOptions>,
});
