/** Takes two columns of a terminal; a rough copy of the East Asian Width table, UAX #11. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
/** Takes none: it stands on the letter before it. */
const COMBINING = /\p{M}/u;

/** How many columns of a terminal a line of visible text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** As much of a line as fits into so many columns. */
export function fitted(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return `${start([...text], columns - 1)}…`;
}

/** As `fitted`, but the end is kept: the end of a path says more than its beginning. */
export function fittedEnd(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const backwards = start([...text].reverse(), columns - 1);
  return `…${[...backwards].reverse().join('')}`;
}

function start(characters: readonly string[], columns: number): string {
  let left = columns;
  const kept = characters.findIndex((character) => {
    left -= widthOf(character);
    return left < 0;
  });
  return characters.slice(0, kept).join('');
}

function widthOf(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
