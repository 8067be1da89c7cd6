import { describe, expect, it } from 'vitest';
import { isCompacted } from '../../src/adapters/compacted.ts';

/** Which of these requests, by their numbers of messages, are told. */
const told = (...sizes: readonly number[]) => {
  const before = { sent: 0 };
  return sizes.filter((messages) => isCompacted(before, messages));
};

describe('a compaction', () => {
  it('is a request with half or less of the messages of the one before', () => {
    expect(told(1, 3, 12, 7, 9)).toEqual([]);
    expect(told(1, 3, 12, 6, 8)).toEqual([6]);
    expect(told(13, 6)).toEqual([6]);
    expect(told(0, 0, 1)).toEqual([]);
  });

  it('is told once, however often the host cuts until the model takes it', () => {
    expect(told(40, 20, 10, 10, 5, 2, 4, 6)).toEqual([20]);
  });

  it('is told again as soon as there was work', () => {
    expect(told(12, 3, 5, 2, 4, 2)).toEqual([3, 2, 2]);
  });
});
