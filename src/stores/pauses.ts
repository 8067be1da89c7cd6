import { DeloopError, show } from '../core/errors.ts';

const FIRST_PAUSE_MS = 1;
/** With hundreds in line, somebody tries every millisecond all the same, and the rest leave the processor to whoever has the lock. */
const LONGEST_PAUSE_MS = 150;
/** How long to wait for others who change the same session, where nobody says so. */
export const WAIT_MS = 5000;

/** How long to pause before the next attempt, in milliseconds: a little longer each time, and no two alike. Throws when it was enough. */
export function pausesWithin(session: string, waitMs: number): () => number {
  let end: number | undefined;
  let pause = FIRST_PAUSE_MS;
  return () => {
    const now = clock();
    end ??= now + waitMs;
    const left = end - now;
    if (left <= 0)
      throw new DeloopError('store', `the state of ${show(session)} was locked by others for ${waitMs} ms`);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    return Math.min(left, pause * (0.5 + Math.random()));
  };
}

/** Milliseconds that only go forward. Not of `performance`, which takes longer to load than a whole change. */
function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
