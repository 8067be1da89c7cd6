import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { fieldsOf } from '../../../mcp/fields.ts';
import { writeChange } from '../../install/change-file.ts';

/** What is known of a sign-in to a server. */
type Kept = {
  readonly tokens?: StoredOAuthTokens | undefined;
  /** Who we are to the authorization server, and where it sends people back to. */
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly redirect?: string | undefined;
  /** The client was given by the user, so that it is never registered anew. */
  readonly isGiven?: boolean | undefined;
  readonly scope?: string | undefined;
};

/** The file of a server's sign-in, for its owner alone. */
export type Credentials = {
  read(): Kept;
  /** Changes a part of it. */
  keep(part: Kept): void;
  /** Whether there was something to forget. */
  forget(): boolean;
  /** Runs something while no other process does so for this server; waits for its turn. */
  alone<Result>(run: () => Promise<Result>): Promise<Result>;
};

const OWNER_ONLY = 0o600;
const FOLDER_MODE = 0o700;
const LOOK_MS = 200;
/** Longer than a person may take to sign in. */
const ABANDONED_MS = 10 * 60_000;

export function openCredentials(folder: string, url: URL): Credentials {
  const digest = createHash('sha256').update(`${url.origin}${url.pathname}${url.search}`).digest('hex');
  const path = join(folder, `${digest.slice(0, 32)}.json`);
  const lock = `${path}.lock`;

  function read(): Kept {
    try {
      return fieldsOf(JSON.parse(readFileSync(path, 'utf8'))) as Kept;
    } catch {
      return {};
    }
  }

  return {
    read,
    keep(part) {
      mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
      writeChange(
        path,
        `${JSON.stringify({ server: url.origin + url.pathname, ...read(), ...part })}\n`,
        OWNER_ONLY,
      );
    },
    forget() {
      const wasThere = read().tokens !== undefined;
      rmSync(path, { force: true });
      return wasThere;
    },
    async alone(run) {
      mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
      while (!taken(lock)) await wait(LOOK_MS);
      try {
        return await run();
      } finally {
        rmSync(lock, { force: true });
      }
    },
  };
}

/** Whether the lock is ours now; one whose owner is gone is nobody's. */
function taken(lock: string): boolean {
  try {
    const file = openSync(lock, 'wx', OWNER_ONLY);
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock: string): boolean {
  try {
    const { mtimeMs } = statSync(lock);
    const pid = Number(readFileSync(lock, 'utf8'));
    if (Date.now() - mtimeMs > ABANDONED_MS) return true;
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
