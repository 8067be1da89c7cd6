// An agent of Mastra under a guard: a scripted model, the real loop.
import assert from 'node:assert/strict';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { deloop } from 'deloop/mastra';
import { z } from 'zod';

let ran = 0;
const search = createTool({
  id: 'search',
  description: 'Searches.',
  inputSchema: z.object({ query: z.string() }),
  execute: async () => {
    ran += 1;
    return { found: 0 };
  },
});

const usage = { inputTokens: 100, outputTokens: 10, totalTokens: 110 };
const named = { specificationVersion: 'v2', provider: 'scripted', modelId: 'stubborn', supportedUrls: {} };

/** Searches for the same until it may not call tools, or for so many times. */
function stubbornModel(times = Number.POSITIVE_INFINITY) {
  const sent = [];
  let calls = 0;
  return {
    ...named,
    sent,
    async doGenerate({ prompt, tools = [] }) {
      sent.push(JSON.stringify(prompt));
      const done = tools.length === 0 || calls >= times;
      if (!done) calls += 1;
      const call = { toolCallId: `call-${calls}`, toolName: 'search', input: '{"query":"x"}' };
      return {
        content: [done ? { type: 'text', text: 'I have found nothing.' } : { type: 'tool-call', ...call }],
        finishReason: done ? 'stop' : 'tool-calls',
        usage,
        warnings: [],
      };
    },
  };
}

const agentOf = (model, guard) => {
  const settings = { id: 'main', name: 'main', instructions: 'Find things.', tools: { search } };
  const main = guard(new Agent({ ...settings, model }));
  const storage = new InMemoryStore();
  return new Mastra({ agents: { main }, storage, logger: false }).getAgent('main');
};

console.log('1. A loop: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const model = stubbornModel();
  const { text } = await agentOf(model, guard).generate('Find it.', { maxSteps: 30 });
  assert.equal(ran, 4);
  assert.equal(guard.stopped.detector, 'no-progress');
  assert.equal(text, 'I have found nothing.');
  assert.match(model.sent[3], /has given the same result 3 times/);
}

console.log('\n2. An approval: a person is asked, and lets the call run.');
{
  ran = 0;
  const guard = deloop({ attended: true, session: 'chat-42' });
  const agent = agentOf(stubbornModel(7), guard);
  const { finishReason, runId, suspendPayload } = await agent.generate('Find it.', { maxSteps: 30 });
  assert.equal(finishReason, 'suspended');
  assert.equal(ran, 4);
  console.log(`  asked: ${guard.run().questionFor().prompt}`);
  const { toolCallId } = suspendPayload;
  const { text } = await agent.approveToolCallGenerate({ runId, toolCallId });
  assert.equal(ran, 5);
  assert.equal(text, 'I have found nothing.');
  assert.equal(guard.stopped, null);
}

console.log('\n3. A stream: a text that runs in circles is cut.');
{
  const words = Array.from({ length: 500 }, () => 'I should look again. ');
  const model = {
    ...named,
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: '1' });
          for (const delta of words) controller.enqueue({ type: 'text-delta', id: '1', delta });
          controller.enqueue({ type: 'text-end', id: '1' });
          controller.enqueue({ type: 'finish', finishReason: 'stop', usage });
          controller.close();
        },
      }),
    }),
  };
  const { text } = await (await agentOf(model, deloop()).stream('Think.')).getFullOutput();
  console.log(`  ${text.length} of ${words.join('').length} characters`);
  assert.ok(text.length < 1000);
}

console.log('\nAll three went as told.');
