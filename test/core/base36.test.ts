import fc from 'fast-check';
import { expect, it } from 'vitest';
import { base36 } from '../../src/core/base36.ts';

const EDGES = [0, 35, 36, 36 ** 5 - 1, 36 ** 5, 36 ** 5 + 1, 36 ** 6, 2 ** 32, Number.MAX_SAFE_INTEGER];

it('writes digests as the engine does', () => {
  expect(EDGES.map(base36)).toEqual(EDGES.map((digest) => digest.toString(36)));
  fc.assert(
    fc.property(fc.maxSafeNat(), (digest) => {
      expect(base36(digest)).toBe(digest.toString(36));
    }),
  );
});
