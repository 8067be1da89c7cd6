import { loadUnits } from './code-units.ts';
import { type Digest, digestWords } from './digest.ts';
import type { DigestText } from './digest-text.ts';
import {
  classOf,
  DIGIT,
  END,
  endOfElement,
  endOfMixed,
  endOfNumber,
  endOfTemporary,
  MARGIN,
  OPEN,
  SLASH,
  SOURCE,
} from './noise.ts';
import { shown } from './shown-text.ts';

/** Stands where something was masked. */
const MASK = 1;

const LETTER_T = 116;
const LETTER_V = 118;
/** Where copying stops: at digits, and at what may begin a bar, a path or the number of an element. */
const PLAIN = 0;
const BAR = 1;
const MARK = 2;
const NUMBER = 4;
const STOPS = /* @__PURE__ */ stops();

/** A long text that was cut ends in a digest of all of it: that one is no noise. */
const CUT = /\[cut [0-9a-f]{4,64}\]\s{0,4}$/;

/** The text as it is written, and the same memory in words for the digest. */
const TARGET = /* @__PURE__ */ new Uint16Array(2 * END + 2 * MARGIN);
const WORDS = /* @__PURE__ */ new Int32Array(TARGET.buffer);

/**
 * A text in which two runs of the same thing look the same: times, durations, dates, ids, hashes, addresses, process
 * numbers, line numbers, temporary paths, colours and progress bars are masked. Plain counts stay: a count that falls is progress.
 */
export function normalised(text: string, digestText: DigestText): string {
  const size = normalise(text, digestText);
  let out = '';
  for (let i = 0; i < size; i++) out += String.fromCharCode(TARGET[i] as number);
  return out;
}

/** Takes a normalised text into a digest, without writing it; gives its length. */
export function digestNormalised(digest: Digest, text: string): number {
  const size = normalise(text, digest.t);
  digestWords(digest, WORDS, TARGET, size);
  return size;
}

/** Writes the normalised text into the target; gives its length. */
function normalise(text: string, digestText: DigestText): number {
  const { load = loadUnits } = digestText;
  if (text.length <= 2 * END) return mask(text, 0, load);
  // Whole lines, so that a time that got one digit longer does not move the cut.
  const head = text.lastIndexOf('\n', END) + 1 || END;
  const tail = text.indexOf('\n', text.length - END) + 1 || text.length - END;
  const middle = digestText(text.slice(head, tail)).toString(36);
  let size = mask(text.slice(0, head), 0, load);
  for (let i = 0; i < middle.length; i++) TARGET[size++] = middle.charCodeAt(i);
  TARGET[size++] = MASK;
  return mask(text.slice(tail), size, load);
}

function mask(whole: string, begin: number, load: typeof loadUnits): number {
  const text = shown(whole);
  load(text, SOURCE, MARGIN);
  const last = text.length + MARGIN;
  SOURCE.fill(0, last, last + MARGIN);
  const cut = text.includes('[cut ', text.length - 80) ? (CUT.exec(text.slice(-80))?.[0].length ?? 0) : 0;
  const end = last - cut;
  let size = begin;
  let i = MARGIN;
  let from = i;
  while (true) {
    const stop = copyPlain(i, size, end);
    size += stop - i;
    i = stop;
    if (i === end) break;
    const code = SOURCE[i] as number;
    let after = i;
    let mark = MASK;
    if (STOPS[code] === NUMBER) {
      let start = i;
      let kinds = DIGIT;
      for (let kind = classOf(i - 1); kind !== 0 && start > from; kind = classOf(start - 1)) {
        kinds |= kind;
        start -= 1;
      }
      let past = i + 1;
      for (let kind = classOf(past); kind !== 0; kind = classOf(past)) {
        kinds |= kind;
        past += 1;
      }
      after = kinds === DIGIT ? endOfNumber(start, past) : endOfMixed(start, past, kinds);
      if (after === start) {
        // It stays, all of it.
        while (i < past) TARGET[size++] = SOURCE[i++] as number;
        continue;
      }
      size -= i - start;
    } else {
      mark = code;
      if (code === OPEN) after = endOfElement(i);
      else if (code === SLASH) after = endOfTemporary(i);
      else while (SOURCE[after] === code) after += 1;
    }
    // What is masked leaves its place; a bar or a rule leaves one of its characters.
    TARGET[size++] = mark;
    if (after > i && (code === OPEN || code === SLASH)) TARGET[size++] = MASK;
    // What was cut off is never part of a path.
    i = Math.min(Math.max(after, i + 1), end);
    from = i;
  }
  for (i = end; i < last; i++) TARGET[size++] = SOURCE[i] as number;
  return size;
}

/**
 * Copies what is not masked, most of every text, up to a number, a bar of four or more, a temporary path or a bracket.
 * Four at a time: a loop costs more than what is done in it.
 */
function copyPlain(from: number, to: number, end: number): number {
  const source = SOURCE;
  const target = TARGET;
  const stopsAt = STOPS;
  let i = from;
  let size = to;
  while (i < end) {
    const a = source[i] as number;
    const b = source[i + 1] as number;
    const c = source[i + 2] as number;
    const d = source[i + 3] as number;
    // What lies behind the end is zeros, or the digest of what was cut off, and is written over.
    target[size] = a;
    target[size + 1] = b;
    target[size + 2] = c;
    target[size + 3] = d;
    const kind = stopsAt[a] as number;
    const second = stopsAt[b] as number;
    const third = stopsAt[c] as number;
    const kinds = kind | second | third | (stopsAt[d] as number);
    // Where no two neighbours are the same, no bar begins.
    if (kinds === PLAIN || (kinds === BAR && a !== b && b !== c && c !== d && d !== source[i + 4])) {
      i += 4;
      size += 4;
      continue;
    }
    const plain = kind !== PLAIN ? 0 : second !== PLAIN ? 1 : third !== PLAIN ? 2 : 3;
    i += plain;
    size += plain + 1;
    const stop = source[i] as number;
    const why = stopsAt[stop] as number;
    const next = source[i + 1] as number;
    if (why === NUMBER) break;
    if (why === BAR) {
      if (stop === next && stop === source[i + 2] && stop === source[i + 3]) break;
    } else if (stop === OPEN || next === LETTER_T || next === LETTER_V) break;
    i += 1;
  }
  return Math.min(i, end);
}

/** For every code unit there is, so that none needs a check first. */
function stops(): Uint8Array {
  const table = new Uint8Array(0x1_0000).fill(BAR, 33);
  table.fill(NUMBER, 48, 58).fill(PLAIN, 65, 91).fill(PLAIN, 97, 123);
  table[OPEN] = MARK;
  table[SLASH] = MARK;
  return table;
}
