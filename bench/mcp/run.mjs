// What the guard in front of an MCP server costs, beside a bare byte pipe in the same place. Ratios are what counts.
import { fileURLToPath } from 'node:url';
import { connect } from './connection.mjs';
import { askForTime, inOwnSession, isPlaced, onCore, runApart, stayOnCore } from './places.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const server = onCore(0, [
  process.execPath,
  path('../../test/hosts/mcp/node_modules/.bin/mcp-server-everything'),
]);
const CONTESTANTS = [
  { name: 'direct', command: inOwnSession(server) },
  {
    name: 'bare pipe',
    command: onCore(1, [process.execPath, path('bare-pipe.mjs'), ...inOwnSession(server)]),
  },
  {
    name: 'deloop mcp',
    command: onCore(1, [process.execPath, path('../../dist/cli/main.js'), 'mcp', '--', ...server]),
  },
];
const quick = process.argv.includes('--quick');
const STARTS = quick ? 1 : 5;
const TURNS = quick ? 20 : 60;
/** Enough for the code to be compiled as well as it ever will be. */
const WARM_UP = 15_000;
const CALLS_ONE_BY_ONE = 100;
const CALLS_AT_ONCE = 640;
const IN_FLIGHT = 32;
const MAX_LATENCY = 1.5;
const MIN_THROUGHPUT = 0.8;
/** Other work on the machine can only slow a turn down, so the quickest tenth tells what a call costs. */
const QUICKEST = 0.1;

let made = 0;

/** Every call differs and brings another result, as good work does. */
function next() {
  made += 1;
  return { message: `message ${made} of a client that gets on with its work, step ${made * 7919}` };
}

/** Microseconds of a call, the median of some, one after the other. */
async function oneByOne({ call }) {
  const times = [];
  for (let n = 0; n < CALLS_ONE_BY_ONE; n++) {
    const start = process.hrtime.bigint();
    await call('echo', next());
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return quantile(times, 0.5);
}

/** Microseconds for each of many calls, with so many in flight. */
async function atOnce({ call }, inFlight, calls) {
  const start = process.hrtime.bigint();
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call('echo', next());
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return Number(process.hrtime.bigint() - start) / 1000 / calls;
}

function quantile(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)];
}

const status = runApart();
if (status !== null) process.exit(status);

stayOnCore(0);
const runners = CONTESTANTS.map((one) => ({ ...one, latency: [], one: [], many: [] }));
for (let start = 0; start < STARTS; start++) {
  const clients = [];
  for (const { command } of runners) {
    const client = await connect(command);
    askForTime();
    await atOnce(client, IN_FLIGHT, WARM_UP);
    clients.push(client);
  }
  for (let turn = 0; turn < TURNS; turn++)
    for (const [index, { latency, one, many }] of runners.entries()) {
      latency.push(await oneByOne(clients[index]));
      one.push(await atOnce(clients[index], 1, CALLS_ONE_BY_ONE));
      many.push(await atOnce(clients[index], IN_FLIGHT, CALLS_AT_ONCE));
    }
  await Promise.all(clients.map((client) => client.close()));
}

const [direct, bare, guard] = runners.map(({ name, latency, one, many }) => ({
  name,
  latency: quantile(latency, QUICKEST),
  one: 1e6 / quantile(one, QUICKEST),
  many: 1e6 / quantile(many, QUICKEST),
}));
const added = ({ latency }) => latency - direct.latency;
console.log(
  '| in front of server-everything | a call | added | calls a second, 1 in flight | calls a second, 32 in flight |',
);
console.log('| --- | --- | --- | --- | --- |');
for (const row of [direct, bare, guard])
  console.log(
    `| ${row.name} | ${row.latency.toFixed(0)} µs | ${added(row).toFixed(0)} µs | ${row.one.toFixed(0)} | ${row.many.toFixed(0)} |`,
  );
console.log(
  `\n${STARTS} starts of each with ${TURNS} turns, the quickest tenth of them; ${isPlaced ? 'what stands between has a core of its own' : 'on any core'}`,
);
const latency = added(guard) / added(bare);
tell('added latency, deloop mcp to bare pipe', latency, latency <= MAX_LATENCY, `at most ${MAX_LATENCY}x`);
for (const [label, field] of [
  ['1', 'one'],
  [IN_FLIGHT, 'many'],
]) {
  const share = guard[field] / bare[field];
  tell(`throughput with ${label} in flight`, share, share >= MIN_THROUGHPUT, `at least ${MIN_THROUGHPUT}x`);
}

function tell(what, ratio, reached, goal) {
  console.log(`${what}: ${ratio.toFixed(2)}x (${goal}: ${reached ? 'reached' : 'missed'})`);
}
