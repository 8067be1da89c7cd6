import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import { EXPIRES_AFTER_MS, MAX_STATE_LENGTH, type Store } from '../../src/stores/store.ts';

export type StoreOptions = {
  readonly expiresAfterMs?: number;
  readonly maxSessions?: number;
  readonly now?: () => number;
};

type Suite = {
  /** A store with nothing in it. */
  create(options?: StoreOptions): Store;
  /** Another way to the same states, as a second process would have it; absent where there is none. */
  again?(store: Store): Store;
};

const NAMES = [
  'plain-name_1',
  'Capital',
  'capital',
  'with space',
  '../../etc/passwd',
  '..',
  '.',
  'a/b',
  'a\\b',
  'con',
  'NUL',
  'with.dots.json',
  'with:colon',
  'nothing\u0000there',
  'é',
  'e\u0301',
  '🌀',
  '\ud800',
  'x'.repeat(512),
  `${'x'.repeat(511)}y`,
];

function add(by: number) {
  return (saved: unknown) => {
    const next = ((saved as { n: number } | null)?.n ?? 0) + by;
    return [{ n: next }, next] as const;
  };
}

function peek(saved: unknown): readonly [Json, unknown] {
  return [saved as Json, saved];
}

/** What every store must do, whatever it is made of. */
export function testStore(name: string, { create, again = (store) => store }: Suite): void {
  describe(`${name} as a store`, () => {
    it('starts a session with nothing, and then with what was saved', async () => {
      const store = create();
      const states: Json[] = [
        { deep: [1, { two: 'three' }, null, true, -0.5] },
        'a text\nof two lines',
        0,
        [],
        JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
        '\ud800 half a pair',
      ];
      expect(await store.update('s', (saved) => [states[0] as Json, saved])).toBeNull();
      for (const [index, state] of states.entries()) {
        const next = states[index + 1] ?? null;
        const saved = await again(store).update('s', (found) => [next, found]);
        expect(JSON.stringify(saved)).toBe(JSON.stringify(state));
      }
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it('hands out copies', async () => {
      const store = create();
      const mine = { list: [1] };
      await store.update('s', () => [mine, null]);
      mine.list.push(2);
      const first = (await store.update('s', peek)) as { list: number[] };
      first.list.push(3);
      expect(await store.update('s', peek)).toEqual({ list: [1] });
    });

    it('keeps sessions apart, whatever they are called', async () => {
      const store = create();
      for (const [index, session] of NAMES.entries()) await store.update(session, add(index + 1));
      const found = await Promise.all(NAMES.map((session) => again(store).update(session, add(0))));
      expect(found).toEqual(NAMES.map((_, index) => index + 1));
      const listed = await store.list();
      expect(listed.map(({ session }) => session).sort()).toEqual([...NAMES].sort());
    });

    it('refuses a session without a name, or with one that is too long', async () => {
      const store = create();
      for (const session of ['', 'x'.repeat(513), 7 as unknown as string])
        await expect(store.update(session, add(1))).rejects.toThrow(/session is .*1 to 512 characters/);
    });

    it('counts every change once, however many come at a time', async () => {
      const store = create();
      const other = again(store);
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? store : other).update('s', add(1))),
      );
      expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    });

    it('changes nothing when the change throws, and passes on what it threw', async () => {
      const store = create();
      await store.update('s', add(5));
      const error = new Error('no');
      const failed = store.update('s', () => {
        throw error;
      });
      await expect(failed).rejects.toBe(error);
      expect(await store.update('s', add(1))).toBe(6);
    });

    it('refuses a state that is too large, and keeps the one before', async () => {
      const store = create();
      await store.update('s', add(5));
      const large = 'x'.repeat(MAX_STATE_LENGTH - 1);
      await expect(store.update('s', () => [large, null])).rejects.toMatchObject({ code: 'store' });
      expect(await store.update('s', add(1))).toBe(6);
      await store.update('s', () => [large.slice(1), null]);
      expect(await store.update('s', (saved) => [null, (saved as string).length])).toBe(MAX_STATE_LENGTH - 2);
    });

    it('forgets what is deleted, and nothing else', async () => {
      const store = create();
      await store.update('one', add(1));
      await store.update('two', add(2));
      await again(store).delete('one');
      await store.delete('never there');
      expect(await store.update('one', add(0))).toBe(0);
      expect(await store.update('two', add(0))).toBe(2);
    });

    it('lists sessions with their times, the latest first', async () => {
      const store = create();
      const before = Date.now() - 1000;
      await store.update('one', add(1));
      await new Promise((done) => setTimeout(done, 20));
      await store.update('two', add(1));
      const listed = await again(store).list();
      expect(listed.map(({ session }) => session)).toEqual(['two', 'one']);
      for (const { updatedAt, bytes } of listed) {
        expect(updatedAt).toBeGreaterThan(before);
        expect(updatedAt).toBeLessThan(Date.now() + 1000);
        expect(bytes).toBeGreaterThan(0);
      }
      expect(await create().list()).toEqual([]);
    });

    it('forgets what has expired', async () => {
      let ahead = 0;
      const store = create({ now: () => Date.now() + ahead });
      await store.update('old', add(1));
      ahead = EXPIRES_AFTER_MS - 60_000;
      expect(await store.list()).toHaveLength(1);
      expect(await store.update('old', add(1))).toBe(2);
      ahead *= 2.5;
      expect(await store.list()).toEqual([]);
      await store.update('new', add(1));
      expect(await store.update('old', add(1))).toBe(1);
    });

    it('forgets the session changed least recently beyond so many', async () => {
      const store = create({ maxSessions: 3 });
      for (const session of ['one', 'two', 'three', 'one', 'four']) {
        await store.update(session, add(1));
        await new Promise((done) => setTimeout(done, 10));
      }
      expect((await store.list()).map(({ session }) => session)).toEqual(['four', 'one', 'three']);
    });
  });
}
