import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../../transcripts/fields.ts';

/** A time in which the guard stands aside. */
export type Pause = {
  /** As `sessionKey` has it; null = every session. */
  readonly session: string | null;
  readonly since: number;
  /** Milliseconds since the epoch; null = until somebody ends it. */
  readonly until: number | null;
};

/** In the state folder. */
export const PAUSED = 'paused.json';

export function isPaused(folder: string, session: string, now: number): boolean {
  return readPauses(folder, now).some((pause) => pause.session === null || pause.session === session);
}

/** Those that are not over. */
export function readPauses(folder: string, now: number): readonly Pause[] {
  const path = join(folder, PAUSED);
  // As a rule there is none, and an error that is thrown costs more than a look.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(value) ? value.filter((one): one is Pause => isPause(one) && isOn(one, now)) : [];
  } catch {
    return [];
  }
}

export function writePauses(folder: string, pauses: readonly Pause[]): void {
  const path = join(folder, PAUSED);
  if (pauses.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(pauses)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function isPause(value: unknown): value is Pause {
  if (!isFields(value)) return false;
  const { session, since, until } = value;
  return (
    (session === null || typeof session === 'string') &&
    typeof since === 'number' &&
    (until === null || typeof until === 'number')
  );
}

function isOn({ until }: Pause, now: number): boolean {
  return until === null || now < until;
}
