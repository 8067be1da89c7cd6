import { loadUnits } from '../core/code-units.ts';
import {
  type DigestText,
  digestText,
  finishDigest,
  SEED_A,
  SEED_B,
  SEED_C,
  SEED_D,
} from '../core/digest-text.ts';

type BufferLike = { write(text: string, offset: number, length: number, encoding: 'utf16le'): number };
type Memory = { readonly words: Int32Array; readonly bytes: BufferLike };

/** Below this many code units, reading the text one unit at a time is as quick. */
const THRESHOLD = 64;
/** Code units taken at a time; a multiple of eight. */
const CHUNK = 16_384;

let memory: Memory | null | undefined;

/** Room for one chunk, made once; null where there is no `Buffer` or the machine is big-endian. */
function newMemory(): Memory | null {
  const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  const words = new Int32Array(CHUNK / 2);
  const bytes = littleEndian ? bytesOf(words.buffer) : undefined;
  return bytes === undefined ? null : { words, bytes };
}

/** The same number as `digestText` for every text, sooner for long ones where there is a `Buffer`. */
export const fastDigestText: DigestText = /* @__PURE__ */ Object.assign(digestLong, { load });

/** The memory that was loaded last, and its bytes; there are few. */
let loaded: { readonly units: Uint16Array; readonly bytes: BufferLike } | null = null;

function load(text: string, into: Uint16Array, at: number): void {
  memory ??= newMemory();
  if (memory === null) {
    loadUnits(text, into, at);
    return;
  }
  if (loaded?.units !== into) loaded = { units: into, bytes: bytesOf(into.buffer) as BufferLike };
  loaded.bytes.write(text, at * 2, text.length * 2, 'utf16le');
}

function bytesOf(buffer: ArrayBufferLike): BufferLike | undefined {
  return (globalThis as { Buffer?: { from(memory: ArrayBufferLike): BufferLike } }).Buffer?.from(buffer);
}

function digestLong(text: string): number {
  const length = text.length;
  if (length < THRESHOLD) return digestText(text);
  memory ??= newMemory();
  if (memory === null) return digestText(text);
  const { words, bytes } = memory;
  let a = SEED_A;
  let b = SEED_B;
  let c = SEED_C;
  let d = SEED_D;
  const whole = length - (length % 8);
  for (let start = 0; start < whole; start += CHUNK) {
    bytes.write(length <= CHUNK ? text : text.slice(start, start + CHUNK), 0, CHUNK * 2, 'utf16le');
    const end = Math.min(whole - start, CHUNK) >> 1;
    for (let k = 0; k < end; k += 4) {
      const p = words[k] as number;
      const q = words[k + 1] as number;
      const r = words[k + 2] as number;
      const s = words[k + 3] as number;
      a = Math.imul(a ^ p, 0x9b3f5ac5);
      b = Math.imul(b ^ q, 0x6d2b79e3);
      c = Math.imul(c ^ r, 0xc4e1b527);
      d = Math.imul(d ^ s, 0x58d7a36b);
      a = (((a << 13) | (a >>> 19)) + q) | 0;
      b = (((b << 17) | (b >>> 15)) + r) | 0;
      c = (((c << 15) | (c >>> 17)) + s) | 0;
      d = (((d << 11) | (d >>> 21)) + p) | 0;
    }
  }
  return finishDigest(text, whole, a, b, c, d);
}
