import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { fencesIn, hasStructure } from './text-shape.ts';

export type ChunkRepeatOptions = {
  /** Characters of a chunk. */
  readonly size: number;
  /** The chunks may start this many characters apart, on average. */
  readonly distance: number;
  /** Whether what lies between the chunks must repeat as well. */
  readonly between: 'repeating' | 'any';
  /** Marks of a list, whose items begin alike. */
  readonly bullets: readonly string[];
  /** What is drawn, not said: a piece of text of nothing else is left out. */
  readonly dividers: 'lines' | 'lines-and-capitals';
  /** The greatest count it reports. */
  readonly window: number;
};

/** `text` = the last characters of what was said; `streamed` = the next turn's text has come already. */
type State = { readonly text: string; readonly fenced: boolean; readonly streamed: boolean };
const INITIAL: State = { text: '', fenced: false, streamed: false };

const LINES = /^[-+_=*\u2500-\u257f]+$/;
/** From + to _: with digits and capital letters. */
const LINES_AND_CAPITALS = /^[+-_*\u2500-\u257f]+$/;
const LINE = /[^\n]*\n|[^\n]+/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** The end of a text, in `room` bytes of UTF-8. */
function endOf(text: string, room: number): string {
  const end = text.slice(-room);
  if (!BEYOND_ASCII.test(end)) return end;
  let left = room;
  let start = end.length;
  while (start > 0 && left > 0) {
    start -= 1;
    left -= end.charCodeAt(start) < 0x80 ? 1 : 3;
  }
  return end.slice(left < 0 ? start + 1 : start);
}

/** The same stretch of text over and over in what the model says. */
export const chunkRepeat: DetectorKind<'chunk-repeat', ChunkRepeatOptions> = {
  kind: 'chunk-repeat',
  defaults: {
    size: 50,
    distance: 75,
    between: 'repeating',
    bullets: ['-', '*', '+'],
    dividers: 'lines',
    window: 10,
  },
  create(name, options, { floor }): Detector<State> {
    const { size, distance, between, bullets, window } = options;
    const divider = options.dividers === 'lines' ? LINES : LINES_AND_CAPITALS;
    /** No chunk further back can count. */
    const reach = distance * (window - 1);
    const least = Math.max(2, floor);

    /** Where the chunk at `last` stood before, itself first, as far as it counts. */
    function placesOf(text: string, last: number): readonly number[] {
      const chunk = text.slice(last, last + size);
      const places = [last];
      while (places.length < window) {
        const before = (places[places.length - 1] as number) - 1;
        const place = before < 0 ? -1 : text.lastIndexOf(chunk, before);
        if (place < 0 || last - place > reach) break;
        places.push(place);
      }
      return places;
    }

    function counts(text: string, places: readonly number[], count: number): boolean {
      const oldest = places[count - 1] as number;
      if ((places[0] as number) - oldest > distance * (count - 1)) return false;
      if (between === 'any') return true;
      const periods = new Set<string>();
      for (let index = 1; index < count; index++) periods.add(text.slice(places[index], places[index - 1]));
      return periods.size <= Math.floor(count / 2);
    }

    /** The greatest count of a chunk that ends in `text` after its first `known` characters. */
    function countIn(text: string, known: number): number {
      const stride = Math.ceil(size / 2);
      let most = 0;
      for (let start = Math.max(0, known - size + 1); start + size <= text.length; start += stride) {
        const end = Math.min(start + stride - 1, text.length - size);
        // What the chunks from start to end share; if it is new, so is each of them.
        const shared = text.slice(end, start + size);
        if (text.indexOf(shared, Math.max(0, start - reach)) === end) continue;
        for (let last = start; last <= end && most < window; last++) {
          const places = placesOf(text, last);
          // Up to here, a count is no news.
          const told = Math.max(most, least - 1);
          let count = places.length;
          while (count > told && !counts(text, places, count)) count -= 1;
          if (count > told) most = count;
        }
      }
      return most;
    }

    /** One piece of text as it comes: the next tail, whether a code block is open, and the count. */
    function heard(tail: string, fenced: boolean, piece: string): readonly [string, boolean, number] {
      const fences = fencesIn(piece);
      const opened = fences % 2 === 1 ? !fenced : fenced;
      if (fenced || opened || divider.test(piece)) return ['', opened, 0];
      const before = fences > 0 || hasStructure(piece, bullets) ? '' : tail;
      const text = before + piece;
      return [endOf(text, reach + size - 1), opened, countIn(text, before.length)];
    }

    return {
      name,
      events: ['text-delta', 'turn', 'tool-call'],
      needs: [],
      initial: INITIAL,
      shape: { text: '', fenced: true, streamed: true },
      maxCount: window,
      observe(event: AgentEvent): Json {
        if (event.type === 'text-delta') return event.channel === 'reasoning' ? null : event.text;
        return event.type === 'turn' ? (event.text ?? null) : null;
      },
      reduce(state, { event, call }, said) {
        if (event === 'tool-call')
          return [{ text: '', fenced: state.fenced, streamed: state.streamed }, null];
        if (event === 'turn' && state.streamed)
          return [{ text: state.text, fenced: state.fenced, streamed: false }, null];
        if (typeof said !== 'string' || said === '') return null;
        const pieces = event === 'turn' ? (said.match(LINE) as string[]) : [said];
        let { text, fenced } = state;
        let most = 0;
        for (const piece of pieces) {
          const [tail, open, count] = heard(text, fenced, piece);
          text = tail;
          fenced = open;
          most = Math.max(most, count);
        }
        const next = { text, fenced, streamed: event === 'text-delta' };
        if (most === 0) return [next, null];
        const evidence = call > 0 ? [call] : [];
        const facts = { characters: size };
        return [next, { detector: name, subject: 'text', count: most, evidence, facts }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const chunkRepeatDescribed: DescribedKind = /* @__PURE__ */ described(chunkRepeat, {
  about: 'The same stretch of text over and over in what the model says.',
  options: {
    size: { type: 'integer', min: 10, max: 200, about: 'How many characters must be the same.' },
    distance: {
      type: 'integer',
      min: 1,
      max: 400,
      about: 'How far apart the stretches may begin, on average, in characters.',
    },
    between: {
      type: 'choice',
      of: ['repeating', 'any'],
      about: 'Whether what lies between two of them must repeat as well: no more than half of it may differ.',
    },
    bullets: { type: 'names', about: 'Marks of list items; a list starts the count anew.' },
    dividers: {
      type: 'choice',
      of: ['lines', 'lines-and-capitals'],
      about: 'What makes a divider, which is left out: line characters alone, or capitals and digits, too.',
    },
    window: { type: 'integer', min: 2, max: 16, about: 'The greatest count it reports.' },
  } satisfies OptionSpecs<ChunkRepeatOptions>,
});
