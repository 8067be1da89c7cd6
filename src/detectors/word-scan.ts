import { codeUnitsOf } from '../core/code-units.ts';
import type { DigestText } from '../core/digest-text.ts';
import { LONGEST } from './text-words.ts';

/** Where the reading of a text stands between two of its pieces: numbers only, and nothing of the text but a running digest. */
export type Scan = {
  /** Running digest of the word that is not over yet. */
  readonly word: number;
  /** Its characters so far; `LONGEST + 1` = it is too long for a word and is read by characters. */
  readonly length: number;
  readonly lettered: boolean;
  /** Whether white space stood before it. */
  readonly spaced: boolean;
  /** White space since the last word. */
  readonly spaces: number;
  readonly line: number;
  readonly indent: number;
  readonly fence: number;
  readonly fenced: boolean;
  readonly document: number;
};

/** The beginning of a text. */
export const SCAN: Scan = {
  word: 0,
  length: 0,
  lettered: false,
  spaced: false,
  spaces: 0,
  line: 0,
  indent: 0,
  fence: 0,
  fenced: false,
  document: 0,
};

const DIGEST_BITS = 13;
const SEED = 0x2f6b8d4f;

/** What a line is. Digits, a star or a dash at its beginning leave it open for one more character. */
const NOT_BEGUN = 0;
const PROSE = 1;
const STRUCTURED = 2;
const DIGITS = 3;
const STAR = 4;
const DASH = 5;
/** What a text is: one that begins with `{` or `[` is JSON to its end. */
const NO_DOCUMENT = 0;
const ANY_DOCUMENT = 1;
const JSON_DOCUMENT = 2;
const FENCE_MARKS = 3;
const CODE_INDENT = 4;
const TAB = 9;
const NEWLINE = 10;
/** First characters of lines in tables, JSON, markup, headings, quotations and dividers. */
const STRUCTURE = '|{}[]"<#>=`~•';
/** What a character is; the last two make words. */
const SIGN = 0;
const SPACE = 1;
const DIGIT = 2;
const LETTER = 3;
const ASCII: Uint8Array = /* @__PURE__ */ asciiKinds();

/** Where reading stands after one more piece; the words that it completes are added to `words`. */
export function scanned(from: Scan, text: string, words: number[], digestText: DigestText): Scan {
  const units = codeUnitsOf(text, digestText);
  let { word, length, lettered, spaced, spaces, line, indent, fence, fenced, document } = from;
  let structured = fenced || document === JSON_DOCUMENT || line === STRUCTURED;
  for (let index = 0; index < text.length; index++) {
    let unit = units[index] as number;
    let kind = kindOf(unit);
    // Within a word of a line that is known nothing else can change.
    if (kind >= DIGIT && length > 0 && (line === PROSE || line === STRUCTURED)) {
      while (kind >= DIGIT && length < LONGEST) {
        word = digestOf(word, unit);
        lettered ||= kind === LETTER;
        length += 1;
        if (++index === text.length) break;
        unit = units[index] as number;
        kind = kindOf(unit);
      }
      if (index === text.length) break;
    }
    const inWord = kind >= DIGIT;
    if (!inWord && length > 0) {
      if (length <= LONGEST) words.push(packed(word, length, spaced, lettered, structured));
      length = 0;
    }
    if (kind === SPACE) {
      spaces += 1;
      if (spaces % LONGEST === 0) words.push(packed(SEED, LONGEST, false, false, structured));
      if (unit === NEWLINE) {
        line = NOT_BEGUN;
        indent = 0;
        structured = fenced || document === JSON_DOCUMENT;
      } else indent += unit === TAB ? CODE_INDENT : 1;
      continue;
    }
    const begins = spaces > 0;
    if (line !== PROSE && line !== STRUCTURED) {
      if (document === NO_DOCUMENT) document = unit === 123 || unit === 91 ? JSON_DOCUMENT : ANY_DOCUMENT;
      if (line === NOT_BEGUN) fence = 0;
    }
    if (fence < FENCE_MARKS && (fence > 0 || line === NOT_BEGUN)) {
      fence = unit === 96 || unit === 126 ? fence + 1 : -FENCE_MARKS;
      if (fence === FENCE_MARKS) fenced = !fenced;
    }
    line = lineAfter(line, unit, indent, begins);
    structured = fenced || document === JSON_DOCUMENT || line === STRUCTURED;
    spaces = 0;
    if (!inWord) {
      words.push(packed(digestOf(SEED, unit), 1, begins, false, structured));
      continue;
    }
    if (length === 0) {
      word = SEED;
      lettered = false;
      spaced = begins;
    }
    if (length < LONGEST) {
      word = digestOf(word, unit);
      lettered ||= kind === LETTER;
      length += 1;
      continue;
    }
    if (length === LONGEST) words.push(packed(word, length, spaced, lettered, structured));
    length = LONGEST + 1;
    words.push(packed(digestOf(SEED, unit), 1, false, kind === LETTER, structured));
  }
  return { word, length, lettered, spaced, spaces, line, indent, fence, fenced, document };
}

/** What kind of line this is, once one more of its characters is known. */
function lineAfter(line: number, unit: number, indent: number, spaced: boolean): number {
  switch (line) {
    case NOT_BEGUN:
      if (indent >= CODE_INDENT || isStructure(unit)) return STRUCTURED;
      if (isDigit(unit)) return DIGITS;
      // A star may begin an item or bold prose, a dash an item or a divider.
      return unit === 42 ? STAR : unit === 45 || unit === 43 ? DASH : PROSE;
    case DIGITS:
      if (isDigit(unit) && !spaced) return line;
      return !spaced && (unit === 46 || unit === 41) ? STRUCTURED : PROSE;
    case STAR:
      return spaced ? STRUCTURED : PROSE;
    case DASH:
      return spaced || unit === 45 ? STRUCTURED : PROSE;
    default:
      return line;
  }
}

function digestOf(digest: number, unit: number): number {
  const mixed = Math.imul(digest ^ unit, 0x9b3f5ac5);
  return mixed ^ (mixed >>> 15);
}

/** A word in one number: a short digest, its characters with the space before it, whether it has a letter and is prose. */
function packed(
  digest: number,
  length: number,
  spaced: boolean,
  lettered: boolean,
  structured: boolean,
): number {
  const short = Math.imul(digest, 0x6d2b79e3) >>> (32 - DIGEST_BITS);
  return (short << 7) | ((length + (spaced ? 1 : 0)) << 2) | (lettered ? 2 : 0) | (structured ? 1 : 0);
}

/** Whether two words are the same, wherever they stand. */
export function sameWord(one: number, other: number): boolean {
  return one >>> 7 === other >>> 7;
}
export function charactersOf(word: number): number {
  return (word >>> 2) & 31;
}
export function hasLetter(word: number): boolean {
  return (word & 2) !== 0;
}
/** Whether the word stood in code, JSON, a table, a list, a heading or the like. */
export function inStructure(word: number): boolean {
  return (word & 1) !== 0;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function kindOf(unit: number): number {
  return unit < 128 ? (ASCII[unit] as number) : kindBeyondAscii(unit);
}

function asciiKinds(): Uint8Array {
  const kinds = new Uint8Array(128).fill(SPACE, 0, 33);
  kinds.fill(DIGIT, 48, 58);
  for (const [first, last] of [
    [65, 90],
    [95, 95],
    [97, 122],
  ] as const)
    kinds.fill(LETTER, first, last + 1);
  return kinds;
}

/** Letters of any script, roughly: what is neither a space nor in a block of symbols. */
function kindBeyondAscii(unit: number): number {
  const space =
    unit === 0xa0 ||
    (unit >= 0x2000 && unit <= 0x200d) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x3000 ||
    unit === 0xfeff;
  if (space) return SPACE;
  const symbol =
    unit < 0xc0 ||
    (unit >= 0x2010 && unit < 0x2c00) ||
    (unit >= 0x3000 && unit < 0x3040) ||
    (unit >= 0xd800 && unit < 0xf900) ||
    (unit >= 0xfe00 && unit < 0xfe70) ||
    (unit >= 0xff00 && unit < 0xff10) ||
    (unit >= 0xff1a && unit < 0xff21);
  return symbol ? SIGN : LETTER;
}

function isStructure(unit: number): boolean {
  return (unit >= 0x2500 && unit < 0x25a0) || STRUCTURE.includes(String.fromCharCode(unit));
}
