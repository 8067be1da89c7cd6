import type { ToolResult } from '../core/events.ts';
import type { Guard, GuardOptions, ToolCall } from '../core/guard.ts';
import { safely } from '../core/safely.ts';
import type { AgentEvent, Decision, GuardState, Intervention } from '../core/types.ts';
import { createPatience } from './patience.ts';
import { restoredGuard } from './restored-guard.ts';
import type { Store } from './store.ts';

/** A guard whose state lives in a store: what any process that shares the store has seen of the session counts. */
export type StoredGuard = {
  before(call: ToolCall): Promise<Decision>;
  after(call: ToolCall, result: ToolResult | undefined): Promise<Decision>;
  accept(event: AgentEvent): Promise<Decision>;
  delivered(agent?: string): Promise<void>;
  grant(n: number): Promise<void>;
  reset(): Promise<void>;
  readonly calls: Promise<number>;
  readonly state: Promise<GuardState>;
};

type Hooks = Pick<GuardOptions, 'onDecision' | 'onError'>;

export type StoredGuardParts = Pick<Hooks, 'onError'> & {
  readonly onDecision?: ((decision: Intervention, event: AgentEvent, session: string) => void) | undefined;
  readonly store: Store;
  readonly session: string;
  /** Nothing is remembered, and the store is left alone. */
  readonly off: boolean;
  /** A guard with this state, or with none; throws when the state cannot be restored. */
  open(state: unknown, hooks: Hooks): Guard;
};

/** Does something with a guard, wherever it is, at once or later; `otherwise` when it cannot be had. Never rejects. */
export type UseGuard = <Answer>(
  run: (guard: Guard) => Answer,
  about: unknown,
  otherwise: Answer,
) => Answer | Promise<Answer>;

/**
 * The guard of a session, opened anew for every call. When the store or the state cannot be used, the answer is allow and `onError`
 * hears why: once, until it works again.
 */
export function storedGuard(parts: StoredGuardParts): StoredGuard {
  return guardFace(useStored(parts), () => parts.open(undefined, {}).state);
}

export function useStored(parts: StoredGuardParts): UseGuard {
  const { store, session, off, open, onDecision, onError } = parts;
  const patience = createPatience();
  let told = '';

  function report(error: unknown, about: unknown): void {
    const text = String(error);
    if (text === told) return;
    told = text;
    safely(() => onError?.(error, about));
  }

  async function use<Answer>(
    run: (guard: Guard) => Answer,
    about: unknown,
    otherwise: Answer,
  ): Promise<Answer> {
    if (off) return run(open(undefined, {}));
    try {
      // Told when the change is made for good: a store may have to make it again.
      const { answer, heard, damage } = await patience(async () =>
        store.update(session, (saved) => {
          const heard: (() => void)[] = [];
          const { guard, damage } = restoredGuard(saved, (state) =>
            open(state, {
              onDecision: (decision, event) =>
                heard.push(() =>
                  safely(
                    () => onDecision?.(decision, event, session),
                    (error) => safely(() => onError?.(error, event)),
                  ),
                ),
              onError: (error, event) => heard.push(() => safely(() => onError?.(error, event))),
            }),
          );
          const answer = run(guard);
          return [guard.state, { answer, heard, damage }];
        }),
      );
      if (damage === null) told = '';
      else report(damage, about);
      for (const tell of heard) tell();
      return answer;
    } catch (error) {
      report(error, about);
      return otherwise;
    }
  }

  return use;
}

/** A guard whose methods return promises. */
export function guardFace(given: UseGuard, emptyState: () => GuardState): StoredGuard {
  const use = async <Answer>(run: (guard: Guard) => Answer, about: unknown, otherwise: Answer) =>
    given(run, about, otherwise);
  return {
    before: (call) => use((guard) => guard.before(call), call, ALLOW),
    after: (call, result) => use((guard) => guard.after(call, result), call, ALLOW),
    accept: (event) => use((guard) => guard.accept(event), event, ALLOW),
    delivered: (agent) => use((guard) => guard.delivered(agent), 'delivered', undefined),
    grant: (n) => use((guard) => guard.grant(n), 'grant', undefined),
    reset: () => use((guard) => guard.reset(), 'reset', undefined),
    get calls() {
      return use((guard) => guard.calls, 'calls', 0);
    },
    get state() {
      return use((guard) => guard.state, 'state', emptyState());
    },
  };
}

const ALLOW: Decision = { action: 'allow' };
