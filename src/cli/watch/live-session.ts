import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Hooks } from '../../core/checked-guard.ts';
import type { Guard } from '../../core/guard.ts';
import type { Format, Sink } from '../../transcripts/format.ts';
import { createRecent } from '../../transcripts/recent.ts';
import { createTranscript, type Transcript } from '../../transcripts/transcript.ts';
import type { FoundSession } from '../scan/find-sessions.ts';
import { readSource } from '../scan/read-source.ts';
import { createListener, type Heard } from './listener.ts';

/** A line for people: a session goes round in circles. */
export type News = Heard & { readonly file: string; readonly agent: string };

export type LiveOptions = {
  readonly makeGuard: (hooks: Hooks) => Guard;
  /** Those that it may be written in. */
  readonly formats: readonly Format[];
  readonly onNews: (news: News) => void;
};

/** A session that is being written. */
export type LiveSession = {
  /** Reads what has come since, without a word if it is to be `silent`; false = the session is gone. */
  poll(silent?: boolean): boolean;
  /** When it was written to last, in milliseconds since the epoch. */
  readonly modifiedAt: number;
};

/** Files that only grow; others are written anew each time. */
const GROWING = ['.jsonl', '.ndjson'];
const CHUNK_BYTES: number = 256 * 1024;
/** Every file is read into it: one is read at a time. */
const piece: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
/** News that is remembered of one session. */
const MAX_TOLD = 256;
/** A session that is read anew takes no more than one part in so many of the time. */
const PARTS = 20;

/** Follows one session through growth, truncation and replacement. */
export function createLiveSession({ path, kind }: FoundSession, options: LiveOptions): LiveSession {
  const { formats, makeGuard, onNews } = options;
  const grows = kind === 'files' && GROWING.some((ending) => path.endsWith(ending));
  const witness = kind === 'folder' ? join(path, 'events') : path;
  /** News that was told, or that was there before anybody watched: a second reading does not tell it again. */
  const told = createRecent(MAX_TOLD);
  let heard: Heard[] = [];
  let transcript: Transcript | null = null;
  let offset = 0;
  let flushed = true;
  let before: Pick<Stats, 'ino' | 'size' | 'mtimeMs'> = { ino: 0, size: -1, mtimeMs: 0 };
  let notBefore = 0;

  function listener(): Sink {
    return createListener(makeGuard, (news) => heard.push(news));
  }

  /** What was appended; all of it after a new start. Gives the name of the format. */
  function follow(stats: Stats, silent: boolean): string | undefined {
    const replaced = stats.ino !== before.ino || stats.size < offset;
    if (transcript === null || replaced) {
      transcript = createTranscript(formats, listener());
      offset = 0;
    }
    if (stats.size > offset) {
      offset += appended(path, offset, transcript);
      flushed = false;
      // What is there now is no news later, and a session that has just begun is to be recognised soon.
      if (silent || transcript.format === null) transcript.flush();
    } else if (!flushed) {
      // Nothing came for a while: what waits for more of its response may be all there is.
      transcript.flush();
      flushed = true;
    }
    before = stats;
    return transcript.format?.name;
  }

  function readAnew(stats: Stats): string | undefined {
    const now = Date.now();
    if ((stats.size === before.size && stats.mtimeMs === before.mtimeMs) || now < notBefore) return undefined;
    before = stats;
    const { format } = readSource({ kind, path, size: stats.size }, listener());
    notBefore = now + PARTS * (Date.now() - now);
    return format ?? undefined;
  }

  return {
    poll(silent = false) {
      heard = [];
      let agent: string | undefined;
      try {
        const stats = statSync(witness);
        agent = grows ? follow(stats, silent) : readAnew(stats);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
        transcript = null;
        return false;
      }
      for (const news of heard) {
        const { session, type, call, action, detector } = news;
        const isNew = told.add(`${session} ${type} ${call} ${action} ${detector}`);
        if (isNew && !silent) onNews({ file: path, agent: agent ?? 'unknown', ...news });
      }
      return true;
    },
    get modifiedAt() {
      return before.mtimeMs;
    },
  };
}

/** Gives how many bytes were read. */
function appended(path: string, from: number, transcript: Transcript): number {
  const file = openSync(path, 'r');
  let read = 0;
  try {
    while (true) {
      const size = readSync(file, piece, 0, CHUNK_BYTES, from + read);
      if (size === 0) return read;
      transcript.push(piece.subarray(0, size));
      read += size;
    }
  } finally {
    closeSync(file);
  }
}
