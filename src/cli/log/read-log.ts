import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../../transcripts/fields.ts';
import { LOG, LOG_ENDING, type LogLine } from '../hook/log-file.ts';

export type ReadLog = {
  /** The oldest first. */
  readonly lines: readonly LogLine[];
  /** Lines that somebody else has written, or that were cut off. */
  readonly damaged: number;
};

/** What hooks have logged since a time, in milliseconds since the epoch. */
export function readLog(state: string, since: number): ReadLog {
  const lines: LogLine[] = [];
  let damaged = 0;
  const first = since > 0 ? new Date(since).toISOString().slice(0, 10) : '';
  for (const day of daysIn(state)) {
    if (day < first) continue;
    for (const text of textOf(join(state, LOG, day)).split('\n')) {
      if (text === '') continue;
      const line = parsed(text);
      if (line === null) damaged++;
      else if (line.at >= since) lines.push(line);
    }
  }
  return { lines, damaged };
}

function daysIn(state: string): readonly string[] {
  try {
    return readdirSync(join(state, LOG))
      .filter((name) => name.endsWith(LOG_ENDING))
      .sort();
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parsed(text: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : null;
  } catch {
    return null;
  }
}

function isLine(value: unknown): value is LogLine {
  if (!isFields(value)) return false;
  const { type, at, host, session, call, message, did, action, detector, subject, count } = value;
  const told = typeof at === 'number' && typeof host === 'string' && typeof message === 'string';
  if (!told) return false;
  if (type === 'problem') return session === undefined || typeof session === 'string';
  const about = typeof session === 'string' && typeof call === 'number' && typeof did === 'string';
  if (!about) return false;
  if (type === 'refusal') return true;
  const found = typeof detector === 'string' && typeof subject === 'string' && typeof count === 'number';
  return type === 'decision' && typeof action === 'string' && found;
}
