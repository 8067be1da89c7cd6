/** The latest ids, and no more of them than `limit`, however long the session is. */
export type Recent = {
  has(id: string): boolean;
  /** Whether it is new. */
  add(id: string): boolean;
};

export function createRecent(limit: number): Recent {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > limit) ids.delete(ids.values().next().value as string);
      return true;
    },
  };
}
