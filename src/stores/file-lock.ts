import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';

/** A lock that this process holds: a file that was not there before, open for writing. */
export type FileLock = { readonly path: string; readonly file: number };

/** Who holds a lock; the first line of its file. */
type Owner = { readonly pid: number; readonly host: string };

/** Nobody asks after the owner of a lock that is so young: most are let go sooner, and asking takes longer than looking. */
const YOUNG_MS = 40;
/** A lock without an owner's name belongs to one who was ended as it was made. */
const NAMELESS_AFTER_MS = 1000;
/** The owner's machine cannot be asked whether it still runs. */
const ELSEWHERE_AFTER_MS = 10_000;
/** No change takes so long: by now the owner's process number belongs to somebody else. */
const ALWAYS_AFTER_MS = 60_000;
/** Bytes; the owner's line names the session, which has 512 characters at most. */
const MAX_LINE = 4096;

/** Takes the lock; null = somebody holds it. Throws what the file system throws. */
export function takeLock(path: string): FileLock | null {
  for (let attempt = 1; ; attempt++) {
    try {
      return { path, file: openSync(path, 'wx', 0o600) };
    } catch (error) {
      if (!isHeld(error)) throw error;
      if (attempt > 1 || !evict(path)) return null;
    }
  }
}

/** What the first line of a lock must say of its owner. */
export function ownerFields(): Owner {
  return { pid: process.pid, host: hostname() };
}

/** Whether the lock is still ours: one that seemed abandoned may have been taken by somebody else. */
function isOurs({ path, file }: FileLock): boolean {
  try {
    return statSync(path).ino === fstatSync(file).ino;
  } catch {
    return false;
  }
}

/** The file at `target` becomes what was written into the lock, and the lock is free, in one step; false = it was not ours any more. */
export function publish(lock: FileLock, target: string): boolean {
  const ours = isOurs(lock);
  closeSync(lock.file);
  if (!ours) return false;
  try {
    renameSync(lock.path, target);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    rmSync(lock.path, { force: true });
    if (isHeld(error)) return false;
    throw error;
  }
}

/** Lets the lock go with nothing changed. */
export function dropLock(lock: FileLock): void {
  const ours = isOurs(lock);
  closeSync(lock.file);
  if (ours) rmSync(lock.path, { force: true });
}

/** All of a text, however little of it the system takes at a time. */
export function writeWhole(file: number, text: string): void {
  const first = writeSync(file, text);
  if (first === Buffer.byteLength(text)) return;
  const bytes = Buffer.from(text);
  for (let from = first; from < bytes.length; ) from += writeSync(file, bytes, from);
}

/** Windows tells of a file that is just being deleted, or read by somebody, in its own way. */
function isHeld(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EEXIST' || (process.platform === 'win32' && (code === 'EPERM' || code === 'EACCES'));
}

/** Removes a lock whose owner is gone; false = the owner may be at work. */
function evict(path: string): boolean {
  let judged: number;
  try {
    const { ino, mtimeMs } = statSync(path);
    const age = Math.abs(Date.now() - mtimeMs);
    if (age < YOUNG_MS || !isAbandoned(ownerOf(path), age)) return false;
    judged = ino;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  // Somebody else was quicker, and this is the new owner's: it goes back, unless yet another has made one.
  if (statSync(aside).ino !== judged) attempt(() => linkSync(aside, path));
  rmSync(aside, { recursive: true, force: true });
  return true;
}

function isAbandoned(owner: Owner | null, age: number): boolean {
  if (owner === null) return age > NAMELESS_AFTER_MS;
  if (owner.host !== hostname()) return age > ELSEWHERE_AFTER_MS;
  return age > ALWAYS_AFTER_MS || !isRunning(owner.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Null = it does not say, or not yet. */
function ownerOf(path: string): Owner | null {
  try {
    const { pid, host } = JSON.parse(firstLine(path) ?? '') as Owner;
    return Number.isInteger(pid) && pid > 0 && typeof host === 'string' ? { pid, host } : null;
  } catch {
    return null;
  }
}

/** Null = there is none; a longer one than any of ours is cut. */
export function firstLine(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_LINE);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_LINE, 0));
    const end = text.indexOf('\n');
    return end < 0 ? null : text.slice(0, end);
  } finally {
    closeSync(file);
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // Whoever lost the lock this way finds out before anything is written.
  }
}
