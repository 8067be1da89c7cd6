import { base36 } from './base36.ts';
import { digestText } from './digest-text.ts';
import { digestCall } from './evidence.ts';
import type { Tally } from './guard.ts';
import { similarArgs } from './similar.ts';
import { resembles } from './snapshot.ts';
import type { Json } from './types.ts';

type Count = { readonly calls: number; readonly workers: number };
type Saved = {
  readonly version: 1;
  readonly counts: readonly (readonly [key: string, calls: number, workers: readonly string[]])[];
};

/** Calls counted over all workers of one process; give the same tally to each worker's guard. */
export type SwarmTally = Tally & {
  get(tool: string, args: Json): Count;
  toJSON(): Saved;
  /** Puts saved counts in place of what it has; anything that is not a saved tally changes nothing. */
  restoreFrom(saved: unknown): void;
  clear(): void;
};

/** The least recently made calls are forgotten first. */
const MAX_KEYS = 4096;
const MAX_WORKERS = 1024;
const SHAPE = { version: 1, counts: [['', 0, ['']]] } as const;

/** Compares calls by their primary arguments, as attocode does. */
export function createTally(): SwarmTally {
  const counts = new Map<string, { calls: number; readonly workers: Set<string> }>();
  const read = (key: string): Count => {
    const found = counts.get(key);
    return { calls: found?.calls ?? 0, workers: found?.workers.size ?? 0 };
  };
  return {
    record(worker, tool, args) {
      const key = swarmKey(tool, args);
      const count = counts.get(key) ?? { calls: 0, workers: new Set<string>() };
      count.calls += 1;
      if (count.workers.size < MAX_WORKERS) count.workers.add(worker);
      counts.delete(key);
      counts.set(key, count);
      if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value as string);
      return { key, tool, ...read(key) };
    },
    get: (tool, args) => read(swarmKey(tool, args)),
    toJSON: () => ({
      version: 1,
      counts: [...counts].map(([key, { calls, workers }]) => [key, calls, [...workers]] as const),
    }),
    restoreFrom(saved) {
      if (!resembles(saved, SHAPE)) return;
      counts.clear();
      for (const [key, calls, workers] of (saved as Saved).counts.slice(-MAX_KEYS)) {
        counts.set(key, { calls, workers: new Set(workers.slice(0, MAX_WORKERS)) });
      }
    },
    clear: () => counts.clear(),
  };
}

/** The same text for calls that mean the same: the key that swarms count by. */
export function swarmKey(tool: string, args: Json): string {
  return base36(digestCall(tool, similarArgs(tool, args) ?? args, digestText));
}
