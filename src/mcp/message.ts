import {
  elementsOf,
  type Member,
  memberOf,
  membersOf,
  type Parts,
  type Span,
  skipSpace,
} from './json-spans.ts';

/** The parts of a JSON-RPC message that tell what it is; a part that it does not have is null. */
export type Message = {
  readonly bytes: Buffer;
  readonly method: string | null;
  readonly id: Span | null;
  readonly params: Span | null;
  readonly result: Span | null;
  readonly error: Span | null;
};

/** One message, several in a batch, or null for what is neither. */
export function readMessages(bytes: Buffer): Message | readonly Message[] | null {
  const start = skipSpace(bytes, 0);
  const object = membersOf(bytes, start);
  if (object !== null) return isLast(bytes, object.end) ? messageOf(bytes, object) : null;
  const list = elementsOf(bytes, start);
  if (list === null || !isLast(bytes, list.end)) return null;
  const messages: Message[] = [];
  for (const element of list.parts) {
    const own = bytes.subarray(element.start, element.end);
    const members = membersOf(own, 0);
    if (members === null) return null;
    messages.push(messageOf(own, members));
  }
  return messages;
}

function isLast(bytes: Buffer, end: number): boolean {
  return skipSpace(bytes, end) === bytes.length;
}

function messageOf(bytes: Buffer, object: Parts<Member>): Message {
  const method = memberOf(object, 'method');
  return {
    bytes,
    method: method === undefined ? null : textOf(bytes, method),
    id: memberOf(object, 'id') ?? null,
    params: memberOf(object, 'params') ?? null,
    result: memberOf(object, 'result') ?? null,
    error: memberOf(object, 'error') ?? null,
  };
}

/** A value read as JSON; undefined = it is none. */
export function parsedAt(bytes: Buffer, { start, end }: Span): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    return undefined;
  }
}

/** What is no text has a method that nobody knows. */
function textOf(bytes: Buffer, span: Span): string {
  const value = parsedAt(bytes, span);
  return typeof value === 'string' ? value : '';
}

export function isBatch(read: Message | readonly Message[]): read is readonly Message[] {
  return Array.isArray(read);
}

/** The id as it is written. */
export function idText({ bytes, id }: Message): string {
  return id === null ? '' : bytes.toString('utf8', id.start, id.end);
}
