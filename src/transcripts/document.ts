import { decoded, joined } from './bytes.ts';

/** A value of a document, as text; `text` is null when it was longer than any text can be. */
export type DocumentPart = { readonly key: string; readonly text: string | null };

export type DocumentSplitter = {
  /**
   * The values that this piece completes, split as they are asked for: all must be, before the next piece. What is kept
   * of a piece is copied, so that its memory may be used again.
   */
  push(chunk: Uint8Array): Iterable<DocumentPart>;
  /** Whether the document came to its end. */
  readonly complete: boolean;
};

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Longer values are passed over without being kept. */
const MAX_PART_BYTES: number = 256 * 1024 * 1024;

/**
 * Splits one JSON document while it is read, so that it never stands in memory whole: a list into its elements, an
 * object into its members, and members that are lists into theirs. It trusts nothing but brackets and quotes;
 * whoever parses the parts finds out whether they are JSON.
 */
export function createDocumentSplitter(maxBytes: number = MAX_PART_BYTES): DocumentSplitter {
  let depth = 0;
  /** How deep the values lie that are handed out. */
  let level = 1;
  let inObject = false;
  let wantsKey = false;
  let key = '';
  let inText = false;
  let escaped = false;
  let kept: Uint8Array[] = [];
  let bytes = 0;
  let capturing = false;
  let complete = false;

  function keep(piece: Uint8Array): void {
    bytes += piece.length;
    if (bytes > maxBytes) kept = [];
    else kept.push(piece);
  }

  function finished(): string | null {
    const text = bytes > maxBytes ? null : decoded(joined(kept));
    kept = [];
    bytes = 0;
    capturing = false;
    return text;
  }

  function* push(chunk: Uint8Array): Iterable<DocumentPart> {
    if (complete) return;
    let from = 0;

    /** Null = it was the name of a member. */
    function finish(end: number): DocumentPart | null {
      keep(chunk.subarray(from, end));
      const text = finished();
      if (!inObject || level !== 1 || !wantsKey) return { key, text };
      key = keyOf(text);
      wantsKey = false;
      return null;
    }

    for (let index = 0; index < chunk.length; index++) {
      if (inText) {
        index = endOfText(chunk, index);
        if (inText || depth !== level) continue;
        const part = finish(index + 1);
        if (part !== null) yield part;
        continue;
      }
      const byte = chunk[index] as number;
      if (byte <= 0x20 || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        // A number or a word ends where something else begins.
        const part = capturing && depth === level ? finish(index) : null;
        if (part !== null) yield part;
        if (byte === COMMA && depth === 1 && inObject) wantsKey = true;
        if (byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) continue;
        depth -= 1;
        if (capturing && depth === level) {
          const closed = finish(index + 1);
          if (closed !== null) yield closed;
        } else if (!capturing && depth < level) {
          if (level === 2) level = 1;
          // What follows is no part of it: another document would repeat or contradict this one.
          complete = depth === 0;
          if (complete) return;
        }
        continue;
      }
      if (byte === COLON && !capturing) continue;
      if (!capturing) {
        if (depth === 0) {
          if (byte !== OPEN_LIST && byte !== OPEN_OBJECT) continue;
          depth = 1;
          inObject = byte === OPEN_OBJECT;
          wantsKey = inObject;
          continue;
        }
        if (byte === OPEN_LIST && inObject && level === 1 && !wantsKey) {
          depth = 2;
          level = 2;
          continue;
        }
        capturing = true;
        from = index;
      }
      if (byte === QUOTE) inText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    }
    if (capturing) keep(new Uint8Array(chunk.subarray(from)));
  }

  /** Where the text ends that is open at `start`; where it does not, the end of the piece. */
  function endOfText(chunk: Uint8Array, start: number): number {
    let from = escaped ? start + 1 : start;
    for (let quote = chunk.indexOf(QUOTE, from); quote >= 0; quote = chunk.indexOf(QUOTE, from)) {
      inText = isEscaped(chunk, quote, from);
      escaped = false;
      if (!inText) return quote;
      from = quote + 1;
    }
    escaped = isEscaped(chunk, chunk.length, from);
    return chunk.length;
  }

  return {
    push,
    get complete() {
      return complete;
    },
  };
}

/** Whether an odd number of backslashes stands before a byte, from `from` on. */
function isEscaped(chunk: Uint8Array, at: number, from: number): boolean {
  let first = at;
  while (first > from && chunk[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

function keyOf(text: string | null): string {
  try {
    return String(JSON.parse(text ?? '""'));
  } catch {
    return '';
  }
}
