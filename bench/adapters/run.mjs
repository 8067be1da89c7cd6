// What an adapter adds to a step of its host: real frameworks and their own clients, over HTTP, against a scripted model in a process of its
// own. Runs without it, with the adapter alone and with its guard go on beside each other, ten steps of each in turn. Ratios are what counts.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { aloneUs } from './alone.mjs';
import { STEPS } from './script.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const HOSTS = [
  'generic',
  'ai-sdk-7',
  'ai-sdk-7-stream',
  'ai-sdk-6',
  'ai-sdk-6-stream',
  'langchain',
  'openai-agents',
  'mastra',
  'strands',
  'google-adk',
  'pi-1',
  'pi-0',
];
const quick = process.argv.includes('--quick');
const small = process.argv.includes('--small');
/** For the processes that are started: agents that begin with a tenth of what coding agents do. */
if (small) process.env.CONTEXT = 'small';
const preset =
  process.argv.find((word) => word.startsWith('--preset='))?.slice('--preset='.length) ?? 'recommended';
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
/** Each has its own luck with the compiler and with where things lie in memory. There are more of them as long as the answer is not clear. */
const [PROCESSES, MAX_PROCESSES] = quick ? [1, 1] : [2, 6];
const ROUNDS = quick ? 5 : 10;
const WARM_UP = quick ? 20 : 80;
/** Megabytes of young objects before they are collected: otherwise every few steps one takes much longer than its neighbours. */
const YOUNG = 128;
const GOAL = 0.02;
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

async function measure(host) {
  const model = spawn(process.execPath, [path('model.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = await once(model.stdout, 'data');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        `--min-semi-space-size=${YOUNG}`,
        `--max-semi-space-size=${YOUNG}`,
        path('measure.mjs'),
        host,
        String(url).trim(),
        ROUNDS,
        WARM_UP,
        preset,
      ],
      { maxBuffer: 2 ** 26, env: { ...process.env, NODE_ENV: 'production' } },
    );
    return JSON.parse(stdout);
  } finally {
    model.kill();
  }
}

/** What a way adds to the bare steps beside it, in the middle, and how far off that may well be. */
function added(all, way, time) {
  const steps = all[way];
  const beside = way === 'again' ? [all.bare] : [all.bare, all.again];
  const more = beside
    .flatMap((plain) => steps.map((step, n) => step[time] - plain[n][time]))
    .toSorted((a, b) => a - b);
  // The middle of so many is off by half the root of their number, in places.
  const places = (Math.sqrt(steps.length) / 2) * beside.length;
  const near = (place) => more[Math.round(more.length / 2 + place)];
  return { by: near(0), error: (near(places) - near(-places)) / 2 };
}

/** Whether the adapter is so far from the goal that it is not by chance on this side of it. */
function isClear({ by, error }, cpu) {
  return Math.abs(by - cpu * GOAL) > 2 * error;
}

const cells = (...words) =>
  console.log(words.map((word, n) => (n === 0 ? word.padEnd(17) : word.padStart(13))).join(''));
const us = (time) => `${time.toFixed(Math.abs(time) < 100 ? 1 : 0)} us`;
const within = ({ by, error }) => `${by.toFixed(0)} ±${error.toFixed(0)} us`;
const percent = (share) => `${(share * 100).toFixed(1)} %`;

console.log(
  `A step = one response of the model and one call of a tool with 1 to 3 KB back; ${STEPS} steps a run,\nwhich begins with ${small ? 19 : 169} KB; ${ROUNDS} runs each way in each of ${PROCESSES} to ${MAX_PROCESSES} processes; the guard is ${preset}.\n`,
);
cells('host', 'processor', 'noise', 'empty hook', 'adapter', '', 'with guard', '', 'wall', 'with guard');
/** How many are above the goal: the adapter alone, and with its guard. */
let [failed, failedGuarded] = [0, 0];
for (const host of asked.length > 0 ? asked : HOSTS) {
  if (!existsSync(path(`hosts/${host}.mjs`)))
    throw new Error(`no host "${host}"; there are ${HOSTS.join(', ')}`);
  let all = {};
  let cpu = 0;
  let adapter = { by: 0, error: 0 };
  for (let n = 0; n < PROCESSES || (n < MAX_PROCESSES && !isClear(adapter, cpu)); n++) {
    const steps = await measure(host);
    all = Object.fromEntries(Object.keys(steps).map((way) => [way, [...(all[way] ?? []), ...steps[way]]]));
    cpu = median(all.bare.map((step) => step.cpu));
    adapter = added(all, 'adapter', 'cpu');
  }
  const wall = median(all.bare.map((step) => step.wall));
  const [noise, hook, guarded] = ['again', 'hooked', 'guarded'].map((way) =>
    all[way] === undefined ? null : added(all, way, 'cpu'),
  );
  const waits = added(all, 'guarded', 'wall');
  cells(
    host,
    us(cpu),
    within(noise),
    hook === null ? '' : within(hook),
    within(adapter),
    percent(adapter.by / cpu),
    within(guarded),
    percent(guarded.by / cpu),
    us(wall),
    percent(waits.by / wall),
  );
  if (adapter.by / cpu > GOAL) failed += 1;
  if (guarded.by / cpu > GOAL) failedGuarded += 1;
}
console.log(`\nThe guard alone, in process: ${us(aloneUs({ preset }))} a step.`);
const verdict = (above) => (above === 0 ? `all under ${percent(GOAL)}` : `${above} above ${percent(GOAL)}`);
console.log(`Added to the processor time of the host: by the adapter alone, ${verdict(failed)};`);
console.log(`with its guard, ${verdict(failedGuarded)}.`);
process.exitCode = failed === 0 || quick ? 0 : 1;
