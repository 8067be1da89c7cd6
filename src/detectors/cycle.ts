import { charactersOf, hasLetter, inStructure, sameWord } from './word-scan.ts';

/** The end of a text, and how far it repeats what stands `period` words before. */
export type Cycle = {
  readonly tail: readonly number[];
  /** Words since a period was last looked for. */
  readonly since: number;
  /** 0 = none. */
  readonly period: number;
  /** Words in a row that equal the word one period before. */
  readonly matched: number;
  readonly unit: number;
  readonly characters: number;
  readonly structured: number;
  readonly lettered: boolean;
};

/** Nothing read yet. */
export const CYCLE: Cycle = {
  tail: [],
  since: 0,
  period: 0,
  matched: 0,
  unit: 0,
  characters: 0,
  structured: 0,
  lettered: false,
};

/** Words remembered; a unit of up to half as many is found for certain, a longer one as a rule. */
export const TAIL = 224;
/** So many more are kept before the oldest are dropped, because each time costs a copy. */
export const SLACK = 32;
/** A period is looked for every so many words: rare enough to be cheap, and at the same words whatever the pieces. */
export const LOOK = 16;
/** Fewer equal words in a row are chance. */
export const FEWEST = 3;

/** A unit that is said again and again at the end of a text; all lengths in characters. */
export type Repetition = {
  readonly unit: number;
  readonly repeats: number;
  readonly characters: number;
  /** How many of the characters stand in code, JSON, tables and the like. */
  readonly structured: number;
  readonly lettered: boolean;
};

/** The end of the text after more words, and the first repetition that is `enough`. */
export function followed(
  cycle: Cycle,
  words: readonly number[],
  enough: (repetition: Repetition) => boolean,
): readonly [Cycle, Repetition | null] {
  let { since, period, matched, unit, characters, structured, lettered } = cycle;
  const all = cycle.tail.concat(words);
  for (let index = cycle.tail.length; index < all.length; index++) {
    const word = all[index] as number;
    since += 1;
    if (period > 0 && sameWord(word, all[index - period] as number)) {
      matched += 1;
      characters += charactersOf(word);
      if (inStructure(word)) structured += charactersOf(word);
    } else period = 0;
    if (since === LOOK) {
      since = 0;
      if (period === 0) look(index);
    }
    if (period === 0) continue;
    const repeats = Math.floor(matched / period) + 1;
    const repetition = { unit, repeats, characters, structured, lettered };
    if (enough(repetition)) return [CYCLE, repetition];
  }
  const tail = all.length > TAIL + SLACK ? all.slice(-TAIL) : all;
  return [{ tail, since, period, matched, unit, characters, structured, lettered }, null];

  function look(last: number): void {
    [period, matched] = longestOverlap(all, last);
    unit = 0;
    characters = 0;
    structured = 0;
    lettered = false;
    for (let back = 0; back < period + matched; back++) {
      const word = all[last - back] as number;
      if (back < period) {
        unit += charactersOf(word);
        lettered ||= hasLetter(word);
      }
      characters += charactersOf(word);
      if (inStructure(word)) structured += charactersOf(word);
    }
  }
}

/** The period under which the end of the text repeats itself farthest back, by the Z-function of its reversed tail. */
function longestOverlap(all: readonly number[], last: number): [period: number, matched: number] {
  const length = Math.min(TAIL, last + 1);
  const overlap = new Uint16Array(length);
  let best = 0;
  let left = 0;
  let right = 0;
  for (let shift = 1; shift < length; shift++) {
    let same = shift < right ? Math.min(right - shift, overlap[shift - left] as number) : 0;
    while (shift + same < length && sameWord(all[last - same] as number, all[last - shift - same] as number))
      same += 1;
    overlap[shift] = same;
    if (shift + same > right) {
      left = shift;
      right = shift + same;
    }
    if (same > (overlap[best] as number)) best = shift;
  }
  const matched = overlap[best] as number;
  return matched < FEWEST ? [0, 0] : [best, matched];
}
