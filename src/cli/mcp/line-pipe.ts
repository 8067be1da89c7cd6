/** Bytes on their way from one side to the other, looked at line by line. */
export type LinePipe = {
  push(chunk: Buffer): void;
  /** A message of our own, between two lines. */
  insert(message: Buffer): void;
  /** Nothing more will come: what is left goes on as it is. */
  end(): void;
};

export type LinePipeOptions = {
  /** What goes on in place of a line; null = nothing. The line feed is not a part of it. */
  readonly handle: (line: Buffer) => Buffer | null;
  readonly write: (pieces: readonly Buffer[]) => void;
  /** A line is too long to be looked at: it passes as it is. */
  readonly onTooLong: () => void;
  readonly maxBytes?: number;
};

const LINE_FEED = 0x0a;
const LINE_END: Buffer = Buffer.from('\n');
/** A message must be seen whole before it can be judged, so this much may be kept of one. */
const MAX_LINE_BYTES: number = 256 * 1024 * 1024;

/** Lines that nobody changes are passed on as the bytes they came in, as many at once as there are. */
export function createLinePipe(options: LinePipeOptions): LinePipe {
  const { handle, write, onTooLong, maxBytes = MAX_LINE_BYTES } = options;
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
    if (rest.length === 0) return [];
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

  return {
    push(chunk) {
      const out: Buffer[] = [];
      /** From here on the chunk is still to be written. */
      let from = 0;
      let at = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
        const next = end + 1;
        if (passing) {
          passing = false;
          out.push(chunk.subarray(from, next), ...waiting);
          waiting = [];
          from = next;
        } else {
          const whole = begun.length === 0;
          const line = whole ? chunk.subarray(at, end) : finished(chunk.subarray(at, end));
          const passed = handle(line);
          if (passed !== line || !whole) {
            if (at > from) out.push(chunk.subarray(from, at));
            if (passed !== null) out.push(passed, LINE_END);
            from = next;
          }
        }
        at = next;
      }
      if (at > from) out.push(chunk.subarray(from, at));
      out.push(...keep(chunk.subarray(at)));
      if (out.length > 0) write(out);
    },
    insert(message) {
      if (passing) waiting.push(message, LINE_END);
      else write([message, LINE_END]);
    },
    end() {
      if (begun.length === 0) return;
      const passed = handle(finished(Buffer.alloc(0)));
      if (passed !== null) write([passed]);
    },
  };
}
