import { decoded, joined } from './bytes.ts';

/** A line of a file; `text` is null when it was longer than any text can be. */
export type Line = {
  readonly line: number;
  readonly text: string | null;
  /** All of the line, where the text is a part of it; its memory is used again by the next piece. */
  readonly whole?: Uint8Array | undefined;
};

export type LineSplitter = {
  /**
   * The lines that this piece completes, split as they are asked for: all must be, before the next piece. What is kept
   * of a piece is copied, so that its memory may be used again.
   */
  push(chunk: Uint8Array): Iterable<Line>;
  /** The last line, when no line feed ended it. */
  end(): readonly Line[];
};

const LINE_FEED = 0x0a;
/** Longer lines are passed over without being kept; a JavaScript text could hold twice as much. */
const MAX_LINE_BYTES: number = 256 * 1024 * 1024;

/**
 * Splits bytes into numbered lines, at line feeds alone: JSON may hold every other character that ends a line elsewhere.
 * White space around a line, the byte order mark and empty lines are dropped. `lean` = what of a line is wanted, as in a format.
 */
export function createLineSplitter(
  maxBytes: number = MAX_LINE_BYTES,
  lean?: (line: Uint8Array) => string | null,
): LineSplitter {
  let line = 0;
  let kept: Uint8Array[] = [];
  let bytes = 0;

  function keep(piece: Uint8Array): void {
    bytes += piece.length;
    if (bytes > maxBytes) kept = [];
    else if (piece.length > 0) kept.push(piece);
  }

  function finish(): Line | null {
    line += 1;
    const whole = bytes > maxBytes ? null : joined(kept);
    kept = [];
    bytes = 0;
    if (whole === null) return { line, text: null };
    const part = lean?.(whole) ?? null;
    if (part !== null) return part === '' ? null : { line, text: part, whole };
    const text = decoded(whole).trim();
    return text === '' ? null : { line, text };
  }

  return {
    *push(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        keep(chunk.subarray(from, end));
        from = end + 1;
        const finished = finish();
        if (finished !== null) yield finished;
      }
      if (from < chunk.length) keep(new Uint8Array(chunk.subarray(from)));
    },
    end() {
      if (bytes === 0) return [];
      const finished = finish();
      return finished === null ? [] : [finished];
    },
  };
}
