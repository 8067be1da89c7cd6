import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { afterAll, it } from 'vitest';
import { createRedisStore, type RedisStoreOptions } from '../../../src/stores/redis.ts';
import type { RedisClient } from '../../../src/stores/redis-client.ts';
import type { Store } from '../../../src/stores/store.ts';
import { testBoard } from '../../contract/board.ts';
import { testStore } from '../../contract/store.ts';
import { findRedis, startCluster, startRedis } from '../redis-server.ts';
import { testFaults } from './faults.ts';
import { testOperations } from './operations.ts';

const program = findRedis();
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

if (program === undefined) it('Redis (not here)', (context) => context.skip('there is no redis-server'));
else {
  const server = await startRedis(program);
  ends.push(() => server.stop());
  const nodes = await startCluster(program);
  ends.push(() => Promise.all(nodes.map((node) => node.stop())));

  const single = await createClient({ url: `redis://127.0.0.1:${server.port}` }).connect();
  ends.push(() => single.destroy());
  const io = new Redis(server.port, '127.0.0.1');
  ends.push(() => io.disconnect());
  const roots = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  const cluster = createCluster({
    rootNodes: roots.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
  });
  await cluster.connect();
  ends.push(() => cluster.destroy());
  const ioCluster = new Cluster(roots);
  ends.push(() => ioCluster.disconnect());

  const clients: readonly (readonly [name: string, client: RedisClient])[] = [
    ['Redis with redis', single],
    ['Redis with ioredis', io],
    ['Redis Cluster with redis', cluster],
    ['Redis Cluster with ioredis', ioCluster],
  ];
  let tenants = 0;
  for (const [name, client] of clients) {
    const used = new Map<Store, RedisStoreOptions>();
    const open = (options: Partial<RedisStoreOptions> = {}) => {
      tenants += 1;
      // A busy machine may take its time, and no test here is about that.
      const all = { client, tenant: `tenant ${tenants}`, waitMs: 20_000, ...options };
      const store = createRedisStore(all);
      used.set(store, all);
      return store;
    };
    testStore(name, {
      create: open,
      again: (store) => createRedisStore(used.get(store) as RedisStoreOptions),
    });
    testBoard(name, { create: (now) => open({ now }).board });
  }
  testOperations(server, nodes);
  testFaults(program);
}
