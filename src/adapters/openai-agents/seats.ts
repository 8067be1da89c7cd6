/** Runs of one agent at the same time: each has a name of its own, so that none is held against another. */
export type Seats = {
  /** The path of an agent whose run begins, such as ` 1.2` for the second inside of the first. */
  take(name: string): string;
  /** Another process has begun them: runs that wait for an answer get the names again that they had there; `ids` = those of all. */
  restore(ids: readonly string[]): void;
  /** All of them are over. */
  clear(): void;
};

/** What comes after the name of an agent on a path: nothing for the first. */
export function markOf(path: string): string {
  return path.replace(/^ 1(\.1)*$|(\.1)+$/, '');
}

/** `path` = that of the run which they are inside of. */
export function createSeats(path: () => string): Seats {
  const taken = new Map<string, number>();
  const kept = new Map<string, string[]>();
  const pathOf = (n: number) => (path() === '' ? ` ${n}` : `${path()}.${n}`);
  return {
    take(name) {
      const again = kept.get(name)?.shift();
      if (again !== undefined) return again;
      const n = (taken.get(name) ?? 0) + 1;
      taken.set(name, n);
      return pathOf(n);
    },
    restore(ids) {
      for (const id of ids) {
        const [mark = '', n = 1] = / (\d+)$/.exec(id) ?? [];
        const name = id.slice(0, id.length - mark.length);
        taken.set(name, Math.max(taken.get(name) ?? 0, Number(n)));
        kept.set(name, [...(kept.get(name) ?? []), pathOf(Number(n))]);
      }
    },
    clear() {
      if (taken.size === 0) return;
      taken.clear();
      kept.clear();
    },
  };
}
