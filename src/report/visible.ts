/** What a terminal takes for a colour, a move of the cursor or a title. */
const TERMINAL_CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001B\[[0-?]*[ -/]*[@-~]|\u009B[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\u001B[ -/]*[0-~]/g;
/** Control characters, halves of characters, and what nobody can see or what turns text around. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\p{DI}]/gu;
/** Line ends, and what makes a sign an emoji. */
const KEPT = '\n\uFE0F';
const TAB = '  ';

/**
 * Text from a transcript with nothing hidden in it: the codes of terminals are dropped, characters that cannot be seen are
 * named, `⟨U+202E⟩`; lines stay lines.
 */
export function visible(text: string): string {
  return text
    .replace(TERMINAL_CODES, '')
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (character) => {
      if (KEPT.includes(character)) return character;
      return character === '\t' ? TAB : named(character);
    });
}

/** The first `limit` characters of it; no more than that is looked at. */
export function visibleStart(text: string, limit: number): string {
  const head = text.slice(0, 2 * limit);
  const characters = [...visible(head)];
  if (head === text && characters.length <= limit) return characters.join('');
  return `${characters.slice(0, limit - 1).join('')}…`;
}

function named(character: string): string {
  const number = character.codePointAt(0) as number;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
