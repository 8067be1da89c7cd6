import { createMemoryStore, type Store } from '../../src/stores/index.ts';

export type LateStore = {
  readonly store: Store;
  /** What is really there. */
  readonly inner: Store;
  /** Lets the changes go on that wait, oldest first. */
  readonly late: readonly (() => void)[];
  /** While it does not, changes wait. */
  works: boolean;
};

/** A store that answers when it is told to. */
export function createLateStore(): LateStore {
  const inner = createMemoryStore();
  const late: (() => void)[] = [];
  const store: Store = {
    ...inner,
    async update(session, change) {
      if (!self.works) await new Promise<void>((resolve) => late.push(resolve));
      return inner.update(session, change);
    },
  };
  const self: LateStore = { store, inner, late, works: true };
  return self;
}
