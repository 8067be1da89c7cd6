import { decoded, joined } from './bytes.ts';
import { createDocumentSplitter } from './document.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from './format.ts';
import { createLineSplitter, type Line } from './lines.ts';

/** A transcript that is being read, piece by piece. */
export type Transcript = {
  /** What is kept of a piece is copied: its memory may be used again. */
  push(chunk: Uint8Array): void;
  /** A live transcript pauses: what is held back is passed on, and more may follow. */
  flush(): void;
  /** Nothing more comes. */
  end(): void;
  /** Null = not recognised, so far. */
  readonly format: Format | null;
};

/** So many records are looked at to recognise a format. */
const SAMPLE_RECORDS = 40;
const SAMPLE_PER_KEY = 12;
/** So much of a transcript is held back until it is recognised; each time in vain, eight times as much. */
const FIRST_HEAD_BYTES: number = 64 * 1024;
const HEAD_GROWTH = 8;
export const MAX_HEAD_BYTES: number = 64 * 1024 * 1024;
const [LINE_FEED, OPEN_LIST] = [0x0a, 0x5b];

/** Reads a transcript of any of the formats, which is told by its content; the first format that recognises it wins. */
export function createTranscript(formats: readonly Format[], sink: Sink): Transcript {
  let head: Uint8Array[] = [];
  let headBytes = 0;
  let wanted = FIRST_HEAD_BYTES;
  let lost = false;
  let body: Body | null = null;

  /** `whole` = the last line may be complete without a line feed; `last` = nothing more comes. */
  function recognise(whole: boolean, last: boolean): void {
    const bytes = joined(head);
    const next = wanted * HEAD_GROWTH;
    const found = formatOf(formats, bytes, whole, last || next > MAX_HEAD_BYTES);
    if (found === null) {
      // A pause may come early: it says nothing against what is still to come.
      if (headBytes >= wanted) wanted = next;
      lost ||= wanted > MAX_HEAD_BYTES;
      head = lost ? [] : [bytes];
      return;
    }
    body = createBody(found, sink);
    head = [];
    body.push(bytes);
  }

  return {
    push(chunk) {
      if (body !== null) body.push(chunk);
      if (body !== null || lost) return;
      head.push(chunk);
      headBytes += chunk.length;
      if (headBytes >= wanted) recognise(false, false);
      if (head.at(-1) === chunk) head[head.length - 1] = new Uint8Array(chunk);
    },
    flush() {
      if (body === null && headBytes > 0 && !lost) recognise(true, false);
      body?.flush();
    },
    end() {
      if (body === null && headBytes > 0 && !lost) recognise(true, true);
      body?.end();
    },
    get format() {
      return body?.format ?? null;
    },
  };
}

type Body = Transcript & { readonly format: Format };

function createBody({ format, sample }: Recognised, sink: Sink): Body {
  const reader = format.open(sink);
  const { shape, records } = sample;
  const source =
    shape === 'lines' ? linesInto(reader, sink, [...records], format.lean) : documentInto(reader, sink);
  return {
    format,
    push: source.push,
    flush: reader.flush,
    end() {
      source.end();
      reader.flush();
    },
  };
}

type Source = { push(chunk: Uint8Array): void; end(): void };

/** `sample` = the records of the first lines, which need not be parsed again; each is let go of when it was read. */
function linesInto(reader: Reader, sink: Sink, sample: TranscriptRecord[], lean: Format['lean']): Source {
  const splitter = createLineSplitter(undefined, lean);

  function read({ line, text, whole }: Line, last: boolean): void {
    if (text === null) {
      sink.problem(line, 'the line is too long to read');
      return;
    }
    // Lines that are skipped stand in the sample all the same.
    while (sample[0] !== undefined && sample[0].line < line) sample.shift();
    const known = sample[0]?.line === line ? sample.shift()?.value : parsed(text);
    const value = known === undefined && whole !== undefined ? parsed(decoded(whole)) : known;
    if (value === undefined) sink.problem(line, last ? 'the last line is not finished' : 'not JSON');
    else reader.read({ line, key: '', value });
  }

  return {
    push(chunk) {
      for (const line of splitter.push(chunk)) read(line, false);
    },
    end() {
      for (const line of splitter.end()) read(line, true);
    },
  };
}

function documentInto(reader: Reader, sink: Sink): Source {
  const splitter = createDocumentSplitter();
  let line = 0;
  return {
    push(chunk) {
      for (const { key, text } of splitter.push(chunk)) {
        line += 1;
        const value = parsed(text);
        if (value === undefined) sink.problem(line, `a part of ${key === '' ? 'the list' : key} is not JSON`);
        else reader.read({ line, key, value });
      }
    },
    end() {
      if (!splitter.complete) sink.problem(line + 1, 'the document is not finished');
    },
  };
}

/** Undefined = not JSON, or too long. */
function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Recognised = { readonly format: Format; readonly sample: Sample };

/** `last` = if it is not recognised now, it never will be. */
function formatOf(
  formats: readonly Format[],
  head: Uint8Array,
  whole: boolean,
  last: boolean,
): Recognised | null {
  const lines = linesSample(head, whole);
  const found = recognised(formats, lines);
  if (found !== null) return found;
  // An object that is a line of its own, or a line that has only begun, may be the first of many.
  const mayBeLines = head.indexOf(LINE_FEED) < 0 ? head[0] !== OPEN_LIST : lines.records[0]?.line === 1;
  return mayBeLines && !last ? null : recognised(formats, documentSample(head));
}

function recognised(formats: readonly Format[], sample: Sample): Recognised | null {
  if (sample.records.length === 0) return null;
  const format = formats.find((candidate) => candidate.recognises(sample));
  return format === undefined ? null : { format, sample };
}

/** The first records of the head: lines that are none, however many, do not hide what follows. */
function linesSample(head: Uint8Array, whole: boolean): Sample {
  const splitter = createLineSplitter();
  const records: TranscriptRecord[] = [];
  const take = ({ line, text }: Line) => {
    const value = parsed(text);
    if (value !== undefined) records.push({ line, key: '', value });
  };
  for (const line of splitter.push(head)) {
    take(line);
    if (records.length === SAMPLE_RECORDS) return { shape: 'lines', records };
  }
  if (whole) for (const line of splitter.end()) take(line);
  return { shape: 'lines', records };
}

function documentSample(head: Uint8Array): Sample {
  const records: TranscriptRecord[] = [];
  const perKey = new Map<string, number>();
  for (const { key, text } of createDocumentSplitter().push(head)) {
    const count = (perKey.get(key) ?? 0) + 1;
    perKey.set(key, count);
    // A long list of tools must not hide the messages behind it.
    const value = key === '' || count <= SAMPLE_PER_KEY ? parsed(text) : undefined;
    if (value !== undefined) records.push({ line: records.length + 1, key, value });
    if (records.length === SAMPLE_RECORDS) break;
  }
  return { shape: 'document', records };
}
