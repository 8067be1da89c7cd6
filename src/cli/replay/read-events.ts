import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readTrace, type TraceLine } from '../../transcripts/trace.ts';
import { createProgress } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import { whyNot } from '../why-not.ts';

/** A line that is skipped, or a file that ends too early or was never opened. */
export type Problem = 'line' | 'file';

const CHUNK_BYTES = 1024 * 1024;

/** The lines of a trace that can be read; `tell` hears of the others and of a file that cannot be read. */
export async function* readEvents(
  file: string,
  terminal: Terminal,
  tell: (problem: Problem) => void,
): AsyncGenerator<Exclude<TraceLine, { readonly error: string }>, void, void> {
  const progress = createProgress(terminal, file, await sizeOf(file));
  try {
    for await (const item of readTrace(progress.watch(bytesOf(file)))) {
      if (!('error' in item)) {
        yield item;
        continue;
      }
      tell('line');
      progress.clear();
      terminal.err(
        `deloop: ${printable(file)}:${item.line}: ${printable(item.error)}; the line is skipped\n`,
      );
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    tell('file');
    progress.clear();
    terminal.err(`deloop: ${printable(file)}: ${printable(whyNot(error))}\n`);
  } finally {
    progress.clear();
  }
}

/** `-` is the standard input. */
function bytesOf(file: string): AsyncIterable<Uint8Array> {
  return file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
}

async function sizeOf(file: string): Promise<number> {
  if (file === '-') return 0;
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
