import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createGuard, createStoredGuard, type Store } from '../../src/index.ts';
import { createFileStore } from '../../src/stores/file.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { createLateStore } from './late-store.ts';

const call = { tool: 'read_file', args: { path: 'a.txt' } };

function newFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'deloop-stored-')), 'states');
}

/** A store on which every change is made twice, as one that lost a race must make it. */
function twice(store: Store): Store {
  return {
    ...store,
    update: (session, change) =>
      store.update(session, (saved) => {
        change(structuredClone(saved));
        return change(saved);
      }),
  };
}

describe.each([
  ['memory', () => createMemoryStore()],
  ['file', () => createFileStore({ folder: newFolder() })],
  ['a store that tries twice', () => twice(createMemoryStore())],
])('a guard with its state in %s', (_, create) => {
  it('answers as one that keeps it', async () => {
    const store = create();
    const plain = createGuard();
    for (let n = 1; n <= 8; n++) {
      const stored = createStoredGuard({ store, session: 's' });
      const expected = plain.before(call);
      expect(await stored.before(call)).toEqual(expected);
      if (expected.action !== 'allow') continue;
      const after = plain.after(call, { output: 'nothing', ok: false });
      expect(await stored.after(call, { output: 'nothing', ok: false })).toEqual(after);
      if (after.action !== 'nudge') continue;
      plain.delivered();
      await stored.delivered();
    }
    const last = createStoredGuard({ store, session: 's' });
    expect(await last.calls).toBe(8);
    expect(await last.state).toEqual(JSON.parse(JSON.stringify(plain.state)));
    expect((await last.before(call)).action).toBe('ask');
    await last.grant(50);
    await last.accept({ type: 'user', text: 'Go on.' });
    await last.reset();
    expect(await last.calls).toBe(0);
    expect((await last.before(call)).action).toBe('allow');
  });

  it('keeps sessions apart', async () => {
    const store = create();
    const [one, two] = ['one', 'two'].map((session) =>
      createStoredGuard({ store, session, preset: 'zagens' }),
    );
    for (let n = 1; n <= 3; n++) await one?.before(call);
    expect((await one?.before(call))?.action).toBe('block');
    expect((await two?.before(call))?.action).toBe('allow');
  });

  it('tells of a decision once', async () => {
    const heard: string[] = [];
    const guard = createStoredGuard({
      store: create(),
      session: 's',
      preset: 'zagens',
      mode: 'shadow',
      onDecision: ({ action, call: number }) => heard.push(`${action} ${number}`),
    });
    for (let n = 1; n <= 3; n++) expect((await guard.before(call)).action).toBe('allow');
    expect(heard).toEqual(['block 3']);
  });

  it('counts calls that come at the same time once each', async () => {
    const guard = createStoredGuard({ store: create(), session: 's' });
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => guard.before({ id: `${n % 25}`, tool: 't', args: n % 25 })),
    );
    expect(await guard.calls).toBe(25);
  });
});

describe('a store that fails', () => {
  it('is answered allow, told once, and used again when it works', async () => {
    const folder = newFolder();
    const errors: string[] = [];
    const guard = createStoredGuard({
      store: createFileStore({ folder }),
      session: 's',
      preset: 'zagens',
      onError: (error) => errors.push((error as Error & { code: string }).code),
    });
    await guard.before(call);
    await guard.before(call);
    const saved = readFileSync(join(folder, 's.json'));
    rmSync(join(folder, 's.json'));
    mkdirSync(join(folder, 's.json'));
    for (let n = 1; n <= 3; n++) expect(await guard.before(call)).toEqual({ action: 'allow' });
    expect(await guard.after(call, 'text')).toEqual({ action: 'allow' });
    expect(await guard.calls).toBe(0);
    expect((await guard.state).calls).toBe(0);
    await guard.delivered();
    expect(errors).toEqual(['store']);
    rmSync(join(folder, 's.json'), { recursive: true });
    writeFileSync(join(folder, 's.json'), saved);
    expect((await guard.before(call)).action).toBe('block');
    rmSync(join(folder, 's.json'));
    mkdirSync(join(folder, 's.json'));
    await guard.before(call);
    expect(errors).toEqual(['store', 'store']);
  });

  it('by never answering is waited for once, and used again when it has answered', async () => {
    vi.useFakeTimers();
    try {
      const slow = createLateStore();
      slow.works = false;
      const onError = vi.fn();
      const guard = createStoredGuard({ store: slow.store, session: 's', onError });
      const first = guard.before(call);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await first).toEqual({ action: 'allow' });
      expect(await guard.before(call)).toEqual({ action: 'allow' });
      expect([slow.late.length, onError.mock.calls.length]).toEqual([1, 1]);
      expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'store' });
      slow.works = true;
      slow.late[0]?.();
      await vi.advanceTimersByTimeAsync(10_000);
      await guard.before(call);
      expect(await guard.calls).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('survives a host whose own callbacks throw', async () => {
    const fail = () => {
      throw new Error('host');
    };
    const store: Store = { ...createMemoryStore(), update: () => Promise.reject(new Error('gone')) };
    const broken = createStoredGuard({ store, session: 's', onError: fail });
    expect(await broken.before(call)).toEqual({ action: 'allow' });
    const loud = createStoredGuard({
      store: createMemoryStore(),
      session: 's',
      preset: 'zagens',
      onDecision: () => Promise.reject(new Error('host')) as unknown as undefined,
    });
    for (let n = 1; n <= 3; n++) await loud.before(call);
    expect((await loud.before(call)).action).toBe('block');
  });
});

describe('what hears of decisions', () => {
  it('is told of whose session they are', async () => {
    const onDecision = vi.fn();
    const guard = createStoredGuard({
      store: createMemoryStore(),
      session: 'monday',
      preset: 'zagens',
      onDecision,
    });
    for (let n = 1; n <= 3; n++) await guard.before(call);
    expect(onDecision.mock.calls.map(([{ action }, , session]) => [action, session])).toEqual([
      ['block', 'monday'],
    ]);
  });

  it.each([
    [
      'at once',
      (): never => {
        throw new Error('broken');
      },
    ],
    ['later', () => Promise.reject(new Error('broken'))],
  ])('may break, %s: `onError` hears of it', async (_, onDecision) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(String(error));
    const store = createMemoryStore();
    const guard = createStoredGuard({ store, session: 's', preset: 'zagens', onDecision, onError });
    for (let n = 1; n <= 3; n++) await guard.before(call);
    expect(errors).toEqual(['Error: broken']);
    expect((await guard.before(call)).action).toBe('block');
  });
});

describe('a state', () => {
  it('that is damaged is started anew, and told', async () => {
    const store = createMemoryStore();
    const errors: unknown[] = [];
    const guard = createStoredGuard({ store, session: 's', onError: (error) => errors.push(error) });
    await store.update('s', () => [{ version: 1, calls: 'many' }, null]);
    expect((await guard.before(call)).action).toBe('allow');
    expect(errors).toMatchObject([{ code: 'state' }]);
    expect(await guard.calls).toBe(1);
    expect(errors).toHaveLength(1);
  });

  it('of a newer deloop is left to it', async () => {
    const store = createMemoryStore();
    const errors: unknown[] = [];
    const guard = createStoredGuard({ store, session: 's', onError: (error) => errors.push(error) });
    await store.update('s', () => [{ version: 2, all: 'new' }, null]);
    for (let n = 1; n <= 2; n++) expect(await guard.before(call)).toEqual({ action: 'allow' });
    expect(errors).toMatchObject([{ code: 'state' }]);
    expect(await store.update('s', (saved) => [saved as null, saved])).toEqual({ version: 2, all: 'new' });
  });
});

it('leaves the store alone when it is off', async () => {
  const store = createMemoryStore();
  const guard = createStoredGuard({ store, session: 's', mode: 'off', preset: 'zagens' });
  for (let n = 1; n <= 4; n++) expect(await guard.before(call)).toEqual({ action: 'allow' });
  expect(await store.list()).toEqual([]);
});

it('refuses options that can never work', () => {
  const store = createMemoryStore();
  const attempts: readonly [object, RegExp][] = [
    [{ session: 's' }, /store is /],
    [{ store, session: '' }, /session is ""/],
    [{ store, session: 's', state: {} }, /no option "state"/],
    [{ store, session: 's', swarm: {} }, /swarm.name is undefined/],
    [{ store, session: 's', preset: 'kodda' }, /preset is "kodda"/],
    [{ store, session: 's', mode: 'on' }, /mode is "on"/],
  ];
  for (const [options, message] of attempts)
    expect(() => createStoredGuard(options as Parameters<typeof createStoredGuard>[0])).toThrow(message);
});
