export type Recent<Item> = {
  add(key: string, item: Item): void;
  /** The oldest that is wanted, which is then forgotten. */
  take(wanted: (entry: { readonly key: string; readonly item: Item }) => boolean): Item | undefined;
};

const MAX_KEPT = 64;

/** The last few things that somebody may come back for. */
export function createRecent<Item>(): Recent<Item> {
  let kept: readonly { readonly key: string; readonly item: Item }[] = [];
  return {
    add(key, item) {
      kept = [...kept.slice(1 - MAX_KEPT), { key, item }];
    },
    take(wanted) {
      const found = kept.find(wanted);
      if (found !== undefined) kept = kept.filter((entry) => entry !== found);
      return found?.item;
    },
  };
}
