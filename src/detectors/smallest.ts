/** The smallest of many numbers, each once and in order; as many as there is room for. */
export type Smallest = { readonly numbers: Int32Array; count: number };

export function roomFor(most: number): Smallest {
  return { numbers: new Int32Array(most), count: 0 };
}

export function keepSmallest(kept: Smallest, number: number): void {
  const { numbers, count } = kept;
  const full = count === numbers.length;
  if (full && number >= (numbers[count - 1] as number)) return;
  let place = count;
  while (place > 0 && (numbers[place - 1] as number) > number) place -= 1;
  if (place > 0 && numbers[place - 1] === number) return;
  for (let index = full ? count - 1 : count; index > place; index--)
    numbers[index] = numbers[index - 1] as number;
  numbers[place] = number;
  if (!full) kept.count += 1;
}
