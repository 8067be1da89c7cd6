import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { keepSmallest, roomFor } from './smallest.ts';

it('keeps the smallest numbers, each once and in order', () => {
  const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 20 }), (all, most) => {
      const kept = roomFor(most);
      for (const number of all) keepSmallest(kept, number);
      const expected = [...new Set(all)].sort((a, b) => a - b).slice(0, most);
      expect([...kept.numbers.subarray(0, kept.count)]).toEqual(expected);
    }),
  );
});
