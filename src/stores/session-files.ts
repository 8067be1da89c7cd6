import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DeloopError, show } from '../core/errors.ts';
import { checkSession } from './check-session.ts';
import {
  codeOf,
  dropLock,
  type FileLock,
  firstLine,
  ownerFields,
  publish,
  takeLock,
  writeWhole,
} from './file-lock.ts';
import { sessionName } from './session-name.ts';
import { stateText } from './state-text.ts';
import { type Change, EXPIRES_AFTER_MS, MAX_SESSIONS, type StoredSession } from './store.ts';

/** The session's lock is held by somebody else: nothing has changed, try again soon. */
export const BUSY: unique symbol = Symbol('busy');

export type SessionFilesOptions = {
  /** Where the states lie, one file a session; made when it is missing, for its owner alone. */
  readonly folder: string;
  /** Default seven days. */
  readonly expiresAfterMs?: number | undefined;
  /** Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Hears of a state that cannot be read and is started anew. */
  readonly onProblem?: ((problem: DeloopError) => void) | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
};

/** One small file a session. Nothing here waits: who finds a session busy decides how to. */
export type SessionFiles = {
  update<Answer>(session: string, change: Change<Answer>): Answer | typeof BUSY;
  /** The state as it is now, without a lock; null = none. */
  peek(session: string): unknown;
  delete(session: string): undefined | typeof BUSY;
  list(): readonly StoredSession[];
};

type Head = { readonly deloop: number; readonly at: number; readonly session: string };

/** The first line of a file says of what version it is, whose, and who wrote it; the second is the state. */
const VERSION = 1;
const STATE = '.json';
const LOCK = '.lock';
/** Nobody has taken up what is so old: the rest of somebody who was ended. */
const LITTER_AFTER_MS = 3_600_000;

/**
 * The lock is the next state in the making: a file that must not be there yet, which is renamed to the state's name when it
 * is whole. So a state is replaced and its lock let go in one step, and whoever is ended before leaves the old state as it was.
 */
export function openSessionFiles(options: SessionFilesOptions): SessionFiles {
  const { folder, expiresAfterMs = EXPIRES_AFTER_MS, maxSessions = MAX_SESSIONS, onProblem } = options;
  const { now = Date.now } = options;

  function pathOf(session: string, ending: string): string {
    checkSession(session);
    return join(folder, sessionName(session) + ending);
  }

  function lock(path: string): FileLock | null {
    try {
      return takeLock(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return takeLock(path);
    }
  }

  /** The saved state; null = none, or none that anybody could read. `known` tells whether there was a file at all. */
  function read(session: string, path: string): { readonly saved: unknown; readonly known: boolean } {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { saved: null, known: false };
      throw error;
    }
    const end = text.indexOf('\n');
    const head = headOf(end < 0 ? '' : text.slice(0, end));
    if (head !== null && head.deloop > VERSION)
      throw new DeloopError(
        'store',
        `the state of ${show(session)} was written by a newer deloop (${path}): upgrade this one`,
      );
    if (head !== null && now() - head.at > expiresAfterMs) return { saved: null, known: true };
    try {
      if (head?.session !== session) throw new Error('it is not the state of this session');
      return { saved: JSON.parse(text.slice(end + 1)), known: true };
    } catch (cause) {
      const problem = `the state of ${show(session)} is damaged and was started anew (${path})`;
      onProblem?.(new DeloopError('store', problem, { cause }));
      return { saved: null, known: true };
    }
  }

  return {
    update(session, change) {
      const path = pathOf(session, STATE);
      return told(folder, () => {
        const held = lock(pathOf(session, LOCK));
        if (held === null) return BUSY;
        let known: boolean;
        let answer: ReturnType<typeof change>[1];
        try {
          writeWhole(held.file, headLine(session, now()));
          const before = read(session, path);
          const [next, given] = change(before.saved);
          writeWhole(held.file, stateText(next));
          known = before.known;
          answer = given;
        } catch (error) {
          dropLock(held);
          throw error;
        }
        if (!publish(held, path)) return BUSY;
        if (!known) clean(folder, now(), expiresAfterMs, maxSessions);
        return answer;
      });
    },
    peek(session) {
      return told(folder, () => read(session, pathOf(session, STATE)).saved);
    },
    delete(session) {
      return told(folder, () => {
        const held = lock(pathOf(session, LOCK));
        if (held === null) return BUSY;
        try {
          rmSync(pathOf(session, STATE), { force: true });
        } finally {
          dropLock(held);
        }
        return undefined;
      });
    },
    list() {
      return told(folder, () => {
        const oldest = now() - expiresAfterMs;
        return filesIn(folder, STATE)
          .filter(({ updatedAt }) => updatedAt >= oldest)
          .flatMap(({ path, updatedAt, bytes }) => {
            const head = headOf(readable(path) ?? '');
            return head === null ? [] : [{ session: head.session, updatedAt, bytes }];
          });
      });
    },
  };
}

/** What the file system throws becomes an error that says what it was about; what a change throws stays as it is. */
function told<Result>(folder: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof DeloopError || codeOf(error) === undefined) throw error;
    const { message } = error as Error;
    throw new DeloopError('store', `no state can be kept in ${folder}: ${message}`, { cause: error });
  }
}

function headLine(session: string, at: number): string {
  return `${JSON.stringify({ deloop: VERSION, ...ownerFields(), at, session })}\n`;
}

function headOf(line: string): Head | null {
  try {
    const { deloop, at, session } = JSON.parse(line) as Head;
    const whole = typeof deloop === 'number' && typeof at === 'number' && typeof session === 'string';
    return whole ? { deloop, at, session } : null;
  } catch {
    return null;
  }
}

function readable(path: string): string | null {
  try {
    return firstLine(path);
  } catch {
    return null;
  }
}

type Found = { readonly path: string; readonly updatedAt: number; readonly bytes: number };

/** Most recently changed first. */
function filesIn(folder: string, ending: string): readonly Found[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => {
      const path = join(folder, name);
      try {
        const { mtimeMs, size } = statSync(path);
        return [{ path, updatedAt: mtimeMs, bytes: size }];
      } catch {
        return [];
      }
    })
    .sort((first, second) => second.updatedAt - first.updatedAt);
}

/** Removes what has expired, and what is too much. It happens when a session is new, which is seldom. */
function clean(folder: string, now: number, expiresAfterMs: number, maxSessions: number): void {
  const states = filesIn(folder, STATE);
  const expired = states.filter(
    ({ updatedAt }, index) => index >= maxSessions || now - updatedAt > expiresAfterMs,
  );
  const litter = filesIn(folder, '').filter(
    ({ path, updatedAt }) => !path.endsWith(STATE) && now - updatedAt > LITTER_AFTER_MS,
  );
  for (const { path } of [...expired, ...litter]) {
    try {
      rmSync(path, { force: true });
    } catch {
      // Somebody else has it open; the next new session tries again.
    }
  }
}
