import { codeUnitsOf } from '../core/code-units.ts';
import type { DigestText } from '../core/digest-text.ts';

/** Digests of the words of a text in order, whatever their case: the first `count`, until the next text is read. */
export type Words = {
  readonly digests: Int32Array;
  readonly count: number;
  /** Every word is of ASCII and no longer than words of a language are. */
  readonly plain: boolean;
};

/** No word of a language is longer; what is, has no spaces: scripts without them, noise. */
export const LONGEST = 24;

const SEED = 0x2f6b8d4f;
/** ASCII as it is read: a letter small, a digit or `_` as it is, 0 = none of them. */
const ASCII: Uint8Array = /* @__PURE__ */ asciiLetters();
/** Letters beyond ASCII that were looked up are remembered, up to so many. */
const MAX_LETTERS = 4096;

/** A small letter's code point; negative = a word of its own; 0 = no letter. */
const letters = new Map<number, number>();
/** Both take long to make, and many a process never reads such a text. */
let letter: RegExp | undefined;
let alone: RegExp | undefined;
let digests: Int32Array = /* @__PURE__ */ new Int32Array(256);
let count = 0;
let plain = true;
let read = '';

/** Several detectors read one text after the other: it is looked at once. Scripts without spaces are read by characters. */
export function wordsOf(text: string, digestText: DigestText): Words {
  if (text === read) return { digests, count, plain };
  count = 0;
  plain = true;
  if (text.length > digests.length) digests = new Int32Array(2 * text.length);
  const units = codeUnitsOf(text, digestText);
  let word = SEED;
  let open = false;
  let begun = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = units[index] as number;
    let code = unit < 128 ? (ASCII[unit] as number) : 0;
    if (unit >= 128) {
      const point = text.codePointAt(index) as number;
      if (point > 0xffff) index += 1;
      code = letterOf(point);
      if (code !== 0) plain = false;
    }
    if (code > 0) {
      if (!open) begun = index;
      word = mixed(word, code);
      open = true;
      continue;
    }
    if (open) {
      digests[count++] = word;
      if (index - begun > LONGEST) plain = false;
    }
    if (code < 0) digests[count++] = mixed(SEED, code);
    word = SEED;
    open = false;
  }
  if (open) {
    digests[count++] = word;
    if (text.length - begun > LONGEST) plain = false;
  }
  read = text;
  return { digests, count, plain };
}

/** How often each word was said, or words that look alike. */
const said = /* @__PURE__ */ new Uint8Array(256);

/** Whether some word may be there so many times; `false` = none is, for certain. */
export function mayRepeat(text: string, times: number, digestText: DigestText): boolean {
  const words = wordsOf(text, digestText);
  if (!words.plain || times > 255) return true;
  said.fill(0);
  for (let index = 0; index < words.count; index++) {
    const place = ((words.digests[index] as number) >>> 7) & 255;
    said[place] = (said[place] as number) + 1;
    if (said[place] === times) return true;
  }
  return false;
}

function mixed(digest: number, code: number): number {
  const next = Math.imul(digest ^ code, 0x9b3f5ac5);
  return next ^ (next >>> 15);
}

function letterOf(point: number): number {
  const known = letters.get(point);
  if (known !== undefined) return known;
  letter ??= /[\p{L}\p{N}]/u;
  alone ??= /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
  const shown = String.fromCodePoint(point);
  const small = shown.toLowerCase().codePointAt(0) as number;
  const code = alone.test(shown) ? -point : letter.test(shown) ? small : 0;
  if (letters.size >= MAX_LETTERS) letters.clear();
  letters.set(point, code);
  return code;
}

function asciiLetters(): Uint8Array {
  const table = new Uint8Array(128);
  for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789_') {
    table[char.charCodeAt(0)] = char.charCodeAt(0);
    table[char.toUpperCase().charCodeAt(0)] = char.charCodeAt(0);
  }
  return table;
}
