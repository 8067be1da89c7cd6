import { Worker } from 'node:worker_threads';
import type { Source } from './read-source.ts';
import { type ScannedSource, type ScanSettings, scanSource, sessionOptions } from './scan-source.ts';
import type { Answer, Task } from './worker.ts';

/** What became of one source; `failure` = something that nobody expected. */
export type Scanned = ScannedSource | { readonly failure: string };

export type Scanning = {
  /** Called for each source in the order of the list, whichever thread was first. */
  readonly onScanned: (source: Source, scanned: Scanned) => void;
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal;
};

/** Tasks that a worker has at once, so that it never waits for the next. */
const AHEAD = 2;
/** The built worker, as far from the built command as from a part that both share. */
const WORKER = new URL('../cli/scan-worker.js', import.meta.url);

/** Scans all sources on so many threads; 1 = on this one. A signal ends it early. */
export async function scanAll(
  sources: readonly Source[],
  settings: ScanSettings,
  threads: number,
  scanning: Scanning,
): Promise<void> {
  if (threads <= 1) await scanHere(sources, settings, scanning);
  else await scanOnThreads(sources, settings, Math.min(threads, sources.length), scanning);
}

async function scanHere(
  sources: readonly Source[],
  settings: ScanSettings,
  { onScanned, onBytes, signal }: Scanning,
): Promise<void> {
  const options = sessionOptions(settings);
  for (const source of sources) {
    // Lets signals and progress through.
    await new Promise(setImmediate);
    if (signal.aborted) return;
    onScanned(
      source,
      attempted(() => scanSource(source, options, onBytes)),
    );
  }
}

async function scanOnThreads(
  sources: readonly Source[],
  settings: ScanSettings,
  threads: number,
  { onScanned, onBytes, signal }: Scanning,
): Promise<void> {
  const done = new Map<number, Scanned>();
  let next = 0;
  let told = 0;

  /** In order, as far as there is no gap. */
  function tell(): void {
    for (let scanned = done.get(told); scanned !== undefined; scanned = done.get(told)) {
      done.delete(told);
      onScanned(sources[told] as Source, scanned);
      told += 1;
    }
  }

  function run(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(WORKER, { workerData: settings });
      const waiting = new Set<number>();
      const finish = () => {
        signal.removeEventListener('abort', finish);
        worker.terminate().then(() => resolve(), reject);
      };
      const give = () => {
        while (waiting.size < AHEAD && next < sources.length && !signal.aborted) {
          const task: Task = { index: next, source: sources[next] as Source };
          waiting.add(next);
          next += 1;
          worker.postMessage(task);
        }
        if (waiting.size === 0) finish();
      };
      worker.on('message', (answer: Answer) => {
        if ('bytes' in answer) {
          onBytes(answer.bytes);
          return;
        }
        waiting.delete(answer.index);
        done.set(answer.index, 'result' in answer ? answer.result : { failure: answer.failure });
        tell();
        give();
      });
      worker.on('error', (error) => {
        // It died, of memory for instance: what it had is lost, the rest goes to the others.
        for (const index of waiting) done.set(index, { failure: error.message });
        waiting.clear();
        tell();
        if (next < sources.length && !signal.aborted) run().then(resolve, reject);
        else resolve();
      });
      signal.addEventListener('abort', finish);
      give();
    });
  }

  await Promise.all(Array.from({ length: threads }, run));
  // What came after a gap when it was stopped.
  for (const index of [...done.keys()].sort((one, other) => one - other))
    onScanned(sources[index] as Source, done.get(index) as Scanned);
}

function attempted(run: () => ScannedSource): Scanned {
  try {
    return run();
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
