// Agents of LangGraph that share one Redis: handoffs that lead nowhere, a dead end that all run into, and the switch that stops them all.
import assert from 'node:assert/strict';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { Command, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { deloop } from 'deloop/langchain';
import { createRedisStore } from 'deloop/stores';
import { AIMessage, createAgent, ToolMessage, tool } from 'langchain';
import { createClient } from 'redis';
import { z } from 'zod';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const client = createClient({ url, socket: { reconnectStrategy: false } });
client.on('error', () => {});
await client.connect().catch(() => {
  console.error(`There is no Redis at ${url}: start one, or name another in REDIS_URL.`);
  process.exit(1);
});
// Nothing of an earlier run counts here, and a busy machine may take its time.
const store = createRedisStore({ client, tenant: `example ${process.pid} ${Date.now()}`, waitMs: 10_000 });
const waitMs = 10_000;

/** A model that answers what the script says, as long as it has tools. */
class Scripted extends BaseChatModel {
  constructor(script, tools = []) {
    super({});
    Object.assign(this, { script, tools });
  }
  _llmType() {
    return 'scripted';
  }
  bindTools(tools) {
    return new Scripted(this.script, tools);
  }
  async _generate(messages) {
    this.script.sent.push(messages.map(({ content }) => content).join('\n'));
    const call = this.tools.length === 0 ? undefined : this.script.next();
    const message = new AIMessage(
      call === undefined
        ? 'This is all there is.'
        : { content: '', tool_calls: [{ id: crypto.randomUUID(), ...call }] },
    );
    return { generations: [{ text: message.text, message }] };
  }
}

const script = (next) => ({ sent: [], next });

/** LangGraph's way to hand over: the tool leaves the agent, and the graph goes on with another. */
function handoffTo(agent) {
  return tool(
    async ({ task }, { toolCallId }) =>
      new Command({
        goto: agent,
        graph: Command.PARENT,
        update: {
          messages: [
            new ToolMessage({
              content: `${agent}, please: ${task}`,
              tool_call_id: toolCallId,
              name: `transfer_to_${agent}`,
            }),
          ],
        },
      }),
    {
      name: `transfer_to_${agent}`,
      description: `Hands the work to the ${agent}.`,
      schema: z.object({ task: z.string() }),
    },
  );
}

/** A graph of agents under one guard; each has its name, its model and its tools. */
function graphOf(guard, agents) {
  const graph = new StateGraph(MessagesAnnotation);
  const ends = Object.keys(agents);
  for (const [name, { model, tools }] of Object.entries(agents))
    graph.addNode(name, createAgent({ name, model, tools, middleware: [guard.agent(name)] }).graph, { ends });
  return graph.addEdge(START, ends[0]).compile();
}

console.log('1. Two agents that hand the work to each other.');
{
  const heard = [];
  const guard = deloop({
    store,
    swarm: { name: 'support', worker: 'graph-1', waitMs },
    onDecision({ action, finding, message, agent }) {
      if (finding.detector !== 'handoff-repeat') return;
      heard.push(`${action} ${finding.count} ${agent}`);
      console.log(`  ${action} for the ${agent}: ${message}`);
    },
  });
  const tasks = [
    'look into it',
    'find the cause',
    'check the logs',
    'ask the team',
    'write a plan',
    'read the code',
  ];
  let [planned, coded] = [0, 0];
  const planner = script(() => ({ name: 'transfer_to_coder', args: { task: tasks[planned++ % 6] } }));
  const coder = script(() => ({
    name: 'transfer_to_planner',
    args: { task: `not mine: ${tasks[coded++ % 6]}` },
  }));
  const graph = graphOf(guard, {
    planner: { model: new Scripted(planner), tools: [handoffTo('coder')] },
    coder: { model: new Scripted(coder), tools: [handoffTo('planner')] },
  });
  const config = { configurable: { thread_id: 'ticket-7' }, recursionLimit: 100 };
  const { messages } = await graph.invoke({ messages: [{ role: 'user', content: 'It is broken.' }] }, config);
  const stopped = guard.run('ticket-7').stoppedFor('coder');
  assert.deepEqual([heard[0], heard.at(-1)], ['nudge 6 coder', 'halt 12 coder']);
  assert.equal(stopped?.detector, 'handoff-repeat');
  assert.equal(messages.at(-1).text, 'This is all there is.');
  assert.ok(coder.sent.some((sent) => /have handed the work to each other 6 times/.test(sent)));
}

console.log('\n2. Seven graphs, on as many machines, that look for the same page.');
{
  const search = tool(
    async () => {
      throw new Error('404: there is no such page');
    },
    { name: 'search', description: 'Searches.', schema: z.object({ query: z.string() }) },
  );
  for (let n = 1; n <= 7; n++) {
    const guard = deloop({ store, swarm: { name: 'research', worker: `machine-${n}`, waitMs } });
    let searched = 0;
    const model = script(() =>
      searched++ === 0 ? { name: 'search', args: { query: 'changelog of 2019' } } : undefined,
    );
    const graph = graphOf(guard, { researcher: { model: new Scripted(model), tools: [search] } });
    await graph.invoke({ messages: [{ role: 'user', content: 'Find it.' }] });
    const told = /(\d+) workers of this swarm have tried this very call.*/.exec(model.sent.at(-1))?.[0];
    if (told !== undefined) console.log(`  machine-${n} is told: ${told}`);
    assert.equal(told !== undefined, n === 7);
  }
}

console.log('\n3. Somebody stops them all.');
{
  const look = tool(async () => 'a page', {
    name: 'look',
    description: 'Looks.',
    schema: z.object({ n: z.number() }),
  });
  const start = (worker) => {
    let n = 0;
    const guard = deloop({ store, swarm: { name: 'crawl', worker, waitMs } });
    const model = new Scripted(script(() => (n < 3 ? { name: 'look', args: { n: n++ } } : undefined)));
    const run = () =>
      graphOf(guard, { crawler: { model, tools: [look] } }).invoke(
        { messages: [{ role: 'user', content: 'Look around.' }] },
        { configurable: { thread_id: worker } },
      );
    return { run, reason: () => guard.run(worker).stoppedFor('crawler'), swarm: guard.run(worker).swarm };
  };
  const [ann, ben, cleo] = ['ann', 'ben', 'cleo'].map(start);
  await ann.run();
  assert.equal(ann.reason(), null);
  await ann.swarm.halt('wrong site');
  await ben.run();
  console.log(`  ben: ${ben.reason().message}`);
  assert.equal(ben.reason().detector, 'swarm-halt');
  await ann.swarm.release();
  await cleo.run();
  assert.equal(cleo.reason(), null);
}

await client.close();
console.log('\nAll three went as told.');
