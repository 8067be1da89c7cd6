import type { DigestText } from './digest-text.ts';

/** Deeper values are told apart by their depth alone; no tool takes arguments like these. */
const MAX_DEPTH = 1000;
/** After this many values a digest stops reading: arguments that share sub-objects can unfold without end. */
const MAX_VALUES = 5_000_000;

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
    this.a = ((a << 15) | (a >>> 17)) + b;
    this.b = ((b << 13) | (b >>> 19)) ^ a;
  }

  number(x: number): void {
    this.word(x | 0);
    this.word((x / 4294967296) | 0);
  }

  text(text: string): void {
    this.number(this.digestText(text));
  }

  /** Arguments as sent that are not JSON. */
  raw(text: string): void {
    this.word(TAG.raw);
    this.text(text);
  }

  /** Equal for values with the same canonical JSON (RFC 8785), without writing that JSON. */
  json(value: unknown): void {
    this.value(value, []);
  }

  finish(): number {
    const a = scramble(this.a ^ this.b);
    const b = scramble(this.b + a);
    return (scramble(a ^ b) >>> 11) * 4294967296 + (b >>> 0);
  }

  private value(value: unknown, parents: object[]): void {
    if (typeof value === 'string') {
      this.word(TAG.string);
      this.text(value);
    } else if (typeof value === 'number') {
      this.word(Number.isFinite(value) ? TAG.number : TAG.null);
      if (Number.isFinite(value)) this.text(String(value));
    } else if (typeof value === 'object' && value !== null) {
      this.container(value, parents);
    } else if (typeof value === 'bigint') {
      this.word(TAG.bigint);
      this.text(String(value));
    } else {
      this.word(value === true ? TAG.true : value === false ? TAG.false : TAG.null);
    }
  }

  private container(value: object, parents: object[]): void {
    this.values += 1;
    if (parents.length > MAX_DEPTH || this.values > MAX_VALUES) this.word(TAG.cut);
    else if (parents.includes(value)) this.word(TAG.circular);
    else {
      parents.push(value);
      if ('toJSON' in value && typeof value.toJSON === 'function') this.value(value.toJSON(), parents);
      else if (Array.isArray(value)) this.array(value, parents);
      else this.object(value as { readonly [key: string]: unknown }, parents);
      parents.pop();
    }
  }

  private array(items: readonly unknown[], parents: object[]): void {
    this.word(TAG.array);
    for (const item of items) this.value(item, parents);
    this.word(TAG.end);
  }

  private object(fields: { readonly [key: string]: unknown }, parents: object[]): void {
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

/** Keys by UTF-16 code units, as RFC 8785 orders them; most arrive in order, so look before sorting. */
export function sortedKeys(record: object): string[] {
  const keys = Object.keys(record);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  }
  return keys;
}

function scramble(x: number): number {
  let y = Math.imul(x ^ (x >>> 16), 0x45d9f3b5);
  y = Math.imul(y ^ (y >>> 15), 0x2c1b3c6d);
  return y ^ (y >>> 16);
}
