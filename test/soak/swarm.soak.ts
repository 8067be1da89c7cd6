import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { connectRedis } from '../../src/cli/swarm/redis-connection.ts';
import type { SwarmState } from '../../src/stores/board.ts';
import { createRedisStore } from '../../src/stores/redis.ts';
import { install } from '../hosts/install.ts';
import { findRedis, type RedisServer, startRedis } from '../hosts/redis-server.ts';

const PROCESSES = 64;
const EVENTS = 10_000;
const KEYS = 100;
const TELLING = fileURLToPath(new URL('../swarm/telling.mjs', import.meta.url));
const CLIENTS = join(import.meta.dirname, '../hosts/redis');

type Done = {
  readonly counted: number;
  readonly dropped: number;
  readonly local: number;
  readonly breaks: number;
  readonly crossed: readonly string[];
};
type Teller = {
  readonly child: ChildProcess;
  start(): void;
  readonly done: Promise<Done | null>;
  acknowledged(): number;
};

/** Needs `dist/`, Redis, and the packages of test/hosts/redis. */
const program = (await install(CLIENTS)) === null ? findRedis() : undefined;

describe.runIf(program !== undefined)(`${PROCESSES} processes with ${EVENTS} events each`, () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  async function open(options: readonly string[] = []): Promise<RedisServer> {
    server = await startRedis(program as string, options);
    return server;
  }

  async function tellers({ port }: RedisServer): Promise<readonly Teller[]> {
    const all: Teller[] = [];
    for (let n = 0; n < PROCESSES; n++) all.push(await newTeller(port, `worker ${n}`));
    return all;
  }

  async function read({ port }: RedisServer): Promise<SwarmState> {
    const client = connectRedis({ host: '127.0.0.1', port, tls: false, user: '', password: '', database: 0 });
    const state = await createRedisStore({ client, waitMs: 60_000 }).board.read('soak');
    client.close();
    return state as SwarmState;
  }

  /** Every note is counted once, and every hundredth call of every tool was told to one worker. */
  function exact(state: SwarmState, ends: readonly (Done | null)[]): void {
    const total = PROCESSES * EVENTS;
    expect(state.totals[0]).toBe(total);
    expect(state.totals[3]).toBe(PROCESSES);
    const records = state.records.filter(({ key }) => key.startsWith('f:'));
    expect(records.map(({ tally }) => (tally[1] ?? 0) + (tally[2] ?? 0))).toEqual(
      Array(KEYS).fill(total / KEYS),
    );
    for (const { tally } of records) expect((tally[5] ?? 0) + (tally[6] ?? 0)).toBe(PROCESSES);
    for (const done of ends) expect(done).toMatchObject({ counted: EVENTS, dropped: 0, local: 0 });
    const crossed = ends.flatMap((done) => done?.crossed ?? []);
    expect(new Set(crossed).size, 'crossed once').toBe(crossed.length);
    expect(crossed).toHaveLength(KEYS * Math.floor(total / KEYS / 100));
  }

  it('are counted exactly, and every threshold is crossed once', async () => {
    const redis = await open();
    const all = await tellers(redis);
    const began = Date.now();
    for (const teller of all) teller.start();
    const ends = await Promise.all(all.map(({ done }) => done));
    const seconds = (Date.now() - began) / 1000;
    exact(await read(redis), ends);
    console.log(
      `quiet: ${PROCESSES * EVENTS} events in ${seconds.toFixed(0)} s, every threshold crossed once`,
    );
  });

  it('are counted exactly while a random connection is cut every second', async () => {
    const redis = await open();
    const all = await tellers(redis);
    for (const teller of all) teller.start();
    let going = true;
    let cuts = 0;
    const cutting = (async () => {
      while (going) {
        await sleep(1000);
        const list = (await redis.cli('CLIENT', 'LIST', 'TYPE', 'normal'))
          .split('\n')
          .filter((line) => line.includes('cmd=evalsha'));
        const id = /^id=(\d+)/.exec(list[Math.floor(Math.random() * list.length)] ?? '')?.[1];
        if (id !== undefined && (await redis.cli('CLIENT', 'KILL', 'ID', id)) === '1') cuts += 1;
      }
    })();
    const ends = await Promise.all(all.map(({ done }) => done));
    going = false;
    await cutting;
    exact(await read(redis), ends);
    console.log(`cut connections: ${cuts}, and nothing lost or counted twice`);
    expect(cuts).toBeGreaterThan(0);
  });

  it('lose nothing that was acknowledged while a random process is killed every second', async () => {
    const redis = await open();
    const all = await tellers(redis);
    for (const teller of all) teller.start();
    const dead = new Set<Teller>();
    let going = true;
    const killing = (async () => {
      while (going) {
        await sleep(1000);
        const left = all.filter((teller) => !dead.has(teller) && teller.child.exitCode === null);
        const victim = left[Math.floor(Math.random() * left.length)];
        if (victim === undefined || !going) continue;
        dead.add(victim);
        victim.child.kill('SIGKILL');
      }
    })();
    const ends = await Promise.all(all.map(({ done }) => done));
    going = false;
    await killing;
    const { totals, records } = await read(redis);
    const acknowledged = all.reduce(
      (sum, teller, index) => sum + (ends[index]?.counted ?? teller.acknowledged()),
      0,
    );
    const killed = ends.filter((done) => done === null).length;
    console.log(`killed processes: ${killed}; acknowledged ${acknowledged}, counted ${totals[0]}`);
    expect(records.reduce((sum, { tally }) => sum + (tally[1] ?? 0) + (tally[2] ?? 0), 0)).toBe(totals[0]);
    const crossed = ends.flatMap((done) => done?.crossed ?? []);
    expect(new Set(crossed).size, 'crossed once').toBe(crossed.length);
    expect(totals[0]).toBeGreaterThanOrEqual(acknowledged);
    // A process says what was acknowledged every thousand events: no more than that, and what was on its way, may be there beyond it.
    expect(totals[0]).toBeLessThanOrEqual(acknowledged + killed * 2000);
  });

  it('are counted exactly over a restart in the middle', async () => {
    const redis = await open(['--appendonly', 'yes', '--appendfsync', 'always']);
    const all = await tellers(redis);
    for (const teller of all) teller.start();
    for (;;) {
      await sleep(200);
      const [calls] = (await read(redis).catch(() => null))?.totals ?? [0];
      if (calls > (PROCESSES * EVENTS) / 4) break;
    }
    await redis.kill();
    await sleep(1000);
    await redis.restart();
    const ends = await Promise.all(all.map(({ done }) => done));
    exact(await read(redis), ends);
    console.log('a restart in the middle: every event counted once');
  });
});

async function newTeller(port: number, name: string): Promise<Teller> {
  const child = spawn(process.execPath, [TELLING, String(port), 'soak', name, String(EVENTS), String(KEYS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdin.on('error', () => {});
  const closed = once(child, 'close');
  while (!said.includes('ready')) await once(child.stdout, 'data');
  return {
    child,
    start: () => child.stdin.write('go\n'),
    done: closed.then(() => {
      const told = /^done (.*)$/m.exec(said)?.[1];
      return told === undefined ? null : (JSON.parse(told) as Done);
    }),
    acknowledged: () => Number([...said.matchAll(/acknowledged (\d+)/g)].at(-1)?.[1] ?? 0),
  };
}
