import { NOW, type Script, script } from './redis-script.ts';

/**
 * Changes a session's state, if nobody else has. KEYS: state. ARGV: now, expiry, the version that is expected ('' = none, '?' = only
 * look), the next version, the state, the session. Answers the next version alone when it was changed.
 */
export const CHANGE: Script = script(`${NOW}
local saved = redis.call('HMGET', KEYS[1], 'v', 'at', 's')
local version = saved[1]
if not version or now - saved[2] > tonumber(ARGV[2]) then version = '' end
if version ~= ARGV[3] then return { version, version == '' and '' or saved[3] } end
redis.call('HSET', KEYS[1], 'v', ARGV[4], 'at', string.format('%.0f', now), 's', ARGV[5], 'n', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { ARGV[4] }
`);

/** Names and sizes for a list. KEYS: state. ARGV: now, expiry. */
export const LOOK: Script = script(`${NOW}
local saved = redis.call('HMGET', KEYS[1], 'at', 'n')
if not saved[1] or now - saved[1] > tonumber(ARGV[2]) then return {} end
return { saved[2], tonumber(saved[1]), redis.call('HSTRLEN', KEYS[1], 's') }
`);

/** KEYS: state. */
export const DROP: Script = script("return redis.call('DEL', KEYS[1])");
