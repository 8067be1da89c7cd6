import { Transform, type TransformCallback } from 'node:stream';
import { MAX_MESSAGE_BYTES } from '../max-message-bytes.ts';

/** What goes on in place of a message. */
export type Handle = (message: Buffer) => Buffer;
/** Hears of events that are no messages, which pass as they are. */
export type OnOther = (type: string) => void;
type Line = { readonly start: number; readonly end: number };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const LINE_END: Buffer = Buffer.from('\n');
const DATA: Buffer = Buffer.from('data: ');

/** A message of our own, as an event. */
export function eventOf(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from('event: message\n'), ...dataLines(message), LINE_END]);
}

/** A part of a stream: a whole event with the blank line behind it, or a piece of one that is too long to be looked at. */
type Piece = { readonly bytes: Buffer; readonly isEvent: boolean };
export type EventSplitter = {
  push(chunk: Buffer): readonly Piece[];
  /** Nothing more will come: the bytes of an event that has not ended. */
  end(): Buffer | null;
};
/** What an event says; null = nothing. */
export type ServerEvent = {
  readonly type: string | null;
  readonly data: Buffer | null;
  readonly id: string | null;
  /** Milliseconds until whoever was cut off may come back. */
  readonly retry: number | null;
};

/** Server-sent events whose messages are looked at; an event that nobody changes passes as the bytes it came in. */
export function guardedEvents(handle: Handle, onOther: OnOther = () => {}): Transform {
  const splitter = createEventSplitter();
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const out = splitter
        .push(chunk)
        .map(({ bytes, isEvent }) => (isEvent ? guarded(bytes, handle, onOther) : bytes));
      done(null, out.length === 0 ? null : out.length === 1 ? out[0] : Buffer.concat(out));
    },
    flush(done) {
      // An event without an end is none; whoever reads it knows.
      done(null, splitter.end());
    },
  });
}

/** Cuts a stream of bytes into its events. */
export function createEventSplitter(): EventSplitter {
  /** The pieces of an event that has not ended. */
  let begun: Buffer[] = [];
  let bytes = 0;
  /** The rest of this event is too long to be looked at: it passes as it is. */
  let passing = false;
  let isLineEmpty = true;
  /** A carriage return was the last byte; a line feed that follows belongs to it. */
  let isLineEndOpen = false;

  function keep(piece: Buffer, out: Piece[]): void {
    if (passing) {
      out.push({ bytes: piece, isEvent: false });
      return;
    }
    begun.push(piece);
    bytes += piece.length;
    if (bytes <= MAX_MESSAGE_BYTES) return;
    out.push(...begun.map((one) => ({ bytes: one, isEvent: false })));
    begun = [];
    passing = true;
  }

  function finish(piece: Buffer, out: Piece[]): void {
    const whole = begun.length === 0 ? piece : Buffer.concat([...begun, piece]);
    out.push({ bytes: whole, isEvent: !passing });
    begun = [];
    bytes = 0;
    passing = false;
  }

  return {
    push(chunk) {
      const out: Piece[] = [];
      const ends = lineEnds(chunk);
      let at = 0;
      let line = isLineEndOpen && chunk[0] === LINE_FEED ? 1 : 0;
      isLineEndOpen = false;
      for (let end = ends.after(line); end >= 0; end = ends.after(line)) {
        const isBlank = isLineEmpty && end === line;
        isLineEndOpen = chunk[end] === CARRIAGE_RETURN && end + 1 === chunk.length;
        line = behind(chunk, end);
        isLineEmpty = true;
        if (!isBlank) continue;
        finish(chunk.subarray(at, line), out);
        at = line;
      }
      if (line < chunk.length) isLineEmpty = false;
      if (at < chunk.length) keep(chunk.subarray(at), out);
      return out;
    },
    end: () => (begun.length === 0 ? null : Buffer.concat(begun)),
  };
}

export function readEvent(event: Buffer): ServerEvent {
  const lines = linesOf(event);
  const last = (name: string) =>
    lines.map((line) => fieldIn(event, line, name)).findLast((value) => value !== null);
  const data = lines.flatMap((line) => fieldIn(event, line, 'data') ?? []);
  const retry = last('retry')?.toString() ?? '';
  return {
    type: last('event')?.toString() || null,
    data: data.length === 0 ? null : joined(data),
    id: last('id')?.toString() ?? null,
    retry: /^\d{1,9}$/.test(retry) ? Number(retry) : null,
  };
}

type LineEnds = { after(start: number): number };

/** Each kind of line end is looked for once, so that bytes without one of them cost nothing more. */
function lineEnds(bytes: Buffer): LineEnds {
  let feed = -2;
  let carriage = -2;
  return {
    after(start) {
      if (feed !== -1 && feed < start) feed = bytes.indexOf(LINE_FEED, start);
      if (carriage !== -1 && carriage < start) carriage = bytes.indexOf(CARRIAGE_RETURN, start);
      if (feed < 0) return carriage;
      return carriage < 0 ? feed : Math.min(feed, carriage);
    },
  };
}

/** Behind a line end, which may be two bytes. */
function behind(bytes: Buffer, end: number): number {
  return bytes[end] === CARRIAGE_RETURN && bytes[end + 1] === LINE_FEED ? end + 2 : end + 1;
}

function guarded(event: Buffer, handle: Handle, onOther: OnOther): Buffer {
  const { type, data: message } = readEvent(event);
  if (message === null) return event;
  if (type !== null && type !== 'message') {
    onOther(type);
    return event;
  }
  const passed = handle(message);
  if (passed === message) return event;
  const others = linesOf(event).filter(
    (line) => fieldIn(event, line, 'data') === null && line.end > line.start,
  );
  const head = others.flatMap(({ start, end }) => [event.subarray(start, end), LINE_END]);
  return Buffer.concat([...head, ...dataLines(passed), LINE_END]);
}

function linesOf(event: Buffer): readonly Line[] {
  const lines: Line[] = [];
  const ends = lineEnds(event);
  for (let start = 0; start < event.length; ) {
    const end = ends.after(start);
    if (end < 0) break;
    lines.push({ start, end });
    start = behind(event, end);
  }
  return lines;
}

/** The value of a field; null = the line is another's. */
function fieldIn(event: Buffer, { start, end }: Line, name: string): Buffer | null {
  const colon = start + name.length;
  if (colon > end || event.toString('latin1', start, colon) !== name) return null;
  if (colon === end) return event.subarray(end, end);
  if (event[colon] !== COLON) return null;
  return event.subarray(colon + (event[colon + 1] === SPACE ? 2 : 1), end);
}

function joined(lines: readonly Buffer[]): Buffer {
  const [first, ...rest] = lines;
  return rest.length === 0
    ? (first as Buffer)
    : Buffer.concat([first as Buffer, ...rest.flatMap((line) => [LINE_END, line])]);
}

function dataLines(message: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start <= message.length; ) {
    const end = message.indexOf(LINE_FEED, start);
    const stop = end < 0 ? message.length : end;
    pieces.push(DATA, message.subarray(start, stop), LINE_END);
    start = stop + 1;
  }
  return pieces;
}
