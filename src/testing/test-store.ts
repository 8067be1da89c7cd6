import assert from 'node:assert/strict';
import type { Json } from '../core/types.ts';
import { EXPIRES_AFTER_MS, MAX_STATE_LENGTH, type Store } from '../stores/store.ts';
import type { Runner } from './runner.ts';

export type StoreOptions = {
  readonly expiresAfterMs?: number;
  readonly maxSessions?: number;
  readonly now?: () => number;
};

export type StoreSuite = {
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
export function testStore(
  name: string,
  { create, again = (store) => store }: StoreSuite,
  { describe, it }: Runner,
): void {
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
      assert.equal(await store.update('s', (saved) => [states[0] as Json, saved]), null);
      for (const [index, state] of states.entries()) {
        const next = states[index + 1] ?? null;
        const saved = await again(store).update('s', (found) => [next, found]);
        assert.equal(JSON.stringify(saved), JSON.stringify(state));
      }
      assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    });

    it('hands out copies', async () => {
      const store = create();
      const mine = { list: [1] };
      await store.update('s', () => [mine, null]);
      mine.list.push(2);
      const first = (await store.update('s', peek)) as { list: number[] };
      first.list.push(3);
      assert.deepEqual(await store.update('s', peek), { list: [1] });
    });

    it('keeps sessions apart, whatever they are called', async () => {
      const store = create();
      for (const [index, session] of NAMES.entries()) await store.update(session, add(index + 1));
      const found = await Promise.all(NAMES.map((session) => again(store).update(session, add(0))));
      assert.deepEqual(
        found,
        NAMES.map((_, index) => index + 1),
      );
      const listed = await store.list();
      assert.deepEqual(listed.map(({ session }) => session).sort(), [...NAMES].sort());
    });

    it('refuses a session without a name, or with one that is too long', async () => {
      const store = create();
      for (const session of ['', 'x'.repeat(513), 7 as unknown as string])
        await assert.rejects(store.update(session, add(1)), /session is .*1 to 512 characters/);
    });

    it('counts every change once, however many come at a time', async () => {
      const store = create();
      const other = again(store);
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? store : other).update('s', add(1))),
      );
      assert.deepEqual(
        answers.toSorted((a, b) => a - b),
        Array.from({ length: 200 }, (_, n) => n + 1),
      );
    });

    it('changes nothing when the change throws, and passes on what it threw', async () => {
      const store = create();
      await store.update('s', add(5));
      const error = new Error('no');
      const failed = store.update('s', () => {
        throw error;
      });
      await assert.rejects(failed, (thrown) => thrown === error);
      assert.equal(await store.update('s', add(1)), 6);
    });

    it('refuses a state that is too large, and keeps the one before', async () => {
      const store = create();
      await store.update('s', add(5));
      const large = 'x'.repeat(MAX_STATE_LENGTH - 1);
      await assert.rejects(
        store.update('s', () => [large, null]),
        { code: 'store' },
      );
      assert.equal(await store.update('s', add(1)), 6);
      await store.update('s', () => [large.slice(1), null]);
      assert.equal(
        await store.update('s', (saved) => [null, (saved as string).length]),
        MAX_STATE_LENGTH - 2,
      );
    });

    it('forgets what is deleted, and nothing else', async () => {
      const store = create();
      await store.update('one', add(1));
      await store.update('two', add(2));
      await again(store).delete('one');
      await store.delete('never there');
      assert.equal(await store.update('one', add(0)), 0);
      assert.equal(await store.update('two', add(0)), 2);
    });

    it('lists sessions with their times, the latest first', async () => {
      const store = create();
      const before = Date.now() - 1000;
      await store.update('one', add(1));
      await new Promise((done) => setTimeout(done, 20));
      await store.update('two', add(1));
      const listed = await again(store).list();
      assert.deepEqual(
        listed.map(({ session }) => session),
        ['two', 'one'],
      );
      for (const { updatedAt, bytes } of listed) {
        assert.ok(updatedAt > before && updatedAt < Date.now() + 1000);
        assert.ok(bytes > 0);
      }
      assert.deepEqual(await create().list(), []);
    });

    it('forgets what has expired', async () => {
      let ahead = 0;
      const store = create({ now: () => Date.now() + ahead });
      await store.update('old', add(1));
      ahead = EXPIRES_AFTER_MS - 60_000;
      assert.equal((await store.list()).length, 1);
      assert.equal(await store.update('old', add(1)), 2);
      ahead *= 2.5;
      assert.deepEqual(await store.list(), []);
      await store.update('new', add(1));
      assert.equal(await store.update('old', add(1)), 1);
    });

    it('forgets the session changed least recently beyond so many', async () => {
      const store = create({ maxSessions: 3 });
      for (const session of ['one', 'two', 'three', 'one', 'four']) {
        await store.update(session, add(1));
        await new Promise((done) => setTimeout(done, 10));
      }
      assert.deepEqual(
        (await store.list()).map(({ session }) => session),
        ['four', 'one', 'three'],
      );
    });
  });
}
