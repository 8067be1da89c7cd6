import { resolve } from 'node:path';
import type { Board } from '../../stores/board.ts';
import { boardOf } from '../../stores/board-of.ts';
import { createFileStore } from '../../stores/file.ts';
import { createRedisStore } from '../../stores/redis.ts';
import { UsageError } from '../exit.ts';
import type { Surroundings } from '../surroundings.ts';
import { connectRedis, placeOf } from './redis-connection.ts';

export type BoardFlags = {
  readonly redis?: string;
  readonly folder?: string;
  readonly tenant: string;
  readonly prefix: string;
};

/** A person waits longer than an agent. */
const WAIT_MS = 5000;

/** The board that flags or the environment name, and how to leave it. */
export function openBoard(
  flags: BoardFlags,
  { env, cwd }: Surroundings,
): { readonly board: Board; close(): void } {
  const {
    tenant,
    prefix,
    folder,
    redis = folder === undefined ? env['DELOOP_REDIS_URL'] : undefined,
  } = flags;
  if (redis !== undefined) {
    const client = connectRedis(placeOf(redis));
    const { board } = createRedisStore({ client, tenant, prefix, waitMs: WAIT_MS });
    return { board, close: () => client.close() };
  }
  if (folder === undefined)
    throw new UsageError(
      'there is no swarm to look at; name its store with --redis URL, --folder DIR or DELOOP_REDIS_URL',
    );
  return { board: boardOf(createFileStore({ folder: resolve(cwd, folder) }), { tenant }), close: () => {} };
}
