import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Format } from '../../transcripts/format.ts';
import { FORMATS } from '../../transcripts/formats.ts';
import { createRecording } from '../../transcripts/recording.ts';
import type { TraceLine } from '../../transcripts/trace.ts';
import { createProgress } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import { whyNot } from '../why-not.ts';

/** A line that is skipped, or a file that ends too early or was never opened. */
export type Problem = 'line' | 'file';

type ReadableLine = Exclude<TraceLine, { readonly error: string }>;

const CHUNK_BYTES = 1024 * 1024;

/**
 * The lines that can be read of a trace, or of a transcript in one of the formats; `tell` hears of the others and of a
 * file that cannot be read.
 */
export async function* readEvents(
  file: string,
  terminal: Terminal,
  tell: (problem: Problem) => void,
  formats: readonly Format[] = FORMATS,
): AsyncGenerator<ReadableLine, void, void> {
  const progress = createProgress(terminal, file, await sizeOf(file));
  const recording = createRecording(formats);
  function* readable(items: Iterable<TraceLine>): Generator<ReadableLine, void, void> {
    for (const item of items) {
      if (!('error' in item)) {
        yield item;
        continue;
      }
      tell('line');
      progress.clear();
      const skipped = recording.format === null ? 'the line is skipped' : 'it is left out';
      terminal.err(`deloop: ${printable(file)}:${item.line}: ${printable(item.error)}; ${skipped}\n`);
    }
  }
  try {
    for await (const chunk of progress.watch(bytesOf(file))) yield* readable(recording.push(chunk));
    yield* readable(recording.end());
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
