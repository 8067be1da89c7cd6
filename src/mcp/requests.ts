/** What is remembered of requests until they are answered. */
export type Requests<Item> = {
  /** `id` = the id as it was written. */
  add(id: string, item: Item): void;
  /** What was remembered of the request that this answers, which is then forgotten. */
  take(id: string): Item | undefined;
  readonly size: number;
};

/** More are never open at once; the oldest is then passed on like any other message. */
const MAX_OPEN = 4096;

type Entry<Item> = { readonly id: string; readonly item: Item };

/**
 * Ids are compared by value, because a peer may write `1.0` back as `1`, and a large number not to the last digit. Of several with
 * one value the one that was written the same comes first, then the oldest.
 */
export function createRequests<Item>(): Requests<Item> {
  const open = new Map<string, readonly Entry<Item>[]>();
  let size = 0;

  function put(key: string, entries: readonly Entry<Item>[]): void {
    if (entries.length === 0) open.delete(key);
    else open.set(key, entries);
  }

  return {
    add(id, item) {
      const key = idKey(id);
      put(key, [...(open.get(key) ?? []), { id, item }]);
      size += 1;
      if (size <= MAX_OPEN) return;
      const [oldest = '', entries = []] = open.entries().next().value ?? [];
      put(oldest, entries.slice(1));
      size -= 1;
    },
    take(id) {
      if (size === 0) return undefined;
      const key = idKey(id);
      const entries = open.get(key);
      if (entries === undefined) return undefined;
      const found = entries.find((entry) => entry.id === id) ?? entries[0];
      put(
        key,
        entries.filter((entry) => entry !== found),
      );
      size -= 1;
      return found?.item;
    },
    get size() {
      return size;
    },
  };
}

/** The same for ids that are the same value. */
export function idKey(id: string): string {
  try {
    const value: unknown = JSON.parse(id);
    return typeof value === 'number' ? `number ${value}` : JSON.stringify(value);
  } catch {
    return id;
  }
}
