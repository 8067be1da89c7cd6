import { encodeName } from './redis-names.ts';

/** What the scripts call; Redis checks each of them against the rights of whoever runs a script. */
const COMMANDS: readonly string[] = [
  'evalsha',
  'eval',
  'time',
  'get',
  'set',
  'del',
  'hget',
  'hmget',
  'hset',
  'hdel',
  'hlen',
  'hgetall',
  'hstrlen',
  'pexpire',
  'zadd',
  'zrange',
  'zrevrange',
  'zrem',
  'zcard',
  'zremrangebyscore',
];
/** What clients do before anything else. */
const GREETING: readonly string[] = [
  'hello',
  'ping',
  'select',
  'info',
  'client|setname',
  'client|id',
  'cluster|slots',
  'cluster|shards',
  'cluster|nodes',
];

/** The rules of a user of Redis who may do what deloop does for one tenant, and nothing else. */
export function aclRules(tenant: string, prefix = 'deloop'): string {
  const name = encodeName(tenant);
  const keys = [`~${prefix}:{${name}}:*`, `~${prefix}:{${name}:*`];
  return [
    'resetkeys',
    ...keys,
    'resetchannels',
    '-@all',
    ...[...COMMANDS, ...GREETING].map((each) => `+${each}`),
  ].join(' ');
}
