import type { Hooks } from '../../../core/checked-guard.ts';
import type { Guard } from '../../../core/guard.ts';
import { restoredGuard } from '../../../stores/restored-guard.ts';
import type { SessionFiles } from '../../../stores/session-files.ts';
import { updateNow } from '../../../stores/update-now.ts';

export type SharedGuardOptions = Pick<Hooks, 'onDecision' | 'onError'> & {
  readonly files: SessionFiles;
  readonly session: string;
  /** A guard with this state, or with none; throws when the state cannot be restored. */
  open(state: unknown, hooks: Pick<Hooks, 'onDecision' | 'onError'>): Guard;
  /** Hears once, until all is well again, why state cannot be shared; `anew` = it can, but what was there could not be read. */
  readonly onProblem: (problem: unknown, anew: boolean) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Messages stand still while others change the state, but never longer. */
export const WAIT_MS = 200;
/** How long a store that could not be used is left alone: waiting for it costs every message. */
const REST_MS = 1000;

/**
 * A guard whose state others share, at once: what any of them has seen counts. While the state cannot be had it goes on alone, from
 * what it knew last.
 */
export function createSharedGuard(options: SharedGuardOptions): Guard {
  const { files, session, open, onDecision, onError, onProblem, now } = options;
  /** What is to be told when a change is made for good; null = at once. */
  let heard: (() => void)[] | null = null;
  let told = '';
  let restsUntil = 0;
  let local = opened(undefined);

  function opened(state: unknown): Guard {
    return open(state, {
      onDecision: (decision, event) => hear(() => onDecision?.(decision, event)),
      onError: (error, event) => hear(() => onError?.(error, event)),
    });
  }

  function hear(tell: () => void): void {
    if (heard === null) tell();
    else heard.push(tell);
  }

  function report(problem: unknown, anew: boolean): void {
    const text = String(problem);
    if (text !== told) onProblem(problem, anew);
    told = text;
  }

  function use<Answer>(run: (guard: Guard) => Answer): Answer {
    if (now() < restsUntil) return run(local);
    try {
      const changed = updateNow(
        files,
        session,
        (saved) => {
          heard = [];
          // A state that is gone, as when somebody has cleared the folder, is the one that we know.
          const { guard, damage } = restoredGuard(saved ?? known(), opened);
          const answer = run(guard);
          return [guard.state, { guard, damage, answer }];
        },
        WAIT_MS,
      );
      local = changed.guard;
      if (changed.damage === null) told = '';
      else report(changed.damage, true);
      tellAll();
      return changed.answer;
    } catch (error) {
      heard = null;
      restsUntil = now() + REST_MS;
      report(error, false);
      return run(local);
    }
  }

  function known(): unknown {
    return local.calls === 0 ? null : local.state;
  }

  function tellAll(): void {
    const all = heard ?? [];
    heard = null;
    for (const tell of all) tell();
  }

  return {
    before: (call) => use((guard) => guard.before(call)),
    after: (call, result) => use((guard) => guard.after(call, result)),
    accept: (event) => use((guard) => guard.accept(event)),
    delivered: (agent) => use((guard) => guard.delivered(agent)),
    grant: (n) => use((guard) => guard.grant(n)),
    reset: () => use((guard) => guard.reset()),
    get calls() {
      return use((guard) => guard.calls);
    },
    get state() {
      return use((guard) => guard.state);
    },
  };
}
