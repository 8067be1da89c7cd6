import { readFileSync } from 'node:fs';
import type { AgentEvent } from '../../src/core/types.ts';
import type { Format, SessionFacts } from '../../src/transcripts/format.ts';
import { FORMATS } from '../../src/transcripts/formats.ts';
import { createTranscript } from '../../src/transcripts/transcript.ts';

/** What came of reading one transcript. */
export type Read = {
  readonly format: string | null;
  readonly events: readonly AgentEvent[];
  /** The record that each event comes from, from 1. */
  readonly lines: readonly number[];
  readonly facts: SessionFacts;
  readonly problems: readonly string[];
};

/** Reads a transcript from its text, in pieces of `size` bytes. */
export function readText(
  text: string | Uint8Array,
  { size = 65_536, formats = FORMATS }: { size?: number; formats?: readonly Format[] } = {},
): Read {
  const events: AgentEvent[] = [];
  const lines: number[] = [];
  const problems: string[] = [];
  let facts: SessionFacts = {};
  const transcript = createTranscript(formats, {
    event(event, line) {
      events.push(event);
      lines.push(line);
    },
    facts(told) {
      facts = {
        ...facts,
        ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
      };
    },
    problem(line, why) {
      problems.push(`${line}: ${why}`);
    },
  });
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; at += size) transcript.push(bytes.subarray(at, at + size));
  transcript.end();
  return { format: transcript.format?.name ?? null, events, lines, facts, problems };
}

export function readFixture(path: string): Read {
  return readText(readFileSync(new URL(`./fixtures/${path}`, import.meta.url)));
}

/** How many events of each type. */
export function tallied(events: readonly AgentEvent[]): { readonly [type: string]: number } {
  const counts: { [type: string]: number } = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
