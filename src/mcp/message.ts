import { type Fields, isFields } from './fields.ts';
import { elementsOf, memberOf, membersOf, type Span, skipSpace } from './json-spans.ts';

/** A JSON-RPC message, as it came and as it reads. */
export type Message = { readonly bytes: Buffer; readonly fields: Fields };

/** One message, several in a batch, or null for what is neither. */
export function readMessages(bytes: Buffer): Message | readonly Message[] | null {
  const value = parsed(bytes);
  if (isFields(value)) return { bytes, fields: value };
  if (!Array.isArray(value) || !value.every(isFields)) return null;
  const spans = elementsOf(bytes, skipSpace(bytes, 0))?.parts ?? [];
  return value.map((fields, index) => {
    const { start, end } = spans[index] as Span;
    return { bytes: bytes.subarray(start, end), fields };
  });
}

export function isBatch(read: Message | readonly Message[]): read is readonly Message[] {
  return Array.isArray(read);
}

/** Several messages as one. */
export function batchOf(messages: readonly Buffer[]): Buffer {
  const pieces = messages.flatMap((message, index) => [Buffer.from(index === 0 ? '[' : ','), message]);
  return Buffer.concat([...pieces, Buffer.from(']')]);
}

/** Where a part of a message stands. */
export function spanOf({ bytes }: Message, name: string): Span | undefined {
  return memberOf(membersOf(bytes, skipSpace(bytes, 0)), name);
}

/** A part of a message as it is written: an id goes back as it came. */
export function writtenOf(message: Message, name: string): string {
  const span = spanOf(message, name);
  return span === undefined ? 'null' : message.bytes.toString('utf8', span.start, span.end);
}

/** Not JSON, or longer than any text can be: undefined. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
