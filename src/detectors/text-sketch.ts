import type { DigestText } from '../core/digest-text.ts';

/** A text by digests: all of it, how many words it has, and the smallest digests of its word triples, in order. */
export type Sketch = readonly number[];

/** Triples kept. A text of up to 34 words is compared in full; beyond, the error of a similarity is about 9 points. */
export const TRIPLES = 32;
/** The digest of a triple is smaller. */
export const TRIPLE_RANGE = 0x100_0000;
/** Scripts without spaces are read by characters. It takes long to make, and many a process never reads a text. */
let word: RegExp | undefined;

/** The sketch of a text, whatever its case, spacing and punctuation; null when it has no word. */
export function sketchOf(text: string, digestText: DigestText): Sketch | null {
  const triples: number[] = [];
  let words = 0;
  let whole = 0;
  let before = 0;
  let last = 0;
  word ??= /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}_]+/gu;
  for (const [found] of text.toLowerCase().matchAll(word)) {
    const digest = digestText(found);
    words += 1;
    whole = joined(whole, digest);
    if (words > 2) insert(triples, joined(joined(before, last), digest) % TRIPLE_RANGE);
    before = last;
    last = digest;
  }
  if (words === 0) return null;
  if (words < 3) triples.push(whole % TRIPLE_RANGE);
  return [whole, words, ...triples];
}

/** Order matters: `a b` and `b a` differ. */
function joined(first: number, second: number): number {
  const mixed = Math.imul(first ^ (first / 0x1_0000_0000), 0x9b3f5ac5) ^ second ^ (second / 0x1_0000_0000);
  const once = Math.imul(mixed ^ (mixed >>> 15), 0x6d2b79e3);
  return (once ^ (once >>> 13)) >>> 0;
}

/** Keeps the list sorted, without doubles, and no longer than it may be. */
function insert(triples: number[], triple: number): void {
  if (triples.length === TRIPLES && triple >= (triples[TRIPLES - 1] as number)) return;
  let place = triples.length;
  while (place > 0 && (triples[place - 1] as number) > triple) place -= 1;
  if (place > 0 && triples[place - 1] === triple) return;
  triples.splice(place, 0, triple);
  if (triples.length > TRIPLES) triples.pop();
}

export function sameText(one: Sketch, other: Sketch): boolean {
  return one[0] === other[0] && one[1] === other[1];
}
export function wordsIn(sketch: Sketch): number {
  return sketch[1] as number;
}

/** How many of a hundred word triples of two texts are in both: 100 = the same words in the same order. */
export function similarity(one: Sketch, other: Sketch): number {
  let i = 2;
  let j = 2;
  let shared = 0;
  let all = 0;
  while (all < TRIPLES && (i < one.length || j < other.length)) {
    const a = one[i] ?? TRIPLE_RANGE;
    const b = other[j] ?? TRIPLE_RANGE;
    if (a === b) shared += 1;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
    all += 1;
  }
  return Math.floor((shared * 100) / all);
}
