import { isNewer } from '../core/snapshot.ts';
import type { Json } from '../core/types.ts';
import { createPatience } from '../stores/patience.ts';
import type { Store } from '../stores/store.ts';

/** Keeps the state of one session in a store; where the store or the state cannot be used, the session goes on without. */
export type SessionKeeper = {
  /** Whether the store was asked for what was saved. */
  isReady(): boolean;
  /** Whether it was, and there is nothing that must still be saved. */
  isIdle(): boolean;
  /** Resolves when it was. */
  ready(): Promise<void>;
  /** As `ready`, but asks anew: another process may have gone on with the session. */
  begin(): Promise<void>;
  /** Does it on what was saved: now, or as soon as that is there. */
  whenReady(act: () => void): void;
  /** Something has changed. */
  touch(): void;
  /** Resolves when everything up to now is saved, or could not be. */
  saved(): Promise<void>;
};

export type Kept = {
  readonly store: Store;
  readonly session: string;
  state(): object;
  /** Takes over what was saved; throws when it cannot be read, and has changed nothing then. */
  restore(saved: unknown): void;
  report(error: unknown): void;
};

export const DONE: Promise<void> = Promise.resolve();

export function createSessionKeeper({ store, session, state, restore, report }: Kept): SessionKeeper {
  const patience = createPatience();
  /** What the store holds may be replaced: it is nothing, or was taken over, or nobody can read it. */
  let isOurs = false;
  /** What our own last save is known by. */
  let mark = '';
  let isReady = false;
  let loading: Promise<void> | null = null;
  let saving: Promise<void> | null = null;
  /** How often the store was asked; only the last answer counts. */
  let loads = 0;
  let waiting: (() => void)[] = [];
  let dirty = false;
  /** What was reported last, until the store works again. */
  let told = '';

  function fail(error: unknown): void {
    const text = String(error);
    if (text === told) return;
    told = text;
    report(error);
  }

  /** Writes our state, except over one that was never taken over. Gives what was there. */
  async function write(): Promise<unknown> {
    const next = Math.random().toString(36).slice(2);
    const found = await store.update(session, (kept) => {
      const mine = isOurs || kept === null;
      return [mine ? ({ ...state(), mark: next } as Json) : (kept as Json), mine ? null : kept];
    });
    told = '';
    if (found !== null) return found;
    isOurs = true;
    mark = next;
    return null;
  }

  async function load(): Promise<void> {
    loads += 1;
    const own = loads;
    try {
      await saving;
      isOurs = false;
      const found = await patience(write);
      if (found !== null) takeOver(found);
    } catch (error) {
      fail(error);
    }
    if (own !== loads) return;
    isReady = true;
    const acts = waiting;
    waiting = [];
    for (const act of acts) act();
  }

  function takeOver(found: unknown): void {
    const { mark: theirs, guard } = found as { readonly mark?: unknown; readonly guard?: unknown };
    isOurs = true;
    if (theirs === mark) return;
    try {
      restore(found);
    } catch (error) {
      isOurs = !isNewer(found) && !isNewer(guard);
      fail(error);
    }
  }

  async function save(): Promise<void> {
    // A tick later, so that all that happens in one go is saved once.
    await loading;
    while (dirty) {
      dirty = false;
      await patience(write).catch(fail);
    }
    saving = null;
  }

  function ready(): Promise<void> {
    loading ??= load();
    return loading;
  }

  /** What a person has said before anything was there is up to now, too. */
  async function acted(): Promise<void> {
    while (waiting.length > 0) await ready();
    await saving;
  }

  return {
    isReady: () => isReady,
    isIdle: () => isReady && saving === null,
    ready,
    begin() {
      isReady = false;
      loading = load();
      return loading;
    },
    whenReady(act) {
      if (isReady) act();
      else {
        waiting.push(act);
        ready();
      }
    },
    touch() {
      dirty = true;
      saving ??= save();
    },
    saved: () => (waiting.length > 0 ? acted() : (saving ?? DONE)),
  };
}
