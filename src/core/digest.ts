import { shownBytes } from './bytes.ts';
import type { DigestText } from './digest-text.ts';
import { standIn } from './stand-in.ts';

/** What lies deeper is not looked at; no tool takes arguments like these. */
const MAX_DEPTH = 500;
/** After this many values a digest stops reading: arguments that share sub-objects can unfold without end. */
const MAX_VALUES = 5_000_000;
const FEW_KEYS = 12;
const SHORT_TEXT = 64;

const TAG_NULL = 1;
const TAG_TRUE = 2;
const TAG_FALSE = 3;
const TAG_NUMBER = 4;
const TAG_STRING = 5;
const TAG_ARRAY = 6;
const TAG_OBJECT = 7;
const TAG_END = 8;
const TAG_RAW = 9;
const TAG_CUT = 10;

/** The containers around a value, innermost first. */
type Parents = { readonly value: object; readonly depth: number; readonly outer: Parents } | null;

/** A digest being made: two lanes of 32 bits, the number of values so far, and how long texts are taken in. */
export type Digest = { a: number; b: number; n: number; readonly t: DigestText };

export function startDigest(digestText: DigestText): Digest {
  return { a: 0x9b3f5ac5, b: 0x6d2b79e3, n: 0, t: digestText };
}

/** The digest as one safe integer of 53 bits. */
export function finish(digest: Digest): number {
  const a = scramble(digest.a ^ digest.b);
  const b = scramble(digest.b + a);
  return (scramble(a ^ b) >>> 11) * 0x1_0000_0000 + (b >>> 0);
}

/** A short text is taken in directly, a long one by its own digest. */
export function digestShort(digest: Digest, text: string): void {
  const { length } = text;
  if (length > SHORT_TEXT) {
    const long = digest.t(text);
    word(digest, long | 0);
    word(digest, (long / 0x1_0000_0000) | 0);
    return;
  }
  let a = digest.a ^ length;
  let { b } = digest;
  let i = 0;
  for (; i < length - 3; i += 4) {
    const p = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    const q = text.charCodeAt(i + 2) | (text.charCodeAt(i + 3) << 16);
    a = Math.imul(a ^ p, 0x9b3f5ac5);
    b = Math.imul(b ^ q, 0x6d2b79e3);
    a = (((a << 13) | (a >>> 19)) + q) | 0;
    b = (((b << 17) | (b >>> 15)) + p) | 0;
  }
  for (; i < length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x9b3f5ac5);
    b = Math.imul(b ^ a, 0x6d2b79e3);
  }
  digest.a = ((a << 15) | (a >>> 17)) ^ b;
  digest.b = (((b << 11) | (b >>> 21)) + a) | 0;
}

/** Takes in `size` code units that lie in words of two; behind them, up to eight units are overwritten. */
export function digestWords(digest: Digest, words: Int32Array, units: Uint16Array, size: number): void {
  units.fill(0, size, size + 8);
  let a = digest.a ^ size;
  let { b } = digest;
  let c = 0x7a1d63b9;
  let d = 0x1b94e7c3;
  for (let k = 0; k < (size + 1) >> 1; k += 4) {
    a = Math.imul(a ^ (words[k] as number), 0x9b3f5ac5);
    b = Math.imul(b ^ (words[k + 1] as number), 0x6d2b79e3);
    c = Math.imul(c ^ (words[k + 2] as number), 0xc4e1b527);
    d = Math.imul(d ^ (words[k + 3] as number), 0x58d7a36b);
    a = (((a << 13) | (a >>> 19)) + (words[k + 1] as number)) | 0;
    b = (((b << 17) | (b >>> 15)) + (words[k + 2] as number)) | 0;
    c = (((c << 15) | (c >>> 17)) + (words[k + 3] as number)) | 0;
    d = (((d << 11) | (d >>> 21)) + (words[k] as number)) | 0;
  }
  digest.a = a;
  digest.b = b;
  word(digest, c);
  word(digest, d);
}

/** Arguments as sent that are not JSON. */
export function digestRaw(digest: Digest, text: string): void {
  word(digest, TAG_RAW);
  digestShort(digest, text);
}

/** Equal for values with the same canonical JSON (RFC 8785), without writing that JSON. */
export function digestJson(digest: Digest, value: unknown, parents: Parents = null): void {
  if (typeof value === 'string') {
    word(digest, TAG_STRING);
    digestShort(digest, value);
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    word(digest, TAG_NUMBER);
    digestShort(digest, String(value));
  } else if (typeof value === 'object' && value !== null) container(digest, value, parents);
  else word(digest, value === true ? TAG_TRUE : value === false ? TAG_FALSE : TAG_NULL);
}

function word(digest: Digest, x: number): void {
  const a = Math.imul(digest.a ^ x, 0x9b3f5ac5);
  const b = Math.imul(digest.b + x, 0x6d2b79e3);
  digest.a = (((a << 15) | (a >>> 17)) + b) | 0;
  digest.b = ((b << 13) | (b >>> 19)) ^ a;
}

function container(digest: Digest, value: object, outer: Parents): void {
  const depth = outer === null ? 1 : outer.depth + 1;
  digest.n += 1;
  if (depth > MAX_DEPTH || digest.n > MAX_VALUES || isWithin(value, outer)) {
    word(digest, TAG_CUT);
    return;
  }
  const parents: Parents = { value, depth, outer };
  const bytes = shownBytes(value);
  if (bytes !== undefined) {
    digestJson(digest, bytes, parents);
    return;
  }
  const fields = value as { readonly [key: string]: unknown };
  if (typeof fields['toJSON'] === 'function') {
    digestJson(digest, fields['toJSON'](), parents);
    return;
  }
  if (Array.isArray(value)) {
    word(digest, TAG_ARRAY);
    for (const item of value) digestJson(digest, item, parents);
  } else {
    const keys = sortedKeys(value);
    const shown = keys.length === 0 ? standIn(value) : value;
    if (shown !== value) {
      digestJson(digest, shown, parents);
      return;
    }
    word(digest, TAG_OBJECT);
    for (const key of keys) {
      if (fields[key] === undefined) continue;
      digestShort(digest, key);
      digestJson(digest, fields[key], parents);
    }
  }
  word(digest, TAG_END);
}

/** What JSON leaves out of an object. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

/** Keys by UTF-16 code units, as RFC 8785 orders them. A few are put in place by hand, which is faster than sort. */
export function sortedKeys(record: object): string[] {
  const keys = Object.keys(record);
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let j = i;
    for (; j > 0 && (keys[j - 1] as string) > key; j--) keys[j] = keys[j - 1] as string;
    keys[j] = key;
  }
  return keys;
}

function isWithin(value: object, parents: Parents): boolean {
  for (let parent = parents; parent !== null; parent = parent.outer) if (parent.value === value) return true;
  return false;
}

function scramble(x: number): number {
  let y = Math.imul(x ^ (x >>> 16), 0xc4e1b527);
  y = Math.imul(y ^ (y >>> 15), 0x9b3f5ac5);
  return y ^ (y >>> 16);
}
