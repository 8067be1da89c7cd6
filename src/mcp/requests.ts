/** What is remembered of requests until they are answered. */
export type Requests<Item> = {
  add(id: unknown, item: Item): void;
  /** What was remembered of the request that this answers, which is then forgotten; of several the oldest. */
  take(id: unknown): Item | undefined;
  /** All that was remembered, with the ids, which is then forgotten. */
  drain(): readonly (readonly [id: unknown, item: Item])[];
  readonly size: number;
};

/** More are never open at once; the oldest is then passed on like any other message. */
const MAX_OPEN = 4096;

/** Ids are compared by value, because a peer may write `1.0` back as `1`, and a large number not to the last digit. */
export function createRequests<Item>(): Requests<Item> {
  const open = new Map<unknown, Item[]>();
  let size = 0;

  function take(key: unknown): Item | undefined {
    const items = open.get(key);
    if (items === undefined) return undefined;
    size -= 1;
    if (items.length === 1) open.delete(key);
    return items.shift();
  }

  return {
    add(id, item) {
      const key = idKey(id);
      const items = open.get(key);
      if (items === undefined) open.set(key, [item]);
      else items.push(item);
      size += 1;
      if (size > MAX_OPEN) take(open.keys().next().value);
    },
    take: (id) => take(idKey(id)),
    drain() {
      const left = [...open].flatMap(([id, items]) => items.map((item) => [id, item] as const));
      open.clear();
      size = 0;
      return left;
    },
    get size() {
      return size;
    },
  };
}

/** The same for ids of the same value, and for what it gave; a text and a number are never the same. */
export function idKey(id: unknown): unknown {
  return typeof id === 'object' ? `\u0000${JSON.stringify(id)}` : id;
}
