import type { Format } from '../../src/transcripts/format.ts';
import { type Read, readText } from './read.ts';

/** What nobody expects; the last two only come out of `JSON.parse`. */
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

/** Reads `records` once for every value in them and every thing that may stand there instead. */
export function readHostile(format: Format, records: readonly unknown[]): readonly Read[] {
  const trusting: Format = { ...format, recognises: () => true };
  const lines = records.map((record) => JSON.stringify(record));
  const read: Read[] = [];
  for (const [index, record] of records.entries()) {
    for (const broken of replacements(record)) {
      read.push(readText(lines.with(index, broken).join('\n'), { formats: [trusting] }));
    }
  }
  return read;
}

/** The value as JSON, each time with one of its parts replaced. */
export function* replacements(value: unknown): Generator<string> {
  yield* VALUES;
  if (typeof value !== 'object' || value === null) return;
  const members = Object.entries(value).map(
    ([name, member]) => [name, JSON.stringify(member ?? null)] as const,
  );
  for (const [index, [, text]] of members.entries()) {
    for (const broken of replacements(JSON.parse(text))) {
      const parts = members.map(([name, kept], other) => {
        const part = other === index ? broken : kept;
        return Array.isArray(value) ? part : `${JSON.stringify(name)}:${part}`;
      });
      yield Array.isArray(value) ? `[${parts}]` : `{${parts}}`;
    }
  }
}
