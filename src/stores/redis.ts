import { isWholeNumber, refuseUnknown, wrong } from '../core/options.ts';
import type { Board } from './board.ts';
import { redisBoard } from './redis-board.ts';
import { type RedisClient, scriptRunner } from './redis-client.ts';
import { redisSessions } from './redis-sessions.ts';
import { EXPIRES_AFTER_MS, MAX_SESSIONS, type Store } from './store.ts';

export type RedisStoreOptions = {
  /** A client of redis, ioredis or iovalkey that is connected, to one server, over Sentinel or to a Cluster. It stays its owner's. */
  readonly client: RedisClient;
  /** Whose sessions and swarms these are; no tenant reaches those of another. Default `default`. */
  readonly tenant?: string | undefined;
  /** What all keys begin with: letters, digits, `_`, `.` and `-`. Default `deloop`. */
  readonly prefix?: string | undefined;
  /** How long to wait for an answer. Default 50 milliseconds. */
  readonly waitMs?: number | undefined;
  /** Default seven days. */
  readonly expiresAfterMs?: number | undefined;
  /** Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds since the epoch. Default the server's own clock, so that the clocks of workers do not matter. */
  readonly now?: (() => number) | undefined;
};

const WAIT_MS = 50;
const LONGEST_WAIT_MS = 60_000;
const LONGEST_MS = 10 * 365 * 86_400_000;
const KNOWN: readonly string[] = [
  'client',
  'tenant',
  'prefix',
  'waitMs',
  'expiresAfterMs',
  'maxSessions',
  'now',
] satisfies (keyof RedisStoreOptions)[];

/** State and tallies in Redis or Valkey, shared by any number of machines. Every key expires. */
export function createRedisStore(options: RedisStoreOptions): Store & { readonly board: Board } {
  refuseUnknown(options, KNOWN, 'createRedisStore');
  const { client, tenant = 'default', prefix = 'deloop', now } = options;
  const { waitMs = WAIT_MS, expiresAfterMs = EXPIRES_AFTER_MS, maxSessions = MAX_SESSIONS } = options;
  if (typeof tenant !== 'string' || tenant === '' || tenant.length > 512)
    throw wrong('tenant', tenant, 'a text of 1 to 512 characters');
  if (typeof prefix !== 'string' || !/^[\w.-]{1,64}$/.test(prefix))
    throw wrong('prefix', prefix, '1 to 64 letters, digits, _, . or -');
  for (const [name, value, max] of [
    ['waitMs', waitMs, LONGEST_WAIT_MS],
    ['expiresAfterMs', expiresAfterMs, LONGEST_MS],
    ['maxSessions', maxSessions, 1e9],
  ] as const) {
    if (!isWholeNumber(value, 1, max)) throw wrong(name, value, `a whole number from 1 to ${max}`);
  }
  const run = scriptRunner(client, waitMs);
  return {
    ...redisSessions({ run, prefix, tenant, expiresAfterMs, maxSessions, now }),
    board: redisBoard({ run, prefix, tenant, expiresAfterMs, now }),
  };
}
