import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DeloopError } from '../../core/errors.ts';
import { whyNot } from '../why-not.ts';

const MAX_BYTES = 5_000_000;
const OWNER_MAY_WRITE = 0o200;

/** The text of a file; null = there is none. Throws when it is nothing that could be changed: a folder, a broken link, read-only, not UTF-8. */
export function readForChange(path: string): string | null {
  let bytes: Buffer;
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw refusal(path, 'it is a folder');
    if (!stats.isFile()) throw refusal(path, 'it is not a plain file');
    if (stats.size > MAX_BYTES) throw refusal(path, 'it is larger than settings are');
    if ((stats.mode & OWNER_MAY_WRITE) === 0) throw refusal(path, 'it is read-only');
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof DeloopError) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw refusal(path, whyNot(error));
    if (isLink(path)) throw refusal(path, 'it is a link that leads nowhere');
    return null;
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw refusal(path, 'it is not UTF-8');
  return text;
}

/** Puts a text in the place of a file in one step, through links, with the permissions it had; gives back the folders that it had to make. */
export function writeChange(path: string, text: string, mode?: number): readonly string[] {
  const folders = missingFolders(dirname(path));
  try {
    mkdirSync(dirname(path), { recursive: true });
    const target = isLink(path) ? realpathSync(path) : path;
    const draft = join(dirname(target), `.deloop-${randomBytes(6).toString('hex')}`);
    try {
      writeFileSync(draft, text, { mode: mode ?? modeOf(target) ?? 0o644 });
      chmodSync(draft, mode ?? modeOf(target) ?? 0o644);
      renameSync(draft, target);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  } catch (error) {
    throw refusal(path, `it could not be written (${(error as Error).message})`);
  }
  return folders;
}

/** Removes a file, and those of these folders that are empty then. */
export function removeFile(path: string, folders: readonly string[]): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw refusal(path, `it could not be removed (${(error as Error).message})`);
  }
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // Others have something in it.
      return;
    }
  }
}

function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; modeOf(at) === undefined && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function refusal(path: string, why: string): DeloopError {
  return new DeloopError('option', `${path} cannot be changed: ${why}; nothing was changed`);
}
