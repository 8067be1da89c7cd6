// What it costs to judge a server together with others (--share), beside a guard that is on its own. Ratios are what counts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './connection.mjs';
import { onCore, stayOnCore } from './places.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const server = onCore(0, [
  process.execPath,
  path('../../test/hosts/mcp/node_modules/.bin/mcp-server-everything'),
]);
const folder = mkdtempSync(join(tmpdir(), 'deloop-bench-'));
const guard = (...flags) =>
  onCore(1, [process.execPath, path('../../dist/cli/main.js'), 'mcp', ...flags, '--', ...server]);
const CONTESTANTS = [
  { name: 'direct', command: server },
  { name: 'deloop mcp', command: guard() },
  { name: 'deloop mcp --share', command: guard('--store', folder) },
];
const TURNS = 60;
const CALLS = 50;
const WARM_UP = 1000;
/** Other work on the machine can only slow a turn down, so the quickest tenth tells what a call costs. */
const QUICKEST = 0.1;
let made = 0;

/** Microseconds of a call, the median of some, one after the other; every call differs, as good work does. */
async function latencyOf({ call }, calls) {
  const times = [];
  for (let n = 0; n < calls; n++) {
    made += 1;
    const start = process.hrtime.bigint();
    await call('echo', { message: `message ${made} of a client that gets on, step ${made * 7919}` });
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return quantile(times, 0.5);
}

function quantile(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)];
}

stayOnCore(0);
const runners = [];
for (const { name, command } of CONTESTANTS) {
  const client = await connect(command);
  await latencyOf(client, WARM_UP);
  runners.push({ name, client, turns: [] });
}
for (let turn = 0; turn < TURNS; turn++)
  for (const { client, turns } of runners) turns.push(await latencyOf(client, CALLS));
await Promise.all(runners.map(({ client }) => client.close()));
rmSync(folder, { recursive: true });

const [direct, ...others] = runners.map(({ name, turns }) => ({ name, latency: quantile(turns, QUICKEST) }));
console.log('| in front of server-everything | a call | added |');
console.log('| --- | --- | --- |');
for (const { name, latency } of [direct, ...others])
  console.log(`| ${name} | ${latency.toFixed(0)} µs | ${(latency - direct.latency).toFixed(0)} µs |`);
console.log(`\n${TURNS} turns of ${CALLS} calls each, the quickest tenth of them`);
