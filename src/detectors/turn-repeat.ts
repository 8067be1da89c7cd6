import { createLedger, weighs } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Finding, Sight } from '../core/types.ts';
import { type Sketch, sameText, similarity, sketchOf, wordsIn } from './text-sketch.ts';

export type TurnRepeatOptions = {
  /** Whether turns with tool calls count; they are never compared with turns without. */
  readonly calls: 'ignored' | 'counted';
  /** In percent of word triples. */
  readonly similarity: number;
  /** A text with fewer words counts only while nothing else is said in between, and never with a call. */
  readonly shortWords: number;
  /** A text with as many words counts across messages of a person, if it is the same word for word. */
  readonly longWords: number;
  /** Turns remembered, this one included. */
  readonly window: number;
};

/** When it was said (messages of a person before it, calls before it), whether with calls, and what. */
type Row = readonly [people: number, called: number, call: number, sketch: Sketch];
type State = {
  readonly rows: readonly Row[];
  readonly people: number;
  /** The text of the open turn; empty = none. */
  readonly text: Sketch;
  readonly called: boolean;
};
const NOTHING: Sketch = [];
const INITIAL: State = { rows: [], people: 0, text: NOTHING, called: false };

/** Turns that say what was said before, or nearly so. */
export const turnRepeat: DetectorKind<'turn-repeat', TurnRepeatOptions> = {
  kind: 'turn-repeat',
  defaults: { calls: 'ignored', similarity: 50, shortWords: 8, longWords: 40, window: 12 },
  create(name, options, { floor, digestText }): Detector<State> {
    const { calls, shortWords, longWords, window } = options;

    function isAgain([people, , , text]: Row, [before, , , said]: Row): boolean {
      if (before !== people) return wordsIn(text) >= longWords && sameText(text, said);
      return sameText(text, said) || similarity(text, said) >= options.similarity;
    }
    /** Like this turn, or like one that is like it: wording drifts from turn to turn. */
    function judged(rows: readonly Row[], turn: Row): Finding | null {
      const [people, called, call, text] = turn;
      const alike = [turn];
      for (let index = rows.length - 1; index >= 0; index--) {
        const row = rows[index] as Row;
        if (row[1] !== called) continue;
        if (alike.some((later) => isAgain(later, row))) alike.push(row);
        else if (wordsIn(text) < shortWords) break;
      }
      const count = alike.length;
      // A first text repeats nothing.
      if (count < 2 || count < floor) return null;
      const first = alike[count - 1] as Row;
      const facts = {
        calls: called === 1,
        exact: alike.every((row) => sameText(row[3], text)),
        work: first[2] < call,
        conversation: first[0] < people,
        words: wordsIn(text),
      };
      return { detector: name, subject: 'text', count, evidence: call > 0 ? [call] : [], facts };
    }
    return {
      name,
      events: ['turn', 'tool-call', 'tool-result', 'user', 'round-done', 'state-change'],
      needs: [],
      initial: INITIAL,
      shape: { rows: [[0, 0, 0, [0]]], people: 0, text: [0], called: true },
      maxCount: window,
      wakes: TOPIC.other,
      witness: true,
      ledger: createLedger,
      observe(event) {
        return event.type === 'turn' && typeof event.text === 'string'
          ? sketchOf(event.text, digestText)
          : null;
      },
      reduce(state, { event, call, sight }, fact) {
        const { rows, people, text, called } = state;
        switch (event) {
          case 'state-change':
            return rows.length === 0 ? null : [{ rows: [], people, text, called }, null];
          case 'tool-result':
            return rows.length === 0 || !isNews(sight) ? null : [{ rows: [], people, text, called }, null];
          case 'turn':
            return [{ rows, people, text: (fact ?? NOTHING) as Sketch, called: false }, null];
          case 'tool-call':
            // What is said with a call matters only where something was said.
            return called || text.length === 0 ? null : [{ rows, people, text, called: true }, null];
          case 'user':
            return [{ rows, people: people + 1, text: NOTHING, called: false }, null];
          default: {
            if (text.length === 0) return null;
            // A few words before a call say what comes next, over and over.
            if (called && (calls === 'ignored' || wordsIn(text) < shortWords))
              return [{ rows, people, text: NOTHING, called }, null];
            const row: Row = [people, called ? 1 : 0, call, text];
            const kept = rows.length < window - 1 ? rows : rows.slice(rows.length - window + 2);
            return [{ rows: [...kept, row], people, text: NOTHING, called }, judged(rows, row)];
          }
        }
      },
    };
  },
};

/** Whether a call has brought anything that was not there before, or was a look at what takes its time: of that there is not much to say. */
function isNews(sight: Sight | null): boolean {
  if (sight === null) return false;
  if (sight.kind === 'poll' || sight.kind === 'wait') return !sight.empty;
  return (
    sight.effect === 'new' || sight.moved || (weighs(sight.kind) && sight.status === 'ok' && !sight.stale)
  );
}

/** With help and checks, for those who read presets from JSON. */
export const turnRepeatDescribed: DescribedKind = /* @__PURE__ */ described(turnRepeat, {
  about: 'Turns that say again what was said before, word for word or nearly so.',
  options: {
    calls: {
      type: 'choice',
      of: ['ignored', 'counted'],
      about: 'Whether turns with tool calls count too, apart from those without.',
    },
    similarity: {
      type: 'integer',
      min: 1,
      max: 100,
      about: 'How many of a hundred word triples two texts must share to be the same.',
    },
    shortWords: {
      type: 'integer',
      min: 1,
      max: 1000,
      about:
        'A text with fewer words counts only while nothing else is said in between, and never with a call.',
    },
    longWords: {
      type: 'integer',
      min: 1,
      max: 100_000,
      about:
        'A text with as many words counts across messages of a person, when it is the same word for word.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: 16,
      about: 'How many turns are compared, this one included.',
    },
  } satisfies OptionSpecs<TurnRepeatOptions>,
});
