// The hooks of a session that gets stuck, called as the Claude Agent SDK calls them.
import assert from 'node:assert/strict';
import { deloop } from 'deloop/claude-agent-sdk';

const guard = deloop();
// With the SDK: query({ prompt, options: guard({ ...yourOptions }) })
const { hooks } = guard({ maxTurns: 50, hooks: {} });

async function call(hook_event_name, input) {
  const answers = hooks[hook_event_name].flatMap((matcher) =>
    matcher.hooks.map((hook) => hook({ session_id: 'chat-42', hook_event_name, ...input })),
  );
  return Object.assign({}, ...(await Promise.all(answers)));
}

const told = [];
let ran = 0;
await call('UserPromptSubmit', { prompt: 'Make it compile.' });
for (let n = 1; guard.stopped === null; n++) {
  const input = { tool_name: 'Bash', tool_input: { command: 'cargo check' }, tool_use_id: `toolu_${n}` };
  const before = await call('PreToolUse', input);
  const decision = before.hookSpecificOutput?.permissionDecision ?? 'allow';
  let tool_response = before.hookSpecificOutput?.permissionDecisionReason;
  if (decision === 'allow') {
    ran += 1;
    tool_response = 'error[E0599]: no method named `foo`';
    await call('PostToolUse', { ...input, tool_response: { stdout: tool_response, stderr: '' } });
  }
  const { hookSpecificOutput, continue: goesOn = true } = await call('PostToolBatch', {
    tool_calls: [{ ...input, tool_response }],
  });
  const nudge = hookSpecificOutput?.additionalContext;
  told.push(`${decision}${nudge ? ', nudged' : ''}${goesOn ? '' : ', stopped'}`);
  console.log(`${n}. ${told.at(-1)}: ${nudge ?? tool_response}`);
}

assert.deepEqual(told, ['allow', 'allow', 'allow, nudged', 'allow', 'deny', 'deny', 'deny, stopped']);
assert.equal(ran, 4);
assert.equal(guard.stopped.detector, 'no-progress');
console.log('All went as told.');
