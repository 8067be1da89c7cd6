// The real screen of a loop that deloop stops: `node scripts/hooks/screen.mjs AGENT...`. The agent is real, its model follows a script that
// makes the same call twelve times. It is installed into $TMPDIR/agents, and runs cut off from the network. Needs `dist/`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFakeModel } from '../../test/e2e/fake-llm/server.mjs';
import { cline } from '../agents/cline.mjs';
import { codex } from '../agents/codex.mjs';
import { writeText } from '../agents/files.mjs';
import { geminiCli } from '../agents/gemini-cli.mjs';
import { install } from '../agents/install.mjs';
import { canIsolate, environment, runNode, settle } from '../agents/isolate.mjs';
import { openclaw } from '../agents/openclaw.mjs';
import { opencode } from '../agents/opencode.mjs';
import { pi } from '../agents/pi.mjs';
import { qwenCode } from '../agents/qwen-code.mjs';
import { PROJECT, SCENARIOS, scriptOf } from '../agents/scenarios.mjs';

const AGENTS = { codex, 'gemini-cli': geminiCli, 'qwen-code': qwenCode, cline, opencode, pi, openclaw };
const INSTALLS = join(tmpdir(), 'agents');
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const INSIDE = ['--inside', '--inside-isolated'];
const PATIENCE_MS = 240_000;
/** Flags for programs, without which each prints what a person sees. */
const FOR_PROGRAMS = ['--json', '--format', 'json', '--output-format', 'stream-json', '--mode'];

async function inside(isolated, name, folder) {
  const agent = AGENTS[name];
  const { home, project } = settle(folder, isolated);
  for (const [path, text] of Object.entries(PROJECT)) writeText(join(project, path), text);
  const played = SCENARIOS.identical;
  const toolOf = (call) => agent.tools[call.does]?.(call, { project });
  const log = join(folder, 'log.jsonl');
  const model = await startFakeModel({ script: scriptOf(played, { toolOf }), log });
  const installed = install({ folder: INSTALLS, name, ...agent });
  const place = { ...installed, home, project, url: model.url, task: played.task, scenario: 'guarded' };
  const run = ({ command, args, env = {} }) =>
    execute(command, args, project, environment({ home, path: [installed.node], env, isolated }));
  await agent.prepare({ ...place, run });
  const quiet = await run({ command: process.execPath, args: [MAIN, 'install', name] });
  if (name === 'openclaw')
    await run({ command: place.bin('openclaw'), args: ['plugins', 'enable', 'deloop'] });
  const { command, args, env } = agent.command(place);
  const trust = name === 'codex' ? ['--dangerously-bypass-hook-trust'] : [];
  const [first, ...rest] = args.filter((arg) => !FOR_PROGRAMS.includes(arg));
  const shown = [first, ...(first === 'exec' ? trust : []), ...rest];
  const { code, text } = await run({ command, args: shown, env });
  await model.close();
  const requests = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  console.log(`${quiet.text}\n$ ${name} ${shown.join(' ')}\n${text.trimEnd()}\n`);
  const answers = requests.filter((line) => JSON.parse(line).answer !== undefined).length;
  console.log(
    `Exit status ${code}; the model was asked ${answers} times, and its script has 13 answers. It was told:\n`,
  );
  for (const words of new Set(requests.join('\n').match(/\[deloop\][^"\\]*/g)))
    console.log(`  ${words.trim()}`);
}

function execute(command, args, cwd, env) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.once('error', failed);
    child.once('close', (code) => {
      clearTimeout(timer);
      done({ code, text });
    });
  });
}

const [first, ...rest] = process.argv.slice(2);
if (INSIDE.includes(first)) {
  await inside(first === INSIDE[1], ...rest);
  process.exit(0);
}
const isolated = canIsolate();
for (const name of [first, ...rest]) {
  if (AGENTS[name] === undefined)
    throw new Error(`Not an agent: ${name}. Known: ${Object.keys(AGENTS).join(', ')}`);
  install({ folder: INSTALLS, name, ...AGENTS[name] });
  const folder = mkdtempSync(join(tmpdir(), 'deloop-screen-'));
  await runNode([fileURLToPath(import.meta.url), INSIDE[Number(isolated)], name, folder], isolated);
  rmSync(folder, { recursive: true, force: true });
}
