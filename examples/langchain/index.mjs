// An agent on LangChain under a guard: a scripted model, real agents and graphs.
import assert from 'node:assert/strict';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { deloop } from 'deloop/langchain';
import { AIMessage, createAgent, tool } from 'langchain';
import { z } from 'zod';

let ran = 0;
const search = tool(
  async ({ query }) => {
    ran += 1;
    return { query, found: 0 };
  },
  { name: 'search', description: 'Searches.', schema: z.object({ query: z.string() }) },
);

/** Searches for the same until it may not call tools, or for so many times. */
class StubbornModel extends BaseChatModel {
  constructor(times = Number.POSITIVE_INFINITY, script = { times, calls: 0, sent: [] }, tools = []) {
    super({});
    Object.assign(this, { script, tools });
  }
  _llmType() {
    return 'stubborn';
  }
  bindTools(tools) {
    return new StubbornModel(0, this.script, tools);
  }
  async _generate(messages) {
    const { script, tools } = this;
    script.sent.push(messages.map(({ content }) => content).join('\n'));
    const done = tools.length === 0 || script.calls >= script.times;
    if (!done) script.calls += 1;
    const message = new AIMessage(
      done
        ? 'I have found nothing.'
        : { content: '', tool_calls: [{ id: `call-${script.calls}`, name: 'search', args: { query: 'x' } }] },
    );
    return { generations: [{ text: message.text, message }] };
  }
}

console.log('1. createAgent: nudged, blocked, and a report in the last turn.');
{
  const guard = deloop({
    onDecision: ({ action, call, message }) => console.log(`  ${action} ${call}: ${message}`),
  });
  const model = new StubbornModel();
  const agent = createAgent({ model, tools: [search], middleware: [guard] });
  const config = { configurable: { thread_id: 'chat-42' } };
  const { messages } = await agent.invoke({ messages: 'Find it.' }, config);
  assert.equal(ran, 4);
  assert.equal(guard.run('chat-42').stopped.detector, 'no-progress');
  assert.equal(messages.at(-1).text, 'I have found nothing.');
  assert.match(model.script.sent[3], /has given the same result 3 times/);
}

console.log('\n2. createAgent: a person is asked by an interrupt, and lets the call run.');
{
  ran = 0;
  const agent = createAgent({
    model: new StubbornModel(7),
    tools: [search],
    middleware: [deloop({ attended: true })],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: 'chat-43' } };
  const { __interrupt__: asked } = await agent.invoke({ messages: 'Find it.' }, config);
  console.log(`  asked: ${asked[0].value.actionRequests[0].description}`);
  assert.equal(ran, 4);
  const resume = { decisions: [{ type: 'approve' }] };
  const { messages } = await agent.invoke(new Command({ resume }), config);
  assert.equal(ran, 5);
  assert.equal(messages.at(-1).text, 'I have found nothing.');
}

console.log('\n3. A graph of your own: the same guard around its model and its tools.');
{
  ran = 0;
  const guard = deloop();
  const model = new StubbornModel();
  const tools = [search];
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }, runtime) => {
      const response = await guard.wrapModelCall({ messages, tools, runtime }, (request) =>
        model.bindTools(request.tools, request.modelSettings).invoke(request.messages, runtime),
      );
      return { messages: [response] };
    })
    .addNode('tools', new ToolNode(guard.guarded(tools)))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile();
  const { messages } = await graph.invoke({ messages: [{ role: 'user', content: 'Find it.' }] });
  console.log(`  stopped by ${guard.stopped.detector} after ${ran} searches`);
  assert.equal(ran, 4);
  assert.equal(messages.at(-1).text, 'I have found nothing.');
}

console.log('\nAll three went as told.');
