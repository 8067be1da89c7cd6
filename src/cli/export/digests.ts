import { createHmac } from 'node:crypto';

/** Stand-ins for texts: the same for the same text, and nobody without the salt can tell from which. */
export type Digests = {
  /** At most 32 letters. The guard takes them as they are. */
  letters(text: string, length: number): string;
  /** What the guard takes for an id that is another on every run, and so passes over. */
  id(text: string): string;
  /** From 0 up, below `range`. */
  number(text: string, range: number): number;
  /** As a recorder marks a text that it has cut. */
  cut(text: string): string;
};

/** Without vowels there are no words, and without digits there are no numbers. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz';
const CUT_DIGITS = 16;
const ID_DIGITS = 8;

export function createDigests(salt: string): Digests {
  const bytesOf = (text: string) => createHmac('sha256', salt).update(text).digest();
  const hex = (text: string, digits: number) => bytesOf(text).toString('hex').slice(0, digits);
  return {
    letters(text, length) {
      let word = '';
      for (const byte of bytesOf(text).subarray(0, length)) word += ALPHABET[byte % ALPHABET.length];
      return word;
    },
    // A digit and a letter for certain: digits alone may be a count.
    id: (text) => `0${hex(text, ID_DIGITS)}a`,
    number: (text, range) => bytesOf(text).readUInt32BE() % range,
    cut: (text) => `[cut ${hex(text, CUT_DIGITS)}]`,
  };
}
