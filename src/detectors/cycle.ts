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
  const all = cycle.tail.length === 0 ? words : cycle.tail.concat(words);
  for (let index = cycle.tail.length; index < all.length; index++) {
    since += 1;
    if (period > 0) {
      const word = all[index] as number;
      if (sameWord(word, all[index - period] as number)) {
        matched += 1;
        characters += charactersOf(word);
        if (inStructure(word)) structured += charactersOf(word);
      } else period = 0;
    }
    if (since === LOOK) {
      since = 0;
      if (period === 0) {
        period = longestOverlap(all, index);
        matched = period === 0 ? 0 : (overlap[period] as number);
        unit = charactersIn(all, index, period);
        characters = charactersIn(all, index, period + matched);
        structured = charactersIn(all, index, period + matched, inStructure);
        lettered = charactersIn(all, index, period, hasLetter) > 0;
      }
    }
    if (period === 0) continue;
    const repeats = Math.floor(matched / period) + 1;
    const repetition = { unit, repeats, characters, structured, lettered };
    if (enough(repetition)) return [CYCLE, repetition];
  }
  const tail = all.length > TAIL + SLACK ? all.slice(-TAIL) : all;
  return [{ tail, since, period, matched, unit, characters, structured, lettered }, null];
}

/** Of the words up to the last one, so many, or of those among them that are of a kind. */
function charactersIn(
  all: readonly number[],
  last: number,
  count: number,
  kind?: (word: number) => boolean,
): number {
  let characters = 0;
  for (let index = last; index > last - count; index--) {
    const word = all[index] as number;
    if (kind === undefined || kind(word)) characters += charactersOf(word);
  }
  return characters;
}

/** Words of the reversed tail that are the same from its beginning and from here on: its Z-function. */
const overlap = /* @__PURE__ */ new Uint16Array(TAIL);

/** The period under which the end of the text repeats itself farthest back; 0 = it does not. */
function longestOverlap(all: readonly number[], last: number): number {
  const length = Math.min(TAIL, last + 1);
  let best = 0;
  let most = 0;
  let left = 0;
  let right = 0;
  const first = all[last] as number;
  for (let shift = 1; shift < length; shift++) {
    // Most words stand alone.
    if (shift >= right && !sameWord(first, all[last - shift] as number)) {
      overlap[shift] = 0;
      continue;
    }
    let same = shift < right ? Math.min(right - shift, overlap[shift - left] as number) : 1;
    while (shift + same < length && sameWord(all[last - same] as number, all[last - shift - same] as number))
      same += 1;
    overlap[shift] = same;
    if (shift + same > right) {
      left = shift;
      right = shift + same;
    }
    if (same > most) {
      best = shift;
      most = same;
    }
  }
  return most < FEWEST ? 0 : best;
}
