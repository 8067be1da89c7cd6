// What an adapter adds to a step of its host: real frameworks and their own clients, over HTTP, against a scripted model in a process of its
// own. Runs without it, with the adapter alone and with its guard take turns. Ratios are what counts.
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
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const ROUNDS = quick ? 4 : 60;
const WARM_UP = quick ? 4 : 40;
const GOAL = 0.02;
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

async function measure(host) {
  const model = spawn(process.execPath, [path('model.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = await once(model.stdout, 'data');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path('measure.mjs'), host, String(url).trim(), ROUNDS, WARM_UP],
      { maxBuffer: 2 ** 24, env: { ...process.env, NODE_ENV: 'production' } },
    );
    return JSON.parse(stdout);
  } finally {
    model.kill();
  }
}

const cells = (...words) =>
  console.log(words.map((word, n) => (n === 0 ? word.padEnd(17) : word.padStart(12))).join(''));
const us = (time) => `${time.toFixed(Math.abs(time) < 100 ? 1 : 0)} us`;
const signed = (time) => `${time < 0 ? '' : '+'}${us(time)}`;
const percent = (share) => `${(share * 100).toFixed(1)} %`;

console.log(
  `A step = one response of the model and one call of a tool with 1 to 3 KB back; ${STEPS} steps a run, ${ROUNDS} runs each way,\n16 tools, 8 KB of instructions.\n`,
);
cells('host', 'processor', 'empty hook', 'adapter', '', 'with guard', '', 'wall', 'with guard');
let failed = 0;
for (const host of asked.length > 0 ? asked : HOSTS) {
  if (!existsSync(path(`hosts/${host}.mjs`)))
    throw new Error(`no host "${host}"; there are ${HOSTS.join(', ')}`);
  const { bare, hooked, adapter, guarded } = await measure(host);
  /** Beside the bare run of the same round, which other work has slowed down as much. */
  const added = (runs, time = 'cpu') => median(runs.map((run, round) => run[time] - bare[round][time]));
  const [own, wall] = ['cpu', 'wall'].map((time) => median(bare.map((run) => run[time])));
  const more = [adapter, guarded].flatMap((runs) => [signed(added(runs)), percent(added(runs) / own)]);
  const hook = hooked === undefined ? '' : signed(added(hooked));
  cells(host, us(own), hook, ...more, us(wall), percent(added(guarded, 'wall') / wall));
  if (added(adapter) / own > GOAL) failed += 1;
}
console.log(`\nThe guard alone, in process: ${us(aloneUs())} a step.`);
console.log(
  failed === 0
    ? `Every adapter adds under ${percent(GOAL)} to the processor time of its host.`
    : `${failed} above ${percent(GOAL)}.`,
);
process.exitCode = failed === 0 || quick ? 0 : 1;
