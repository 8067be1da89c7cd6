import { WORKER_MS } from './board.ts';
import { NOW, type Script, script } from './redis-script.ts';

/** KEYS: swarm. ARGV: now, expiry, halted, why, by. */
export const STEER: Script = script(`${NOW}
local text = redis.call('HGET', KEYS[1], 'c')
local version = (text and cmsgpack.unpack(text)[1] or 0) + 1
if now > version then version = now end
redis.call('HSET', KEYS[1], 'c', cmsgpack.pack({ version, tonumber(ARGV[3]), ARGV[4], ARGV[5], now }))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { version, now }
`);

/** A page of everything a swarm shares, as JSON. KEYS: swarm, index. ARGV: what keys begin with, from, to. */
export const READ: Script = script(`
local unpack, call = cmsgpack.unpack, redis.call
local page = { records = {}, agents = {}, depths = {} }
local saved = call('HGETALL', KEYS[1])
for at = 1, #saved, 2 do
  local field, value = saved[at], unpack(saved[at + 1])
  if field == 'z' then page.swarm = value elseif field == 'c' then page.control = value else
    page.depths[#page.depths + 1] = { tonumber(string.sub(field, 2)), value[1], value[2], value[3] }
  end
end
local shorts = call('ZRANGE', KEYS[2], ARGV[2], ARGV[3])
page.size = #shorts
for _, short in ipairs(shorts) do
  local key = ARGV[1] .. short
  if string.sub(short, 1, 2) == 'a:' then
    local text = call('GET', key)
    if text then
      local a = unpack(text)
      page.agents[#page.agents + 1] = { string.sub(short, 3), a[1], a[2], a[3] }
    end
  else
    local fields, record, marks = call('HGETALL', key), nil, {}
    for at = 1, #fields, 2 do
      local value = unpack(fields[at + 1])
      if fields[at] == 'z' then record = value else
        marks[#marks + 1] = { string.sub(fields[at], 2), value[1], value[2] }
      end
    end
    if record then page.records[#page.records + 1] = { short, record, marks } end
  end
end
return cjson.encode(page)
`);

/** Puts a page back. KEYS: swarm, index. ARGV: what keys begin with, expiry, the page. */
export const WRITE: Script = script(`
local pack, call = cmsgpack.pack, redis.call
local page = cjson.decode(ARGV[3])
local epoch, half = page.swarm[1], page.swarm[9]
call('HSET', KEYS[1], 'z', pack(page.swarm), 'c', pack(page.control))
for _, l in ipairs(page.depths) do call('HSET', KEYS[1], 'd' .. l[1], pack({ l[2], l[3], l[4] })) end
for _, a in ipairs(page.agents) do
  call('SET', ARGV[1] .. 'a:' .. a[1], pack({ a[2], a[3], a[4] }), 'PX', ${WORKER_MS})
  call('ZADD', KEYS[2], epoch, 'a:' .. a[1])
end
for _, r in ipairs(page.records) do
  local key = ARGV[1] .. r[1]
  call('DEL', key)
  call('HSET', key, 'z', pack(r[2]))
  for _, m in ipairs(r[3]) do call('HSET', key, '@' .. m[1], pack({ m[2], m[3] })) end
  call('PEXPIRE', key, half * 3)
  call('ZADD', KEYS[2], r[2][1], r[1])
end
for _, m in ipairs(page.members) do call('SET', ARGV[1] .. 'q:' .. m[1], m[2], 'PX', ${WORKER_MS}) end
call('PEXPIRE', KEYS[1], ARGV[2])
call('PEXPIRE', KEYS[2], ARGV[2])
return 0
`);

/** Forgets a page of tallies; what is left. KEYS: swarm, index. ARGV: what keys begin with, how many. */
export const CLEAR: Script = script(`
local call = redis.call
local shorts = call('ZRANGE', KEYS[2], 0, ARGV[2] - 1)
for _, short in ipairs(shorts) do
  call('DEL', ARGV[1] .. short)
  call('ZREM', KEYS[2], short)
end
local saved = call('HGETALL', KEYS[1])
for at = 1, #saved, 2 do
  if saved[at] ~= 'c' then call('HDEL', KEYS[1], saved[at]) end
end
return call('ZCARD', KEYS[2])
`);
