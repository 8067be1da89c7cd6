import { writeFile } from 'node:fs/promises';
import { UsageError } from '../exit.ts';

/** Writes a page of HTML; a file that cannot be written is wrong usage. */
export async function writePage(file: string, html: string): Promise<void> {
  try {
    await writeFile(file, html);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new UsageError(`--html ${file}: it could not be written (${code ?? message})`, { cause });
  }
}
