import { MAX_NAMES, MAX_OUTCOMES, MAX_WORKERS, WORKER_MS } from './board.ts';
import { NOW, type Script, script } from './redis-script.ts';

/**
 * Counts what `tallies.ts` counts, in the same way.
 * KEYS: swarm, member, index, then for each note its record, its worker and, for a handoff or a spawn, the other agent.
 * ARGV: now, half of the window, expiry of the swarm, number of the first note, notes sent before, born, the new born, the known
 * control (version, halted, why, by, at), and for each note kind, worker, key in the index, and three more.
 *
 * A record is a hash: \`z\` holds its numbers, packed, and \`@name\` the mark of a worker. A member has the number of its last note, and what
 * the notes of that request had come to: whoever did not hear the answer is told the same again.
 */
export const TELL: Script = script(`${NOW}
local swarm, member, index = KEYS[1], KEYS[2], KEYS[3]
local spread, pack, unpack, call = unpack, cmsgpack.pack, cmsgpack.unpack, redis.call
local saved = call('HMGET', swarm, 'z', 'c')
local s = saved[1] and unpack(saved[1])
local there = s ~= nil and s ~= false
if not there then s = { 0, 0, 0, 0, 0, 0, 0, ARGV[7], tonumber(ARGV[2]) } end
local c = saved[2] and unpack(saved[2]) or { 0, 0, '', '', 0 }
local half, keep = s[9], ARGV[3]
local epoch = math.floor(now / half)
if epoch < s[1] then epoch = s[1] end
local rolled = epoch ~= s[1]
if rolled then
  if epoch - s[1] == 1 then s[2], s[3] = 0, s[2] else s[2], s[3] = 0, 0 end
  s[1] = epoch
end

local agents = {}
local function agentOf(key, name)
  local a = agents[key]
  if a then return a end
  local text = call('GET', key)
  if text then a = unpack(text) else
    a = { -2, 0, -1 }
    a.changed = true
    s[7] = s[7] + 1
  end
  a.name = name
  agents[key] = a
  return a
end
local function appear(key, name)
  local a = agentOf(key, name)
  if a[1] < epoch then
    if a[1] == epoch - 1 then s[3] = s[3] - 1 end
    s[2] = s[2] + 1
    a[1] = epoch
    a.changed = true
  end
end

local records = {}
local function recordOf(key, short, worker, create)
  local r = records[key]
  if r then return r end
  local text = call('HGET', key, 'z')
  r = text and unpack(text)
  if r and r[1] < epoch - 1 then
    if create then call('DEL', key) end
    r = nil
  end
  if not r then
    if not create then return nil end
    r = { epoch, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, now, 0, worker, '', '', '' }
    r.fresh = true
  elseif r[1] < epoch then
    for at = 2, 10, 2 do r[at], r[at + 1] = 0, r[at] end
    r[1] = epoch
    r.fresh = true
    local marks, old = call('HGETALL', key), {}
    for at = 1, #marks, 2 do
      if marks[at] ~= 'z' then
        local m = unpack(marks[at + 1])
        if math.max(m[1], m[2]) < epoch - 1 then old[#old + 1] = marks[at] end
      end
    end
    if #old > 0 then call('HDEL', key, spread(old)) end
  end
  r.key, r.short, r.marks = key, short, {}
  records[key] = r
  return r
end
local function markOf(r, worker)
  local m = r.marks[worker]
  if m ~= nil then return m end
  local text = call('HGET', r.key, '@' .. worker)
  if text then m = unpack(text) else
    m = { -2, -2 }
    if not r.size then
      r.size = call('HLEN', r.key)
      if r.size > 0 then r.size = r.size - 1 end
    end
    if r.size < ${MAX_WORKERS} then r.size = r.size + 1 else m.none = true end
  end
  r.marks[worker] = m
  return m
end
local function touch(r, worker)
  local m = markOf(r, worker)
  r[2] = r[2] + 1
  if m[1] == epoch then return end
  if not m.none then
    if m[1] == epoch - 1 then r[7] = r[7] - 1 end
    r[6] = r[6] + 1
    m[1] = epoch
    m.changed = true
  end
  local names, count = worker, 1
  for name in string.gmatch(r[16], '[^ ]+') do
    if name ~= worker and count < ${MAX_NAMES} then
      names = names .. ' ' .. name
      count = count + 1
    end
  end
  r[16] = names
end
local function finish(r, worker, agent, outcome, failed, said)
  if failed then r[10] = r[10] + 1 else r[4], r[5] = 0, 0 end
  if said ~= '' then r[17] = said end
  if not string.find(r[15], ',' .. outcome .. ',', 1, true) then
    local known = {}
    for each in string.gmatch(r[15], '[^,]+') do known[#known + 1] = each end
    known[#known + 1] = outcome
    if #known > ${MAX_OUTCOMES} then table.remove(known, 1) end
    r[15] = ',' .. table.concat(known, ',') .. ','
    local a = agentOf(agent, worker)
    a[2] = a[2] + 1
    a.changed = true
  elseif failed then
    local m = markOf(r, worker)
    r[4] = r[4] + 1
    if m[2] < epoch and not m.none then
      if m[2] == epoch - 1 then r[9] = r[9] - 1 end
      r[8] = r[8] + 1
      m[2] = epoch
      m.changed = true
    end
  end
end
local function level(depth)
  local text = call('HGET', swarm, 'd' .. depth)
  local l = text and unpack(text) or { epoch, 0, 0 }
  if epoch - l[1] == 1 then l[2], l[3] = 0, l[2] elseif epoch ~= l[1] then l[2], l[3] = 0, 0 end
  l[1] = epoch
  return l
end

local first, resent = tonumber(ARGV[4]), tonumber(ARGV[5])
local notes = (#ARGV - 12) / 6
local text = call('GET', member)
local last, from, numbers = tonumber(text or ''), 0, {}
if text and not last then
  local known = unpack(text)
  last, from, numbers = known[1], known[2], known[3]
end
local skipped = 0
if last then skipped = last - first + 1 elseif there and ARGV[6] == s[8] then skipped = resent end
if skipped < 0 then skipped = 0 elseif skipped > notes then skipped = notes end

local reply, told = {}, {}
local function count(r, depth, atDepth, refused)
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = r[2] + r[3], r[6] + r[7], r[4] + r[5]
  reply[n + 4], reply[n + 5], reply[n + 6] = r[8] + r[9], r[10] + r[11], r[14]
  reply[n + 7], reply[n + 8], reply[n + 9] = r[12], r[16], r[17]
  reply[n + 10], reply[n + 11], reply[n + 12] = depth, atDepth, refused
end
local NONE = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', '', '' }
local function remember(number, apply)
  local here, before = #reply - 12, 5 * (number - from)
  for each = 1, 5 do
    if not apply and before >= 0 and numbers[before + each] then reply[here + each] = numbers[before + each] end
    told[#told + 1] = reply[here + each]
  end
end
local at, key = 13, 4
for note = 1, notes do
  local kind, worker, short = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local x, y, z = ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  at = at + 6
  local record, agent = KEYS[key], KEYS[key + 1]
  local other
  if kind == 'h' or kind == 's' then
    other = KEYS[key + 2]
    key = key + 3
  else
    key = key + 2
  end
  local apply = note > skipped
  if apply then appear(agent, worker) end
  if kind == 'u' then
    if apply then
      s[5] = s[5] + tonumber(x)
      s[6] = s[6] + tonumber(y)
    end
    count(NONE, 0, 0, '')
  else
    local r = recordOf(record, short, worker, apply)
    if not r then
      count(NONE, 0, 0, '')
    elseif kind == 's' then
      if apply then
        local parent = agentOf(agent, worker)
        local depth = (parent[3] == -1 and tonumber(y) or parent[3]) + 1
        local l = level(depth)
        local most, perDepth, deepest = string.match(z, '(%d+) (%d+) (%d+)')
        local refused = ''
        if depth > tonumber(deepest) then refused = 'depth'
        elseif r[2] + r[3] >= tonumber(most) then refused = 'children'
        elseif l[2] + l[3] >= tonumber(perDepth) then refused = 'per-depth'
        else
          touch(r, x)
          l[2] = l[2] + 1
          call('HSET', swarm, 'd' .. depth, pack(l))
          local child = agentOf(other, x)
          child[3] = depth
          child.changed = true
        end
        count(r, depth, l[2] + l[3], refused)
      else
        local depth = (agents[other] or unpack(call('GET', other) or pack({ -2, 0, -1 })))[3]
        local l = level(depth)
        count(r, depth, depth == -1 and 0 or l[2] + l[3], depth == -1 and 'children' or '')
      end
    else
      if not apply then
      elseif kind == 'c' then
        s[4] = s[4] + 1
        touch(r, worker)
      elseif kind == 'r' then finish(r, worker, agent, x, y == '1', z)
      elseif kind == 'e' then
        touch(r, worker)
        if z ~= '' then r[17] = z end
      elseif kind == 'h' then
        local progress = agentOf(agent, worker)[2] + agentOf(other, x)[2]
        if r[13] ~= progress then
          r[2], r[3] = 0, 0
          r[13] = progress
        end
        touch(r, worker)
      end
      count(r, 0, 0, '')
    end
  end
  remember(first + note - 1, apply)
end

if tonumber(ARGV[8]) > c[1] then
  c = { tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10], ARGV[11], tonumber(ARGV[12]) }
  call('HSET', swarm, 'c', pack(c))
end
for k, r in pairs(records) do
  local short, size, marks, fresh = r.short, r.size, r.marks, r.fresh
  r.key, r.short, r.size, r.marks, r.fresh = nil, nil, nil, nil, nil
  local fields = { 'z', pack(r) }
  for worker, m in pairs(marks) do
    if m.changed then fields[#fields + 1], fields[#fields + 2] = '@' .. worker, pack({ m[1], m[2] }) end
  end
  call('HSET', k, spread(fields))
  if fresh then
    call('PEXPIRE', k, half * 3)
    call('ZADD', index, epoch, short)
  end
end
for k, a in pairs(agents) do
  if a.changed then
    call('SET', k, pack({ a[1], a[2], a[3] }), 'PX', ${WORKER_MS})
    call('ZADD', index, epoch, 'a:' .. a.name)
  end
end
local to = first + notes - 1
if not last or to > last then call('SET', member, pack({ to, first, told }), 'PX', ${WORKER_MS}) end
call('HSET', swarm, 'z', pack(s))
if rolled or not there then
  call('PEXPIRE', swarm, keep)
  call('ZREMRANGEBYSCORE', index, '-inf', epoch - 3)
  call('PEXPIRE', index, keep)
end
return { notes - skipped, now, s[8], s[4], s[5], s[6], s[2] + s[3], s[7], c[1], c[2], c[3], c[4], c[5], reply }
`);
