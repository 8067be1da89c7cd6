// One process of the bench, with some workers of the swarm: `process.mjs PORT SWARM NAME WORKERS CONNECTIONS`. Its parent tells it whose turn it is.
import { createSwarmGuard } from '../../dist/index.js';
import { createRedisStore } from '../../dist/stores/index.js';
import { connect } from './redis.mjs';

const [port, swarm, name, ...numbers] = process.argv.slice(2);
const [workers, connections] = numbers.map(Number);
/** Scripts of decisions that are recorded. */
const RECORDED = 200;
/** Arguments of a script with one note. */
const ONE_NOTE = 18;
/** Where the number of the first note stands among them. */
const NUMBER = 3;
const PATIENT = { waitMs: 60_000 };
/** An answer of the same length, and nothing counted. */
const EMPTY =
  'return ARGV[#ARGV] and {1,2,3,4,5,6,7,8,9,10,"","",0,{1,2,3,4,5,"worker 1",7,"worker 1","",0,0,""}}';

const clients = await Promise.all(Array.from({ length: connections }, () => connect(port)));
const clientOf = (n) => clients[n % connections];
const empty = await clients[0].scriptLoad(EMPTY);
const stores = clients.map((client) => createRedisStore({ client, ...PATIENT }));
const guards = Array.from({ length: workers }, (_, n) =>
  createSwarmGuard({ store: stores[n % connections], swarm: { name: swarm, worker: nameOf(n), ...PATIENT } }),
);
const sent = await oneByOne();
let made = 0;
let number = 0;

const contestants = {
  decision: (n) => guards[n].before(call(made++)),
  /** One note, with a number that was not counted yet. */
  bare(n, k) {
    const { sha, options } = sent[(k * workers + n) % sent.length];
    number += 1;
    options.arguments[NUMBER] = String(number);
    return clientOf(n).evalSha(sha, options);
  },
  empty: (n, k) => clientOf(n).evalSha(empty, sent[(k * workers + n) % sent.length].options),
};

let times = [];
process.on('message', async ({ turn, calls }) => {
  if (turn === undefined) {
    process.send({ times });
    return;
  }
  // What another contestant has left behind is not this one's to clean up.
  globalThis.gc({ type: 'minor' });
  times = [];
  const act = contestants[turn];
  const each = Math.ceil(calls / workers);
  await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      for (let k = 0; k < each; k++) {
        const from = performance.now();
        await act(n, k);
        times.push(performance.now() - from);
      }
    }),
  );
  process.send({ done: times.length });
});
process.send({ ready: true });

/** The scripts of decisions as they are sent when nobody else decides: of one note each. */
async function oneByOne() {
  const recorded = [];
  const heard = {
    evalSha(sha, options) {
      if (options.arguments.length === ONE_NOTE) recorded.push({ sha, options });
      return clients[0].evalSha(sha, options);
    },
    eval: (script, options) => clients[0].eval(script, options),
  };
  const store = createRedisStore({ client: heard, ...PATIENT });
  for (let n = 0; n < RECORDED; n++) {
    const worker = nameOf(n % workers);
    const guard = createSwarmGuard({ store, swarm: { name: `${swarm} bare`, worker, ...PATIENT } });
    await guard.before(call(n));
  }
  return recorded;
}

function call(n) {
  return { tool: 'read_file', args: { path: `src/file-${n % 1000}.ts` } };
}

function nameOf(n) {
  return `worker ${name}.${n}`;
}
