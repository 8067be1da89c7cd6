// What a decision in a swarm costs, beside the bare EVALSHA of one note: same server, same client, same script, as many keys and arguments, in turns.
// Usage: node bench/swarm/run.mjs [--quick] [WORKERS ...]; needs dist/, redis-server in PATH and the packages of test/hosts/redis.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startRedis } from './redis.mjs';
import { sizing } from './sizing.mjs';

const PROCESS = fileURLToPath(new URL('./process.mjs', import.meta.url));
const quick = process.argv.includes('--quick');
const GOAL = 1.3;
const CONTESTANTS = ['decision', 'bare', 'empty'];
/** Of a turn, over all workers. */
const CALLS = quick ? 640 : 3200;
const ROUNDS = quick ? 3 : 15;
/** Decisions before the first turn, in a process and in all of them: what is not compiled yet is no cost of a decision. */
const WARM_UP = quick ? 200 : 20_000;
const WARM_UP_OF_ALL = quick ? 2000 : 128_000;
/** What the others have beyond it, they share with decisions. */
const WARM_UP_OF_OTHERS = 0.1;
/** Workers as processes of their own, as a fleet has them; then all of them in one process, which shares its time between them. */
const FLEETS = [
  { workers: 1, processes: 1, connections: 1 },
  { workers: 8, processes: 8, connections: 8 },
  { workers: 64, processes: 64, connections: 64 },
  { workers: 8, processes: 1, connections: 1 },
  { workers: 64, processes: 1, connections: 1 },
  { workers: 8, processes: 1, connections: 8 },
  { workers: 64, processes: 1, connections: 64 },
];

const only = process.argv.slice(2).map(Number);
const fleets = FLEETS.filter(({ workers }) => only.every(Number.isNaN) || only.includes(workers));
const redis = await startRedis();
try {
  console.log(
    `Decisions in a swarm beside the bare EVALSHA; ${CALLS} calls a turn, ${ROUNDS} turns each; ratios are of turns next to each other: the median, and the middle half.\n`,
  );
  console.log(
    '| workers | processes | connections | decisions/s | p50 | p99 | bare EVALSHA/s | p50 | p99 | decision : bare | middle half | an empty script/s | decision : empty |',
  );
  console.log(`|${' --- |'.repeat(13)}`);
  const verdicts = [];
  for (const fleet of fleets) verdicts.push(await measured(fleet));
  console.log(`\nGoal ${GOAL}x of bare: ${verdicts.join('; ')}.`);
  await sizing(redis.port);
} finally {
  redis.stop();
}

async function measured({ workers, processes, connections }) {
  const share = (whole) => String(whole / processes);
  const swarm = `bench ${workers} ${processes} ${connections}`;
  const children = [];
  try {
    for (let n = 0; n < processes; n++) {
      const args = [String(redis.port), swarm, String(n), share(workers), share(connections)];
      const child = fork(PROCESS, args, { execArgv: ['--expose-gc'] });
      children.push(child);
    }
    await Promise.all(children.map((child) => once(child, 'message')));
    const warmUp = Math.min(WARM_UP * processes, WARM_UP_OF_ALL);
    for (const contestant of CONTESTANTS)
      await turn(children, contestant, contestant === 'decision' ? warmUp : warmUp * WARM_UP_OF_OTHERS);
    const turns = Object.fromEntries(CONTESTANTS.map((contestant) => [contestant, []]));
    for (let round = 0; round < ROUNDS; round++)
      for (let n = 0; n < CONTESTANTS.length; n++) {
        // Everybody comes after everybody else.
        const contestant = CONTESTANTS[(n + round) % CONTESTANTS.length];
        turns[contestant].push(await turn(children, contestant, CALLS));
      }
    const [a, b, c] = CONTESTANTS.map((contestant) => turns[contestant].toSorted(byRate)[ROUNDS >> 1]);
    const times = (other) =>
      turns[other].map(({ rate }, round) => rate / turns.decision[round].rate).sort((x, y) => x - y);
    const ratios = times('bare');
    const ratio = at(ratios, 0.5);
    const cells = [
      workers,
      processes,
      connections,
      ...[a, b].flatMap(({ rate, p50, p99 }) => [rate.toFixed(0), us(p50), us(p99)]),
      `${ratio.toFixed(2)}x`,
      `${at(ratios, 0.25).toFixed(2)}x to ${at(ratios, 0.75).toFixed(2)}x`,
      c.rate.toFixed(0),
      `${at(times('empty'), 0.5).toFixed(2)}x`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
    const where = processes === workers ? 'processes' : `in a process, connections ${connections}`;
    return `${workers} ${where}: ${ratio <= GOAL ? 'reached' : 'missed'}`;
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Every worker makes its share of the calls, one after the other. */
async function turn(children, contestant, calls) {
  const begun = performance.now();
  const done = await all(children, { turn: contestant, calls: calls / children.length });
  const took = performance.now() - begun;
  const times = (await all(children, {})).flatMap((told) => told.times).sort((x, y) => x - y);
  const made = done.reduce((sum, told) => sum + told.done, 0);
  return { rate: (1000 * made) / took, p50: at(times, 0.5), p99: at(times, 0.99) };
}

function all(children, message) {
  return Promise.all(
    children.map(async (child) => {
      const answer = once(child, 'message');
      child.send(message);
      return (await answer)[0];
    }),
  );
}

function byRate(first, second) {
  return first.rate - second.rate;
}

function at(sorted, share) {
  return sorted[Math.floor(sorted.length * share)];
}

function us(ms) {
  return `${(ms * 1000).toFixed(0)} µs`;
}
