import { joined } from './bytes.ts';
import { createDocumentSplitter } from './document.ts';
import type { Format, Reader, Sample, Shape, Sink, TranscriptRecord } from './format.ts';
import { createLineSplitter, type Line } from './lines.ts';

/** A transcript that is being read, piece by piece. */
export type Transcript = {
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
/** So much of a transcript is held back until it is recognised; each time in vain, eight times as much. */
const FIRST_HEAD_BYTES: number = 64 * 1024;
const HEAD_GROWTH = 8;
const MAX_HEAD_BYTES: number = 64 * 1024 * 1024;

/** Reads a transcript of any of the formats, which is told by its content; the first format that recognises it wins. */
export function createTranscript(formats: readonly Format[], sink: Sink): Transcript {
  let head: Uint8Array[] = [];
  let headBytes = 0;
  let wanted = FIRST_HEAD_BYTES;
  let lost = false;
  let body: Body | null = null;

  function recognise(whole: boolean): void {
    const bytes = joined(head);
    const found = formatOf(formats, bytes, whole);
    if (found === null) {
      head = [bytes];
      wanted *= HEAD_GROWTH;
      lost ||= wanted > MAX_HEAD_BYTES;
      if (lost) head = [];
      return;
    }
    body = createBody(found.format, found.shape, sink);
    head = [];
    body.push(bytes);
  }

  return {
    push(chunk) {
      if (body !== null) body.push(chunk);
      if (body !== null || lost) return;
      head.push(chunk);
      headBytes += chunk.length;
      if (headBytes >= wanted) recognise(false);
    },
    flush() {
      if (body === null && headBytes > 0 && !lost) recognise(true);
      body?.flush();
    },
    end() {
      if (body === null && headBytes > 0 && !lost) recognise(true);
      body?.end();
    },
    get format() {
      return body?.format ?? null;
    },
  };
}

type Body = Transcript & { readonly format: Format };

function createBody(format: Format, shape: Shape, sink: Sink): Body {
  const reader = format.open(sink);
  const source = shape === 'lines' ? linesInto(reader, sink) : documentInto(reader, sink);
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

function linesInto(reader: Reader, sink: Sink): Source {
  const splitter = createLineSplitter();

  function read({ line, text }: Line, last: boolean): void {
    if (text === null) {
      sink.problem(line, 'the line is too long to read');
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      sink.problem(line, last ? 'the last line is not finished' : 'not JSON');
      return;
    }
    reader.read({ line, key: '', value });
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

function formatOf(
  formats: readonly Format[],
  head: Uint8Array,
  whole: boolean,
): { readonly format: Format; readonly shape: Shape } | null {
  for (const sample of [linesSample(head, whole), documentSample(head)]) {
    if (sample.records.length === 0) continue;
    const format = formats.find((candidate) => candidate.recognises(sample));
    if (format !== undefined) return { format, shape: sample.shape };
  }
  return null;
}

function linesSample(head: Uint8Array, whole: boolean): Sample {
  const splitter = createLineSplitter();
  const lines = [...splitter.push(head), ...(whole ? splitter.end() : [])];
  const records: TranscriptRecord[] = [];
  for (const { line, text } of lines.slice(0, SAMPLE_RECORDS)) {
    const value = parsed(text);
    if (value !== undefined) records.push({ line, key: '', value });
  }
  return { shape: 'lines', records };
}

function documentSample(head: Uint8Array): Sample {
  const records: TranscriptRecord[] = [];
  for (const { key, text } of createDocumentSplitter().push(head)) {
    const value = parsed(text);
    if (value !== undefined) records.push({ line: records.length + 1, key, value });
    if (records.length === SAMPLE_RECORDS) break;
  }
  return { shape: 'document', records };
}
