/** Where the state of a session lives between processes. */
export type SessionStore = {
  /** What `save` was given last; `undefined` or `null` = nothing yet. */
  load(session: string): unknown | Promise<unknown>;
  save(session: string, state: unknown): void | Promise<void>;
};

/** Saves the newest state, one save at a time: what changes meanwhile is saved together afterwards. */
export type Saver = {
  /** Something has changed. */
  touch(): void;
  /** When everything up to now is saved, or could not be. */
  done(): Promise<void>;
};

export function createSaver(save: () => void | Promise<void>, fail: (error: unknown) => void): Saver {
  let dirty = false;
  let running: Promise<void> | null = null;

  async function work(): Promise<void> {
    // One tick later: all that happens in one go is saved once.
    await null;
    while (dirty) {
      dirty = false;
      try {
        await save();
      } catch (error) {
        fail(error);
      }
    }
    running = null;
  }

  return {
    touch() {
      dirty = true;
      running ??= work();
    },
    done: () => running ?? Promise.resolve(),
  };
}
