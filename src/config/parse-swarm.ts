import { wrong } from '../core/options.ts';
import { MAX_WORKER, resolveSwarm, type SwarmOptions } from '../swarm/swarm-options.ts';
import { type Fields, fieldsAt } from './checks.ts';
import type { StoreConfig, SwarmConfig } from './config.ts';

const STORE = ['redis', 'folder', 'tenant', 'prefix'] satisfies (keyof StoreConfig)[];
export const REDIS: RegExp = /^rediss?:\/\//;
/** What a file cannot say, and what the store says. */
const NOT_HERE = ['onEvent', 'tenant'];
export const PREFIX: RegExp = /^[\w.-]{1,64}$/;

/** Throws when the store can never be opened. A URL may hold a password, and so no message repeats it. */
export function checkStore(value: unknown, where: string): void {
  const fields = fieldsAt(value, where, `an object with ${STORE.join(', ')}`);
  const unknown = Object.keys(fields).find((name) => !STORE.some((known) => known === name));
  if (unknown !== undefined) throw wrong(where, unknown, `an object with ${STORE.join(', ')}`);
  const { redis, folder, tenant = 'default', prefix = 'deloop' } = fields;
  if (redis !== undefined && (typeof redis !== 'string' || !REDIS.test(redis)))
    throw wrong(`${where}.redis`, typeof redis, 'a URL like redis://user:password@host:6379/0');
  if (folder !== undefined && (typeof folder !== 'string' || folder === ''))
    throw wrong(`${where}.folder`, folder, 'the path of a folder');
  if (typeof tenant !== 'string' || tenant === '' || tenant.length > MAX_WORKER)
    throw wrong(`${where}.tenant`, tenant, `a text of 1 to ${MAX_WORKER} characters`);
  if (typeof prefix !== 'string' || !PREFIX.test(prefix))
    throw wrong(`${where}.prefix`, prefix, '1 to 64 letters, digits, _, . or -');
}

/** Throws when an option can never work. */
export function checkSwarm(value: unknown, where: string): void {
  if (value === 'off') return;
  const fields: Fields = fieldsAt(value, where, '"off", or an object with the name of the swarm');
  const misplaced = Object.keys(fields).find((name) => NOT_HERE.includes(name));
  if (misplaced !== undefined)
    throw wrong(where, misplaced, misplaced === 'tenant' ? 'in `store`' : 'left out of a file');
  resolveSwarm(swarmOptions(fields as Exclude<SwarmConfig, 'off'>, 'worker'));
}

/** The options of a worker. A swarm whose name is yet to come is checked with another. */
export function swarmOptions(
  { name = 'swarm', ...rest }: Exclude<SwarmConfig, 'off'>,
  worker: string,
): SwarmOptions {
  return { worker, ...rest, name };
}
