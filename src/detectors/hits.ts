/** How well something fits what was asked, in JSON or in words: other words for the same question change it. */
const SCORE =
  /\b(?:[a-z_]{0,24}score|similarity|distance|relevance|certainty)["'*)]{0,3} {0,2}[:=] {0,2}-?\d[\d.e%-]{0,30},?/gi;
/** What these names end in, and what may stand between one and the sign behind it: to look for the signs first takes a fraction of the time. */
const ENDS = ['core', 'imilarity', 'istance', 'elevance', 'ertainty'];
const SIGNS = [':', '='];
const BEFORE = ' "\'*)';
const MAX_BEFORE = 5;
const NUMBER = / {0,2}-?\d/y;
/** Where hits begin and end in JSON that is written in one line; otherwise they have lines of their own. */
const BETWEEN = /(?<=[[,] {0,2})\{|\}(?= {0,2}[\],])/g;
/** One alone is no list. */
export const MIN_HITS = 2;
/** Longer texts are pages; shorter ones are labels, of which the score is all that is told. */
const MAX_TEXT = 16_384;
const MIN_TEXT = 200;

/** What a search has found, if it says how well each hit fits: the hits as lines, without that; null = no such list. */
export function hitsOf(text: string): string | null {
  if (text.length < MIN_TEXT || text.length > MAX_TEXT || !SIGNS.some((sign) => hasScore(text, sign)))
    return null;
  const parts = text.split(SCORE);
  return parts.length <= MIN_HITS ? null : parts.join('').replace(BETWEEN, '\n');
}

function hasScore(text: string, sign: string): boolean {
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
    let end = at;
    while (end > at - MAX_BEFORE && BEFORE.includes(text.charAt(end - 1))) end -= 1;
    const last = text.charAt(end - 1);
    if (last !== 'e' && last !== 'y') continue;
    NUMBER.lastIndex = at + 1;
    if (NUMBER.test(text) && ENDS.some((name) => text.endsWith(name, end))) return true;
  }
  return false;
}
