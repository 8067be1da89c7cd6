const decoder = new TextDecoder();

/** The pieces in one; a single one as it is. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The text of bytes; what is not UTF-8 is replaced. A buffer of Node does it itself, in half the time. */
export function decoded(bytes: Uint8Array): string {
  return typeof Buffer !== 'undefined' && bytes instanceof Buffer
    ? bytes.toString('utf8')
    : decoder.decode(bytes);
}
