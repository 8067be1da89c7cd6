// What the guard in front of an MCP server costs, beside a bare byte pipe in the same place. Ratios are what counts.
import { fileURLToPath } from 'node:url';
import { connect } from './connection.mjs';
import { isPlaced, onCore, stayOnCore } from './places.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const server = onCore(0, [
  process.execPath,
  path('../../test/hosts/mcp/node_modules/.bin/mcp-server-everything'),
]);
const CONTESTANTS = [
  { name: 'direct', command: server },
  { name: 'bare pipe', command: onCore(1, [process.execPath, path('bare-pipe.mjs'), ...server]) },
  {
    name: 'deloop mcp',
    command: onCore(1, [process.execPath, path('../../dist/cli/main.js'), 'mcp', '--', ...server]),
  },
];
const quick = process.argv.includes('--quick');
const STARTS = quick ? 3 : 11;
/** Enough for the code to be compiled as well as it ever will be. */
const WARM_UP = 20_000;
const CALLS = 2000;
const IN_FLIGHT = 32;
const MAX_LATENCY = 1.5;
const MIN_THROUGHPUT = 0.8;

let made = 0;

/** Every call differs and brings another result, as good work does. */
function next() {
  made += 1;
  return { message: `message ${made} of a client that gets on with its work, step ${made * 7919}` };
}

/** Microseconds of each of many calls, one after the other. */
async function oneByOne({ call }) {
  const times = [];
  for (let n = 0; n < CALLS; n++) {
    const start = process.hrtime.bigint();
    await call('echo', next());
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return times;
}

/** Calls a second with so many in flight. */
async function atOnce({ call }, inFlight, calls) {
  const start = process.hrtime.bigint();
  let left = calls;
  const worker = async () => {
    for (; left > 0; left--) await call('echo', next());
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return calls / (Number(process.hrtime.bigint() - start) / 1e9);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

stayOnCore(0);
const runners = CONTESTANTS.map((one) => ({ ...one, latency: [], one: [], many: [] }));
for (let start = 0; start < STARTS; start++) {
  for (const { command, latency, one, many } of runners) {
    const client = await connect(command);
    await atOnce(client, IN_FLIGHT, WARM_UP);
    latency.push(median(await oneByOne(client)));
    one.push(await atOnce(client, 1, CALLS));
    many.push(await atOnce(client, IN_FLIGHT, CALLS));
    await client.close();
  }
}

const [direct, bare, guard] = runners.map(({ name, latency, one, many }) => ({
  name,
  latency: median(latency),
  one: median(one),
  many: median(many),
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
  `\n${STARTS} starts of each; ${isPlaced ? 'what stands between has a core of its own' : 'on any core'}`,
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
