// Agents of Strands under a guard: a scripted model, the real loop of the SDK.
import assert from 'node:assert/strict';
import { Agent, FunctionTool, Model } from '@strands-agents/sdk';
import { deloop } from 'deloop/strands';

let ran = 0;
const search = new FunctionTool({
  name: 'search',
  description: 'Searches.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
  callback: () => {
    ran += 1;
    return { found: 0 };
  },
});

/** Searches for the same until it may not call tools, or for so many times. */
class StubbornModel extends Model {
  sent = [];
  calls = 0;

  constructor(times = Number.POSITIVE_INFINITY) {
    super();
    this.times = times;
  }

  updateConfig() {}

  getConfig() {
    return {};
  }

  async *stream(messages, { toolSpecs = [] } = {}) {
    this.sent.push(JSON.stringify(messages));
    const done = toolSpecs.length === 0 || this.calls >= this.times;
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (done) {
      yield { type: 'modelContentBlockStartEvent' };
      const text = 'I have found nothing.';
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } };
    } else {
      this.calls += 1;
      const start = { type: 'toolUseStart', name: 'search', toolUseId: `call-${this.calls}` };
      yield { type: 'modelContentBlockStartEvent', start };
      const delta = { type: 'toolUseInputDelta', input: '{"query":"x"}' };
      yield { type: 'modelContentBlockDeltaEvent', delta };
    }
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: done ? 'endTurn' : 'toolUse' };
  }
}

const agentOf = (model, guard) =>
  new Agent({ model, tools: [search], interventions: [guard], printer: false });

console.log('1. A loop: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const model = new StubbornModel();
  const result = await agentOf(model, guard).invoke('Find it.');
  assert.equal(ran, 4);
  assert.equal(guard.stopped.detector, 'no-progress');
  assert.equal(String(result), 'I have found nothing.');
  assert.match(model.sent[3], /has given the same result 3 times/);
}

console.log('\n2. An interrupt: a person is asked, and lets the call run.');
{
  ran = 0;
  const agent = agentOf(new StubbornModel(7), deloop({ attended: true }));
  const held = await agent.invoke('Find it.');
  assert.equal(held.stopReason, 'interrupt');
  assert.equal(ran, 4);
  const [{ id, reason }] = held.interrupts;
  console.log(`  asked: ${reason}`);
  const result = await agent.invoke([{ interruptResponse: { interruptId: id, response: true } }]);
  assert.equal(ran, 5);
  assert.equal(result.stopReason, 'endTurn');
}

console.log('\n3. Going on: stopped, let go on, and done.');
{
  ran = 0;
  const guard = deloop({ lastTurn: false });
  const agent = agentOf(new StubbornModel(8), guard);
  const stopped = await agent.invoke('Find it.');
  console.log(`  ${stopped}`);
  assert.equal(ran, 4);
  guard.run().resume();
  const result = await agent.invoke([]);
  assert.equal(ran, 5);
  assert.equal(String(result), 'I have found nothing.');
  assert.equal(guard.stopped, null);
}

console.log('\nAll three went as told.');
