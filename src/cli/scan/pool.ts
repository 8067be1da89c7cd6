import { setMaxListeners } from 'node:events';
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

/** `rest` = tasks that the worker had not begun. */
type Death = { readonly task: number; readonly rest: readonly number[]; readonly why: string };

/** Tasks that a worker has at once, so that it never waits for the next. */
const AHEAD = 2;
/** Young objects die young: more room for them would only take memory. */
const LIMITS = { maxYoungGenerationSizeMb: 16 };
/** The built worker, as far from the built command as from a part that both share. */
const WORKER = new URL('../cli/scan-worker.js', import.meta.url);

/** A session of more bytes would keep this thread from hearing a signal for too long. */
export const LONG_BYTES: number = 16 * 1024 * 1024;

/** Scans all sources on so many threads; 1 = on this one, unless a session is long. A signal ends it early. */
export async function scanAll(
  sources: readonly Source[],
  settings: ScanSettings,
  threads: number,
  scanning: Scanning,
  script: URL = WORKER,
): Promise<void> {
  const long = sources.some(({ size }) => size > LONG_BYTES);
  if (threads <= 1 && !long) await scanHere(sources, settings, scanning);
  else
    await scanOnThreads(sources, settings, Math.max(1, Math.min(threads, sources.length)), scanning, script);
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
  script: URL,
): Promise<void> {
  // Node warns of more than ten, and there is one a thread.
  setMaxListeners(threads + 1, signal);
  const done = new Map<number, Scanned>();
  /** Given to a worker that died before it came to them. */
  const again: number[] = [];
  let next = 0;
  let told = 0;

  function take(): number | undefined {
    if (signal.aborted) return undefined;
    const first = again.shift();
    if (first !== undefined || next === sources.length) return first;
    next += 1;
    return next - 1;
  }

  /** In order, as far as there is no gap. */
  function tell(): void {
    for (let scanned = done.get(told); scanned !== undefined; scanned = done.get(told)) {
      done.delete(told);
      onScanned(sources[told] as Source, scanned);
      told += 1;
    }
  }

  /** Works until there is nothing left to do. */
  async function run(): Promise<void> {
    for (let death = await work(); death !== null; death = await work()) {
      done.set(death.task, { failure: death.why });
      again.unshift(...death.rest);
      tell();
    }
  }

  /** One worker, to its end; null = there was nothing left to do. It may die of a task, for want of memory for instance. */
  function work(): Promise<Death | null> {
    return new Promise((resolve) => {
      const worker = new Worker(script, { workerData: settings, resourceLimits: LIMITS });
      const waiting = new Set<number>();
      let why = '';
      const finish = () => {
        waiting.clear();
        worker.terminate();
      };
      const give = () => {
        while (waiting.size < AHEAD) {
          const index = take();
          if (index === undefined) break;
          waiting.add(index);
          const task: Task = { index, source: sources[index] as Source };
          worker.postMessage(task);
        }
        if (waiting.size === 0) finish();
      };
      worker.on('message', (answer: Answer) => {
        if (answer.bytes > 0) onBytes(answer.bytes);
        if (answer.index === undefined) return;
        waiting.delete(answer.index);
        done.set(answer.index, 'result' in answer ? answer.result : { failure: answer.failure });
        tell();
        give();
      });
      worker.on('error', (error) => {
        why = error.message;
      });
      worker.on('exit', (status) => {
        signal.removeEventListener('abort', finish);
        const [task, ...rest] = waiting;
        if (task === undefined) resolve(null);
        else resolve({ task, rest, why: why === '' ? `its thread ended with ${status}` : why });
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
