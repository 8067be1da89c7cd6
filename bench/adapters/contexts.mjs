// How much coding agents send to their model with every request, from sessions of Claude Code: what `script.mjs` was made after.
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const folder = process.argv[2] ?? join(homedir(), '.claude', 'projects');
const QUARTERS = [0.1, 0.25, 0.5, 0.75, 0.9];
const PARTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/** Tokens of every request in a file, each response counted once. */
function requestsIn(path) {
  const requests = new Map();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const { role, id, usage } = messageIn(line);
    if (role !== 'assistant' || typeof usage !== 'object') continue;
    const tokens = PARTS.reduce((sum, part) => sum + (Number(usage?.[part]) || 0), 0);
    if (tokens > 0) requests.set(id, tokens);
  }
  return [...requests.values()];
}

function messageIn(line) {
  try {
    return JSON.parse(line)?.message ?? {};
  } catch {
    return {};
  }
}

function print(what, numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const cells = QUARTERS.map((part) => String(sorted[Math.floor(sorted.length * part)]).padStart(9));
  console.log(`${what.padEnd(28)}${cells.join('')}`);
}

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
const sessions = files.map((name) => requestsIn(join(folder, name))).filter(({ length }) => length > 0);
if (sessions.length === 0)
  throw new Error(`no sessions of Claude Code in ${folder}; give a folder that has some`);
console.log(`${sessions.length} sessions\n`);
console.log(`${''.padEnd(28)}${QUARTERS.map((part) => `${part * 100} %`.padStart(9)).join('')}`);
print(
  'requests of a session',
  sessions.map(({ length }) => length),
);
print(
  'tokens of the first request',
  sessions.map(([first]) => first),
);
print('tokens of a request', sessions.flat());
