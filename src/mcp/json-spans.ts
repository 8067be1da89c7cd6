/** A value in a message: from `start` up to `end`. */
export type Span = { readonly start: number; readonly end: number };
/** A member of an object; `key` is where its name starts, the quote included. */
export type Member = Span & { readonly name: string; readonly key: number };
/** What stands in an object or in a list, in its order; `end` is behind its last brace. */
export type Parts<Part> = { readonly parts: readonly Part[]; readonly end: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * Finds where values stand without reading them, so that a message can be changed in one place and stay what it was, to the byte,
 * everywhere else. It is no check: bytes that are no JSON may pass.
 */

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; isSpace(byte); byte = bytes[at]) at += 1;
  return at;
}

/** The members of the object at `from`; null = there is none, or it never ends. */
export function membersOf(bytes: Buffer, from: number): Parts<Member> | null {
  if (bytes[from] !== OPEN_OBJECT) return null;
  const parts: Member[] = [];
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_OBJECT) return { parts, end: at + 1 };
  for (;;) {
    const key = at;
    if (bytes[key] !== QUOTE) return null;
    const behind = endOfText(bytes, key);
    at = behind < 0 ? behind : skipSpace(bytes, behind);
    if (at < 0 || bytes[at] !== COLON) return null;
    const start = skipSpace(bytes, at + 1);
    const end = endOfValue(bytes, start);
    if (end < 0) return null;
    parts.push({ name: nameAt(bytes, key, behind), key, start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return { parts, end: at + 1 };
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
  }
}

/** The elements of the list at `from`; null = there is none, or it never ends. */
export function elementsOf(bytes: Uint8Array, from: number): Parts<Span> | null {
  if (bytes[from] !== OPEN_LIST) return null;
  const parts: Span[] = [];
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_LIST) return { parts, end: at + 1 };
  for (;;) {
    const end = endOfValue(bytes, at);
    if (end < 0) return null;
    parts.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_LIST) return { parts, end: at + 1 };
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
  }
}

/** The member that counts: of several with one name it is the last, as everywhere. */
export function memberOf(object: Parts<Member> | null, name: string): Member | undefined {
  return object?.parts.findLast((member) => member.name === name);
}

/** Behind the value at `start`; -1 = it never ends, or there is none. */
function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfText(bytes, start);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfNested(bytes, start);
  let at = start;
  for (let byte = bytes[at]; byte !== undefined && !endsLiteral(byte); byte = bytes[at]) at += 1;
  return at === start ? -1 : at;
}

function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at) - 1;
      if (at < 0) return -1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return -1;
}

/** A name with escapes in it is read as JSON; the names that matter here are ASCII. */
function nameAt(bytes: Buffer, start: number, end: number): string {
  const name = bytes.toString('latin1', start + 1, end - 1);
  if (!name.includes('\\')) return name;
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string;
  } catch {
    return name;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endsLiteral(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || isSpace(byte);
}
