/** An answer that says what went wrong. */
export type ReplyError = { readonly error: string };

const NONE: unique symbol = Symbol('not all of it is there yet');
const [CR, LF] = [13, 10];
/** A longer answer is none of ours. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 8;

/** Takes bytes as they come and hands out each whole answer of the Redis protocol (RESP2). Throws when they are none. */
export function createReplyReader(take: (reply: unknown) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;

  function line(): string | typeof NONE {
    const end = rest.indexOf('\r\n', at);
    if (end < 0) return NONE;
    const text = rest.toString('utf8', at, end);
    at = end + 2;
    return text;
  }

  function value(depth: number): unknown {
    const head = line();
    if (head === NONE) return NONE;
    const text = head.slice(1);
    switch (head[0]) {
      case '+':
        return text;
      case '-':
        return { error: text };
      case ':':
        return Number(text);
      case '$':
        return bulk(lengthOf(text));
      case '*':
        return list(lengthOf(text), depth);
      default:
        throw new Error('the server does not speak the Redis protocol');
    }
  }

  function bulk(length: number): unknown {
    if (length < 0) return null;
    const end = at + length;
    if (rest.length < end + 2) return NONE;
    if (rest[end] !== CR || rest[end + 1] !== LF)
      throw new Error('the server does not speak the Redis protocol');
    const text = rest.toString('utf8', at, end);
    at = end + 2;
    return text;
  }

  function list(length: number, depth: number): unknown {
    if (length < 0) return null;
    if (depth >= MAX_DEPTH) throw new Error('the answer of the server is nested too deeply');
    const items: unknown[] = [];
    for (let n = 0; n < length; n++) {
      const item = value(depth + 1);
      if (item === NONE) return NONE;
      items.push(item);
    }
    return items;
  }

  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (rest.length > MAX_BYTES) throw new Error('the answer of the server is too long');
    for (;;) {
      at = 0;
      const reply = rest.length === 0 ? NONE : value(0);
      if (reply === NONE) return;
      rest = rest.subarray(at);
      take(reply);
    }
  };
}

function lengthOf(text: string): number {
  const length = Number(text);
  if (!Number.isInteger(length) || length > MAX_BYTES)
    throw new Error('the server does not speak the Redis protocol');
  return length;
}
