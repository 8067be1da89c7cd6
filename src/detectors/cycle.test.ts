import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CYCLE, type Cycle, FEWEST, followed, LOOK, type Repetition, SLACK, TAIL } from './cycle.ts';

/** A word as the scan packs it: which, how long, and what it is. */
const word = (id: number, { characters = 1, lettered = true, structured = false } = {}) =>
  (id << 7) | (characters << 2) | (lettered ? 2 : 0) | (structured ? 1 : 0);
/** So many words, all different. */
const others = (n: number, from = 1000) => Array.from({ length: n }, (_, index) => word(from + index));
const times = (n: number, unit: readonly number[]) => Array.from({ length: n }, () => unit).flat();

/** Every repetition that is seen, and after how many words; none of them is enough. */
function seen(words: readonly number[]): (Repetition & { after: number })[] {
  const all: (Repetition & { after: number })[] = [];
  let cycle: Cycle = CYCLE;
  for (const [index, item] of words.entries()) {
    [cycle] = followed(cycle, [item], (repetition) => {
      all.push({ ...repetition, after: index + 1 });
      return false;
    });
  }
  return all;
}

/** The same, looked for word by word in all that was said. */
function expected(ids: readonly number[]): (readonly [after: number, unit: number, repeats: number])[] {
  const found: (readonly [number, number, number])[] = [];
  let period = 0;
  let matched = 0;
  for (let last = 0; last < ids.length; last++) {
    if (period > 0 && ids[last] === ids[last - period]) matched += 1;
    else period = 0;
    if ((last + 1) % LOOK === 0 && period === 0) {
      const first = Math.max(0, last + 1 - TAIL);
      for (let shift = 1; last - shift >= first; shift++) {
        let same = 0;
        while (last - shift - same >= first && ids[last - same] === ids[last - shift - same]) same += 1;
        if (same >= FEWEST && (period === 0 || same > matched)) [period, matched] = [shift, same];
      }
    }
    if (period > 0) found.push([last + 1, period, Math.floor(matched / period) + 1]);
  }
  return found;
}

describe('the end of a text', () => {
  it('tells the unit, how often it was said and what it fills, from the first look on', () => {
    const unit = [word(1, { characters: 4 }), word(2, { characters: 6 }), word(3, { characters: 2 })];
    expect(seen(times(6, unit))).toEqual([
      { after: 16, unit: 12, repeats: 5, characters: 5 * 12 + 4, structured: 0, lettered: true },
      { after: 17, unit: 12, repeats: 5, characters: 5 * 12 + 10, structured: 0, lettered: true },
      { after: 18, unit: 12, repeats: 6, characters: 6 * 12, structured: 0, lettered: true },
    ]);
  });

  it('tells what stands in structure, and whether the unit has a letter', () => {
    const drawn = { lettered: false, structured: true };
    const unit = [word(1, drawn), word(2, { characters: 3, lettered: false })];
    expect(seen(times(9, unit))).toEqual([
      { after: 16, unit: 4, repeats: 8, characters: 32, structured: 8, lettered: false },
      { after: 17, unit: 4, repeats: 8, characters: 33, structured: 9, lettered: false },
      { after: 18, unit: 4, repeats: 9, characters: 36, structured: 9, lettered: false },
    ]);
    const before = [word(9), ...times(8, [word(1, drawn), word(2, { lettered: false })])];
    expect(seen(before)[0]).toMatchObject({ lettered: false, characters: 15 });
  });

  it.each([
    [FEWEST - 1, []],
    [FEWEST, [1]],
    [FEWEST + 1, [1]],
  ])('of which %i words equal those before', (equal, repeats) => {
    const again = others(equal, 1);
    const text = [...others(LOOK - 2 * equal - 2), ...again, word(500), word(501), ...again];
    expect(seen(text).map((repetition) => repetition.repeats)).toEqual(repeats);
  });

  it('is another once a word breaks the repetition, and is not looked at again before it is time', () => {
    const words = [...times(LOOK, [word(1)]), word(2), ...times(2 * LOOK, [word(3)])];
    expect(seen(words).map(({ after, repeats }) => [after, repeats])).toEqual([
      [LOOK, LOOK],
      ...Array.from({ length: LOOK + 2 }, (_, index) => [2 * LOOK + index, LOOK - 1 + index]),
    ]);
  });

  it('starts anew once a repetition is enough', () => {
    const words = times(40, [word(1)]);
    const [cycle, repetition] = followed(CYCLE, words, ({ repeats }) => repeats >= 20);
    expect(cycle).toEqual(CYCLE);
    expect(repetition).toEqual({ unit: 1, repeats: 20, characters: 20, structured: 0, lettered: true });
    expect(followed(CYCLE, words, ({ repeats }) => repeats > 40)[1]).toBeNull();
  });

  it('is the same however the words come', () => {
    const words = [...others(50), ...times(9, others(7, 1)), ...others(5, 9000), ...times(40, [word(3)])];
    const pieces = (size: number) => {
      const all: Repetition[] = [];
      let cycle: Cycle = CYCLE;
      for (let from = 0; from < words.length; from += size)
        [cycle] = followed(cycle, words.slice(from, from + size), (repetition) => all.push(repetition) < 0);
      return all;
    };
    for (const size of [2, 3, 16, 17, 1000]) expect(pieces(size), `${size}`).toEqual(pieces(1));
  });

  it('is that which repeats farthest back, as a plain search finds it', () => {
    const part = fc.tuple(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const ids = parts.flatMap(([unit, n]) => times(n, unit));
        const found = seen(ids.map((id) => word(id))).map(({ after, unit, repeats }) => [
          after,
          unit,
          repeats,
        ]);
        expect(found).toEqual(expected(ids));
      }),
      { numRuns: 300 },
    );
  });

  it.each([TAIL / 2 - 1, TAIL / 2])('repeats a unit of %i words that was said twice', (size) => {
    const unit = others(size, 1);
    const text = [...others(3 * TAIL), ...unit, ...unit, ...unit];
    expect(seen(text).at(-1)).toMatchObject({ unit: size, repeats: 3 });
  });

  it('does not reach back farther than it remembers', () => {
    const unit = others(TAIL, 1);
    expect(seen([...unit, ...unit])).toEqual([]);
  });

  it('is short, whatever was said', () => {
    let cycle: Cycle = CYCLE;
    const lengths = new Set<number>();
    for (const item of others(3 * TAIL)) {
      [cycle] = followed(cycle, [item], () => false);
      lengths.add(cycle.tail.length);
    }
    expect(Math.max(...lengths)).toBe(TAIL + SLACK);
    expect([...lengths].at(-1)).toBe(TAIL + SLACK);
    expect(followed(CYCLE, others(TAIL + SLACK), () => false)[0].tail).toHaveLength(TAIL + SLACK);
    expect(followed(CYCLE, others(TAIL + SLACK + 1), () => false)[0].tail).toEqual(
      others(TAIL + SLACK + 1).slice(-TAIL),
    );
  });
});
