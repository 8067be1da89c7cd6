// Runs real agents under guard: `node scripts/test-agents.mjs [--keep] [--write] [agent | agent/loop]...`.
// The model is a script that goes round in circles; the agent, its hooks and deloop, installed by `deloop install`, are real.
// Agents are installed into $TMPDIR/agents and run there cut off from the network. --write keeps what was seen in docs/agents.md.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFakeModel } from '../test/e2e/fake-llm/server.mjs';
import { execute } from './agents/execute.mjs';
import { linesOf, pathsUnder, writeText } from './agents/files.mjs';
import { flagsOf, GUARDED } from './agents/guarded.mjs';
import { EXPECTED } from './agents/guarded-expected.mjs';
import { writePage } from './agents/guarded-page.mjs';
import { install } from './agents/install.mjs';
import { canIsolate, environment, runNode, settle } from './agents/isolate.mjs';
import { fitting, LOOPS, STATUS } from './agents/loops.mjs';
import { differences, loggedIn, observed, rowText } from './agents/observed.mjs';
import { PROJECT, scriptOf } from './agents/scenarios.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const INSTALLS = join(tmpdir(), 'agents');
const INSIDE = ['--inside', '--inside-isolated'];
// The loop whose screen is kept for people, and the one that is run by `deloop run`, which fails where the guard has stepped in.
const [SHOWN, UNDER_RUN] = ['identical', 'cascade'];

async function testAgent(name, only, { keep, isolated, packed }) {
  const agent = GUARDED[name];
  if (agent === undefined)
    throw new Error(`Not an agent: ${name}. Known: ${Object.keys(GUARDED).join(', ')}`);
  if (agent.daemon && !isolated) throw new Error(`${name} leaves a process behind; it needs namespaces.`);
  const installed = install({ folder: INSTALLS, name, ...agent });
  agent.beside?.({ ...installed, installs: INSTALLS });
  const rows = [];
  for (const loop of Object.keys(LOOPS)) {
    if (only !== undefined && loop !== only) continue;
    const folder = mkdtempSync(join(tmpdir(), 'deloop-agents-'));
    const inner = [fileURLToPath(import.meta.url), INSIDE[Number(isolated)], name, loop, folder, packed];
    const code = await runNode(inner, isolated);
    if (code !== 0) throw new Error(`${name} ${loop}: see ${folder}`);
    const requests = linesOf(readFileSync(join(folder, 'log.jsonl'), 'utf8'));
    const { exit, decisions } = JSON.parse(readFileSync(join(folder, 'ended.json'), 'utf8'));
    const row = {
      agent: name,
      version: agent.version,
      loop,
      ...observed(requests, LOOPS[loop], fitting(LOOPS[loop], agent.tools)),
      ...loggedIn(decisions),
      exit,
    };
    const wrong = differences(row, EXPECTED[name]?.[loop]);
    rows.push({ ...row, wrong, screen: loop === SHOWN ? screenOf(folder) : undefined });
    console.log(`${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${rowText(row)}`);
    for (const difference of wrong) console.log(`       ${difference}`);
    if (keep || wrong.length > 0) console.log(`       kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

async function inside(isolated, name, loop, folder, packed) {
  const agent = GUARDED[name];
  const { home, project } = settle(folder, isolated);
  const files = { ...PROJECT, ...STATUS, ...LOOPS[loop].files };
  for (const [path, text] of Object.entries(files)) writeText(join(project, path), text);
  const played = fitting(LOOPS[loop], agent.tools);
  const script = scriptOf(played, {
    toolOf: (call) => agent.tools[call.does]?.(call, { project }),
    reportsLate: agent.reportsLate,
  });
  const model = await startFakeModel({ script, log: join(folder, 'log.jsonl') });
  const installed = install({ folder: INSTALLS, name, ...agent });
  const scenario = agent.scenario ?? loop;
  const place = { ...installed, home, project, url: model.url, task: played.task, scenario };
  const run = ({ command, args, env = {} }, to = 'stdout') =>
    execute(
      { command, args, cwd: project, env: environment({ home, path: [installed.node], env, isolated }) },
      folder,
      to,
    );
  await agent.prepare({ ...place, run });
  agent.settle?.({ ...place, installs: INSTALLS });
  const { env = {}, ...asked } = agent.command(place);
  const deloop = join(packed, 'dist', 'cli', 'main.js');
  const done = await run(
    { command: process.execPath, args: [deloop, 'install', name, '--yes'], env },
    'install',
  );
  if (done.code !== 0) throw new Error(`deloop install ${name} ended with ${done.code}`);
  if (agent.enable !== undefined) await run({ env, ...agent.enable(place) }, 'enable');
  const args = flagsOf(agent, loop === SHOWN ? agent.forPeople(asked.args) : asked.args);
  const { code } = await run(
    loop === UNDER_RUN
      ? { command: process.execPath, args: [deloop, 'run', '--', asked.command, ...args], env }
      : { ...asked, args, env },
  );
  const logs = pathsUnder(join(home, '.local', 'state', 'deloop', 'log'), '.jsonl');
  const decisions = logs.flatMap((path) => linesOf(readFileSync(path, 'utf8')));
  writeFileSync(join(folder, 'ended.json'), JSON.stringify({ exit: code, decisions }));
  await model.close();
}

const screenOf = (folder) =>
  ['stdout.errors.txt', 'stdout.txt'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');

/** The package as npm would install it, out of the way of a /home of its own. */
function packedDeloop() {
  if (!existsSync(join(ROOT, 'dist', 'hook.cjs'))) throw new Error('There is no dist/: npm run build');
  const folder = mkdtempSync(join(tmpdir(), 'deloop-packed-'));
  for (const part of ['dist', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  return folder;
}

const [first, ...rest] = process.argv.slice(2);
if (INSIDE.includes(first)) {
  await inside(first === INSIDE[1], ...rest);
  process.exit(0);
}
const flags = new Set(process.argv.slice(2).filter((arg) => arg.startsWith('--')));
const chosen = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const isolated = canIsolate();
if (!isolated)
  console.warn(
    'No namespaces here: only proxy settings keep agents off the network, and some do not read them.',
  );
const packed = packedDeloop();
const rows = [];
for (const wanted of chosen.length > 0 ? chosen : Object.keys(GUARDED)) {
  const [name, only] = wanted.split('/');
  rows.push(...(await testAgent(name, only, { keep: flags.has('--keep'), isolated, packed })));
}
rmSync(packed, { recursive: true, force: true });
const failed = rows.filter(({ wrong }) => wrong.length > 0);
console.log(`${rows.length - failed.length} of ${rows.length} as expected`);
if (flags.has('--write')) writePage(rows, join(ROOT, 'docs', 'agents.md'));
process.exitCode = failed.length === 0 ? 0 : 1;
