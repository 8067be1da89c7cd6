import { closeSync, openSync, realpathSync, writeSync } from 'node:fs';
import { UsageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

/** Where lines are written while a session is read. */
export type Output = { write(text: string): void; close(): Promise<void> };

const PIECE = 1_000_000;

/** A file, or without a name the standard output, which gets it all at the end. */
export function openOutput(file: string | undefined, input: string, terminal: Terminal): Output {
  const pieces: string[] = [];
  let piece = '';
  const target = file === undefined ? undefined : opened(file, input);

  function pass(): void {
    if (target === undefined) pieces.push(piece);
    else writeSync(target, piece);
    piece = '';
  }

  return {
    write(text) {
      piece += text;
      if (piece.length > PIECE) pass();
    },
    async close() {
      pass();
      if (target !== undefined) closeSync(target);
      for (const text of pieces) await terminal.out(text);
    },
  };
}

function opened(file: string, input: string): number {
  if (isSame(file, input)) throw new UsageError(`--out ${file} is the session itself; name another file`);
  try {
    return openSync(file, 'w');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new UsageError(`--out ${file}: it could not be written (${code ?? message})`, { cause });
  }
}

function isSame(file: string, input: string): boolean {
  try {
    return realpathSync(file) === realpathSync(input);
  } catch {
    return false;
  }
}
