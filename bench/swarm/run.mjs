// What a decision in a swarm costs, beside the bare EVALSHA of one note: same server, same client, same script, as many keys and arguments, in turns.
// Usage: node bench/swarm/run.mjs [CALLS]; needs dist/, redis-server in PATH and the packages of test/hosts/redis.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSwarmGuard } from '../../dist/index.js';
import { boardOf, createRedisStore } from '../../dist/stores/index.js';

const { createClient } = createRequire(new URL('../../test/hosts/redis/package.json', import.meta.url))(
  'redis',
);
const CALLS = Number(process.argv[2] ?? 1500);
const ROUNDS = 21;
/** Workers, and the connections that they share: one for a process, or one for each. */
const FLEETS = [
  [1, 1],
  [8, 1],
  [8, 8],
  [64, 1],
  [64, 64],
];
/** Calls before the first turn: what is not compiled yet is no cost of a decision. */
const WARM_UP = 20_000;
/** Arguments of a script with one note. */
const ONE_NOTE = 18;
/** Where the number of the first note stands among them. */
const NUMBER = 3;
const PATIENT = { waitMs: 60_000 };
/** An answer of the same length, and nothing counted. */
const EMPTY =
  'return ARGV[#ARGV] and {1,2,3,4,5,6,7,8,9,10,"","",0,{1,2,3,4,5,"worker 1",7,"worker 1","",0,0,""}}';

const port = await freePort();
const folder = mkdtempSync(join(tmpdir(), 'deloop-bench-'));
const server = spawn(
  'redis-server',
  ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
  {
    stdio: 'ignore',
  },
);
try {
  await speed();
  await memory();
} finally {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function speed() {
  const empty = await (await connect()).scriptLoad(EMPTY);
  console.log(
    `Decisions in a swarm beside the bare EVALSHA; ${CALLS} calls a turn, ${ROUNDS} turns each, the median of each; ratios are the medians of turns next to each other.\n`,
  );
  console.log(
    '| workers | connections | decisions/s | p50 | p99 | bare EVALSHA/s | p50 | p99 | decision : bare | an empty script/s | decision : empty |',
  );
  console.log(
    '| ------- | ----------- | ----------- | --- | --- | -------------- | --- | --- | --------------- | ----------------- | ---------------- |',
  );
  for (const [workers, connections] of FLEETS) {
    const clients = [];
    for (let n = 0; n < connections; n++) clients.push(await connect());
    const clientOf = (n) => clients[n % connections];
    const stores = clients.map((client) => createRedisStore({ client, ...PATIENT }));
    const guards = Array.from({ length: workers }, (_, n) => {
      const swarm = { name: `bench ${workers} ${connections}`, worker: `worker ${n}`, ...PATIENT };
      return createSwarmGuard({ store: stores[n % connections], swarm });
    });
    let made = 0;
    const decide = (n) =>
      guards[n].before({ tool: 'read_file', args: { path: `src/file-${made++ % 1000}.ts` } });
    const sent = await oneByOne(workers, clients[0]);
    let number = 0;
    /** One note, with a number that was not counted yet. */
    const bare = (n, k) => {
      const { sha, options } = sent[(k * workers + n) % sent.length];
      number += 1;
      options.arguments[NUMBER] = String(number);
      return clientOf(n).evalSha(sha, options);
    };
    const nothing = (n, k) => clientOf(n).evalSha(empty, sent[(k * workers + n) % sent.length].options);
    for (const act of [decide, bare, nothing]) await turn(workers, act, WARM_UP);
    const [ours, theirs, least] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await turn(workers, decide));
      theirs.push(await turn(workers, bare));
      least.push(await turn(workers, nothing));
    }
    const [a, b, c] = [ours, theirs, least].map((turns) => median(turns, ({ rate }) => rate));
    const times = (others) =>
      `${median(others.map(({ rate }, round) => rate / ours[round].rate)).toFixed(2)}x`;
    console.log(
      `| ${workers} | ${connections} | ${a.rate.toFixed(0)} | ${us(a.p50)} | ${us(a.p99)} | ${b.rate.toFixed(0)} | ${us(b.p50)} | ${us(b.p99)} | ${times(theirs)} | ${c.rate.toFixed(0)} | ${times(least)} |`,
    );
    for (const client of clients) client.destroy();
  }
}

/** The scripts of a thousand decisions, as they are sent when nobody else decides: of one note each. */
async function oneByOne(workers, client) {
  const sent = [];
  const heard = {
    evalSha(sha, options) {
      if (options.arguments.length === ONE_NOTE) sent.push({ sha, options });
      return client.evalSha(sha, options);
    },
    eval: (script, options) => client.eval(script, options),
  };
  const store = createRedisStore({ client: heard, ...PATIENT });
  for (let n = 0; n < 1000; n++) {
    const swarm = { name: `bench bare ${workers}`, worker: `worker ${n % workers}`, ...PATIENT };
    const guard = createSwarmGuard({ store, swarm });
    await guard.before({ tool: 'read_file', args: { path: `src/file-${n}.ts` } });
  }
  return sent;
}

/** Every worker makes its share of the calls, one after the other. */
async function turn(workers, act, calls = CALLS) {
  const times = [];
  const each = Math.ceil(calls / workers);
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      for (let k = 0; k < each; k++) {
        const from = performance.now();
        await act(n, k);
        times.push(performance.now() - from);
      }
    }),
  );
  const took = performance.now() - begun;
  times.sort((first, second) => first - second);
  const at = (share) => times[Math.floor(times.length * share)];
  return { rate: (1000 * times.length) / took, p50: at(0.5), p99: at(0.99) };
}

async function memory() {
  const client = await connect();
  const board = boardOf(createRedisStore({ client, ...PATIENT }));
  const used = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  let member = 0;
  async function tell(notes) {
    for (let from = 0; from < notes.length; from += 50) {
      member += 1;
      const control = { version: 0, halted: false, why: '', by: '', at: 0 };
      const part = notes.slice(from, from + 50);
      await board.tell('memory', {
        member: 'm',
        first: member * 100,
        notes: part,
        resent: 0,
        born: '',
        control,
        windowMs: 86_400_000,
      });
    }
  }
  const many = 20_000;
  const keys = Array.from({ length: many }, (_, n) => `key${n.toString(36).padStart(8, '0')}`);
  const call = (worker) => (key) => ({ kind: 'call', worker, key });
  await tell([call('worker 0')('first')]);
  const start = await used();
  await tell(keys.map(call('worker 0')));
  const one = (await used()) - start;
  for (let n = 1; n < 10; n++) await tell(keys.map(call(`worker ${n}`)));
  const ten = (await used()) - start;
  const before = await used();
  await tell(Array.from({ length: many }, (_, n) => call(`another worker ${n}`)('one key')));
  const agent = (await used()) - before;
  // A process also has its number of notes.
  const numbers = 97;
  console.log(
    `\nBytes of Redis, ${many} of each: a live call ${(one / many).toFixed(0)}, with ten workers ${(ten / many).toFixed(0)}; a live worker ${(agent / many + numbers).toFixed(0)}.\n`,
  );
  const perCall = one / many;
  const perAgent = agent / many + numbers;
  console.log(
    'Sizing: 20 live calls of each agent, half of them made by others, too; 6 calls a minute; 1.2 scripts a call.\n',
  );
  console.log('| live agents | memory | scripts a second |');
  console.log('| ----------- | ------ | ---------------- |');
  for (const agents of [1000, 100_000, 10_000_000]) {
    const bytes = agents * (perAgent + 20 * perCall);
    console.log(
      `| ${agents.toLocaleString('en-US')} | ${size(bytes)} | ${Math.round((agents * 6 * 1.2) / 60).toLocaleString('en-US')} |`,
    );
  }
  client.destroy();
}

async function connect() {
  for (let n = 0; ; n++) {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    try {
      return await client.connect();
    } catch (error) {
      if (n > 100) throw error;
      await sleep(50);
    }
  }
}

function median(list, by = (item) => item) {
  return list.toSorted((first, second) => by(first) - by(second))[Math.floor(list.length / 2)];
}

function us(ms) {
  return `${(ms * 1000).toFixed(0)} µs`;
}

function size(bytes) {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address();
      probe.close(() => done(free));
    });
  });
}
