import type { Json } from '../core/types.ts';
import { fieldsOf, jsonOf, textOf } from './fields.ts';

/** What a tool gave back: its text, or all of it where it is more than text, so that one image is not taken for another. */
export function outputOf(content: unknown): Json {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return textOf(fieldsOf(content)['text']) ?? jsonText(content);
  const parts: string[] = [];
  for (const block of content) {
    const text = typeof block === 'string' ? block : textOf(fieldsOf(block)['text']);
    if (text === undefined) return jsonOf(content);
    parts.push(text);
  }
  return parts.join('\n');
}

/** The value as the model reads it: JSON, unless it is a text. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested deeper than the stack allows.
    return '';
  }
}

/** Stands for an output that was not written down: it is like no other. */
export function unseen(id: string | number): Json {
  return { unseen: id };
}
