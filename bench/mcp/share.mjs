// What it costs to judge a server together with others (--share), beside a guard that is on its own. Ratios are what counts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './connection.mjs';
import { askForTime, inOwnSession, onCore, runApart, stayOnCore } from './places.mjs';

const status = runApart();
if (status !== null) process.exit(status);

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const server = onCore(0, [
  process.execPath,
  path('../../test/hosts/mcp/node_modules/.bin/mcp-server-everything'),
]);
const folder = mkdtempSync(join(tmpdir(), 'deloop-bench-'));
const guard = (...flags) =>
  onCore(1, [process.execPath, path('../../dist/cli/main.js'), 'mcp', ...flags, '--', ...server]);
const CONTESTANTS = [
  { name: 'direct', command: inOwnSession(server) },
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

/** Processor time that a process has used, in milliseconds; a busy machine hardly changes it. Linux only. */
function processorTime({ pid }) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Ticks of a hundredth of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

stayOnCore(0);
const runners = [];
for (const { name, command } of CONTESTANTS) {
  const client = await connect(command);
  askForTime();
  await latencyOf(client, WARM_UP);
  runners.push({ name, client, turns: [], used: processorTime(client) });
}
for (let turn = 0; turn < TURNS; turn++)
  for (const { client, turns } of runners) turns.push(await latencyOf(client, CALLS));
for (const runner of runners) runner.used = processorTime(runner.client) - runner.used;
await Promise.all(runners.map(({ client }) => client.close()));
rmSync(folder, { recursive: true });

const [direct, alone, shared] = runners.map(({ name, turns, used }) => ({
  name,
  latency: quantile(turns, QUICKEST),
  used: (used * 1000) / (TURNS * CALLS),
}));
console.log('| in front of server-everything | a call | added | processor time of a call |');
console.log('| --- | --- | --- | --- |');
for (const { name, latency, used } of [direct, alone, shared]) {
  const added = `${(latency - direct.latency).toFixed(0)} µs`;
  const own = name === 'direct' ? '' : `${used.toFixed(0)} µs`;
  console.log(`| ${name} | ${latency.toFixed(0)} µs | ${added} | ${own} |`);
}
console.log(`\n${TURNS} turns of ${CALLS} calls each; latency is that of the quickest tenth of them`);
console.log(`processor time, shared to alone: ${(shared.used / alone.used).toFixed(1)}x`);
