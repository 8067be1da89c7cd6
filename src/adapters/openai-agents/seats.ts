/** Runs of one agent at the same time: each has a name of its own, so that none is held against another. */
export type Seats = {
  /** What comes after the name of an agent whose run begins: nothing for the first. */
  take(name: string): string;
  /** The one that they are inside of goes on from where it was: runs that wait for an answer get the names again that they had. */
  keep(isWaiting: (id: string) => boolean): void;
  /** All of them are over. */
  clear(): void;
};

/** `mark` = what comes after the names inside of a run that is marked itself. */
export function createSeats(mark: () => string): Seats {
  const taken = new Map<string, number>();
  const kept = new Map<string, string[]>();
  const markOf = (n: number) => (n === 1 ? mark() : `${mark()} ${n}`);
  return {
    take(name) {
      const again = kept.get(name)?.shift();
      if (again !== undefined) return again;
      const n = (taken.get(name) ?? 0) + 1;
      taken.set(name, n);
      return markOf(n);
    },
    keep(isWaiting) {
      for (const [name, n] of taken) {
        const marks = Array.from({ length: n }, (_, index) => markOf(index + 1));
        kept.set(
          name,
          marks.filter((each) => isWaiting(name + each)),
        );
        if (kept.get(name)?.length === 0) taken.delete(name);
      }
    },
    clear() {
      if (taken.size === 0) return;
      taken.clear();
      kept.clear();
    },
  };
}
