import type { DigestText } from '../core/digest-text.ts';
import { keepSmallest, roomFor, withSmallest } from './smallest.ts';
import { wordsOf } from './text-words.ts';

/** A text by digests: all of it, how many words it has, and the smallest digests of its word triples, in order. */
export type Sketch = readonly number[];

/** Triples kept. A text of up to 34 words is compared in full; beyond, the error of a similarity is about 9 points. */
export const TRIPLES = 32;
/** The digest of a triple is smaller. */
export const TRIPLE_RANGE = 0x100_0000;

/** The sketch of a text, whatever its case, spacing and punctuation; null when it has no word. */
export function sketchOf(text: string, digestText: DigestText): Sketch | null {
  const { digests, count } = wordsOf(text, digestText);
  if (count === 0) return null;
  const triples = roomFor(Math.max(1, Math.min(TRIPLES, count - 2)));
  let whole = 0;
  let before = 0;
  let last = 0;
  for (let index = 0; index < count; index++) {
    const digest = digests[index] as number;
    whole = joined(whole, digest);
    if (index > 1) keepSmallest(triples, joined(joined(before, last), digest) & (TRIPLE_RANGE - 1));
    before = last;
    last = digest;
  }
  if (count < 3) keepSmallest(triples, whole & (TRIPLE_RANGE - 1));
  return withSmallest([whole >>> 0, count], triples);
}

/** Order matters: `a b` and `b a` differ. */
function joined(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9b3f5ac5) ^ second;
  const once = Math.imul(mixed ^ (mixed >>> 15), 0x6d2b79e3);
  return once ^ (once >>> 13);
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
