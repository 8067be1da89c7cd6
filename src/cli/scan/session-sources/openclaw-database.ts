import { type Fields, numberOf } from '../../../transcripts/fields.ts';
import { openDatabase } from './database.ts';
import { parsedText } from './parsed-text.ts';
import type { SessionSource } from './session-source.ts';

/** So many events are read at once. */
const PAGE = 256;
/** An event that unpacks to more is passed over. */
const MAX_EVENT_BYTES: number = 256 * 1024 * 1024;

/** `openclaw-agent.sqlite`, whose table `transcript_events` has an entry a row; the larger ones are packed with zstd. */
export const openclawDatabase: SessionSource = {
  *list(path) {
    const database = openDatabase(path, '');
    try {
      const rows = database.rows(
        'SELECT session_id, MAX(created_at) AS updated FROM transcript_events GROUP BY session_id ORDER BY updated DESC',
      );
      for (const { session_id, updated } of rows) {
        if (typeof session_id === 'string') yield { session: session_id, updatedAt: numberOf(updated) };
      }
    } finally {
      database.close();
    }
  },
  *read(path, session, onProblem = () => {}) {
    const database = openDatabase(path, '');
    try {
      let line = 0;
      let last = Number.MIN_SAFE_INTEGER;
      for (let full = true; full; ) {
        // All columns: it packed nothing before the version that brought the column for it.
        const rows = database.rows(
          'SELECT * FROM transcript_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
          session,
          last,
          PAGE,
        );
        full = rows.length === PAGE;
        for (const row of rows) {
          line += 1;
          last = numberOf(row['seq']) ?? last;
          const event = eventOf(row);
          if ('why' in event) onProblem(line, event.why);
          else yield { line, key: '', value: event.value };
        }
      }
    } finally {
      database.close();
    }
  },
};

function eventOf({ event_json, event_zstd }: Fields): { readonly value: unknown } | { readonly why: string } {
  let text: string;
  if (typeof event_json === 'string') text = event_json;
  else if (event_zstd instanceof Uint8Array) {
    const unpack = zstdOf();
    if (unpack === undefined) return { why: `this Node (${process.version}) cannot unpack zstd` };
    try {
      text = unpack(event_zstd, { maxOutputLength: MAX_EVENT_BYTES }).toString('utf8');
    } catch {
      return { why: 'the event could not be unpacked' };
    }
  } else return { why: 'an event without content' };
  const value = parsedText(text);
  return value === undefined ? { why: 'not JSON' } : { value };
}

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer;

function zstdOf(): Unpack | undefined {
  const zlib = process.getBuiltinModule?.('node:zlib') as
    | { readonly zstdDecompressSync?: Unpack }
    | undefined;
  return zlib?.zstdDecompressSync;
}
