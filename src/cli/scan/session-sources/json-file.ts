import { readdirSync, readFileSync } from 'node:fs';
import { DeloopError } from '../../../core/errors.ts';
import { whyNot } from '../../why-not.ts';
import { parsedText } from './parsed-text.ts';

/** A small file, whole; the text says why it could not be read. */
export function readJsonFile(path: string): { readonly value: unknown } | { readonly why: string } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { why: whyNot(error) };
  }
  const value = parsedText(text);
  return value === undefined ? { why: 'not JSON' } : { value };
}

/** The names in a folder, in the order of the alphabet; none where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new DeloopError('event', whyNot(cause), { cause });
  }
}
