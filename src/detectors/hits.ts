/** How well something fits what was asked: other words for the same question change it. */
const SCORE =
  /"(?:[a-z_]{0,24}score|similarity|distance|relevance|certainty)" {0,2}: {0,2}-?\d[\d.e-]{0,30},?/gi;
/** Where hits begin and end in JSON that is written in one line; otherwise they have lines of their own. */
const BETWEEN = /(?<=[[,] {0,2})\{|\}(?= {0,2}[\],])/g;
/** One alone is no list. */
export const MIN_HITS = 2;
/** Longer texts are pages. */
const MAX_TEXT = 65_536;

/** What a search has found, if it says how well each hit fits: the hits as lines, without that; null = no such list. */
export function hitsOf(text: string): string | null {
  const first = text.charCodeAt(0);
  // `[` and `{`
  if ((first !== 91 && first !== 123) || text.length > MAX_TEXT) return null;
  const parts = text.split(SCORE);
  return parts.length <= MIN_HITS ? null : parts.join('').replace(BETWEEN, '\n');
}
