import { checkSession } from './check-session.ts';
import { stateText } from './state-text.ts';
import { EXPIRES_AFTER_MS, MAX_SESSIONS, type Store } from './store.ts';

export type MemoryStoreOptions = {
  /** Default seven days. */
  readonly expiresAfterMs?: number | undefined;
  /** Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
};

type Saved = { readonly text: string; readonly updatedAt: number };

/** State in this process alone, gone when it ends. It is kept as text, so that what is no JSON shows here as in any other store. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { expiresAfterMs = EXPIRES_AFTER_MS, maxSessions = MAX_SESSIONS, now = Date.now } = options;
  /** Least recently changed first. */
  const sessions = new Map<string, Saved>();

  function clean(): void {
    const oldest = now() - expiresAfterMs;
    for (const [session, { updatedAt }] of sessions) {
      if (updatedAt >= oldest && sessions.size <= maxSessions) return;
      sessions.delete(session);
    }
  }

  return {
    async update(session, change) {
      checkSession(session);
      clean();
      const saved = sessions.get(session);
      const [next, answer] = change(saved === undefined ? null : JSON.parse(saved.text));
      const text = stateText(next);
      sessions.delete(session);
      sessions.set(session, { text, updatedAt: now() });
      clean();
      return answer;
    },
    async delete(session) {
      sessions.delete(session);
    },
    async list() {
      clean();
      return [...sessions]
        .reverse()
        .map(([session, { text, updatedAt }]) => ({ session, updatedAt, bytes: text.length }));
    },
  };
}
