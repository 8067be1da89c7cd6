import { resolve } from 'node:path';
import type { StoreConfig } from '../../config/config.ts';
import type { Board } from '../../stores/board.ts';
import { boardOf } from '../../stores/board-of.ts';
import { createFileStore } from '../../stores/file.ts';
import { createRedisStore } from '../../stores/redis.ts';
import { UsageError } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import type { Surroundings } from '../surroundings.ts';
import { connectRedis, placeOf } from './redis-connection.ts';

export type BoardFlags = {
  readonly redis?: string;
  readonly folder?: string;
  readonly tenant?: string;
  readonly prefix?: string;
};

/** A person waits longer than an agent. */
const WAIT_MS = 5000;

/** The board that flags, the environment or the user's config name, whose it is, and how to leave it. */
export function openBoard(
  flags: BoardFlags,
  surroundings: Surroundings,
): { readonly board: Board; readonly tenant: string; close(): void } {
  const { cwd, home } = surroundings;
  const named = flags.redis !== undefined || flags.folder !== undefined;
  const store = named ? flags : storeFor(surroundings);
  const { redis, folder } = store;
  const { DELOOP_TENANT } = surroundings.env;
  const { tenant = (DELOOP_TENANT || store.tenant) ?? 'default', prefix = store.prefix ?? 'deloop' } = flags;
  if (redis !== undefined) {
    const client = connectRedis(placeOf(redis));
    const { board } = createRedisStore({ client, tenant, prefix, waitMs: WAIT_MS });
    return { board, tenant, close: () => client.close() };
  }
  if (folder === undefined)
    throw new UsageError(
      'there is no swarm to look at; name its store with --redis URL, --folder DIR, DELOOP_REDIS_URL or "store" in your config',
    );
  const path = resolve(named ? cwd : home, folder);
  return { board: boardOf(createFileStore({ folder: path }), { tenant }), tenant, close: () => {} };
}

/** A config that cannot be read must not keep anybody from stopping a swarm that the environment names. */
function storeFor(surroundings: Surroundings): StoreConfig {
  const { DELOOP_REDIS_URL: redis } = surroundings.env;
  return redis ? { redis } : (loadConfig(surroundings).shared.store ?? {});
}
