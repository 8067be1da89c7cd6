// Stands in for Gemini CLI: runs the hooks that stand in its settings, in a shell, as it does, and heeds their answers. Its model wants
// `npm ci` twice, which fails. Agents of one folder take turns, so that it is known which attempt comes when.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { hooks } = JSON.parse(readFileSync(join(process.env.HOME, '.gemini', 'settings.json'), 'utf8'));
const session = randomUUID();
const CALL = { tool_name: 'run_shell_command', tool_input: { command: 'npm ci' } };
const FAILED = 'Output: npm: command not found\nExit Code: 127';

function ask(event, more) {
  const common = { session_id: session, transcript_path: '', cwd: process.cwd(), hook_event_name: event };
  const input = JSON.stringify({ ...common, timestamp: new Date().toISOString(), ...more });
  const answers = (hooks[event] ?? [])
    .flatMap((group) => group.hooks)
    .map(({ command }) => spawnSync(command, { input, shell: true, encoding: 'utf8' }).stdout);
  return Object.assign({}, ...answers.filter((text) => text !== '').map((text) => JSON.parse(text)));
}

for (;;) {
  try {
    mkdirSync('turn');
    break;
  } catch {
    await sleep(10);
  }
}
process.on('exit', () => rmdirSync('turn'));

ask('BeforeAgent', { prompt: process.argv[3] });
for (let n = 0; n < 2; n++) {
  const before = ask('BeforeTool', CALL);
  if (before.continue === false) {
    console.log(`gemini: stopped: ${before.stopReason}`);
    process.exit(0);
  }
  if (before.decision === 'deny') continue;
  const after = ask('AfterTool', { ...CALL, tool_response: { llmContent: FAILED } });
  if (after.hookSpecificOutput !== undefined) console.log(after.hookSpecificOutput.additionalContext);
}
console.log('gemini: done');
