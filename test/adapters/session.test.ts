import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { deloop } from '../../src/adapters/generic/index.ts';
import type { Run } from '../../src/adapters/run.ts';
import { createWatch, type WatchOptions } from '../../src/adapters/watch.ts';
import { DeloopError } from '../../src/index.ts';
import { createFileStore, createMemoryStore, type Store } from '../../src/stores/index.ts';
import { createLateStore } from '../stores/late-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'deloop-session-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same call in so many turns, and what the host was told to do with each. */
function repeat(run: Run, times: number, from = 1): readonly string[] {
  return Array.from({ length: times }, (_, index) => {
    const call = { id: `c${from + index}`, tool: 'look', args: { query: 'x' } };
    run.turn();
    const verdict = run.before(call).do;
    if (verdict === 'run') run.after(call, { output: 'Nothing was found.' });
    return verdict;
  });
}

/** What a process does: it begins, looks so many times, and ends. */
async function visit(options: WatchOptions, times: number, from: number): Promise<readonly string[]> {
  const run = createWatch(options).run('chat');
  await run.begin();
  const verdicts = repeat(run, times, from);
  await run.saved();
  return verdicts;
}

async function held(store: Store): Promise<unknown> {
  return store.update('chat', (saved) => [saved as never, saved]);
}

function put(store: Store, state: unknown): Promise<void> {
  return store.update('chat', () => [state as never, undefined]);
}

/** A store that can be broken and mended. */
function fragile(inner: Store): { readonly store: Store; works: boolean } {
  const fragile: { store: Store; works: boolean } = {
    works: false,
    store: {
      ...inner,
      update: ((session, change) =>
        fragile.works
          ? inner.update(session, change)
          : Promise.reject(new DeloopError('store', 'the disk is full'))) as Store['update'],
    },
  };
  return fragile;
}

describe.each<readonly [string, () => Store]>([
  ['memory', () => createMemoryStore()],
  ['files', () => createFileStore({ folder: mkdtempSync(join(folder, 'x')) })],
])('a session in %s', (_name, createStore) => {
  it('goes from process to process', async () => {
    const store = createStore();
    const options: WatchOptions = { preset: 'zagens', store };
    expect(await visit(options, 2, 1)).toEqual(['run', 'run']);
    expect(await visit(options, 1, 3)).toEqual(['answer']);
    const other = createWatch(options).run('another');
    await other.ready();
    expect(repeat(other, 1)).toEqual(['run']);
    await other.saved();
    expect((await store.list()).map(({ session }) => session).sort()).toEqual(['another', 'chat']);
  });

  it('goes on in another process whatever a person said there before it was loaded', async () => {
    const store = createStore();
    expect((await visit({ store }, 8, 1)).at(-1)).toBe('stop');
    const resumed = createWatch({ store }).run('chat');
    resumed.resume();
    await resumed.begin();
    expect(repeat(resumed, 1, 9)).toEqual(['run']);
    await resumed.saved();
    expect((await visit({ store, attended: true }, 7, 10)).at(-1)).toBe('hold');
    const refused = createWatch({ store, attended: true }).run('chat');
    refused.answer(false);
    await refused.ready();
    await refused.saved();
    expect(await visit({ store, attended: true }, 1, 20)).toEqual(['stop']);
  });

  it('keeps what a person said in a process that ends when it is saved', async () => {
    for (const begins of [false, true]) {
      const store = createStore();
      expect((await visit({ store }, 8, 1)).at(-1)).toBe('stop');
      let hasEnded = false;
      const update: Store['update'] = (...given) =>
        hasEnded ? new Promise(() => {}) : store.update(...given);
      const resumed = createWatch({ store: { ...store, update } }).run('chat');
      resumed.resume();
      if (begins) resumed.begin();
      await resumed.saved();
      hasEnded = true;
      const next = createWatch({ store }).run('chat');
      await next.ready();
      expect(next.stopped).toBeNull();
    }
  });

  it('goes on from what another process did meanwhile', async () => {
    const store = createStore();
    const run = createWatch({ preset: 'zagens', store }).run('chat');
    await run.begin();
    expect(repeat(run, 1)).toEqual(['run']);
    await run.saved();
    expect(await visit({ preset: 'zagens', store }, 1, 2)).toEqual(['run']);
    await run.begin();
    expect(repeat(run, 1, 3)).toEqual(['answer']);
  });

  it('keeps what this process knows and has not saved', async () => {
    const run = createWatch({ preset: 'zagens', store: createStore() }).run('chat');
    await run.begin();
    repeat(run, 2);
    await run.begin();
    expect(repeat(run, 1, 3)).toEqual(['answer']);
  });

  it('that cannot be read starts anew, is told once, and is saved again', async () => {
    const store = createStore();
    await put(store, { version: 1, guard: 'rubbish', desks: [] });
    const onError = vi.fn();
    expect(await visit({ preset: 'zagens', store, onError }, 2, 1)).toEqual(['run', 'run']);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(DeloopError);
    expect(await visit({ preset: 'zagens', store, onError }, 1, 3)).toEqual(['answer']);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it.each<readonly [string, object]>([
    ['a newer deloop', { version: 2, guard: {}, desks: [] }],
    ['a newer guard', { version: 1, guard: { version: 9 }, desks: [] }],
  ])('of %s is left as it is', async (_whose, state) => {
    const store = createStore();
    await put(store, state);
    const onError = vi.fn();
    expect(await visit({ preset: 'zagens', store, onError }, 3, 1)).toEqual(['run', 'run', 'answer']);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(await held(store)).toEqual(state);
  });
});

describe('a store', () => {
  it('is asked once a session, and not for runs without a name', async () => {
    const store = createMemoryStore();
    const update = vi.spyOn(store, 'update');
    const watch = createWatch({ store });
    const run = watch.run('chat');
    expect([run.isReady, run.isIdle()]).toEqual([false, false]);
    await Promise.all([run.ready(), run.ready()]);
    expect([run.isReady, run.isIdle()]).toEqual([true, true]);
    expect(watch.run('chat')).toBe(run);
    expect(update).toHaveBeenCalledTimes(1);
    const nameless = watch.start();
    expect(nameless.isReady).toBe(true);
    repeat(nameless, 2);
    await Promise.all([nameless.ready(), nameless.begin(), nameless.saved()]);
    expect(update).toHaveBeenCalledTimes(1);
  });

  it('is written to one after the other, and what changed meanwhile together', async () => {
    const inner = createMemoryStore();
    const free: (() => void)[] = [];
    const store: Store = {
      ...inner,
      async update(session, change) {
        await new Promise<void>((resolve) => free.push(resolve));
        return inner.update(session, change);
      },
    };
    const run = createWatch({ store }).run('chat');
    const ready = run.ready();
    await vi.waitFor(() => expect(free).toHaveLength(1));
    free[0]?.();
    await ready;
    repeat(run, 1);
    expect(run.isIdle()).toBe(false);
    const done = run.saved();
    await vi.waitFor(() => expect(free).toHaveLength(2));
    repeat(run, 3, 2);
    free[1]?.();
    await vi.waitFor(() => expect(free).toHaveLength(3));
    free[2]?.();
    await done;
    expect(free).toHaveLength(3);
    expect(await held(inner)).toMatchObject(JSON.parse(JSON.stringify(run.state)));
  });

  it('that fails is told once until it works again, and the run goes on', async () => {
    const inner = createMemoryStore();
    const outer = fragile(inner);
    const onError = vi.fn();
    const run = createWatch({ preset: 'zagens', onError, store: outer.store }).run('chat');
    await run.begin();
    expect(repeat(run, 2)).toEqual(['run', 'run']);
    await run.saved();
    expect(onError).toHaveBeenCalledTimes(1);
    outer.works = true;
    expect(repeat(run, 1, 3)).toEqual(['answer']);
    await run.saved();
    expect(await visit({ preset: 'zagens', store: inner }, 1, 4)).toEqual(['answer']);
    outer.works = false;
    run.turn();
    await run.saved();
    expect(onError).toHaveBeenCalledTimes(2);
  });

  it('that never answers is waited for once, is told once, and the run goes on', async () => {
    vi.useFakeTimers();
    try {
      const slow = createLateStore();
      const { store, inner, late } = slow;
      const onError = vi.fn();
      const run = createWatch({ preset: 'zagens', onError, store }).run('chat');
      await run.begin();
      repeat(run, 1);
      await run.saved();

      slow.works = false;
      repeat(run, 1, 2);
      const saved = run.saved();
      await vi.advanceTimersByTimeAsync(10_000);
      await saved;
      expect(onError).toHaveBeenCalledTimes(1);
      expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(DeloopError);
      expect(onError.mock.calls[0]?.[0]).toMatchObject({
        code: 'store',
        message: expect.stringMatching(/not answered.*timeout/),
      });

      expect(repeat(run, 1, 3)).toEqual(['answer']);
      await run.saved();
      await run.begin();
      expect([late.length, onError.mock.calls.length]).toEqual([1, 1]);

      slow.works = true;
      late[0]?.();
      await vi.advanceTimersByTimeAsync(10_000);
      await run.begin();
      expect(repeat(run, 1, 4)).toEqual(['answer']);
      await run.saved();
      expect(await held(inner)).toMatchObject(JSON.parse(JSON.stringify(run.state)));
      expect(onError).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('that never answers holds up no tool', async () => {
    vi.useFakeTimers();
    try {
      const onError = vi.fn();
      const store: Store = { ...createMemoryStore(), update: () => new Promise(() => {}) };
      const look = deloop({ store, session: 'chat', onError }).tool(
        'look',
        async (_asked: object) => 'Nothing was found.',
      );
      const found = look({ query: 'x' });
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await found).toBe('Nothing was found.');
      expect(await look({ query: 'y' })).toBe('Nothing was found.');
      expect(onError).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not overwritten by a run that could not load what is there', async () => {
    const inner = createMemoryStore();
    await visit({ preset: 'zagens', store: inner }, 2, 1);
    const before = await held(inner);
    const outer = fragile(inner);
    const run = createWatch({ preset: 'zagens', store: outer.store }).run('chat');
    await run.begin();
    outer.works = true;
    expect(repeat(run, 1, 3)).toEqual(['run']);
    await run.saved();
    expect(await held(inner)).toEqual(before);
    await run.begin();
    expect(repeat(run, 1, 4)).toEqual(['answer']);
  });

  it('that throws at once, or is given a name that it cannot take, does not stop the run', async () => {
    const onError = vi.fn();
    const fail = (): never => {
      throw new Error('broken');
    };
    const run = createWatch({ onError, store: { update: fail, delete: fail, list: fail } }).run('chat');
    await run.begin();
    expect(repeat(run, 1)).toEqual(['run']);
    await run.saved();
    const long = createWatch({ onError, store: createMemoryStore() }).run('x'.repeat(513));
    await long.begin();
    expect(repeat(long, 1)).toEqual(['run']);
    await long.saved();
    expect(onError).toHaveBeenCalledTimes(2);
  });
});
