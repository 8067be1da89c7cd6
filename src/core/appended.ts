/** The list with one more item; a full one loses its first. Never longer than it must be: `push` makes room for many more. */
export function appended<Item>(list: readonly Item[], item: Item, most: number): readonly Item[] {
  if (list.length === 0) return [item];
  if (list.length < most) return list.concat([item]);
  const next = list.slice();
  for (let index = 1; index < next.length; index++) next[index - 1] = next[index] as Item;
  next[next.length - 1] = item;
  return next;
}
