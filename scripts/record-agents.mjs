// Records what real agents leave on disk: `node scripts/record-agents.mjs [--keep] [agent | agent/scenario]...`.
// The model is a script, everything else is real: the agent, its tools, the files of a small project.
// Agents are installed into $TMPDIR/agents and run there cut off from the network.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OVER } from '../test/e2e/fake-llm/play.mjs';
import { startFakeModel } from '../test/e2e/fake-llm/server.mjs';
import { cleaned, leaks } from './agents/clean.mjs';
import { cline } from './agents/cline.mjs';
import { codex } from './agents/codex.mjs';
import { continueCli } from './agents/continue-cli.mjs';
import { execute } from './agents/execute.mjs';
import { expectedOf } from './agents/expected.mjs';
import { linesOf, writeJson, writeText } from './agents/files.mjs';
import { geminiCli } from './agents/gemini-cli.mjs';
import { install } from './agents/install.mjs';
import { canIsolate, environment, runNode, settle } from './agents/isolate.mjs';
import { openclaw } from './agents/openclaw.mjs';
import { opencode } from './agents/opencode.mjs';
import { pi } from './agents/pi.mjs';
import { qwenCode } from './agents/qwen-code.mjs';
import { PROJECT, SCENARIOS, scriptOf } from './agents/scenarios.mjs';

const AGENTS = {
  pi,
  codex,
  'gemini-cli': geminiCli,
  opencode,
  'qwen-code': qwenCode,
  cline,
  openclaw,
  'continue-cli': continueCli,
};
const RECORDED = fileURLToPath(new URL('../test/transcripts/fixtures/recorded/', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../examples/sessions/', import.meta.url));
const INSTALLS = join(tmpdir(), 'agents');
// How this script calls itself for one run: on the machine as it is, or in namespaces of its own.
const INSIDE = ['--inside', '--inside-isolated'];

async function recordAgent(name, only, { keep, isolated }) {
  const agent = AGENTS[name];
  if (agent === undefined) throw new Error(`Not an agent: ${name}. Known: ${Object.keys(AGENTS).join(', ')}`);
  if (agent.daemon && !isolated) throw new Error(`${name} leaves a process behind; it needs namespaces.`);
  const installed = install({ folder: INSTALLS, name, ...agent });
  const facts = join(RECORDED, name, 'expected.json');
  const expected = existsSync(facts) ? JSON.parse(readFileSync(facts, 'utf8')) : {};
  for (const scenario of [...agent.scenarios, ...(agent.examples ?? [])]) {
    if (only !== undefined && scenario !== only) continue;
    const folder = mkdtempSync(join(tmpdir(), 'deloop-record-'));
    const inner = [fileURLToPath(import.meta.url), INSIDE[Number(isolated)], name, scenario, folder];
    const code = await runNode(inner, isolated);
    if (code !== 0) throw new Error(`${name} ${scenario}: see ${folder}`);
    const log = linesOf(readFileSync(join(folder, 'log.jsonl'), 'utf8'));
    const { files, replace } = JSON.parse(readFileSync(join(folder, 'collected.json'), 'utf8'));
    if (files.length === 0) throw new Error(`${name} ${scenario}: no transcript, see ${folder}`);
    if (log.some(({ answer }) => answer?.text === OVER))
      throw new Error(`${name} ${scenario}: the script was too short, see ${folder}`);
    const example = agent.examples?.includes(scenario);
    for (const { conversation, extension, text } of files) {
      const part = conversation === 'main' ? '' : `.${conversation}`;
      const file = `${scenario}${part}.${extension}`;
      const kept = cleaned(text, {
        replace: [...replace, [installed.place, '/opt/agent'], [INSTALLS, '/opt']],
        trim: example ? agent.trimExample : agent.trim,
        lines: extension.endsWith('jsonl'),
      });
      const found = leaks(kept);
      if (found.length > 0) throw new Error(`${name} ${file} tells of this machine: ${found}, see ${folder}`);
      if (kept.length > (example ? 80_000 : 60_000))
        throw new Error(`${name} ${file} is too large: ${kept.length}, see ${folder}`);
      writeText(join(example ? EXAMPLES : RECORDED, name, file), kept);
      const told = expectedOf(log, conversation, {
        kept: agent.answersKept?.[scenario],
        cutOff: agent.cutOff?.includes(scenario),
      });
      if (!example) expected[file] = told;
      console.log(`${name} ${file}: ${kept.length} bytes ${JSON.stringify(told)}`);
    }
    if (keep) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  writeJson(facts, expected);
}

async function inside(isolated, name, scenario, folder) {
  const agent = AGENTS[name];
  const { home, project } = settle(folder, isolated);
  for (const [path, text] of Object.entries(PROJECT)) writeText(join(project, path), text);
  const played = SCENARIOS[scenario];
  const script = scriptOf(played, {
    toolOf: (call) => agent.tools[call.does]?.(call, { project }),
    reportsLate: agent.reportsLate,
  });
  const model = await startFakeModel({ script, log: join(folder, 'log.jsonl') });
  const installed = install({ folder: INSTALLS, name, ...agent });
  const place = { ...installed, home, project, url: model.url, task: played.task, scenario };
  const run = ({ command, args, env = {} }, to = 'stdout') =>
    execute(
      { command, args, cwd: project, env: environment({ home, path: [installed.node], env, isolated }) },
      folder,
      to,
    );
  await agent.prepare({ ...place, run });
  await run(agent.command(place));
  const files = await agent.collect({ ...place, run });
  writeFileSync(
    join(folder, 'collected.json'),
    JSON.stringify({
      files,
      replace: [
        [model.url, 'http://127.0.0.1:8000'],
        [home, '/home/dev'],
        [home.slice(1), 'home/dev'],
      ],
    }),
  );
  await model.close();
}

const [first, ...rest] = process.argv.slice(2);
if (INSIDE.includes(first)) {
  await inside(first === INSIDE[1], ...rest);
  process.exit(0);
}
const keep = first === '--keep';
const isolated = canIsolate();
if (!isolated) {
  console.warn(
    'No namespaces here: only proxy settings keep agents off the network, and some do not read them.',
  );
}
const chosen = process.argv.slice(keep ? 3 : 2);
for (const wanted of chosen.length > 0 ? chosen : Object.keys(AGENTS)) {
  const [name, only] = wanted.split('/');
  await recordAgent(name, only, { keep, isolated });
}
