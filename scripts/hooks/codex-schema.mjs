// Whether the hook's answers to Codex are valid by the JSON Schemas that Codex publishes: `node scripts/hooks/codex-schema.mjs PLACE`.
// PLACE is a clone of openai/codex, or the `codex` program of its package, which carries them. Needs `dist/`.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';

const { runHook } = createRequire(import.meta.url)('../../dist/hook/main.cjs');
const NAMES = { PreToolUse: 'pre-tool-use', PostToolUse: 'post-tool-use' };
const [place] = process.argv.slice(2);
if (place === undefined) {
  console.error('usage: node scripts/hooks/codex-schema.mjs CLONE|PROGRAM');
  process.exit(2);
}

const schemaOf = statSync(place).isDirectory() ? inClone : inProgram(readFileSync(place));
const checks = Object.fromEntries(
  Object.entries(NAMES).map(([event, name]) => [
    event,
    new Ajv({ strict: false }).compile(schemaOf(`${name}.command.output`)),
  ]),
);

function inClone(title) {
  return JSON.parse(
    readFileSync(join(place, `codex-rs/hooks/schema/generated/${title}.schema.json`), 'utf8'),
  );
}

function inProgram(bytes) {
  return (title) => {
    const at = bytes.indexOf(`"title": "${title}"`);
    const start = bytes.lastIndexOf('{\n  "$schema"', at);
    const end = bytes.indexOf('\n}', at) + 2;
    return JSON.parse(bytes.toString('utf8', start, end));
  };
}

const state = mkdtempSync(join(tmpdir(), 'deloop-schema-'));
const surroundings = {
  cwd: state,
  env: { DELOOP_STATE_DIR: state },
  home: state,
  platform: process.platform,
};
const counts = { PreToolUse: 0, PostToolUse: 0 };
let now = Date.parse('2026-11-15T12:00:00Z');
let wrong = 0;

function send(session, event, n, more) {
  now += 2000;
  const payload = JSON.stringify({
    session_id: session,
    turn_id: 't',
    hook_event_name: event,
    tool_name: 'Bash',
    tool_use_id: `call_${n}`,
    ...more,
  });
  const out = runHook({ agent: 'codex', shadow: false, payload, surroundings, now }, {});
  if (out === '') return true;
  const answer = JSON.parse(out);
  counts[event] += 1;
  if (!checks[event](answer)) {
    wrong += 1;
    console.log('NOT VALID', event, out, JSON.stringify(checks[event].errors));
  }
  return answer.hookSpecificOutput?.permissionDecision !== 'deny';
}

// The same call; two in turns; one failure after the other; and refusals of every kind, up to the last word.
const RUNS = {
  same: () => ({ command: 'ls src', output: 'a\nb\n' }),
  turns: (n) => ({ command: n % 2 === 0 ? 'cat a' : 'cat b', output: n % 2 === 0 ? 'a' : 'b' }),
  failing: (n) => ({ command: `cat ${n}.json`, output: `cat: ${n}.json: No such file or directory` }),
};
for (const [name, callOf] of Object.entries(RUNS))
  for (let n = 1; n <= 30; n++) {
    const { command, output } = callOf(n);
    if (send(name, 'PreToolUse', n, { tool_input: { command } }))
      send(name, 'PostToolUse', n, { tool_input: { command }, tool_response: output });
  }
rmSync(state, { recursive: true });
console.log(
  `${counts.PreToolUse} answers before a call, ${counts.PostToolUse} after one, ${wrong} not valid.`,
);
process.exitCode = wrong === 0 && counts.PreToolUse > 0 && counts.PostToolUse > 0 ? 0 : 1;
