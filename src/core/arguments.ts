import { shownBytes } from './bytes.ts';
import { isAbsent, sortedKeys } from './digest.ts';
import { standIn } from './stand-in.ts';
import type { Json } from './types.ts';

/** Arguments as a value: a string that is JSON is parsed, any other string stays as it was sent. */
export function parsedArgs(args: unknown): { readonly value: unknown; readonly raw: boolean } {
  if (typeof args !== 'string') return { value: args, raw: false };
  if (!startsLikeJson(args)) return { value: args, raw: true };
  try {
    return { value: JSON.parse(args) as unknown, raw: false };
  } catch {
    return { value: args, raw: true };
  }
}

/** The fields of an object, or an empty record: never an inherited one. */
export function fieldsOf(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** A field of an object whose shape nobody knows; looked for first, because most of them are not there. */
export function fieldOf(fields: { readonly [key: string]: unknown }, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Those of the named fields that are there, in the order of the names. */
export function pick(value: unknown, names: readonly string[]): { readonly [key: string]: Json } {
  const fields = fieldsOf(value);
  const picked: [string, Json][] = [];
  for (const name of names) {
    if (Object.hasOwn(fields, name) && !isAbsent(fields[name])) picked.push([name, fields[name] as Json]);
  }
  return Object.fromEntries(picked);
}

/** RFC 8785: sorted keys, no white space. A circular reference is written as a string. */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

/** The beginning of arguments as a provider would send them: at most `limit` bytes of UTF-8, never half a character. */
export function rawPrefix(args: unknown, limit: number): string {
  const text = typeof args === 'string' ? args : jsonPrefix(args, limit);
  const head = text.length > limit ? text.slice(0, limit) : text;
  if (!BEYOND_ASCII.test(head)) return head;
  let bytes = 0;
  let end = 0;
  for (const character of head) {
    const code = character.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > limit) break;
    end += character.length;
  }
  return head.slice(0, end);
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

/** No tool takes arguments as deep as this. */
const MAX_DEPTH = 500;
const JSON_START = new Set('{["-0123456789tfn \n\r\t');

function startsLikeJson(text: string): boolean {
  return JSON_START.has(text.charAt(0));
}

function write(value: unknown, parents: readonly object[]): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (parents.includes(value)) return '"[circular]"';
  if (parents.length >= MAX_DEPTH) return '"[deep]"';
  const within = [...parents, value];
  const bytes = shownBytes(value);
  if (bytes !== undefined) return write(bytes, within);
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(), within);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, within)).join(',')}]`;
  const record = value as Record<string, unknown>;
  const keys = sortedKeys(record);
  const shown = keys.length === 0 ? standIn(value) : value;
  if (shown !== value) return write(shown, within);
  const members = keys
    .filter((key) => !isAbsent(record[key]))
    .map((key) => `${JSON.stringify(key)}:${write(record[key], within)}`);
  return `{${members.join(',')}}`;
}

/** JSON in the order of the keys as they stand, given up once it is longer than `limit`. */
function jsonPrefix(value: unknown, limit: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > limit ? value.slice(0, limit) : value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const bytes = shownBytes(value);
  if (bytes !== undefined) return jsonPrefix(bytes, limit);
  if ('toJSON' in value && typeof value.toJSON === 'function') return jsonPrefix(value.toJSON(), limit);
  const list = Array.isArray(value);
  const fields = value as { readonly [key: string]: unknown };
  const keys = Object.keys(fields);
  const shown = keys.length === 0 && !list ? standIn(value) : value;
  if (shown !== value) return jsonPrefix(shown, limit);
  let text = list ? '[' : '{';
  for (const key of keys) {
    if (text.length > limit) return text;
    const item = fields[key];
    if (!list && isAbsent(item)) continue;
    if (text.length > 1) text += ',';
    if (!list) text += `${JSON.stringify(key.slice(0, limit))}:`;
    text += jsonPrefix(item, Math.max(0, limit - text.length));
  }
  return text + (list ? ']' : '}');
}
