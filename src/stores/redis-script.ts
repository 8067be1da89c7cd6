import { createHash } from 'node:crypto';

export type Script = { readonly text: string; readonly sha: string };

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** The server's own time, unless the caller names one: workers' clocks are not asked. */
export const NOW = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;
