// How fast `deloop scan` reads, side by side with a bare pass over the same files, on the same number of threads:
// node bench/scan.mjs [--quick] [--even | --folder SESSIONS]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { resolve as absolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { EVEN, makeSessions, SHARES } from './scan/make-sessions.mjs';

const { values: asked } = parseArgs({
  options: { quick: { type: 'boolean' }, even: { type: 'boolean' }, folder: { type: 'string' } },
});
const [SESSIONS, BYTES] = asked.quick ? [200, 100e6] : [2000, 1e9];
const ROUNDS = 3;
/** In the sessions of people something cannot be read. */
const INCOMPLETE = 3;
const GOALS = { share: 0.6, megabytes: 400 };
const MB = 1e6;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const COMMAND = here('../dist/cli/main.js');
const BARE = here('scan/bare.mjs');
const PEAK = pathToFileURL(here('scan/peak.mjs')).href;

/** Runs one program to its end: what it printed, how long it took, and what it took of the machine. */
function measured(args, folder) {
  const env = { PATH: process.env.PATH, HOME: folder, PEAK_FILE: join(folder, 'peak.json') };
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', PEAK, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      const ms = performance.now() - began;
      if (status !== 0 && !(asked.folder && status === INCOMPLETE))
        reject(new Error(`${args.join(' ')} ended with ${status}`));
      else resolve({ out, ms, ...JSON.parse(readFileSync(env.PEAK_FILE, 'utf8')) });
    });
  });
}

/** The quickest of several runs of each, in turns: whatever else the machine does only ever adds. */
async function compare(folder, sessions, threads) {
  const contestants = [
    { name: 'bare pass', args: [BARE, sessions, String(threads), 'text'] },
    { name: 'lean pass', args: [BARE, sessions, String(threads), 'bytes'] },
    { name: 'scan', args: [COMMAND, 'scan', sessions, '--json', '--threads', String(threads)] },
    // The preset with the least to do: nearly all of it is reading and reporting.
    {
      name: 'scan under codex',
      args: [COMMAND, 'scan', sessions, '--json', '--threads', String(threads), '--preset', 'codex'],
    },
  ].map((one) => ({ ...one, runs: [] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { args, runs } of contestants) runs.push(await measured(args, folder));
  }
  return contestants.map(({ name, runs }) => ({
    name,
    ms: Math.min(...runs.map(({ ms }) => ms)),
    cpu: Math.min(...runs.map(({ cpu }) => cpu)) / 1000,
    peak: (Math.max(...runs.map(({ maxRSS }) => maxRSS)) * 1024) / MB,
    out: runs[0].out,
  }));
}

function percent(part) {
  return `${(100 * part).toFixed(0)} %`;
}

function verdict(reached) {
  return reached ? 'reached' : 'missed';
}

const folder = mkdtempSync(join(tmpdir(), 'deloop-bench-'));
process.on('SIGINT', () => process.exit(130));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const sessions = asked.folder === undefined ? join(folder, 'sessions') : absolute(asked.folder);
if (asked.folder === undefined) makeSessions(sessions, SESSIONS, BYTES, asked.even ? EVEN : SHARES);
const files = readdirSync(sessions, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
const bytes = files.reduce((sum, name) => sum + statSync(join(sessions, name)).size, 0);
console.log(
  `${files.length.toLocaleString('en-US')} sessions, ${(bytes / MB).toFixed(0)} MB; the quickest of ${ROUNDS} runs\n`,
);
const outputs = new Set();
for (const threads of [...new Set([1, availableParallelism()])]) {
  const rows = await compare(folder, sessions, threads);
  const [bare, , scan] = rows;
  outputs.add(scan.out);
  console.log(`${threads} ${threads === 1 ? 'thread' : 'threads'}`);
  for (const { name, ms, cpu, peak } of rows) {
    const speed = `${(bytes / MB / (ms / 1000)).toFixed(0)} MB/s`.padStart(9);
    const time = `${(ms / 1000).toFixed(2)} s`.padStart(8);
    const processor = `${(cpu / 1000).toFixed(2)} s`.padStart(8);
    const share = `${percent(bare.ms / ms)} of the bare pass, ${percent(bare.cpu / cpu)} by processor`;
    console.log(
      `  ${name.padEnd(18)}${speed}${time}, processor${processor}, at most ${peak.toFixed(0)} MB; ${share}`,
    );
  }
  const share = bare.ms / scan.ms;
  console.log(
    `  speed of the scan: ${percent(share)} of the bare pass (goal: ${percent(GOALS.share)}) ${verdict(share >= GOALS.share)}`,
  );
  console.log(
    `  memory of the scan: ${scan.peak.toFixed(0)} MB (goal: under ${GOALS.megabytes} MB) ${verdict(scan.peak < GOALS.megabytes)}\n`,
  );
}
console.log(`The same report whatever the threads: ${outputs.size === 1 ? 'yes' : 'NO'}`);
const { loops, totals } = JSON.parse([...outputs][0]);
console.log(`${totals.calls.toLocaleString('en-US')} calls, ${loops.length} loops`);
if (outputs.size !== 1) process.exitCode = 1;
