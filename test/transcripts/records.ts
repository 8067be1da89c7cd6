import type { AgentEvent } from '../../src/core/types.ts';
import type { Format, SessionFacts, TranscriptRecord } from '../../src/transcripts/format.ts';
import type { Read } from './read.ts';

/** Reads records as a source hands them over that is not a single file. */
export function readRecords(format: Format, records: Iterable<TranscriptRecord>): Read {
  const events: AgentEvent[] = [];
  const lines: number[] = [];
  const problems: string[] = [];
  let facts: SessionFacts = {};
  const reader = format.open({
    event(event, line) {
      events.push(event);
      lines.push(line);
    },
    facts(told) {
      const said = Object.entries(told).filter(([, value]) => value !== undefined);
      facts = { ...facts, ...Object.fromEntries(said) };
    },
    problem(line, why) {
      problems.push(`${line}: ${why}`);
    },
  });
  for (const record of records) reader.read(record);
  reader.flush();
  return { format: format.name, events, lines, facts, problems };
}

/** The members of a document, those that are lists element by element. */
export function recordsOf(document: { readonly [key: string]: unknown }): readonly TranscriptRecord[] {
  const records: TranscriptRecord[] = [];
  for (const [key, member] of Object.entries(document)) {
    for (const value of Array.isArray(member) ? member : [member]) {
      records.push({ line: records.length + 1, key, value });
    }
  }
  return records;
}

/** What nobody expects, as it comes out of `JSON.parse`. */
const VALUES = [
  'null',
  '7',
  '-1e400',
  'true',
  '""',
  '"x"',
  '[]',
  '[null,[],{},"x"]',
  '{}',
  '{"toString":1,"valueOf":1,"length":-1}',
  '{"__proto__":{"id":"x"},"constructor":null}',
];

/** Reads the records, and asks for them, once for every value in them and every thing that may stand there instead. */
export function readHostileRecords(format: Format, records: readonly TranscriptRecord[]): number {
  let read = 0;
  for (const [index, record] of records.entries()) {
    for (const value of replacements(record.value)) {
      const hostile = records.with(index, { ...record, value });
      for (const shape of ['lines', 'document', 'folder'] as const)
        format.recognises({ shape, records: hostile });
      readRecords(format, hostile);
      read += 1;
    }
  }
  return read;
}

function* replacements(value: unknown): Generator<unknown> {
  for (const text of VALUES) yield JSON.parse(text);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const broken of replacements(member)) {
      yield Array.isArray(value) ? value.with(Number(name), broken) : { ...value, [name]: broken };
    }
  }
}
