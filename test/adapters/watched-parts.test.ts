import { describe, expect, it } from 'vitest';
import { type HearPart, watchedParts } from '../../src/adapters/watched-parts.ts';

async function* numbers(closed: string[]): AsyncGenerator<number> {
  try {
    for (let n = 1; n <= 5; n++) yield n;
  } finally {
    closed.push('closed');
  }
}

async function read(hear: HearPart<number>, last = 9): Promise<readonly (number | string)[]> {
  const closed: string[] = [];
  const got: number[] = [];
  for await (const part of watchedParts(numbers(closed), hear)) {
    got.push(part);
    if (part === last) break;
  }
  return [...got, ...closed];
}

describe('watched parts', () => {
  it('are the same, and each is heard before it is handed on', async () => {
    const heard: number[] = [];
    const hear = (part: number) => {
      heard.push(part);
      return null;
    };
    expect(await read(hear)).toEqual([1, 2, 3, 4, 5, 'closed']);
    expect(heard).toEqual([1, 2, 3, 4, 5]);
  });

  it('end behind the part that the listener cuts at, with what it gives; the source is closed', async () => {
    expect(await read((part) => (part === 2 ? [7, 8] : null))).toEqual([1, 2, 7, 8, 'closed']);
    expect(await read(async (part) => (part === 2 ? [] : null))).toEqual([1, 2, 'closed']);
  });

  it('close their source when nobody reads on', async () => {
    expect(await read(() => null, 3)).toEqual([1, 2, 3, 'closed']);
  });

  it('pass errors on', async () => {
    const failing = watchedParts(
      (async function* () {
        yield 1;
        throw new TypeError('no');
      })(),
      () => null,
    );
    const all = async () => {
      for await (const _part of failing);
    };
    await expect(all()).rejects.toThrow(TypeError);
  });
});
