import type { Format, Sink } from './format.ts';
import { deloop } from './formats/deloop.ts';
import { createLineSplitter } from './lines.ts';
import { createTraceReader, type TraceLine } from './trace.ts';
import { createTranscript, MAX_HEAD_BYTES } from './transcript.ts';

/** A recorded run that is being read, whoever has written it. */
export type Recording = {
  /** What this piece completes. */
  push(chunk: Uint8Array): Iterable<TraceLine>;
  /** Nothing more comes. */
  end(): Iterable<TraceLine>;
  /** Null = a trace, as far as anybody knows. */
  readonly format: Format | null;
};

/** So many lines are looked at to recognise a trace. */
const SAMPLE_LINES = 40;

/**
 * Reads a trace, or a transcript of any of the formats, as lines of a trace. What nobody recognises is a trace: then it
 * is told what is wrong with its lines.
 */
export function createRecording(formats: readonly Format[]): Recording {
  let told: TraceLine[] = [];
  const sink: Sink = {
    event: (event, line) => told.push({ line, event }),
    facts() {},
    problem: (line, error) => told.push({ line, error }),
  };
  const foreign = createTranscript(
    formats.filter((format) => format !== deloop),
    sink,
  );
  const trace = createTraceReader();
  const isTrace = createTraceSample();
  /** What came before it was known who wrote it. */
  let head: Uint8Array[] = [];
  let bytes = 0;
  let reading: 'head' | 'trace' | 'foreign' = 'head';

  function taken(): readonly TraceLine[] {
    const items = told;
    told = [];
    return items;
  }

  function* asTrace(): Iterable<TraceLine> {
    reading = 'trace';
    const waiting = head;
    head = [];
    for (const chunk of waiting) yield* trace.push(chunk);
  }

  return {
    *push(chunk) {
      if (reading === 'trace') {
        yield* trace.push(chunk);
        return;
      }
      if (reading === 'head') {
        head.push(chunk);
        bytes += chunk.length;
        // At its first event, so that a run that is being written is not held up.
        if (isTrace(chunk)) {
          yield* asTrace();
          return;
        }
      }
      foreign.push(chunk);
      if (foreign.format !== null) {
        reading = 'foreign';
        head = [];
        yield* taken();
      } else if (bytes >= MAX_HEAD_BYTES) yield* asTrace();
    },
    *end() {
      if (reading !== 'trace') foreign.end();
      if (foreign.format !== null) yield* taken();
      else {
        if (reading === 'head') yield* asTrace();
        yield* trace.end();
      }
    },
    get format() {
      return foreign.format;
    },
  };
}

/** Whether one of the first lines, as they come in, is an event of a trace. */
function createTraceSample(): (chunk: Uint8Array) => boolean {
  const splitter = createLineSplitter();
  let lines = 0;
  return (chunk) => {
    if (lines >= SAMPLE_LINES) return false;
    for (const { line, text } of splitter.push(chunk)) {
      lines += 1;
      if (lines > SAMPLE_LINES) return false;
      const value = text?.startsWith('{') === true ? parsed(text) : undefined;
      if (deloop.recognises({ shape: 'lines', records: [{ line, key: '', value }] })) return true;
    }
    return false;
  };
}

/** Undefined = not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
