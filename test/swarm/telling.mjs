// A process of its own that works in a swarm: `node telling.mjs PORT SWARM NAME EVENTS KEYS`. It says "ready", waits for a line, makes its
// calls, and says "done" with the counts it was told that are multiples of 100, and how often a connection broke.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSwarmGuard, presets } from '../../dist/index.js';
import { createRedisStore } from '../../dist/stores/index.js';

const { Redis } = createRequire(new URL('../hosts/redis/package.json', import.meta.url))('ioredis');
const [port, name, worker, events, keys] = process.argv.slice(2);
const AT_ONCE = 16;
const MANY = 500;

let breaks = 0;
const client = new Redis(Number(port), '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null });
client.on('error', () => {});
client.on('close', () => {
  breaks += 1;
});
const crossed = [];
/** A rule that speaks at every hundredth call of the swarm. */
const { detectors, ladder } = presets.codex;
const hundreds = { on: 'hundreds', at: 100, every: 100, action: 'observe', message: '{count}' };
const preset = {
  ...presets.codex,
  detectors: { ...detectors, hundreds: { kind: 'swarm-repeat', minWorkers: 1 } },
  ladder: [hundreds, ...ladder],
};
const guard = createSwarmGuard({
  store: createRedisStore({ client, waitMs: 60_000 }),
  preset,
  onDecision({ finding: { detector, count, facts } }) {
    if (detector === 'hundreds') crossed.push(`${facts.tool} ${count}`);
  },
  swarm: {
    name,
    worker,
    windowMs: 86_400_000,
    waitMs: 60_000,
  },
});
await client.ping();
process.stdout.write('ready\n');
await new Promise((done) => process.stdin.once('data', done));

let next = 0;
async function work() {
  while (next < Number(events)) {
    const n = next++;
    await guard.before({ id: `${n}`, tool: `tool-${n % Number(keys)}`, args: {} });
    while (guard.swarm.metrics.waiting > MANY) await sleep(20);
    if (n % 1000 === 999) process.stdout.write(`acknowledged ${guard.swarm.metrics.counted}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
while (!(await guard.swarm.flush())) await sleep(100);
const { counted, dropped, local } = guard.swarm.metrics;
process.stdout.write(`done ${JSON.stringify({ counted, dropped, local, breaks, crossed })}\n`, () =>
  process.exit(),
);
