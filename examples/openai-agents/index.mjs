// An agent on the OpenAI Agents SDK under a guard: a scripted model, real runs.
import assert from 'node:assert/strict';
import { Agent, run as runAgent, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { deloop, findLoopHalted } from 'deloop/openai-agents';
import { z } from 'zod';

setTracingDisabled(true);

let ran = 0;
const search = tool({
  name: 'search',
  description: 'Searches.',
  parameters: z.object({ query: z.string() }),
  async execute({ query }) {
    ran += 1;
    return { query, found: 0 };
  },
});

/** Searches for the same until it may not call tools, or for so many times. */
function stubbornModel(times = Number.POSITIVE_INFINITY) {
  let calls = 0;
  const respond = ({ request }) => {
    if (request.tools.length === 0 || calls >= times) return [assistantMessage('I have found nothing.')];
    calls += 1;
    return [functionCall('search', { query: 'x' }, { callId: `call-${calls}` })];
  };
  return new ScriptedModel(Array.from({ length: 30 }, () => modelResponder(respond)));
}

console.log('1. run: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const model = stubbornModel();
  const agent = new Agent({ name: 'Finder', model, tools: guard.tools([search]) });
  const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.');
  assert.equal(ran, 4);
  assert.equal(guard.stopped.detector, 'no-progress');
  assert.equal(finalOutput, 'I have found nothing.');
  assert.match(JSON.stringify(model.calls[3].request.input), /has given the same result 3 times/);
}

console.log('\n2. An approval: a person is asked, and lets the call run.');
{
  ran = 0;
  const guard = deloop({ attended: true });
  const run = guard.wrap(runAgent);
  const agent = new Agent({ name: 'Finder', model: stubbornModel(7), tools: guard.tools([search]) });
  const { interruptions, state } = await run(agent, 'Find it.');
  console.log(`  asked: ${guard.run().questionFor().prompt}`);
  assert.equal(ran, 4);
  for (const item of interruptions) state.approve(item);
  const { finalOutput } = await run(agent, state);
  assert.equal(ran, 5);
  assert.equal(finalOutput, 'I have found nothing.');
}

console.log('\n3. A watched model and a stream, without a last turn: an error of its own kind.');
{
  ran = 0;
  const guard = deloop({ lastTurn: false });
  const model = guard.model(stubbornModel());
  const agent = new Agent({ name: 'Finder', model, tools: guard.tools([search]) });
  const stream = await guard.wrap(runAgent)(agent, 'Find it.', { stream: true });
  let halted = null;
  try {
    for await (const _event of stream);
    await stream.completed;
  } catch (error) {
    halted = findLoopHalted(error);
  }
  const { reason, partial } = halted;
  console.log(`  stopped by ${reason.detector} after ${ran} searches, with ${partial.length} items`);
  assert.equal(ran, 4);
  assert.equal(partial.length, 15);
}

console.log('\nAll three went as told.');
