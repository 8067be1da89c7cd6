import type { Digests } from './digests.ts';

/** A text without its words. */
export type HideText = (text: string) => string;

/** As the guard reads the words of a text: scripts without spaces by characters. */
const WORD = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}_]+/gu;
/** More words make no difference to the guard where texts are the same or not. */
const MAX_WORDS = 40;
const MAX_SINGLE_WORDS = 1000;
const WORD_LETTERS = 6;

/** As many words as the text has, up to 40, that are the same for the same text, whatever its case and punctuation. */
export function hideWhole({ letters }: Digests): HideText {
  return (text) => {
    const words = wordsOf(text);
    const said = words.join(' ');
    return words.length === 0
      ? wordless(text)
      : words
          .slice(0, MAX_WORDS)
          .map((_, index) => letters(`${index} ${said}`, WORD_LETTERS))
          .join(' ');
  };
}

/** Each word by itself, so that texts stay as like each other as they are. */
export function hideWords({ letters }: Digests): HideText {
  return (text) => {
    const words = wordsOf(text);
    if (words.length === 0) return wordless(text);
    const hidden = words.slice(0, MAX_SINGLE_WORDS).map((word) => letters(word, WORD_LETTERS));
    if (words.length > MAX_SINGLE_WORDS) hidden.push(letters(text, WORD_LETTERS));
    return hidden.join(' ');
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function wordless(text: string): string {
  return text.trim() === '' ? text : '...';
}
