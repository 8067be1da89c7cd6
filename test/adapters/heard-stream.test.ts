import { describe, expect, it } from 'vitest';
import { heardStream } from '../../src/adapters/ai-sdk/heard-stream.ts';

/** One to five, then the end or an error; `ended` = why nobody wants more of it. */
function numbers({ fails = false, waits = false } = {}) {
  const ended: unknown[] = [];
  let n = 0;
  const stream = new ReadableStream<number>({
    pull(controller) {
      n += 1;
      if (n <= 5) controller.enqueue(n);
      else if (fails) controller.error(new Error('lost'));
      else if (waits) return new Promise(() => {});
      else controller.close();
      return undefined;
    },
    cancel(reason) {
      ended.push(reason);
    },
  });
  return { stream, ended };
}

const add = (count: number) =>
  new TransformStream<number, number>({ transform: (n, to) => to.enqueue(n + count) });
const goOn = () => null;
const note = (part: number, heard: number[]) => {
  heard.push(part);
  return null;
};

async function all(stream: ReadableStream<number>): Promise<readonly number[]> {
  const got: number[] = [];
  for await (const part of stream) got.push(part);
  return got;
}

/** The ways that a stream is read in. */
const WAYS = {
  'read from': (stream: ReadableStream<number>) => stream,
  'piped on': (stream: ReadableStream<number>) => stream.pipeThrough(add(0)),
  'piped on with options': (stream: ReadableStream<number>) =>
    stream.pipeThrough(add(0), { signal: new AbortController().signal }),
  'piped to another': (stream: ReadableStream<number>) => {
    const { writable, readable } = add(0);
    stream.pipeTo(writable).catch(() => {});
    return readable;
  },
};

describe.each(Object.entries(WAYS))('a heard stream that is %s', (_, read) => {
  it('is the same, and each part is heard once', async () => {
    const heard: number[] = [];
    const { stream } = numbers();
    const same = heardStream(stream, note, heard);
    expect(await all(read(same))).toEqual([1, 2, 3, 4, 5]);
    expect(heard).toEqual([1, 2, 3, 4, 5]);
  });

  it('is heard by everybody who hears it', async () => {
    const heard: [number[], number[]] = [[], []];
    const { stream } = numbers();
    const same = heardStream(heardStream(stream, note, heard[0]), note, heard[1]);
    expect(await all(read(same))).toEqual([1, 2, 3, 4, 5]);
    expect(heard).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
  });

  it('ends behind the part that it is cut at, and nothing more is taken from its source', async () => {
    const { stream, ended } = numbers();
    const cut = heardStream(stream, (part) => (part === 2 ? [7, 8] : null), null);
    expect(await all(read(cut))).toEqual([1, 2, 7, 8]);
    expect(ended).toEqual([undefined]);
  });

  it('fails as its source does', async () => {
    await expect(all(read(heardStream(numbers({ fails: true }).stream, goOn, null)))).rejects.toThrow('lost');
  });

  it('tells its source that nobody reads on, also while that waits', async () => {
    const { stream, ended } = numbers({ waits: true });
    const reader = read(heardStream(stream, goOn, null)).getReader();
    for (let n = 1; n <= 5; n++) expect(await reader.read()).toEqual({ done: false, value: n });
    await reader.cancel('enough');
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual(['enough']);
  });

  it('can be read by one only', () => {
    const stream = heardStream(numbers().stream, goOn, null);
    read(stream).getReader();
    expect(() => stream.getReader()).toThrow(TypeError);
    expect(() => stream.pipeThrough(add(0))).toThrow(TypeError);
  });
});

it('a transform that fails ends the source of what is piped through it', async () => {
  const { stream, ended } = numbers();
  const failing = new TransformStream<number, number>({
    transform(n) {
      if (n === 3) throw new Error('broken');
    },
  });
  await expect(all(heardStream(stream, goOn, null).pipeThrough(failing))).rejects.toThrow('broken');
  expect(ended).toEqual([new Error('broken')]);
});

it('both halves of a stream in two are heard once', async () => {
  const heard: number[] = [];
  const [one, other] = heardStream(numbers().stream, note, heard).tee();
  expect(await Promise.all([all(one), all(other)])).toEqual([
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5],
  ]);
  expect(heard).toEqual([1, 2, 3, 4, 5]);
});

it('is a stream like any other, and is not taken by whoever looks what it can do', async () => {
  const { stream } = numbers();
  const same = heardStream(stream, goOn, null);
  expect(same).toBeInstanceOf(ReadableStream);
  expect(['getReader', 'tee', 'cancel'].every((name) => typeof Reflect.get(same, name) === 'function')).toBe(
    true,
  );
  expect([stream.locked, same.locked]).toEqual([false, false]);
  const reader = same.getReader();
  expect([stream.locked, same.locked]).toEqual([true, true]);
  await reader.cancel();
});

it('that nobody reads can be cancelled', async () => {
  const { stream, ended } = numbers();
  await heardStream(stream, goOn, null).cancel('enough');
  expect(ended).toEqual(['enough']);
});
