import type { DigestText } from './digest-text.ts';

/** What lies deeper is not looked at; no tool takes arguments like these. */
const MAX_DEPTH = 500;
/** After this many values a digest stops reading: arguments that share sub-objects can unfold without end. */
const MAX_VALUES = 5_000_000;
const FEW_KEYS = 12;
const SHORT_TEXT = 64;

const TAG = {
  null: 1,
  true: 2,
  false: 3,
  number: 4,
  string: 5,
  array: 6,
  object: 7,
  end: 8,
  raw: 9,
  bigint: 10,
  circular: 11,
  cut: 12,
} as const;

/** The containers around a value, innermost first. */
type Parents = { readonly value: object; readonly depth: number; readonly outer: Parents } | null;

/** Takes in words, texts and JSON values and gives one safe integer of 53 bits. */
export class Digest {
  private a = 0x243f6a88;
  private b = 0x13198a2e;
  private values = 0;
  private readonly digestText: DigestText;

  constructor(digestText: DigestText) {
    this.digestText = digestText;
  }

  word(x: number): void {
    const a = Math.imul(this.a ^ x, 0x2c1b3c6d);
    const b = Math.imul(this.b + x, 0x297a2d39);
    this.a = (((a << 15) | (a >>> 17)) + b) | 0;
    this.b = ((b << 13) | (b >>> 19)) ^ a;
  }

  number(x: number): void {
    this.word(x | 0);
    this.word((x / 0x1_0000_0000) | 0);
  }

  /** A short text is taken in directly, a long one by its own digest. */
  text(text: string): void {
    const { length } = text;
    if (length > SHORT_TEXT) {
      this.number(this.digestText(text));
      return;
    }
    let a = this.a ^ length;
    let b = this.b;
    let i = 0;
    for (; i < length - 3; i += 4) {
      const p = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
      const q = text.charCodeAt(i + 2) | (text.charCodeAt(i + 3) << 16);
      a = Math.imul(a ^ p, 0x2c1b3c6d);
      b = Math.imul(b ^ q, 0x297a2d39);
      a = (((a << 13) | (a >>> 19)) + q) | 0;
      b = (((b << 17) | (b >>> 15)) + p) | 0;
    }
    for (; i < length; i++) {
      const unit = text.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x2c1b3c6d);
      b = Math.imul(b ^ a, 0x297a2d39);
    }
    this.a = ((a << 15) | (a >>> 17)) ^ b;
    this.b = (((b << 11) | (b >>> 21)) + a) | 0;
  }

  /** Arguments as sent that are not JSON. */
  raw(text: string): void {
    this.word(TAG.raw);
    this.text(text);
  }

  /** Equal for values with the same canonical JSON (RFC 8785), without writing that JSON. */
  json(value: unknown): void {
    this.value(value, null);
  }

  finish(): number {
    const a = scramble(this.a ^ this.b);
    const b = scramble(this.b + a);
    return (scramble(a ^ b) >>> 11) * 0x1_0000_0000 + (b >>> 0);
  }

  private value(value: unknown, parents: Parents): void {
    if (typeof value === 'string') {
      this.word(TAG.string);
      this.text(value);
    } else if (typeof value === 'number' && Number.isFinite(value)) {
      this.word(TAG.number);
      this.text(String(value));
    } else if (typeof value === 'object' && value !== null) {
      this.container(value, parents);
    } else if (typeof value === 'bigint') {
      this.word(TAG.bigint);
      this.text(String(value));
    } else {
      this.word(value === true ? TAG.true : value === false ? TAG.false : TAG.null);
    }
  }

  private container(value: object, outer: Parents): void {
    const depth = outer === null ? 1 : outer.depth + 1;
    this.values += 1;
    if (depth > MAX_DEPTH || this.values > MAX_VALUES) this.word(TAG.cut);
    else if (isWithin(value, outer)) this.word(TAG.circular);
    else {
      const parents: Parents = { value, depth, outer };
      if ('toJSON' in value && typeof value.toJSON === 'function') this.value(value.toJSON(), parents);
      else if (Array.isArray(value)) this.array(value, parents);
      else this.object(value as { readonly [key: string]: unknown }, parents);
    }
  }

  private array(items: readonly unknown[], parents: Parents): void {
    this.word(TAG.array);
    for (const item of items) this.value(item, parents);
    this.word(TAG.end);
  }

  private object(fields: { readonly [key: string]: unknown }, parents: Parents): void {
    this.word(TAG.object);
    for (const key of sortedKeys(fields)) {
      const item = fields[key];
      if (isAbsent(item)) continue;
      this.text(key);
      this.value(item, parents);
    }
    this.word(TAG.end);
  }
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
  let y = Math.imul(x ^ (x >>> 16), 0x45d9f3b5);
  y = Math.imul(y ^ (y >>> 15), 0x2c1b3c6d);
  return y ^ (y >>> 16);
}
