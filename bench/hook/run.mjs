// What a hook costs the agent that waits for it: `npm run bench:hook [-- --quick]`. Everything that is compared runs in turns, in one run.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileStore } from '../../dist/stores/index.js';
import { stateOf } from './state.mjs';

const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const { runHook } = createRequire(import.meta.url)('../../dist/hook/main.cjs');
// As `deloop install` writes them.
const FLAGS = ['--v8-pool-size=0', '--preserve-symlinks-main'];
const quick = process.argv.includes('--quick');
const SPAWNS = quick ? 15 : 101;
const CHANGES = quick ? 200 : 2000;
const CALLS = 10_000;
const WINDOW = 200;
const STATE_BYTES = 12_000;
const SPAWN_GOAL = 1.35;
const STATE_GOAL = 1.1;
const PORT = 6397;

const folder = mkdtempSync(join(tmpdir(), 'deloop-bench-'));
// Node reads these certificates before it does anything, which would hide the difference.
const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, ...inherited } = process.env;
const env = { ...inherited, DELOOP_STATE_DIR: join(folder, 'state') };

const clock = () => Number(process.hrtime.bigint()) / 1e6;
const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)];
const at50 = (times) => at(times, 0.5);
const ms = (time) => `${time.toFixed(time < 10 ? 2 : 1)} ms`;
const verdict = (ratio, goal) =>
  `${ratio.toFixed(2)}x, goal ${goal}x: ${ratio <= goal ? 'reached' : 'missed'}`;

function payload(session, n, event) {
  return JSON.stringify({
    session_id: session,
    cwd: folder,
    hook_event_name: event,
    tool_name: n % 3 === 0 ? 'Read' : 'Bash',
    tool_input: n % 3 === 0 ? { file_path: `/src/${n % 90}.ts` } : { command: `npm test -- part-${n % 70}` },
    tool_use_id: `toolu_${n}`,
    ...(event === 'PostToolUse'
      ? { tool_response: { stdout: `part ${n} of it, as it came\n`.repeat(20), stderr: '' } }
      : {}),
  });
}

/** Each command as often as the others, in another order every time: what ran before it makes one slower or quicker. */
function spawned(commands, rounds) {
  const times = commands.map(() => []);
  for (let round = -3; round < rounds; round++)
    for (const index of shuffled(commands.length)) {
      const { program = process.execPath, args, input = () => '', env: more = {} } = commands[index];
      const given = input(round + 3);
      const start = clock();
      const { status } = spawnSync(program, args, { input: given, env: { ...env, ...more }, cwd: folder });
      const spent = clock() - start;
      if (status !== 0) throw new Error(`${args} ended with ${status}`);
      if (round >= 0) times[index].push(spent);
    }
  return times;
}

function shuffled(length) {
  const order = Array.from({ length }, (_, index) => index);
  for (let last = length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/** The command that `deloop install` writes into the settings, taken from there. */
function installedCommand() {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const args = [MAIN, 'install', 'claude-code', '--yes'];
  const { status } = spawnSync(process.execPath, args, { env: { ...env, HOME: home }, cwd: home });
  if (status !== 0) throw new Error(`deloop install ended with ${status}`);
  const settings = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'));
  return settings.hooks.PreToolUse[0].hooks[0].command;
}

function table(title, rows, [, base]) {
  console.log(`${title}\n`);
  console.log('|     | fastest | a quarter | median | ratio of the medians |');
  console.log('| --- | ------- | --------- | ------ | -------------------- |');
  for (const [name, times] of rows) {
    const figures = [0, 0.25, 0.5].map((share) => ms(at(times, share))).join(' | ');
    const ratio = at(times, 0.5) / at(base, 0.5);
    console.log(`| ${name} | ${figures} | ${times === base ? '' : verdict(ratio, SPAWN_GOAL)} |`);
  }
}

function benchSpawn() {
  const hook = (event) => ({
    args: [...FLAGS, HOOK, 'claude-code'],
    input: (n) => payload('spawn', n, event),
  });
  const sh = (command, input) => ({ program: '/bin/sh', args: ['-c', command], input });
  const command = installedCommand();
  const [bare, before, after, shell, installed, installedAfter] = spawned(
    [
      { args: ['-e', '0'] },
      hook('PreToolUse'),
      hook('PostToolUse'),
      sh(`'${process.execPath}' -e 0 || true`, () => ''),
      sh(command, (n) => payload('shell', n, 'PreToolUse')),
      sh(command, (n) => payload('shell', n, 'PostToolUse')),
    ],
    SPAWNS,
  );
  const rows = [
    ['`node -e 0`', bare],
    ['before a call', before],
    ['after a call', after],
  ];
  table('From spawn to exit, beside `node -e 0`:', rows, rows[0]);
  const inShell = [
    ["`sh -c 'node -e 0'`", shell],
    ['before a call', installed],
    ['after a call', installedAfter],
  ];
  table('\nThe command as it stands in the settings, in a shell, as hosts run it:', inShell, inShell[0]);
  const whole = Math.max(at(installed, 0.5), at(installedAfter, 0.5)) / at(bare, 0.5);
  console.log(
    `\nThat command, shell and all, beside \`node -e 0\` without one: ${verdict(whole, SPAWN_GOAL)}`,
  );
}

/** A hook in a swarm connects to Redis, and asks it; beside one that is in none, and one whose Redis is away. */
async function benchSwarm() {
  const server = spawn('redis-server', ['--port', String(PORT), '--bind', '127.0.0.1', '--save', ''], {
    stdio: 'ignore',
  });
  const failed = await Promise.race([
    new Promise((done) => server.once('error', done)),
    new Promise((done) => setTimeout(done, 1000)),
  ]);
  if (failed) {
    console.log('\nIn a swarm: not measured, there is no redis-server.');
    return;
  }
  const hookIn = (session, more) => ({
    args: [...FLAGS, HOOK, 'claude-code'],
    input: (n) => payload(session, n, 'PreToolUse'),
    env: { DELOOP_STATE_DIR: join(folder, session), ...more },
  });
  const swarm = (port) => ({ DELOOP_REDIS_URL: `redis://127.0.0.1:${port}`, DELOOP_SWARM: 'bench' });
  const [alone, settings, together, away] = spawned(
    [
      hookIn('alone', {}),
      hookIn('settings', { DELOOP_ATTENDED: 'true' }),
      hookIn('together', swarm(PORT)),
      hookIn('away', swarm(PORT + 1)),
    ],
    SPAWNS,
  );
  server.kill();
  console.log('\nA hook before a call, in a swarm over a Redis of this machine:\n');
  console.log('|     | median | beside a hook that is in none |');
  console.log('| --- | ------ | ----------------------------- |');
  for (const [name, times] of [
    ['in no swarm', alone],
    ['in no swarm, with settings to read', settings],
    ['in a swarm', together],
    ['in a swarm whose Redis is away', away],
  ])
    console.log(`| ${name} | ${ms(at50(times))} | ${(at50(times) / at50(alone)).toFixed(2)}x |`);
}

function benchState() {
  const place = join(folder, 'spawned');
  const args = (script) => [fileURLToPath(new URL(script, import.meta.url)), place, String(STATE_BYTES)];
  createFileStore({ folder: place }).update('s', () => [1, null]);
  const [plain, stored] = spawned(
    [{ args: args('state-plain.mjs') }, { args: args('state-store.mjs') }],
    SPAWNS,
  );
  console.log(
    `\nThe state of a session, ${STATE_BYTES} bytes, beside a plain write and rename of the same bytes:\n`,
  );
  const ratio = at(stored, 0.5) / at(plain, 0.5);
  console.log(
    `- in a process of its own: ${ms(at(stored, 0.5))}, plain ${ms(at(plain, 0.5))}: ${verdict(ratio, STATE_GOAL)}`,
  );
}

async function benchChanges() {
  const place = join(folder, 'changes');
  const store = createFileStore({ folder: place });
  const state = stateOf(STATE_BYTES);
  const [plain, stored, text] = [[], [], []];
  for (let n = 0; n < CHANGES; n++) {
    let start = clock();
    await store.update('s', () => [state, null]);
    stored.push(clock() - start);
    start = clock();
    JSON.parse(JSON.stringify(state));
    text.push(clock() - start);
    const written = JSON.stringify(state);
    start = clock();
    writeFileSync(join(place, 'plain.lock'), written, { mode: 0o600 });
    renameSync(join(place, 'plain.lock'), join(place, 'plain.jsonl'));
    plain.push(clock() - start);
  }
  const [one, other, json] = [stored, plain, text].map((times) => at(times, 0.5));
  console.log(
    `- over and over in one process: ${ms(one)}, of which ${ms(json)} are JSON, read and written; plain ${ms(other)}. Lock, read, write, rename: ${((one - json) / other).toFixed(2)}x`,
  );
}

function benchGrowth() {
  const surroundings = { cwd: folder, env, home: folder, platform: process.platform };
  const path = join(folder, 'state', 'sessions', 'claude-code-long.json');
  const windows = [];
  let times = [];
  for (let n = 0; n < (quick ? CALLS / 10 : CALLS); n++) {
    const start = clock();
    for (const event of ['PreToolUse', 'PostToolUse'])
      runHook(
        {
          agent: 'claude-code',
          shadow: false,
          payload: payload('long', n, event),
          surroundings,
          now: 1e12 + n * 5000,
        },
        {},
      );
    times.push(clock() - start);
    if (times.length < WINDOW) continue;
    windows.push({ calls: n + 1, time: at(times, 0.5), bytes: statSync(path).size });
    times = [];
  }
  console.log('\nOne session as it grows, both hooks of a call, without the process around them:\n');
  console.log('| calls | median | state |');
  console.log('| ----- | ------ | ----- |');
  const shown = [1, 2, 5, 10, 25, 50].map((index) => windows[index - 1]).filter(Boolean);
  for (const { calls, time, bytes } of shown) console.log(`| ${calls} | ${ms(time)} | ${bytes} bytes |`);
}

benchSpawn();
await benchSwarm();
benchState();
await benchChanges();
benchGrowth();
rmSync(folder, { recursive: true });
