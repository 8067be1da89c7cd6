// An agent on the AI SDK under a guard: a scripted model, real calls of the SDK.
import assert from 'node:assert/strict';
import { generateText, isStepCount, streamText, ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { deloop } from 'deloop/ai-sdk';
import { z } from 'zod';

const usage = { inputTokens: { total: 100 }, outputTokens: { total: 10 } };
let ran = 0;
const tools = {
  search: tool({
    inputSchema: z.object({ query: z.string() }),
    execute: async ({ query }) => {
      ran += 1;
      return { query, found: 0 };
    },
  }),
};

/** Searches for the same until it may not call tools, or for so many times. */
function stubbornModel(times = Number.POSITIVE_INFINITY) {
  let calls = 0;
  return new MockLanguageModelV4({
    async doGenerate({ tools: offered = [] }) {
      const done = offered.length === 0 || calls >= times;
      if (!done) calls += 1;
      return {
        content: [
          done
            ? { type: 'text', text: 'I have found nothing.' }
            : { type: 'tool-call', toolCallId: `call-${calls}`, toolName: 'search', input: '{"query":"x"}' },
        ],
        finishReason: { unified: done ? 'stop' : 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

console.log('1. generateText: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const model = stubbornModel();
  const result = await generateText(guard({ model, tools, prompt: 'Find it.', stopWhen: isStepCount(30) }));
  assert.equal(ran, 4);
  assert.equal(guard.stopped.detector, 'no-progress');
  assert.equal(result.text, 'I have found nothing.');
  assert.equal(result.steps.length, 8);
  assert.match(JSON.stringify(model.doGenerateCalls[3].prompt), /has given the same result 3 times/);
}

console.log('\n2. ToolLoopAgent: a person is asked, and lets the call run.');
{
  ran = 0;
  const questions = [];
  const guard = deloop({
    onAsk: async ({ message }) => {
      console.log(`  asked: ${message}`);
      questions.push(message);
      return true;
    },
  });
  const agent = new ToolLoopAgent({ model: stubbornModel(7), tools, prepareCall: guard });
  const { text } = await agent.generate({ prompt: 'Find it.' });
  assert.equal(questions.length, 1);
  assert.equal(ran, 5);
  assert.equal(text, 'I have found nothing.');
  assert.equal(guard.stopped, null);
}

console.log('\n3. streamText: a text that runs in circles is cut.');
{
  const words = Array.from({ length: 500 }, () => 'I should look again. ');
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'text-start', id: '1' });
          for (const delta of words) controller.enqueue({ type: 'text-delta', id: '1', delta });
          controller.enqueue({ type: 'text-end', id: '1' });
          controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage });
          controller.close();
        },
      }),
    }),
  });
  const text = await streamText(deloop()({ model, prompt: 'Think.' })).text;
  console.log(`  ${text.length} of ${words.join('').length} characters`);
  assert.ok(text.length < 1000);
}

console.log('\nAll three went as told.');
