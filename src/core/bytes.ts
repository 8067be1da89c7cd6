/** As many as are shown themselves: enough for a result that is worth reading. */
const SHOWN = 1024;
/** Letters that make no number and no hash: what differs here is no noise. */
const LETTERS = 'ghijklmnopqrstuv';

/** What bytes (a picture, a file) are compared as: how many there are, a digest of all, and the first ones; undefined = it is none. */
export function shownBytes(value: object): readonly unknown[] | undefined {
  const bytes = bytesOf(value);
  return bytes && ['bytes', bytes.length, digestOf(bytes), ...bytes.subarray(0, SHOWN)];
}

function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

function digestOf(bytes: Uint8Array): string {
  let a = 0x9b3f5ac5;
  let b = 0x6d2b79e3;
  for (let at = 0; at < bytes.length; at++) {
    a = Math.imul(a ^ (bytes[at] as number), 0xc4e1b527);
    b = (Math.imul(b, 0x58d7a36b) + a) | 0;
    a ^= b >>> 15;
  }
  return spelt(a) + spelt(b);
}

function spelt(word: number): string {
  let text = '';
  for (let bit = 0; bit < 32; bit += 4) text += LETTERS.charAt((word >>> bit) & 15);
  return text;
}
