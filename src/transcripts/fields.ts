import type { Json, Usage } from '../core/types.ts';

/** A JSON object whose members nobody has looked at yet. */
export type Fields = { readonly [name: string]: unknown };

const NO_FIELDS: Fields = Object.freeze(Object.create(null) as Fields);

/** The value as an object; anything else is an object without members. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NO_FIELDS;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a list; anything else is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A text that says something. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** More than any session has tokens. */
const MOST_TOKENS = 1e12;

/** A number of tokens; what cannot be one is unknown. */
export function countOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= MOST_TOKENS ? value : undefined;
}

/** A point in time as milliseconds since the epoch: ISO 8601, or a number of seconds, milli-, micro- or nanoseconds. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const parsed = Date.parse(value);
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  if (typeof value !== 'number' || !(value > 0)) return undefined;
  if (value < 1e11) return value * 1e3;
  if (value < 1e14) return value;
  return value < 1e17 ? value / 1e3 : value / 1e6;
}

/** Anything that came out of `JSON.parse`, which is JSON; what was never there is null. */
export function jsonOf(value: unknown): Json {
  return (value ?? null) as Json;
}

/** Arguments that were written down as a text: parsed where they are JSON, as they are otherwise. */
export function argumentsOf(value: unknown): Json {
  if (typeof value !== 'string') return jsonOf(value);
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

/** The text of a message or a result: a text, or blocks of which some have one. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return textOf(fieldsOf(value)['text']) ?? '';
  let text = '';
  for (const block of value) {
    const part = typeof block === 'string' ? block : textOf(fieldsOf(block)['text']);
    if (part !== undefined) text = text === '' ? part : `${text}\n${part}`;
  }
  return text;
}

/** The content of a message as blocks; a plain text is one. */
export function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

/**
 * Tokens of one response, where cached input is counted beside the input; undefined where the input is not counted,
 * which is most of what a response costs.
 */
export function usageOf(input: unknown, output: unknown, cachedInput?: unknown): Usage | undefined {
  const [sent, received = 0, cached] = [countOf(input), countOf(output), countOf(cachedInput)];
  if (sent === undefined) return undefined;
  return cached === undefined
    ? { input: sent, output: received }
    : { input: sent, output: received, cachedInput: cached };
}

/** Tokens of one response, where the provider counts cached input as a part of the input. */
export function usageWithin(input: unknown, output: unknown, cachedInput: unknown): Usage | undefined {
  const [sent, cached = 0] = [countOf(input), countOf(cachedInput)];
  return usageOf(sent === undefined ? undefined : Math.max(0, sent - cached), output, cachedInput);
}
