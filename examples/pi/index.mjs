// Agents of pi under a guard: a scripted model, the real loop.
import assert from 'node:assert/strict';
import { Agent } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream, Type } from '@earendil-works/pi-ai';
import { deloop } from 'deloop/pi';

let ran = 0;
const search = {
  name: 'search',
  label: 'Search',
  description: 'Searches.',
  parameters: Type.Object({ query: Type.String() }),
  async execute() {
    ran += 1;
    return { content: [{ type: 'text', text: 'Nothing was found.' }], details: {} };
  },
};

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const model = { api: 'scripted', provider: 'scripted', id: 'stubborn', input: ['text'] };

/** Searches for the same until it may not call tools, or for so many times. */
function stubbornModel(times = Number.POSITIVE_INFINITY) {
  const sent = [];
  let calls = 0;
  const streamFn = (_model, { messages, tools = [] }) => {
    sent.push(JSON.stringify(messages));
    // pi 0.74 has the tools beside the messages, 1.3 in them.
    const mayCallTools = tools.length > 0 || messages.some(({ toolsAdded = [] }) => toolsAdded.length > 0);
    const done = !mayCallTools || calls >= times;
    if (!done) calls += 1;
    const message = {
      role: 'assistant',
      content: [
        done
          ? { type: 'text', text: 'I have found nothing.' }
          : { type: 'toolCall', id: `call-${calls}`, name: 'search', arguments: { query: 'x' } },
      ],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: { ...none, cost: { ...none, total: 0 } },
      stopReason: done ? 'stop' : 'toolUse',
      timestamp: Date.now(),
    };
    const stream = createAssistantMessageEventStream();
    stream.push({ type: 'done', reason: message.stopReason, message });
    stream.end(message);
    return stream;
  };
  return { sent, streamFn };
}

const agentOf = (streamFn) => new Agent({ streamFn, initialState: { model, tools: [search] } });
const reportOf = (agent) => agent.state.messages.at(-1).content[0].text;

console.log('1. A loop: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const { sent, streamFn } = stubbornModel();
  const agent = guard(agentOf(streamFn));
  await agent.prompt('Find it.');
  assert.equal(ran, 4);
  assert.equal(guard.stopped.detector, 'no-progress');
  assert.equal(reportOf(agent), 'I have found nothing.');
  assert.match(sent[3], /has given the same result 3 times/);
}

console.log('\n2. A question: a person is asked, and lets the call run.');
{
  ran = 0;
  const guard = deloop({
    onAsk: async ({ message }) => {
      console.log(`  asked: ${message}`);
      return true;
    },
  });
  const agent = guard(agentOf(stubbornModel(7).streamFn));
  await agent.prompt('Find it.');
  assert.equal(ran, 5);
  assert.equal(guard.stopped, null);
}

console.log('\n3. Going on: stopped, told something new, and done.');
{
  ran = 0;
  const guard = deloop({ lastTurn: false });
  const agent = guard(agentOf(stubbornModel(8).streamFn));
  await agent.prompt('Find it.');
  console.log(`  ${reportOf(agent)}`);
  assert.equal(ran, 4);
  await agent.prompt('It has moved: look again.');
  assert.equal(ran, 5);
  assert.equal(reportOf(agent), 'I have found nothing.');
  assert.equal(guard.stopped, null);
}

console.log('\nAll three went as told.');
