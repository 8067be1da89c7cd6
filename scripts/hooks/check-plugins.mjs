// Plays captured events to the built plugins: `node scripts/hooks/check-plugins.mjs FOLDER`. FOLDER holds a folder for each host, with
// `sequence.*.jsonl`: what a plugin was given, one hook a line. Prints what each plugin did, and fails when that is not what `EXPECTED` says.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPECTED } from './expected.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/hooks/check-plugins.mjs FOLDER');
  process.exit(2);
}

const PLAYERS = { opencode: playOpencode, pi: playPi, openclaw: playOpenclaw };
let wrong = 0;
for (const [host, play] of Object.entries(PLAYERS)) {
  const { deloop } = await import(new URL(`../../dist/plugins/${host}.js`, import.meta.url).href);
  for (const file of readdirSync(join(folder, host)).filter((name) => name.startsWith('sequence.'))) {
    const state = mkdtempSync(join(tmpdir(), 'deloop-check-'));
    process.env.DELOOP_STATE_DIR = state;
    const lines = readFileSync(join(folder, host, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    report(`${host}/${file}`, (await play(deloop, lines)).join(', ') || '-');
    rmSync(state, { recursive: true, force: true });
  }
}
process.exitCode = wrong === 0 ? 0 : 1;

async function playOpencode(deloop, lines) {
  const did = [];
  const refused = new Set();
  let [calls, ended] = [0, false];
  const session = {
    abort: async () => {
      ended = true;
    },
  };
  const hooks = await deloop({ client: { session }, directory: '/' });
  for (const { hook, input, output } of lines) {
    if (ended) break;
    const id = input.callID ?? input.properties?.part?.callID;
    if (hook === 'tool.execute.before') {
      calls += 1;
      await hooks['chat.params']({ sessionID: input.sessionID, agent: 'build' });
      try {
        await hooks[hook](input, output);
      } catch {
        refused.add(id);
        did.push(`${calls} ${ended ? 'halt' : 'block'}`);
      }
    } else if (hook === 'tool.execute.after' && !refused.has(id)) {
      const before = JSON.stringify(output);
      await hooks[hook](input, output);
      if (JSON.stringify(output) !== before) did.push(`${calls} nudge`);
    } else if (hook.startsWith('event.') && !refused.has(id)) await hooks.event({ event: input });
  }
  return did;
}

async function playPi(deloop, lines) {
  const did = [];
  const handlers = {};
  const refused = new Set();
  let [calls, ended] = [0, false];
  deloop({
    on: (event, handler) => {
      handlers[event] = handler;
    },
    sendMessage: () => did.push(`${calls} steer`),
  });
  const context = {
    hasUI: false,
    cwd: '/',
    sessionManager: { getSessionId: () => 's' },
    abort: () => {
      ended = true;
    },
  };
  for (const event of lines) {
    if (ended) break;
    if (refused.has(event.toolCallId)) continue;
    if (event.type === 'tool_call') calls += 1;
    const answer = await handlers[event.type]?.(event, context);
    if (answer === undefined) continue;
    did.push(`${calls} ${ended ? 'halt' : answer.block ? 'block' : 'nudge'}`);
    if (answer.block) refused.add(event.toolCallId);
  }
  return did;
}

async function playOpenclaw(deloop, lines) {
  const did = [];
  const handlers = {};
  const refused = new Set();
  let calls = 0;
  deloop({
    on: (event, handler) => {
      handlers[event] = handler;
    },
  });
  for (const { hook, event, ctx } of lines) {
    if (hook === 'before_tool_call') calls += 1;
    else if (refused.has(event.toolCallId)) continue;
    const answer = await handlers[hook]?.(event, ctx);
    if (answer?.block !== true) continue;
    refused.add(event.toolCallId);
    did.push(`${calls} block`);
  }
  return did;
}

function report(name, got) {
  const expected = EXPECTED[name];
  const fits = expected === got;
  if (!fits) wrong += 1;
  console.log(`${fits ? ' ok ' : 'BAD '} ${name}\n       ${got}`);
  if (!fits) console.log(`     expected ${expected}`);
}
