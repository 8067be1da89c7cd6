import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSwarmGuard } from '../../src/index.ts';
import type { Answer, Board, Note, Request } from '../../src/stores/board.ts';
import { boardOf } from '../../src/stores/board-of.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { createLine, type News } from '../../src/swarm/line.ts';
import { linesOf } from '../../src/swarm/lines.ts';
import { ROOT } from '../docs/pages.ts';

const PATIENT_MS = 60_000;
const call = (key: string, worker = 'ann'): Note => ({ kind: 'call', worker, key });

/** A board in memory whose answers come when they are let go. */
function heldBoard() {
  const board = boardOf(createMemoryStore());
  const requests: Request[] = [];
  const held: ((fail?: Error) => void)[] = [];
  const slow: Board = {
    ...board,
    tell(scope, request) {
      requests.push(request);
      return new Promise<Answer>((resolve, reject) =>
        held.push((error) => (error === undefined ? resolve(board.tell(scope, request)) : reject(error))),
      );
    },
  };
  return {
    board: slow,
    requests,
    sizes: () => requests.map(({ notes }) => notes.length),
    /** Answers the oldest, and waits until whoever asked has heard. */
    async release(fail?: Error) {
      held.shift()?.(fail);
      await new Promise((done) => setTimeout(done));
    },
  };
}

function open(board: Board) {
  const line = createLine({ board, scope: 'night', member: 'm', windowMs: 600_000 });
  const tell = (notes: readonly Note[], waitMs = PATIENT_MS) =>
    new Promise<News>((resolve) => line.tell(notes, waitMs, resolve));
  return { line, tell };
}

describe('a line', () => {
  it('sends what came meanwhile together, and gives everybody the answer to their own', async () => {
    const { board, sizes, requests, release } = heldBoard();
    const { line, tell } = open(board);
    const first = tell([call('a')]);
    const others = ['b', 'b', 'c'].map((key, n) => tell([call(key, `w${n}`), call(key, `w${n}`)]));
    await release();
    expect((await first).counts.map(({ calls }) => calls)).toEqual([1]);
    expect(sizes()).toEqual([1, 6]);
    await release();
    const heard = await Promise.all(others);
    expect(heard.map(({ counts }) => counts.map(({ calls }) => calls))).toEqual([
      [1, 2],
      [3, 4],
      [1, 2],
    ]);
    expect(heard.map(({ totals }) => totals.calls)).toEqual([3, 5, 7]);
    expect(requests.map(({ first: number }) => number)).toEqual([1, 2]);
    expect(line.metrics).toMatchObject({ told: 7, counted: 7, roundTrips: 2, waiting: 0, up: true });
    expect(line.isIdle).toBe(true);
  });

  it('tells everybody what the swarm had spent with their own notes, not with those that went along', async () => {
    const { board, release } = heldBoard();
    const { tell } = open(board);
    const spend = (tokens: number): Note => ({ kind: 'spend', worker: 'ann', tokens, money: tokens / 2 });
    const all = [tell([spend(10)]), tell([spend(20), call('a')]), tell([]), tell([spend(40)])];
    await release();
    await release();
    const heard = await Promise.all(all);
    expect(heard.map(({ totals: { calls, tokens, money } }) => [calls, tokens, money])).toEqual([
      [0, 10, 5],
      [1, 30, 15],
      [1, 30, 15],
      [1, 70, 35],
    ]);
  });

  it('never tears apart what was told together', async () => {
    const { board, sizes, release } = heldBoard();
    const { line, tell } = open(board);
    const all = Array.from({ length: 41 }, (_, n) => tell([call(`a${n}`), call('b'), call('c')]));
    for (let n = 0; n < 4; n++) await release();
    // 64 notes at most: 21 times three.
    expect(sizes()).toEqual([3, 63, 57]);
    expect((await Promise.all(all)).every(({ local }) => !local)).toBe(true);
    expect(await line.flush()).toBe(true);
  });

  it('sends more than there is room for in one script when it was told together', async () => {
    const { board, sizes, release } = heldBoard();
    const { tell } = open(board);
    const told = tell(Array.from({ length: 70 }, (_, n) => call(`${n}`)));
    await release();
    expect((await told).counts).toHaveLength(70);
    expect(sizes()).toEqual([70]);
  });

  it('sends again what may not have arrived, under the same numbers', async () => {
    const { board, requests, release } = heldBoard();
    const { line, tell } = open(board);
    const lost = tell([call('a')]);
    await release(new Error('gone'));
    expect(await lost).toMatchObject({ local: true, counts: [{ calls: 1 }] });
    expect(line.problem).toMatchObject({ message: 'gone' });
    const flushed = line.flush();
    line.later([call('b')]);
    await release();
    await release();
    expect(await flushed).toBe(true);
    expect(requests.map(({ first, resent, notes }) => [first, resent, notes.length])).toEqual([
      [1, 0, 1],
      [1, 1, 1],
      [2, 0, 1],
    ]);
    expect(line.problem).toBeNull();
    expect(line.metrics).toMatchObject({ told: 2, counted: 2, failures: 1, local: 1, dropped: 0 });
  });

  it('answers in time, counts on from what it knows, and asks nothing more of a store that stands still', async () => {
    const { board, sizes, release } = heldBoard();
    const { line, tell } = open(board);
    const known = tell([call('a')]);
    await release();
    await known;
    const late = await tell([call('a')], 5);
    expect(late).toMatchObject({ local: true, counts: [{ calls: 2, first: 'ann' }] });
    expect(line.problem).toMatchObject({ message: 'the store has not answered within 5 ms' });
    expect(await tell([call('a')])).toMatchObject({ local: true, counts: [{ calls: 3 }] });
    expect(sizes()).toEqual([1, 1]);
    await release();
    await release();
    expect(line.metrics).toMatchObject({ counted: 3, waiting: 0, up: true });
  });

  it('lets the impatient go first', async () => {
    const { board, release } = heldBoard();
    const { tell } = open(board);
    const patient = tell([call('a')]);
    expect((await tell([call('b')], 5)).local).toBe(true);
    await release();
    expect((await patient).local).toBe(false);
  });

  it('remembers the latest of a thousand counts, and no more', async () => {
    const { board, release } = heldBoard();
    const { tell } = open(board);
    for (const notes of [[call('old')], ...Array<Note[]>(16).fill(Array<Note>(64).fill(call('new')))]) {
      const told = tell(notes);
      await release();
      await told;
    }
    const failing = tell([call('old'), call('new')]);
    await release(new Error('gone'));
    expect((await failing).counts.map(({ calls }) => calls)).toEqual([1, 1025]);
  });

  it('drops what there is no room for, and says so', async () => {
    const { board, release } = heldBoard();
    const { line, tell } = open(board);
    tell([call('a')]);
    await release(new Error('gone'));
    for (let n = 0; n < 4100; n++) line.later([call(`${n}`)]);
    expect(line.metrics).toMatchObject({ waiting: 4096, dropped: 5, told: 4101 });
    expect(await tell([call('b')])).toMatchObject({ local: true });
  });

  it('asks without telling anything', async () => {
    const { board, sizes, release } = heldBoard();
    const { tell } = open(board);
    const told = tell([]);
    await release();
    expect(await told).toMatchObject({ counts: [], totals: { calls: 0 }, local: false });
    expect(sizes()).toEqual([0]);
  });
});

describe('guards of one process', () => {
  const guardsOf = (store: Store, workers: number, onError?: (error: unknown) => void) =>
    Array.from({ length: workers }, (_, n) =>
      createSwarmGuard({
        store,
        ...(onError && { onError }),
        swarm: { name: 'night', worker: `w${n}`, waitMs: PATIENT_MS },
      }),
    );

  it('share one line to a swarm in a store, and none with another', async () => {
    const store = createMemoryStore();
    const guards = guardsOf(store, 20);
    await Promise.all(guards.map((guard, n) => guard.before({ tool: 'look', args: { n } })));
    const [first] = guards;
    expect(first?.swarm.metrics).toMatchObject({ told: 20, counted: 20, roundTrips: 2 });
    const lines = linesOf(store, 'default');
    expect(lines.of('night', 1)).toBe(lines.of('night', 2));
    expect(lines.of('day', 1)).not.toBe(lines.of('night', 1));
    expect(linesOf(store, 'acme').of('night', 1)).not.toBe(lines.of('night', 1));
    expect(linesOf(createMemoryStore(), 'default')).not.toBe(lines);
  });

  it('forget lines that have nothing to tell, and keep one that has', async () => {
    const { board } = heldBoard();
    const lines = linesOf({ ...createMemoryStore(), board }, 'default');
    const busy = lines.of('busy', 1000);
    busy.tell([call('a')], PATIENT_MS, () => {});
    const idle = lines.of('idle', 1000);
    for (let n = 0; n < 300; n++) lines.of(`swarm ${n}`, 1000);
    expect(lines.of('busy', 1000)).toBe(busy);
    expect(lines.of('idle', 1000)).not.toBe(idle);
  });

  it('are each told once that the store is away', async () => {
    const heard: unknown[] = [];
    const store: Store = {
      ...createMemoryStore(),
      update() {
        throw new Error('broken');
      },
    };
    const guards = guardsOf(store, 3, (error) => heard.push(error));
    for (let n = 0; n < 3; n++) for (const guard of guards) await guard.before({ tool: 'look', args: { n } });
    expect(heard.map(String)).toEqual(Array(3).fill('Error: broken'));
    expect(await guards[0]?.swarm.flush()).toBe(false);
  });

  it('do not keep a process alive', { timeout: 50_000 }, async () => {
    const script = `
      import { createSwarmGuard } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
      import { createMemoryStore } from ${JSON.stringify(join(ROOT, 'dist/stores/index.js'))};
      const guard = createSwarmGuard({ store: createMemoryStore(), swarm: { name: 'n', worker: 'w', waitMs: 60000 } });
      await guard.before({ tool: 'look', args: {} });
      await guard.after({ tool: 'look', args: {} }, { output: 'x', ok: true });
      console.log('done');
    `;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('done\n');
  });
});
