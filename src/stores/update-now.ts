import { pausesWithin, WAIT_MS } from './pauses.ts';
import { BUSY, type SessionFiles } from './session-files.ts';
import type { Change } from './store.ts';

/** Changes a session's state while the thread stands still: for a process that has nothing else to do. */
export function updateNow<Answer>(
  files: SessionFiles,
  session: string,
  change: Change<Answer>,
  waitMs: number = WAIT_MS,
): Answer {
  const pause = pausesWithin(session, waitMs);
  for (;;) {
    const answer = files.update(session, change);
    if (answer !== BUSY) return answer;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause());
  }
}
