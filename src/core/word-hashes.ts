/** Slots of a table of words; a power of two. */
const TABLE = 256;

/** Hashes of words, told apart by spaces, in a table with room to spare. A call with a pure mark, so that those who need none carry none. */
export function hashedWords(words: string): Int32Array {
  const table = new Int32Array(TABLE);
  for (const word of words.split(' ')) {
    let place = hashOf(word);
    while (table[place & (TABLE - 1)] !== 0) place += 1;
    table[place & (TABLE - 1)] = hashOf(word);
  }
  return table;
}

export function isAmong(table: Int32Array, hash: number): boolean {
  for (let place = hash; ; place++) {
    const found = table[place & (TABLE - 1)];
    if (found === 0) return false;
    if (found === hash) return true;
  }
}

/** The same number for the same letters, in whatever case; read from the end, as a number finds the word before it. */
export function hashOf(word: string): number {
  let hash = 0;
  for (let i = word.length - 1; i >= 0; i--) hash = hashed(hash, word.charCodeAt(i));
  return hash;
}

export function hashed(hash: number, code: number): number {
  return (Math.imul(hash, 31) + (code | 32)) | 0;
}
