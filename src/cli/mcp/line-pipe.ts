import { MAX_MESSAGE_BYTES } from './max-message-bytes.ts';

/** Bytes on their way from one side to the other, looked at line by line. */
export type LinePipe = {
  push(chunk: Buffer): void;
  /** A message of our own, or one that was held back, between two lines. */
  insert(message: Buffer): void;
  /** Nothing more will come: what is left goes on as it is. */
  end(): void;
};

export type LinePipeOptions = {
  /** What goes on in place of a line, which ends with its line feed; null = nothing. */
  readonly handle: (line: Buffer) => Buffer | null;
  readonly write: (pieces: readonly Buffer[]) => void;
  /** A line is too long to be looked at: it passes as it is. */
  readonly onTooLong: () => void;
  readonly maxBytes?: number;
};

const LINE_FEED = 0x0a;
/** A write costs as much as looking at two or three lines; measured with `npm run bench:mcp`. */
const LINES_AT_ONCE = 16;
const LINE_END: Buffer = Buffer.from('\n');

/** Lines that nobody changes are passed on as the bytes they came in, as many at once as there are. */
export function createLinePipe(options: LinePipeOptions): LinePipe {
  const { handle, write, onTooLong, maxBytes = MAX_MESSAGE_BYTES } = options;
  /** The pieces of a line that has not ended. */
  let begun: Buffer[] = [];
  let bytes = 0;
  /** The rest of this line goes by unseen. */
  let passing = false;
  let waiting: Buffer[] = [];

  /** The line that ends with this piece. */
  function finished(piece: Buffer): Buffer {
    const line = Buffer.concat([...begun, piece]);
    begun = [];
    bytes = 0;
    return line;
  }

  function keep(rest: Buffer): readonly Buffer[] {
    if (passing) return [rest];
    begun.push(rest);
    bytes += rest.length;
    if (bytes <= maxBytes) return [];
    const pieces = begun;
    begun = [];
    bytes = 0;
    passing = true;
    onTooLong();
    return pieces;
  }

  function pushLines(chunk: Buffer): void {
    let out: Buffer[] = [];
    /** From here on the chunk is still to be written. */
    let from = 0;
    let at = 0;
    // The other side gets the first line at once, and then some at a time: it works while we look at the next.
    let lines = 0;
    let due = 1;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      const next = end + 1;
      if (passing) {
        passing = false;
        out.push(chunk.subarray(from, next), ...waiting);
        waiting = [];
        from = next;
      } else {
        const whole = begun.length === 0;
        const line = whole ? chunk.subarray(at, next) : finished(chunk.subarray(at, next));
        const passed = handle(line);
        if (passed !== line || !whole) {
          if (at > from) out.push(chunk.subarray(from, at));
          if (passed !== null) out.push(passed);
          from = next;
        }
      }
      at = next;
      lines += 1;
      if (lines < due) continue;
      due = lines + LINES_AT_ONCE;
      if (at > from) out.push(chunk.subarray(from, at));
      from = at;
      if (out.length > 0) write(out);
      out = [];
    }
    if (at > from) out.push(chunk.subarray(from, at));
    if (at < chunk.length) out.push(...keep(chunk.subarray(at)));
    if (out.length > 0) write(out);
  }

  return {
    push(chunk) {
      // Nearly always a chunk is one line.
      const isLine = begun.length === 0 && !passing && chunk.indexOf(LINE_FEED) === chunk.length - 1;
      const passed = isLine ? handle(chunk) : null;
      if (passed !== null) write([passed]);
      else if (!isLine) pushLines(chunk);
    },
    insert(message) {
      // One that was held back has its line feed.
      const line = message.at(-1) === LINE_FEED ? [message] : [message, LINE_END];
      if (passing) waiting.push(...line);
      else write(line);
    },
    end() {
      if (begun.length === 0) return;
      const passed = handle(finished(Buffer.alloc(0)));
      if (passed !== null) write([passed]);
    },
  };
}
