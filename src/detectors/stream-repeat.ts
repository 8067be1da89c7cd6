import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { CYCLE, type Cycle, followed, type Repetition } from './cycle.ts';
import { UNBOUNDED } from './streak.ts';
import { mayRepeat } from './text-words.ts';
import { SCAN, type Scan, scanned } from './word-scan.ts';

export type StreamRepeatOptions = {
  readonly channels: 'both' | 'content' | 'reasoning';
  /** A unit of at most 60 characters must be said so often... */
  readonly shortRepeats: number;
  /** ...and fill so many characters. */
  readonly shortCharacters: number;
  /** The same for longer units; for units without a letter or of one character, the characters. */
  readonly longRepeats: number;
  readonly longCharacters: number;
  /** How many characters of code, JSON, tables, lists and headings count as one. */
  readonly structureWeight: number;
};

/** The longest unit that is still a word, a phrase or a short sentence; the value of the oh-my-pi guard. */
export const SHORT_UNIT = 60;

type Lane = { readonly scan: Scan; readonly cycle: Cycle };
type State = {
  /** Streams in a row that ran away. */
  readonly count: number;
  readonly content: Lane;
  readonly reasoning: Lane;
  /** Pieces came since the last turn, whose whole text is then known already. */
  readonly streamed: boolean;
  /** Text came since the stream began. */
  readonly open: boolean;
  /** This stream has run away. */
  readonly ran: boolean;
};
const LANE: Lane = { scan: SCAN, cycle: CYCLE };
const INITIAL: State = {
  count: 0,
  content: LANE,
  reasoning: LANE,
  streamed: false,
  open: false,
  ran: false,
};

/** What a stream says again and again at its end: a word, a phrase, a paragraph. */
export const streamRepeat: DetectorKind<'stream-repeat', StreamRepeatOptions> = {
  kind: 'stream-repeat',
  defaults: {
    channels: 'both',
    shortRepeats: 8,
    shortCharacters: 200,
    longRepeats: 4,
    longCharacters: 1000,
    structureWeight: 8,
  },
  create(name, options, { floor, digestText }): Detector<State> {
    const lane: Lane = { scan: SCAN, cycle: { ...CYCLE, tail: [0] } };
    const { channels, shortRepeats, shortCharacters, longRepeats, longCharacters, structureWeight } = options;

    function enough({ unit, repeats, characters, structured, lettered }: Repetition): boolean {
      const short = unit <= SHORT_UNIT;
      if (repeats < (short ? shortRepeats : longRepeats)) return false;
      // Dividers, zeros, borders and dots are drawn, not said.
      const said = short && lettered && unit > 1;
      const weight = characters - structured + structured / structureWeight;
      return weight >= (said ? shortCharacters : longCharacters);
    }
    /**
     * Whether a text that comes whole need not be read: it is too short to repeat enough, or to repeat anything but short units,
     * of which each says a word, and no word is there often enough.
     */
    function isShort(text: string): boolean {
      if (text.length >= longCharacters) return false;
      return text.length < shortCharacters || !mayRepeat(text, shortRepeats, digestText);
    }
    function read(lane: Lane, text: string, whole: boolean): readonly [Lane, Repetition | null] {
      if (whole && isShort(text)) return [lane, null];
      const words: number[] = [];
      const scan = scanned(lane.scan, text, words, digestText);
      if (words.length === 0) return [{ scan, cycle: lane.cycle }, null];
      const [cycle, repetition] = followed(lane.cycle, words, enough);
      return [{ scan, cycle }, repetition];
    }
    return {
      name,
      events: ['text-delta', 'turn', 'tool-call', 'user', 'round-done'],
      needs: [],
      initial: INITIAL,
      shape: { ...INITIAL, content: lane, reasoning: lane },
      maxCount: UNBOUNDED,
      wakes: TOPIC.other,
      observe(event: AgentEvent): Json {
        if (event.type === 'text-delta') {
          const reasoning = event.channel === 'reasoning';
          if (channels !== 'both' && reasoning !== (channels === 'reasoning')) return null;
          return reasoning ? ['', event.text] : [event.text, ''];
        }
        if (event.type !== 'turn') return null;
        return [
          channels === 'reasoning' ? '' : textOf(event.text),
          channels === 'content' ? '' : textOf(event.reasoning),
        ];
      },
      reduce(state, { event, call }, fact) {
        const streamed = event === 'text-delta';
        const [content, reasoning] = (fact ?? NO_TEXT) as readonly [string, string];
        const before = streamed ? state : ended(state, event === 'turn');
        const known = event === 'turn' && state.streamed;
        if (known || before.ran || (content === '' && reasoning === ''))
          return before === state ? null : [before, null];
        const [thought, first] = read(before.reasoning, reasoning, !streamed);
        const [said, second] = read(before.content, content, !streamed);
        const repetition = first ?? second;
        const count = repetition === null ? before.count : before.count + 1;
        const latest: State = {
          count,
          content: said,
          reasoning: thought,
          streamed: streamed || before.streamed,
          open: true,
          ran: repetition !== null,
        };
        // What came whole is over.
        const next = streamed ? latest : ended(latest, true);
        if (repetition === null || count < floor) return [next, null];
        const { unit, repeats, characters } = repetition;
        const channel = first === null ? 'content' : 'reasoning';
        const facts = { channel, unit, repeats, characters };
        return [next, { detector: name, subject: channel, count, evidence: call > 0 ? [call] : [], facts }];
      },
    };
  },
};

const NO_TEXT = ['', ''] as const;

/** The stream is over: one that did not run away ends the row of those that did. */
function ended(state: State, turn: boolean): State {
  const streamed = state.streamed && !turn;
  if (!state.open && streamed === state.streamed) return state;
  const count = state.open && !state.ran ? 0 : state.count;
  return { count, content: LANE, reasoning: LANE, streamed, open: false, ran: false };
}

/** Hosts may send anything. */
function textOf(text: unknown): string {
  return typeof text === 'string' ? text : '';
}

/** With help and checks, for those who read presets from JSON. */
export const streamRepeatDescribed: DescribedKind = /* @__PURE__ */ described(streamRepeat, {
  about: 'Text or reasoning that says the same again and again within one response.',
  options: {
    channels: {
      type: 'choice',
      of: ['both', 'content', 'reasoning'],
      about: 'Which text is read.',
    },
    shortRepeats: {
      type: 'integer',
      min: 2,
      max: 10_000,
      about: 'How often a unit of at most 60 characters must be said.',
    },
    shortCharacters: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      about: 'How many characters the repeats of such a unit must fill.',
    },
    longRepeats: {
      type: 'integer',
      min: 2,
      max: 10_000,
      about: 'How often a longer unit must be said.',
    },
    longCharacters: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      about:
        'How many characters the repeats must fill, of a longer unit, of one without letters, or of one character.',
    },
    structureWeight: {
      type: 'integer',
      min: 1,
      max: 1000,
      about: 'How many characters of code, JSON, tables, lists and headings count as one.',
    },
  } satisfies OptionSpecs<StreamRepeatOptions>,
});
