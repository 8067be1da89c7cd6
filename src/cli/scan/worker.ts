import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Source } from './read-source.ts';
import { type ScannedSource, type ScanSettings, scanSource, sessionOptions } from './scan-source.ts';

/** To a worker: one session to scan. */
export type Task = { readonly index: number; readonly source: Source };
/** From a worker: bytes it has read since it said so last, or what came of a task. */
export type Answer =
  | { readonly bytes: number }
  | { readonly index: number; readonly result: ScannedSource }
  | { readonly index: number; readonly failure: string };

const port = parentPort as MessagePort;
const options = sessionOptions(workerData as ScanSettings);

port.on('message', ({ index, source }: Task) => {
  const answer = (told: Answer) => port.postMessage(told);
  try {
    const result = scanSource(source, options, (bytes) => answer({ bytes }));
    answer({ index, result });
  } catch (error) {
    // One session that breaks must not take the others with it.
    answer({ index, failure: error instanceof Error ? error.message : String(error) });
  }
});
