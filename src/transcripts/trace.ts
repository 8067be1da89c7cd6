import { DeloopError } from '../core/errors.ts';
import { toEvent } from '../core/events.ts';
import type { AgentEvent } from '../core/types.ts';
import { createLineSplitter, type Line } from './lines.ts';

export type TraceRecord = { readonly [name: string]: unknown };

/** One line of a trace: an event, something else that a trace may hold (`record`), or what is wrong with it. */
export type TraceLine =
  | { readonly line: number; readonly event: AgentEvent }
  | { readonly line: number; readonly record: TraceRecord }
  | { readonly line: number; readonly error: string };

/** A trace that is being read; what cannot be read is an item of its own, and reading goes on. */
export type TraceReader = {
  /** The lines that this piece completes. */
  push(chunk: Uint8Array): Iterable<TraceLine>;
  /** The last line, when no line feed ended it. */
  end(): Iterable<TraceLine>;
};

export function createTraceReader(): TraceReader {
  const splitter = createLineSplitter();
  return {
    *push(chunk) {
      for (const line of splitter.push(chunk)) yield parseLine(line);
    },
    *end() {
      for (const line of splitter.end()) yield parseLine(line);
    },
  };
}

/** Reads JSON Lines of events, piece by piece. */
export async function* readTrace(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TraceLine, void, void> {
  const reader = createTraceReader();
  for await (const chunk of chunks) yield* reader.push(chunk);
  yield* reader.end();
}

function parseLine({ line, text }: Line): TraceLine {
  if (text === null) return { line, error: 'the line is too long to read' };
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return { line, error: 'not JSON' };
  }
  return traceLine(line, raw);
}

/** What one value of a trace is. */
export function traceLine(line: number, raw: unknown): TraceLine {
  try {
    if (isDecision(raw)) return { line, record: raw };
    const event = toEvent(withoutNulls(raw));
    return event === null ? { line, record: raw as TraceRecord } : { line, event };
  } catch (error) {
    if (!(error instanceof DeloopError)) throw error;
    return isForeign(raw) ? { line, record: raw } : { line, error: error.message };
  }
}

/** A line that `replay --json` printed, which has no type of its own. */
function isDecision(raw: unknown): raw is TraceRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { type, action, detector } = raw as TraceRecord;
  return type === undefined && typeof action === 'string' && typeof detector === 'string';
}

/** Of a type that is not ours, so that none of its fields is ours to judge. */
function isForeign(raw: unknown): raw is TraceRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { type } = raw as TraceRecord;
  try {
    return typeof type === 'string' && toEvent({ type }) === null;
  } catch {
    return false;
  }
}

/** Recorders write null for a text that is not there. */
function withoutNulls(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const { agent, text, tool } = raw as TraceRecord;
  if (agent !== null && text !== null && tool !== null) return raw;
  return Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => value !== null || name === 'args' || name === 'output'),
  );
}
