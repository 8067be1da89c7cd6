const decoder = new TextDecoder();

/** The text of bytes that came in pieces; what is not UTF-8 is replaced. */
export function decoded(pieces: readonly Uint8Array[]): string {
  const [only] = pieces;
  return decoder.decode(pieces.length === 1 ? only : joined(pieces));
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
