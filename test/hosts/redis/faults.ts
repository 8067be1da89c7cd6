import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient, createSentinel } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { createSwarmGuard, type SwarmGuard } from '../../../src/index.ts';
import { createRedisStore } from '../../../src/stores/redis.ts';
import type { RedisClient } from '../../../src/stores/redis-client.ts';
import { freePort, type RedisServer, startRedis } from '../redis-server.ts';

const PATIENCE_MS = 60_000;
/** Longer than any answer takes on a busy machine. */
const WAIT_MS = 1500;

type Worker = {
  readonly guard: SwarmGuard;
  readonly errors: string[];
  call(): Promise<string>;
  close(): unknown;
};

/** What breaks here breaks for real: servers are stopped, killed and filled up. */
export function testFaults(program: string): void {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  async function newServer(options: readonly string[] = []): Promise<RedisServer> {
    const server = await startRedis(program, options);
    ends.push(() => server.stop());
    return server;
  }

  function workerOn(client: RedisClient, name: string, close: () => unknown): Worker {
    const errors: string[] = [];
    let calls = 0;
    const guard = createSwarmGuard({
      store: createRedisStore({ client, waitMs: WAIT_MS }),
      swarm: { name: 'faults', worker: name, waitMs: WAIT_MS },
      onError: (error) => errors.push(String(error)),
    });
    ends.push(close);
    return {
      guard,
      errors,
      close,
      async call() {
        calls += 1;
        return (await guard.before({ tool: 'read_file', args: { path: `${name} ${calls}` } })).action;
      },
    };
  }

  async function workers({ port }: RedisServer): Promise<readonly Worker[]> {
    const single = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 20 } });
    single.on('error', () => {});
    await single.connect();
    const io = new Redis(port, '127.0.0.1', { retryStrategy: () => 20 });
    io.on('error', () => {});
    await io.ping();
    return [
      workerOn(single, 'redis', () => single.destroy()),
      workerOn(io, 'ioredis', () => io.disconnect()),
    ];
  }

  async function told(worker: Worker): Promise<number> {
    const until = Date.now() + PATIENCE_MS;
    while (!(await worker.guard.swarm.flush())) {
      if (Date.now() > until) throw new Error(`the store did not come back: ${worker.errors.at(-1)}`);
      await sleep(50);
    }
    return worker.guard.swarm.metrics.counted;
  }

  describe('a Redis that fails', () => {
    it('by standing still holds nobody up, is told of once, and gets what it missed', {
      timeout: PATIENCE_MS,
    }, async () => {
      const server = await newServer();
      for (const worker of await workers(server)) {
        for (let n = 0; n < 3; n++) expect(await worker.call()).toBe('allow');
        server.process.kill('SIGSTOP');
        // Only what is known here can answer now.
        for (let n = 0; n < 10; n++) expect(await worker.call()).toBe('allow');
        expect(worker.guard.swarm.metrics).toMatchObject({ up: false, told: 13 });
        expect(worker.guard.swarm.metrics.local).toBeGreaterThanOrEqual(10);
        expect(worker.errors).toEqual([expect.stringMatching(/not answered within 1500 ms/)]);
        server.process.kill('SIGCONT');
        expect(await told(worker)).toBe(13);
        expect(await worker.call()).toBe('allow');
        expect(worker.errors).toHaveLength(1);
      }
      const state = await createRedisStore({ client: await plain(server), waitMs: WAIT_MS }).board.read(
        'faults',
      );
      expect(state?.totals[0]).toBe(28);
    });

    it('by dying and coming back with what it had acknowledged loses and doubles nothing', {
      timeout: PATIENCE_MS,
    }, async () => {
      const server = await newServer(['--appendonly', 'yes', '--appendfsync', 'always']);
      const [first, second] = (await workers(server)) as [Worker, Worker];
      for (let n = 0; n < 20; n++) for (const worker of [first, second]) await worker.call();
      await server.kill();
      for (let n = 0; n < 20; n++)
        for (const worker of [first, second]) expect(await worker.call()).toBe('allow');
      await server.restart();
      expect([await told(first), await told(second)]).toEqual([40, 40]);
      const state = await createRedisStore({ client: await plain(server), waitMs: WAIT_MS }).board.read(
        'faults',
      );
      expect(state?.totals[0]).toBe(80);
    });

    it('by forgetting everything gets a halt back from whoever has heard of it', {
      timeout: PATIENCE_MS,
    }, async () => {
      const server = await newServer();
      const [first, second] = (await workers(server)) as [Worker, Worker];
      await first.call();
      await second.guard.swarm.halt('enough');
      expect(await first.call()).toBe('halt');
      await server.cli('FLUSHALL');
      expect(await first.call()).toBe('halt');
      expect(await second.call()).toBe('halt');
      await server.kill();
      expect(await first.call()).toBe('halt');
      await server.restart();
      await told(first);
      expect(await second.call()).toBe('halt');
      await second.guard.swarm.release();
      await told(second);
      expect([await second.call(), await first.call()]).toEqual(['allow', 'allow']);
    });

    it('by being full is told of once, and counts again when there is room', {
      timeout: PATIENCE_MS,
    }, async () => {
      const server = await newServer();
      const [worker] = (await workers(server)) as [Worker, Worker];
      await worker.call();
      await server.cli('CONFIG', 'SET', 'maxmemory', '1');
      for (let n = 0; n < 5; n++) expect(await worker.call()).toBe('allow');
      expect(worker.errors).toEqual([expect.stringMatching(/OOM|maxmemory/)]);
      await server.cli('CONFIG', 'SET', 'maxmemory', '0');
      expect(await told(worker)).toBe(6);
    });

    it('by evicting forgets counts, and nobody stumbles', { timeout: PATIENCE_MS }, async () => {
      const server = await newServer();
      const [worker] = (await workers(server)) as [Worker, Worker];
      for (let n = 0; n < 5; n++) await worker.call();
      const keys = (await server.cli('KEYS', '*')).split('\n');
      for (const key of keys) {
        await server.cli('DEL', key);
        expect(await worker.call()).toBe('allow');
      }
      expect(worker.errors).toEqual([]);
    });

    it('leaves nothing behind that does not expire', async () => {
      const server = await newServer();
      const [worker] = (await workers(server)) as [Worker, Worker];
      for (let n = 0; n < 5; n++) await worker.call();
      await worker.guard.accept({ type: 'spawn', to: 'child' });
      await worker.guard.accept({ type: 'handoff', to: 'child' });
      await worker.guard.swarm.halt('x');
      const store = createRedisStore({ client: await plain(server), waitMs: 5000 });
      await store.update('s', () => [{ n: 1 }, null]);
      await store.board.write('copy', (await store.board.read('faults')) as never);
      const keys = (await server.cli('KEYS', '*')).split('\n');
      expect(keys.length).toBeGreaterThan(10);
      for (const key of keys) expect(Number(await server.cli('PTTL', key)), key).toBeGreaterThan(0);
    });
  });

  describe('Sentinel', () => {
    it('leads both clients to the new master, and the tallies go on', {
      timeout: 2 * PATIENCE_MS,
    }, async () => {
      const master = await newServer();
      const replica = await newServer(['--replicaof', '127.0.0.1', String(master.port)]);
      const port = await freePort();
      const sentinel = await startRedis(program, ['--sentinel'], port, [
        `port ${port}`,
        'bind 127.0.0.1',
        `sentinel monitor main 127.0.0.1 ${master.port} 1`,
        // A busy machine must not look like a dead master.
        'sentinel down-after-milliseconds main 1500',
        'sentinel failover-timeout main 2000',
      ]);
      ends.push(() => sentinel.stop());
      await until(async () =>
        (await sentinel.cli('SENTINEL', 'replicas', 'main')).includes(String(replica.port)),
      );
      const io = new Redis({
        sentinels: [{ host: '127.0.0.1', port }],
        name: 'main',
        sentinelRetryStrategy: () => 50,
      });
      io.on('error', () => {});
      const node = createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port }] });
      node.on('error', () => {});
      await node.connect();
      const pair = [
        workerOn(node, 'redis', () => node.destroy()),
        workerOn(io, 'ioredis', () => io.disconnect()),
      ];
      for (const worker of pair) for (let n = 0; n < 3; n++) await worker.call();
      for (const worker of pair) await told(worker);
      await pair[0]?.guard.swarm.halt('before the failover');
      for (const worker of pair) expect(await worker.call()).toBe('halt');
      await until(async () => Number(await master.cli('WAIT', '1', '5000')) === 1);
      await master.kill();
      for (const worker of pair) expect(await worker.call()).toBe('halt');
      await until(async () => (await replica.cli('ROLE')).startsWith('master'));
      for (const worker of pair) expect(await told(worker)).toBe(5);
      const state = await createRedisStore({ client: await plain(replica), waitMs: WAIT_MS }).board.read(
        'faults',
      );
      expect(state).toMatchObject({ totals: [10, 0, 0, 2], control: { halted: true } });
    });
  });

  async function plain({ port }: RedisServer): Promise<RedisClient> {
    const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect();
    client.on('error', () => {});
    ends.push(() => client.destroy());
    return client;
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (Date.now() > end) throw new Error('it did not come about');
      await sleep(100);
    }
  }
}
