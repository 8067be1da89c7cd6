import type { Board } from '../../stores/board.ts';
import { boardOf } from '../../stores/board-of.ts';
import { createFileStore } from '../../stores/file.ts';
import { createRedisStore } from '../../stores/redis.ts';
import { quickLookup } from '../swarm/quick-lookup.ts';
import { connectRedis, placeOf } from '../swarm/redis-connection.ts';
import type { SwarmSettings } from './hook-settings.ts';

/** One connection for each Redis, for as long as the process lives: a hook's is short, that of a plugin is long. */
const boards = new Map<string, Board>();

export function openBoard(
  { redis, folder = '', tenant, prefix, options }: SwarmSettings,
  waitMs: number,
): Board {
  const name = JSON.stringify([redis, folder, tenant, prefix, options.name, waitMs]);
  const known = boards.get(name);
  if (known !== undefined) return known;
  const board =
    redis === undefined
      ? boardOf(createFileStore({ folder }), { tenant })
      : createRedisStore({
          client: connectRedis(placeOf(redis, 'the URL of Redis'), {
            background: true,
            lookup: quickLookup(waitMs),
          }),
          tenant,
          prefix,
          waitMs,
        }).board;
  boards.set(name, board);
  return board;
}
