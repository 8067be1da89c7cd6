import { digestText } from '../core/digest-text.ts';
import { digestOutcome } from '../core/evidence.ts';
import type { Json } from '../core/types.ts';
import { type Fields, fieldsOf } from './fields.ts';

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
const LETTERS = 'qrstuvwxyz';

/** What a tool has given as it is compared: images and files in it by words of their own, because names and data in them would be taken for noise. */
export function shownOutput(output: unknown): unknown {
  try {
    if (Array.isArray(output)) return shownParts(output);
    const { content } = fieldsOf(output);
    if (!Array.isArray(content)) return shownPart(output);
    const parts = shownParts(content);
    return parts === content ? output : { ...fieldsOf(output), content: parts };
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
  const { type, resource } = fields;
  if (typeof type !== 'string') return part;
  if (type === 'resource') {
    const shown = withWords(fieldsOf(resource), ['blob']);
    return shown === null ? part : { ...fields, resource: shown };
  }
  return (MEDIA.test(type) && withWords(fields, PAYLOADS)) || part;
}

/** Null = it has none of them. */
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

function wordOf(value: unknown): string {
  const digest = digestOutcome(value as Json, 'ok', digestText).toString(26);
  return digest.replace(/\d/g, (digit) => LETTERS.charAt(Number(digit)));
}
