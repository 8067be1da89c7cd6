import { fieldsOf } from './arguments.ts';
import { digestText } from './digest-text.ts';
import { digestOutcome } from './evidence.ts';
import type { Json } from './types.ts';

type Fields = { readonly [name: string]: unknown };

const MEDIA = /image|screenshot|file|document|audio|video|media/;
/** Where hosts and providers write what is in an image or a file, or where it lies. */
const PAYLOADS: readonly string[] = [
  'data',
  'url',
  'uri',
  'source',
  'blob',
  'bytes',
  'image',
  'image_url',
  'imageUrl',
  'audio',
  'input_audio',
  'video',
  'file',
  'file_id',
  'fileId',
  'file_data',
  'file_url',
  'providerReference',
];
/** Where Gemini's parts, which say of no type, have an image or a file. */
const NAMED: readonly string[] = ['inlineData', 'fileData'];
const NAMED_PAYLOADS: readonly string[] = ['data', 'fileUri'];
/** Where a result has its parts. */
const LISTS: readonly string[] = ['content', 'parts'];
const LETTERS = 'qrstuvwxyz';
/** Characters from which on a text is taken for more than a word or two. */
const LONG = 200;

/** What a tool has given as it is compared: images and files in it by words of their own, because names and data in them would be taken for noise. */
export function shownOutput(output: unknown): unknown {
  try {
    if (Array.isArray(output)) return shownParts(output);
    const fields = fieldsOf(output);
    const list = LISTS.find((name) => Array.isArray(fields[name]));
    if (list === undefined) return shownPart(output);
    const parts = fields[list] as readonly unknown[];
    const shown = shownParts(parts);
    return shown === parts ? output : { ...fields, [list]: shown };
  } catch {
    // What cannot be looked at is judged as it is.
    return output;
  }
}

function shownParts(parts: readonly unknown[]): readonly unknown[] {
  const shown = parts.map(shownPart);
  return shown.some((part, index) => part !== parts[index]) ? shown : parts;
}

/** The same part where it is no image and no file. */
export function shownPart(part: unknown): unknown {
  const fields = fieldsOf(part);
  const { type } = fields;
  if (type === 'resource') return withinWords(fields, 'resource', ['blob']) ?? part;
  if (typeof type === 'string') return (MEDIA.test(type) && withWords(fields, PAYLOADS)) || part;
  const named = NAMED.find((name) => fields[name] != null);
  return named === undefined ? part : (withinWords(fields, named, NAMED_PAYLOADS) ?? part);
}

/** With words in the place of these fields of an object within it; null = it has none of them. */
function withinWords(fields: Fields, holder: string, names: readonly string[]): Fields | null {
  const shown = withWords(fieldsOf(fields[holder]), names);
  return shown && { ...fields, [holder]: shown };
}

function withWords(fields: Fields, names: readonly string[]): Fields | null {
  const known = names.filter((name) => fields[name] != null);
  if (known.length === 0) return null;
  return { ...fields, ...Object.fromEntries(known.map((name) => [name, worded(fields[name])])) };
}

/** What lies in an object is looked at one by one: a file may hold a text. */
function worded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return wordFor(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wordFor(inner)]));
}

/** A text stays what it is: there may be noise in it, or a failure. So does what stands behind an address, where the time and a signature may be. */
function wordFor(value: unknown): unknown {
  if (typeof value === 'object') return wordOf(value);
  if (typeof value !== 'string' || value.includes(' ')) return value;
  const end = value.indexOf('?');
  return end < 0 ? wordOf(value) : wordOf(value.slice(0, end)) + value.slice(end);
}

/** What is long stays long: a picture says as much as a page does. */
function wordOf(value: unknown): string {
  const digest = digestOutcome(value as Json, 'ok', digestText).toString(26);
  const word = digest.replace(/\d/g, (digit) => LETTERS.charAt(Number(digit)));
  return typeof value === 'string' && value.length < LONG ? word : word.padEnd(LONG, word);
}
