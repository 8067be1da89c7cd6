// An agent loop without a framework: a scripted model, real tools, and a guard in between.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createGuard } from 'deloop';

const execute = promisify(execFile);

/** The tools are real: one reads a file of this folder, the other starts a process. */
const tools = {
  async read_file({ path, line }) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8');
    return line === undefined ? text : (text.split('\n')[line - 1] ?? '');
  },
  async run_script({ script }) {
    const { stdout } = await execute(process.execPath, [script], { cwd: import.meta.dirname });
    return stdout;
  },
};

async function run({ tool, args }) {
  try {
    return { output: await tools[tool](args), ok: true };
  } catch (error) {
    return { output: String(error.message).split('\n')[0], ok: false };
  }
}

/** Runs the model until it is done or somebody stops it. `messages` is all that the model sees. */
async function loop({ guard, model, person = () => 0 }) {
  const messages = [];
  const story = { calls: 0, ran: 0, answers: [], ended: 'done' };
  const note = (call, decision) => {
    story.answers.push(`${decision.action} at call ${story.calls}`);
    if (decision.action === 'allow') return;
    console.log(`  call ${story.calls}, ${call.tool} ${JSON.stringify(call.args)}`);
    console.log(`    ${decision.action}: ${decision.message}`);
  };

  for (let next = model(messages); next !== null; next = model(messages)) {
    story.calls += 1;
    const call = { id: `call-${story.calls}`, ...next };
    const before = guard.before(call);
    note(call, before);
    if (before.action === 'halt') return { ...story, ended: 'halted' };
    if (before.action === 'block') {
      // The call does not run: the guard's words are its result.
      messages.push({ role: 'tool', blocked: true, text: before.message });
      continue;
    }
    if (before.action === 'ask') {
      const more = person(before.finding.facts.continuations);
      console.log(`    the person grants ${more} more`);
      if (more === 0) return { ...story, ended: 'stopped by the person' };
      guard.grant(more);
    }

    const result = await run(call);
    story.ran += 1;
    messages.push({ role: 'tool', text: result.output });
    const after = guard.after(call, result);
    if (after.action !== 'allow') note(call, after);
    if (after.action === 'halt') return { ...story, ended: 'halted' };

    for (const decision of [before, after]) {
      if (decision.action !== 'nudge') continue;
      // After the results, never between a call and its result; then the guard may count on it.
      messages.push({ role: 'user', nudge: true, text: decision.message });
      guard.delivered();
    }
  }
  return story;
}

function interventions({ answers }) {
  return answers.filter((answer) => !answer.startsWith('allow'));
}

console.log('1. A model reads the same file again and again, and listens when it is blocked.');
const blocked = await loop({
  guard: createGuard({ preset: 'zagens' }),
  model: (messages) =>
    messages.at(-1)?.blocked ? null : { tool: 'read_file', args: { path: './README.md' } },
});
console.log(`  ${blocked.ended}: the file was read ${blocked.ran} times`);
assert.deepEqual(blocked.answers, ['allow at call 1', 'allow at call 2', 'block at call 3']);
assert.deepEqual([blocked.ran, blocked.ended], [2, 'done']);

console.log('\n2. A model guesses the names of scripts that do not exist, and listens to nobody.');
let guess = 0;
const halted = await loop({
  guard: createGuard({ preset: 'zagens' }),
  model: () => ({ tool: 'run_script', args: { script: `build-${++guess}.mjs` } }),
});
console.log(`  ${halted.ended}: ${halted.ran} processes failed`);
assert.deepEqual(interventions(halted), ['nudge at call 3', 'halt at call 8']);
assert.deepEqual([halted.ran, halted.ended], [8, 'halted']);

console.log('\n3. The same model, but it listens to the nudge.');
guess = 0;
const nudged = await loop({
  guard: createGuard({ preset: 'zagens' }),
  model: (messages) =>
    messages.at(-1)?.nudge ? null : { tool: 'run_script', args: { script: `build-${++guess}.mjs` } },
});
console.log(`  ${nudged.ended}: ${nudged.ran} processes failed`);
assert.deepEqual(interventions(nudged), ['nudge at call 3']);
assert.deepEqual([nudged.ran, nudged.ended], [3, 'done']);

console.log('\n4. A model reads one line after the other without end. A person lets it go on once.');
let line = 0;
const offers = [50, 0];
const asked = await loop({
  guard: createGuard({ preset: 'koda' }),
  model: () => ({ tool: 'read_file', args: { path: './README.md', line: ++line } }),
  person(continuations) {
    const more = offers.shift();
    assert.ok(continuations.includes(more));
    return more;
  },
});
console.log(`  ${asked.ended}: ${asked.ran} lines were read`);
assert.deepEqual(interventions(asked), ['ask at call 201', 'ask at call 251']);
assert.deepEqual([asked.ran, asked.ended], [250, 'stopped by the person']);

const actions = [blocked, halted, nudged, asked].flatMap(({ answers }) => answers);
const seen = ['allow', 'nudge', 'block', 'ask', 'halt'].filter((action) =>
  actions.some((answer) => answer.startsWith(action)),
);
console.log(`\nAll five decisions were handled: ${seen.join(', ')}.`);
assert.equal(seen.length, 5);
