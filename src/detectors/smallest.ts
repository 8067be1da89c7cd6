/** The smallest of many numbers, each once and in order; as many as there is room for. */
export type Smallest = { readonly numbers: Int32Array; room: number; count: number };

const MOST = 64;
const kept: Smallest = { numbers: /* @__PURE__ */ new Int32Array(MOST), room: 0, count: 0 };

/** Room for at most 64, in memory that the next one takes. */
export function roomFor(most: number): Smallest {
  kept.room = most;
  kept.count = 0;
  return kept;
}

export function keepSmallest(smallest: Smallest, number: number): void {
  const { numbers, room, count } = smallest;
  const full = count === room;
  if (full && number >= (numbers[count - 1] as number)) return;
  let place = count;
  while (place > 0 && (numbers[place - 1] as number) > number) place -= 1;
  if (place > 0 && numbers[place - 1] === number) return;
  for (let index = full ? count - 1 : count; index > place; index--)
    numbers[index] = numbers[index - 1] as number;
  numbers[place] = number;
  if (!full) smallest.count += 1;
}

/** The numbers behind those that are there already. One by one: a copy of typed memory takes ten times as long. */
export function withSmallest(list: number[], { numbers, count }: Smallest): readonly number[] {
  for (let index = 0; index < count; index++) list.push(numbers[index] as number);
  return list;
}
