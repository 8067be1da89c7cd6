/** A digest of a text: a safe integer, the same for the same text. */
export type DigestText = ((text: string) => number) & {
  /** Writes a text's code units into memory, sooner than one by one. */
  readonly load?: (text: string, into: Uint16Array, at: number) => void;
};

/**
 * 53 bits over a text's UTF-16 code units; not cryptographic. Every word of two units enters two of four
 * lanes, one ahead of its multiply and the lane before it after its rotation: it reaches 64 bits of state,
 * and no step loses any.
 */
export function digestText(text: string): number {
  const full = text.length - 7;
  let a = SEED_A;
  let b = SEED_B;
  let c = SEED_C;
  let d = SEED_D;
  let i = 0;
  for (; i < full; i += 8) {
    const p = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    const q = text.charCodeAt(i + 2) | (text.charCodeAt(i + 3) << 16);
    const r = text.charCodeAt(i + 4) | (text.charCodeAt(i + 5) << 16);
    const s = text.charCodeAt(i + 6) | (text.charCodeAt(i + 7) << 16);
    a = Math.imul(a ^ p, 0x9b3f5ac5);
    b = Math.imul(b ^ q, 0x6d2b79e3);
    c = Math.imul(c ^ r, 0xc4e1b527);
    d = Math.imul(d ^ s, 0x58d7a36b);
    a = (((a << 13) | (a >>> 19)) + q) | 0;
    b = (((b << 17) | (b >>> 15)) + r) | 0;
    c = (((c << 15) | (c >>> 17)) + s) | 0;
    d = (((d << 11) | (d >>> 21)) + p) | 0;
  }
  return finishDigest(text, i, a, b, c, d);
}

export const SEED_A = 0x2f6b8d4f;
export const SEED_B = 0x51c39ae5;
export const SEED_C = 0x7a1d63b9;
export const SEED_D = 0x1b94e7c3;

/** Takes the last code units (from `i`, at most seven) and the length, and mixes the lanes into 53 bits. */
export function finishDigest(
  text: string,
  from: number,
  laneA: number,
  laneB: number,
  laneC: number,
  laneD: number,
): number {
  const length = text.length;
  let a = laneA;
  let b = laneB;
  for (let i = from; i < length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9b3f5ac5);
    b = Math.imul(b ^ unit, 0x6d2b79e3);
    a = (a << 13) | (a >>> 19);
    b = (b << 17) | (b >>> 15);
  }
  a = Math.imul(a ^ (a >>> 15), 0x58d7a36b);
  b = Math.imul(b ^ (b >>> 15), 0xc4e1b527);
  const c = Math.imul(laneC ^ (laneC >>> 15), 0x6d2b79e3);
  const d = Math.imul(laneD ^ (laneD >>> 15), 0x9b3f5ac5);
  let high = a ^ ((c << 16) | (c >>> 16));
  let low = b ^ ((d << 16) | (d >>> 16)) ^ length;
  low = Math.imul(low ^ (high >>> 15), 0x9b3f5ac5);
  high = Math.imul(high ^ (low >>> 14), 0x6d2b79e3);
  low = Math.imul(low ^ (high >>> 13), 0xc4e1b527);
  high = Math.imul(high ^ (low >>> 16), 0x58d7a36b);
  low ^= high >>> 15;
  high ^= low >>> 16;
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
