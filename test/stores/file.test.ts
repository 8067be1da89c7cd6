import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeloopError } from '../../src/core/errors.ts';
import { createFileStore, type FileStoreOptions } from '../../src/stores/file.ts';
import { openSessionFiles } from '../../src/stores/session-files.ts';
import { updateNow } from '../../src/stores/update-now.ts';
import { type StoreOptions, testStore } from '../contract/store.ts';
import { newCounter } from './processes.ts';

const folders = new Map<object, string>();

function newFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'deloop-store-')), 'states');
}

function create(options: StoreOptions & Partial<FileStoreOptions> = {}) {
  const folder = options.folder ?? newFolder();
  const store = createFileStore({ ...options, folder });
  folders.set(store, folder);
  return { ...store, folder };
}

testStore('file', {
  create(options) {
    const store = create(options);
    folders.set(store, store.folder);
    return store;
  },
  again: (store) => createFileStore({ folder: folders.get(store) as string }),
});

function count(saved: unknown): readonly [number, number] {
  const next = ((saved as number | null) ?? 0) + 1;
  return [next, next];
}

/** No process has this number: Linux, macOS and Windows stop far below. */
const NOBODY = 2 ** 30;

function lockBy(owner: object | string, ageMs = 0): { folder: string; lock: string } {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 's.lock');
  writeFileSync(lock, typeof owner === 'string' ? owner : `${JSON.stringify(owner)}\n`);
  const at = (Date.now() - ageMs) / 1000;
  utimesSync(lock, at, at);
  return { folder, lock };
}

describe('files', () => {
  it('need a folder', () => {
    for (const folder of [undefined, ''])
      expect(() => createFileStore({ folder: folder as string })).toThrow(
        /^folder is .*the path of a folder/,
      );
  });

  it('are for their owner alone', async () => {
    const store = create();
    await store.update('s', count);
    expect(readdirSync(store.folder)).toEqual(['s.json']);
    if (process.platform === 'win32') return;
    expect(statSync(store.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(store.folder, 's.json')).mode & 0o777).toBe(0o600);
  });

  it('are made again when somebody removes the folder', async () => {
    const store = create();
    await store.update('s', count);
    rmSync(store.folder, { recursive: true });
    expect(await store.update('s', count)).toBe(1);
  });

  it('leave nothing behind but states, and take old litter away', async () => {
    const store = create();
    await store.update('one', count);
    const litter = join(store.folder, 'gone.lock.123');
    const recent = join(store.folder, 'new.lock');
    for (const path of [litter, recent]) writeFileSync(path, '');
    utimesSync(litter, 1, 1);
    await store.update('two', count);
    expect(readdirSync(store.folder).sort()).toEqual(['new.lock', 'one.json', 'two.json']);
  });
});

describe('a lock', () => {
  it('of a process that is gone is taken over a moment later', async () => {
    const { folder } = lockBy({ pid: NOBODY, host: hostname() }, 100);
    expect(await create({ folder, waitMs: 0 }).update('s', count)).toBe(1);
    expect(readdirSync(folder)).toEqual(['s.json']);
  });

  it('of a process that runs is respected', async () => {
    const { folder, lock } = lockBy({ pid: process.pid, host: hostname() });
    const store = create({ folder, waitMs: 30 });
    await expect(store.update('s', count)).rejects.toMatchObject({
      code: 'store',
      message: /locked by others for 30 ms/,
    });
    expect(existsSync(lock)).toBe(true);
  });

  it('is waited for', async () => {
    const { folder, lock } = lockBy({ pid: process.pid, host: hostname() });
    const waiting = create({ folder }).update('s', count);
    setTimeout(() => rmSync(lock), 20);
    expect(await waiting).toBe(1);
  });

  it('of a process that runs, but not for a minute, is taken over: the number is somebody else\u2019s by now', async () => {
    const { folder } = lockBy({ pid: process.pid, host: hostname() }, 61_000);
    expect(await create({ folder, waitMs: 0 }).update('s', count)).toBe(1);
  });

  it.each([
    ['another machine', `{"pid":1,"host":"elsewhere"}\n`, 9000, 11_000],
    ['nobody', '', 500, 1500],
    ['who knows whom', '{"pid":', 500, 1500],
    ['a number that is none', `{"pid":-1,"host":"${hostname()}"}\n`, 500, 1500],
  ])('of %s is taken over after a while', async (_, owner, young, old) => {
    const early = lockBy(owner, young);
    await expect(create({ folder: early.folder, waitMs: 0 }).update('s', count)).rejects.toMatchObject({
      code: 'store',
    });
    const late = lockBy(owner, old);
    expect(await create({ folder: late.folder, waitMs: 0 }).update('s', count)).toBe(1);
  });

  it('that is lost while it was held publishes nothing: the change is made again', async () => {
    const folder = newFolder();
    const files = openSessionFiles({ folder });
    const seen: unknown[] = [];
    const answer = updateNow(files, 's', (saved) => {
      seen.push(saved);
      if (seen.length === 1) {
        // Somebody takes the lock for abandoned, makes a change and is done.
        renameSync(join(folder, 's.lock'), join(folder, 's.lock.999'));
        updateNow(files, 's', () => [41, null]);
      }
      return count(saved);
    });
    expect(seen).toEqual([null, 41]);
    expect(answer).toBe(42);
  });

  it('that is lost to somebody still at work publishes nothing either', async () => {
    const folder = newFolder();
    const files = openSessionFiles({ folder });
    const answer = files.update('s', (saved) => {
      renameSync(join(folder, 's.lock'), join(folder, 's.lock.999'));
      writeFileSync(join(folder, 's.lock'), `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`);
      return count(saved);
    });
    expect(typeof answer).toBe('symbol');
    expect(existsSync(join(folder, 's.json'))).toBe(false);
    expect(readFileSync(join(folder, 's.lock'), 'utf8')).toContain(`${process.pid}`);
  });
});

describe('a state that cannot be used', () => {
  it.each([
    ['empty', ''],
    ['zeros', '\0'.repeat(4096)],
    ['half a head', '{"deloop":1,"pi'],
    ['half a state', '{"deloop":1,"at":9999999999999,"session":"s"}\n{"a":[1,2'],
    ['no head', '{"version":1}'],
    ['a head of somebody else', '{"deloop":1,"at":9999999999999,"session":"t"}\n7'],
    ['a picture', '\u0089PNG\r\n\u001a\n'],
  ])('(%s) is started anew, and told once', async (_, content) => {
    const problems: DeloopError[] = [];
    const store = create({ onProblem: (problem) => problems.push(problem) });
    mkdirSync(store.folder, { recursive: true });
    writeFileSync(join(store.folder, 's.json'), content);
    expect(await store.update('s', count)).toBe(1);
    expect(await store.update('s', count)).toBe(2);
    expect(problems.map(({ code, message }) => [code, message.includes('started anew')])).toEqual([
      ['store', true],
    ]);
  });

  it('of a newer deloop is left to it', async () => {
    const store = create();
    mkdirSync(store.folder, { recursive: true });
    const content = '{"deloop":2,"at":9999999999999,"session":"s"}\n{"new":true}';
    writeFileSync(join(store.folder, 's.json'), content);
    await expect(store.update('s', count)).rejects.toMatchObject({ code: 'store', message: /newer deloop/ });
    expect(readFileSync(join(store.folder, 's.json'), 'utf8')).toBe(content);
    expect(readdirSync(store.folder)).toEqual(['s.json']);
    expect(await store.update('other', count)).toBe(1);
  });

  it('because it is a folder is told, and works again when it is gone', async () => {
    const store = create();
    mkdirSync(join(store.folder, 's.json'), { recursive: true });
    await expect(store.update('s', count)).rejects.toMatchObject({
      code: 'store',
      message: /no state can be kept/,
    });
    rmdirSync(join(store.folder, 's.json'));
    expect(await store.update('s', count)).toBe(1);
  });

  it('because there is no such place is told', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'deloop-store-')), 'a-file');
    writeFileSync(file, '');
    await expect(create({ folder: join(file, 'states') }).update('s', count)).rejects.toMatchObject({
      code: 'store',
    });
  });

  it('because nobody may write there is told', async () => {
    const store = create();
    mkdirSync(store.folder, { recursive: true });
    chmodSync(store.folder, 0o500);
    // Nothing stops root.
    if (process.getuid?.() === 0) return;
    await expect(store.update('s', count)).rejects.toMatchObject({ code: 'store' });
    chmodSync(store.folder, 0o700);
    expect(await store.update('s', count)).toBe(1);
  });

  it.skipIf(process.platform === 'win32')(
    'because the disk is full is told, and the one before stays',
    async () => {
      const folder = newFolder();
      const dist = new URL('../../dist/stores/index.js', import.meta.url).href;
      const script = `
      import { createFileStore } from ${JSON.stringify(dist)};
      const store = createFileStore({ folder: ${JSON.stringify(folder)} });
      try {
        await store.update('s', () => ['x'.repeat(20000), null]);
        console.log('kept');
      } catch (error) { console.log(error.code, error.cause.code); }`;
      const limited = (blocks: string) =>
        spawnSync(
          'bash',
          [
            '-c',
            `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`,
            process.execPath,
            script,
          ],
          {
            encoding: 'utf8',
          },
        ).stdout.trim();
      const store = create({ folder });
      expect(await store.update('s', count)).toBe(1);
      for (const blocks of ['1', '8']) expect(limited(blocks)).toBe('store EFBIG');
      expect(readdirSync(folder)).toEqual(['s.json']);
      expect(await store.update('s', count)).toBe(2);
      expect(limited('unlimited')).toBe('kept');
    },
  );
});

describe('processes', () => {
  it('that count at the same time all count', { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const counters = await Promise.all(
      Array.from({ length: 8 }, (_, n) => newCounter(folder, 's', `p${n}`, 25)),
    );
    await Promise.all(counters.map(({ start }) => start()));
    await Promise.all(counters.map(({ ended }) => ended));
    const { counts } = (await create({ folder }).update('s', (saved) => [null, saved])) as { counts: object };
    expect(Object.values(counts)).toEqual(Array.from({ length: 8 }, () => 25));
    expect(readdirSync(folder)).toEqual(['s.json']);
  });

  it('that are killed lose at most the change they were about to make', { timeout: 60_000 }, async () => {
    const folder = newFolder();
    const told: number[] = [];
    for (let n = 0; n < 10; n++) {
      const counter = await newCounter(folder, 's', `p${n}`, 1_000_000);
      await counter.start();
      await new Promise((done) => setTimeout(done, Math.random() * 10));
      counter.process.kill('SIGKILL');
      await counter.ended;
      told.push(counter.counted());
    }
    const problems: unknown[] = [];
    const store = create({ folder, onProblem: (problem) => problems.push(problem) });
    const saved = (await store.update('s', (found) => [null, found])) as {
      counts: { [name: string]: number };
    };
    expect(problems).toEqual([]);
    for (const [n, counted] of told.entries()) {
      const kept = saved.counts[`p${n}`] ?? 0;
      expect(kept - counted === 0 || kept - counted === 1).toBe(true);
    }
  });
});
