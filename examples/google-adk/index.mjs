// Agents of Google ADK under a guard: a scripted model, the real runner.
import assert from 'node:assert/strict';
import {
  BaseLlm,
  FunctionTool,
  getFunctionCalls,
  InMemoryRunner,
  LlmAgent,
  LogLevel,
  StreamingMode,
  setLogLevel,
} from '@google/adk';
import { deloop } from 'deloop/google-adk';

setLogLevel(LogLevel.ERROR);

let ran = 0;
const search = new FunctionTool({
  name: 'search',
  description: 'Searches.',
  execute: () => {
    ran += 1;
    return { found: 0 };
  },
});

const modelSays = (...parts) => ({ content: { role: 'model', parts } });

/** Searches for the same until it may not call tools, or for so many times. */
class StubbornModel extends BaseLlm {
  sent = [];
  calls = 0;

  constructor(times = Number.POSITIVE_INFINITY) {
    super({ model: 'stubborn' });
    this.times = times;
  }

  async *generateContentAsync({ contents, config }) {
    this.sent.push(JSON.stringify(contents));
    if (config.tools === undefined || this.calls >= this.times)
      yield modelSays({ text: 'I have found nothing.' });
    else {
      this.calls += 1;
      yield modelSays({ functionCall: { id: `call-${this.calls}`, name: 'search', args: { query: 'x' } } });
    }
  }
}

/** Says the same for as long as anybody listens. */
class BabblingModel extends BaseLlm {
  async *generateContentAsync() {
    for (let n = 0; n < 500; n++) yield { ...modelSays({ text: 'I should look again. ' }), partial: true };
    yield modelSays({ text: 'I should look again. '.repeat(500) });
  }
}

async function open(model, guard) {
  const agent = new LlmAgent({ name: 'main', model, tools: [search] });
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: 'app', userId: 'one' });
  return async (part, streamingMode = StreamingMode.NONE) => {
    const newMessage = { role: 'user', parts: [part] };
    const runConfig = { streamingMode };
    const events = [];
    for await (const event of runner.runAsync({ userId: 'one', sessionId, newMessage, runConfig }))
      events.push(event);
    return events;
  };
}

console.log('1. A loop: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const model = new StubbornModel();
  const send = await open(model, guard);
  const events = await send({ text: 'Find it.' });
  assert.equal(ran, 4);
  assert.equal(guard.stopped.detector, 'no-progress');
  assert.equal(events.at(-1).content.parts[0].text, 'I have found nothing.');
  assert.match(model.sent[3], /has given the same result 3 times/);
}

console.log('\n2. A confirmation: a person is asked, and lets the call run.');
{
  ran = 0;
  const send = await open(new StubbornModel(7), deloop({ attended: true }));
  const [request] = getFunctionCalls((await send({ text: 'Find it.' })).at(-1));
  assert.equal(request.name, 'adk_request_confirmation');
  assert.equal(ran, 4);
  console.log(`  asked: ${request.args.toolConfirmation.hint}`);
  const { id, name } = request;
  const events = await send({ functionResponse: { id, name, response: { confirmed: true } } });
  assert.equal(ran, 5);
  assert.equal(events.at(-1).content.parts[0].text, 'I have found nothing.');
}

console.log('\n3. A stream: a text that runs in circles is cut.');
{
  const send = await open(new BabblingModel({ model: 'babbling' }), deloop());
  const events = await send({ text: 'Think.' }, StreamingMode.SSE);
  const { text } = events.at(-1).content.parts[0];
  console.log(`  ${text.length} of ${'I should look again. '.repeat(500).length} characters`);
  assert.ok(text.length < 1000);
}

console.log('\nAll three went as told.');
