import { DeloopError } from '../core/errors.ts';

/** Somewhat longer than our own stores wait: they know better what is wrong, and may say so first. */
const PATIENCE_MS = 6000;

/** What waits for a store, but not for ever. */
export type Patience = <Value>(asked: () => Promise<Value>) => Promise<Value>;

/** Rejects when an answer takes too long; from then on, until it has come, nothing else is asked: one wait is enough. */
export function createPatience(): Patience {
  let isOverdue = false;
  return (asked) => {
    if (isOverdue) return Promise.reject(overdue());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        isOverdue = true;
        reject(overdue());
      }, PATIENCE_MS);
      // It must not keep a process alive that has nothing else to do.
      timer.unref?.();
      const end = () => {
        isOverdue = false;
        clearTimeout(timer);
      };
      asked().finally(end).then(resolve, reject);
    });
  };
}

function overdue(): DeloopError {
  return new DeloopError(
    'store',
    `the store has not answered within ${PATIENCE_MS} ms; until it does, nothing is saved: see whether it can be reached, and give its client a timeout`,
  );
}
