import { NOW, type Script, script } from './redis-script.ts';

/** Notes a name in an index; answers those that are too many. KEYS: index. ARGV: now, expiry, name, how many there may be. */
export const ENLIST: Script = script(`${NOW}
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local over = redis.call('ZCARD', KEYS[1]) - ARGV[4]
if over <= 0 then return {} end
local names = redis.call('ZRANGE', KEYS[1], 0, over - 1)
for _, name in ipairs(names) do redis.call('ZREM', KEYS[1], name) end
return names
`);

/** The latest first, with their times. KEYS: index. */
export const NAMES: Script = script("return redis.call('ZREVRANGE', KEYS[1], 0, -1, 'WITHSCORES')");

/** KEYS: index. ARGV: name. */
export const STRIKE: Script = script("return redis.call('ZREM', KEYS[1], ARGV[1])");
