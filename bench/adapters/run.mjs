// What an adapter adds to a step of its host: real frameworks and their own clients, over HTTP, against a scripted model in a process of its
// own. Runs without it, with the adapter alone and with its guard go on beside each other, step by step. Ratios are what counts.
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
  'pi-87',
  'pi-74',
];
const quick = process.argv.includes('--quick');
const small = process.argv.includes('--small');
/** For the processes that are started: agents that begin with a tenth of what coding agents do. */
if (small) process.env.CONTEXT = 'small';
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
/** Each has its own luck with the compiler and with where things lie in memory. */
const PROCESSES = quick ? 1 : 3;
const ROUNDS = quick ? 5 : 20;
const WARM_UP = quick ? 20 : 80;
const GOAL = 0.02;
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

async function measure(host) {
  const model = spawn(process.execPath, [path('model.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = await once(model.stdout, 'data');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path('measure.mjs'), host, String(url).trim(), ROUNDS, WARM_UP],
      { maxBuffer: 2 ** 26, env: { ...process.env, NODE_ENV: 'production' } },
    );
    return summaryOf(JSON.parse(stdout));
  } finally {
    model.kill();
  }
}

/** What each way adds to the bare step, as the median over all steps: of processor time, and of wall time. */
function summaryOf({ bare, ...others }) {
  const typical = (time) => median(bare.map((step) => step[time]));
  const added = (steps, time) => median(steps.map((step, n) => step[time] - bare[n][time]));
  const more = Object.entries(others).map(([way, steps]) => [
    way,
    [added(steps, 'cpu'), added(steps, 'wall')],
  ]);
  return { bare: [typical('cpu'), typical('wall')], ...Object.fromEntries(more) };
}

const cells = (...words) =>
  console.log(words.map((word, n) => (n === 0 ? word.padEnd(17) : word.padStart(12))).join(''));
const us = (time) => `${time.toFixed(Math.abs(time) < 100 ? 1 : 0)} us`;
const signed = (time) => `${time < 0 ? '' : '+'}${us(time)}`;
const percent = (share) => `${(share * 100).toFixed(1)} %`;

console.log(
  `A step = one response of the model and one call of a tool with 1 to 3 KB back; ${STEPS} steps a run,\nwhich begins with ${small ? 19 : 169} KB; ${ROUNDS} runs each way in each of ${PROCESSES} processes.\n`,
);
cells('host', 'processor', 'noise', 'empty hook', 'adapter', '', 'with guard', '', 'wall', 'with guard');
let failed = 0;
for (const host of asked.length > 0 ? asked : HOSTS) {
  if (!existsSync(path(`hosts/${host}.mjs`)))
    throw new Error(`no host "${host}"; there are ${HOSTS.join(', ')}`);
  const runs = [];
  for (let n = 0; n < PROCESSES; n++) runs.push(await measure(host));
  const [cpu, wall] = [0, 1].map((time) => (way) => median(runs.map((run) => run[way][time])));
  const share = (time, way) => percent(time(way) / time('bare'));
  const hook = runs[0].hooked === undefined ? '' : signed(cpu('hooked'));
  const more = ['adapter', 'guarded'].flatMap((way) => [signed(cpu(way)), share(cpu, way)]);
  cells(host, us(cpu('bare')), signed(cpu('again')), hook, ...more, us(wall('bare')), share(wall, 'guarded'));
  if (cpu('adapter') / cpu('bare') > GOAL) failed += 1;
}
console.log(`\nThe guard alone, in process: ${us(aloneUs())} a step.`);
console.log(
  failed === 0
    ? `Every adapter adds under ${percent(GOAL)} to the processor time of its host.`
    : `${failed} above ${percent(GOAL)}.`,
);
process.exitCode = failed === 0 || quick ? 0 : 1;
