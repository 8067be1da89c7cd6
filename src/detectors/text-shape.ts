const FENCE = '```';
/** A table's row or rule, or a numbered item, where the text of a line begins. */
const TABLE_OR_NUMBER = /\|.*\||[|+-]{3}|\d+\.\s/y;
/** A heading or a quote, where a line begins. */
const HEADING_OR_QUOTE = /#+\s|>\s/y;
const SPACE = /\s/;

/** How many code fences a text has. */
export function fencesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(FENCE); at >= 0; at = text.indexOf(FENCE, at + FENCE.length)) count += 1;
  return count;
}

/** Whether a line of the text begins a table, a list, a heading or a quote. */
export function hasStructure(text: string, bullets: readonly string[]): boolean {
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    if (startsAt(HEADING_OR_QUOTE, text, start)) return true;
    let first = start;
    while (first < end && SPACE.test(text.charAt(first))) first += 1;
    if (startsAt(TABLE_OR_NUMBER, text, first)) return true;
    if (bullets.includes(text.charAt(first)) && SPACE.test(text.charAt(first + 1))) return true;
    start = end + 1;
  }
  return false;
}

function startsAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}
