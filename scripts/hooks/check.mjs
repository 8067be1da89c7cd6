// Plays captured hook payloads to the built hook: `node scripts/hooks/check.mjs FOLDER`. FOLDER holds a folder for each host, with
// `sequence.*.jsonl` (`{"event", "stdin"}` a line) and single payloads. Prints what the hook answered, and fails when a sequence
// that `EXPECTED` knows is answered otherwise.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPECTED } from './expected.mjs';

const { runHook } = createRequire(import.meta.url)('../../dist/hook/main.cjs');
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/hooks/check.mjs FOLDER');
  process.exit(2);
}

const HOSTS = ['claude-code', 'codex', 'gemini-cli', 'qwen-code', 'copilot-cli', 'cline', 'cursor'];
const hostOf = (name) => HOSTS.find((host) => name.startsWith(host));
let wrong = 0;

for (const name of readdirSync(folder).sort()) {
  const host = hostOf(name);
  if (host === undefined) continue;
  const files = readdirSync(join(folder, name)).sort();
  for (const file of files.filter((one) => one.startsWith('sequence.'))) {
    const payloads = readFileSync(join(folder, name, file), 'utf8')
      .split('\n')
      .filter(Boolean);
    // Where payloads tell no time: calls of one response come at once, responses after a while.
    const stepMs = file.includes('parallel') ? 20 : 1500;
    const stdins = payloads.map((line) => JSON.stringify(JSON.parse(line).stdin));
    report(`${name}/${file}`, played(host, stdins, stepMs));
  }
  const singles = files.filter((one) => one.endsWith('.json'));
  const answered = singles.filter(
    (one) => played(host, [readFileSync(join(folder, name, one), 'utf8')]) !== '-',
  );
  if (singles.length > 0) report(`${name}/*.json (${singles.length} alone)`, answered.join(', ') || '-');
}
process.exitCode = wrong === 0 ? 0 : 1;

/** What was answered: the place (how manieth call, before or after it), and in one word what the answer does. */
function played(host, payloads, stepMs = 0) {
  const state = mkdtempSync(join(tmpdir(), 'deloop-check-'));
  const env = { DELOOP_STATE_DIR: state };
  const surroundings = { cwd: state, env, home: state, platform: process.platform };
  let calls = 0;
  const answers = [];
  /** Calls that the hook has refused: what was recorded of their results would never have come. */
  const refused = new Set();
  for (const [index, payload] of payloads.entries()) {
    const parsed = JSON.parse(payload);
    const event = parsed.hook_event_name ?? parsed.hookName ?? eventOf(parsed);
    const isCall = /^(?:PreToolUse|BeforeTool|tool_call|preToolUse)$/.test(event);
    if (isCall) calls += 1;
    else if (refused.delete(keyOf(parsed))) continue;
    const now = Date.parse('2026-11-15T12:00:00Z') + index * stepMs;
    const out = runHook({ agent: host, shadow: false, payload, surroundings, now }, {});
    if (out === '') continue;
    const word = wordOf(JSON.parse(out));
    answers.push(`${calls} ${event} ${word}`);
    if (word === 'halt') break;
    // Nobody is there to say yes.
    if (isCall && (word === 'deny' || word === 'ask')) refused.add(keyOf(parsed));
  }
  const log = readdirSync(state).includes('log') ? logged(state) : [];
  rmSync(state, { recursive: true });
  return [...answers, ...log].join(', ') || '-';
}

function keyOf({ tool_call_id, tool_use_id, tool_name, tool_input, toolName, toolArgs }) {
  return tool_call_id ?? tool_use_id ?? JSON.stringify([tool_name ?? toolName, tool_input ?? toolArgs]);
}

function eventOf({ toolName, toolResult, error, prompt }) {
  if (toolName === undefined) return prompt === undefined ? 'other' : 'userPromptSubmitted';
  return toolResult !== undefined ? 'postToolUse' : error !== undefined ? 'postToolUseFailure' : 'preToolUse';
}

function wordOf(answer) {
  const {
    continue: goOn,
    decision,
    permissionDecision,
    permission,
    cancel,
    behavior,
    hookSpecificOutput = {},
  } = answer;
  if (goOn === false || cancel === true || behavior === 'deny' || decision === 'block') return 'halt';
  return hookSpecificOutput.permissionDecision ?? permissionDecision ?? permission ?? decision ?? 'context';
}

function logged(state) {
  const [day] = readdirSync(join(state, 'log'));
  const lines = readFileSync(join(state, 'log', day), 'utf8')
    .split('\n')
    .filter(Boolean);
  return lines.flatMap((line) => {
    const { type, message } = JSON.parse(line);
    return type === 'problem' ? [`PROBLEM ${message}`] : [];
  });
}

function report(name, got) {
  // One payload alone is never a loop.
  const expected = name.endsWith(' alone)') ? '-' : EXPECTED[name];
  const fits = expected === undefined || expected === got;
  if (!fits) wrong += 1;
  console.log(`${expected === undefined ? ' ?  ' : fits ? ' ok ' : 'BAD '} ${name}\n       ${got}`);
  if (!fits) console.log(`     expected ${expected}`);
}
