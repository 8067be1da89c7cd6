import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DeloopError } from '../core/errors.ts';
import { whyNot } from './why-not.ts';

const MAX_BYTES = 1_000_000;

/** A whole file that a person could have written. It is read bit by bit, because a pipe or a device tells no size. */
export function readSmallFile(path: string, where: string): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(file, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new DeloopError('option', `${where}: ${whyNot(cause)}`, { cause });
  }
  if (length > MAX_BYTES)
    throw new DeloopError('option', `${where} is larger than 1 MB; a config must be smaller`);
  return bytes.toString('utf8', 0, length);
}

/** Whether there is something to read; a folder, a broken link or a closed door is nothing. */
export function fileExists(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}
