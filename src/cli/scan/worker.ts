import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Source } from './read-source.ts';
import { type ScannedSource, type ScanSettings, scanSource, sessionOptions } from './scan-source.ts';

/** To a worker: one session to scan. */
export type Task = { readonly index: number; readonly source: Source };
/** From a worker: bytes it has read since it said so last, and what came of a task when it is done. */
export type Answer = { readonly bytes: number } & (
  | { readonly index?: undefined }
  | { readonly index: number; readonly result: ScannedSource }
  | { readonly index: number; readonly failure: string }
);

/** Each message wakes the thread that gives out the work: bytes are told when there are so many, or with a result. */
const TOLD_BYTES: number = 8 * 1024 * 1024;

const port = parentPort as MessagePort;
const options = sessionOptions(workerData as ScanSettings);

port.on('message', ({ index, source }: Task) => {
  let bytes = 0;
  const answer = (told: Answer) => port.postMessage(told);
  try {
    const result = scanSource(source, options, (more) => {
      bytes += more;
      if (bytes < TOLD_BYTES) return;
      answer({ bytes });
      bytes = 0;
    });
    answer({ bytes, index, result });
  } catch (error) {
    // One session that breaks must not take the others with it.
    answer({ bytes, index, failure: error instanceof Error ? error.message : String(error) });
  }
});
