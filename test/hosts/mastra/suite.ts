import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { MockMemory } from '@mastra/core/memory';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deloop } from '../../../src/adapters/mastra/index.ts';
import type { Llm } from '../../../src/adapters/mastra/shapes.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import { presets } from '../../../src/index.ts';
import type { ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, listeningTo, scripted, thrifty } from '../driver.ts';
import { mastraHost, scriptedModel, WAYS } from './host.ts';

for (const way of WAYS) testAdapter(mastraHost(way, way === 'generate' ? 'v2' : 'v3'), { describe, it });

const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);

function agentOf(
  turn: (n: number) => ScriptedTurn,
  guard: (agent: Agent) => Agent,
  {
    output = 'Nothing was found.',
    inputSchema = z.object({}).loose(),
    ...rest
  }: { output?: string; inputSchema?: z.ZodType; [name: string]: unknown } = {},
) {
  const { model, requests } = scripted((answer) => scriptedModel(answer), turn);
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: async () => output });
  const settings = { id: 'main', name: 'main', instructions: 'x', tools: { look }, model, ...rest };
  return { agent: guard(new Agent(settings as never) as Agent), requests };
}

describe('Mastra: text', () => {
  for (const [kind, channel] of [
    ['text', 'content'],
    ['reasoning', 'reasoning'],
  ] as const)
    it(`a stream of ${kind} that repeats itself is cut`, async () => {
      const { guard, heard } = listening();
      const { agent } = agentOf(() => ({ [kind]: 'I should check the file again. '.repeat(200) }), guard);
      const result = await (await agent.stream('Think.')).getFullOutput();
      const { length } = kind === 'text' ? result.text : (result.reasoningText ?? '');
      expect(length).toBeGreaterThan(200);
      expect(length).toBeLessThan(1000);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
    });
});

describe('Mastra: calls', () => {
  it('arguments that are refused are seen as such', async () => {
    const { guard, heard } = listening();
    const inputSchema = z.object({ path: z.string() });
    const { agent } = agentOf((n) => (n <= 4 ? again(n) : { text: 'Done.' }), guard, { inputSchema });
    await agent.generate('Find it.', { maxSteps: 9 });
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'look', status: 'invalid' });
  });

  it('a result that the model has already may be told in a word', async () => {
    const output = 'warning: unused variable\n'.repeat(200);
    const turn = (n: number) => (n <= 2 ? again(n) : { text: 'Done.' });
    const { agent, requests } = agentOf(turn, deloop({ preset: thrifty }), { output });
    await agent.generate('Build it.', { maxSteps: 9 });
    expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
    expect(requests[2]?.sent).toContain('The same as before.');
  });

  it("counts a step as a round whatever model the user's own prepareStep puts in", async () => {
    const { guard, heard } = listening();
    let n = 0;
    const other = scriptedModel(() => again(++n));
    const { agent } = agentOf(again, guard);
    await agent.generate('Find it.', { maxSteps: 4, prepareStep: () => ({ model: other }) });
    expect(heard.map(({ decision: { action, call } }) => [action, call])).toEqual([['nudge', 3]]);
  });
});

describe('Mastra: tools', () => {
  const lookFor = (tool: string) => (n: number) => ({ calls: [callOf(n, tool, { query: 'x' })] });
  const extra = createTool({
    id: 'extra',
    description: 'Looks elsewhere.',
    inputSchema: z.object({}).loose(),
    execute: async () => 'Nothing.',
  });

  it('of a single call are watched', async () => {
    const { guard, actions } = listening();
    const { agent } = agentOf(lookFor('extra'), guard);
    await agent.generate('Find it.', { maxSteps: 9, toolsets: { more: { extra } } });
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
  });

  it("that the user's own processor puts in are watched", async () => {
    const { guard, actions } = listening();
    const own = { id: 'own', processInputStep: ({ tools = {} }) => ({ tools: { ...tools, extra } }) };
    const { agent } = agentOf(lookFor('extra'), guard, { inputProcessors: [own] });
    await agent.generate('Find it.', { maxSteps: 9 });
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
  });

  it('that do not exist are seen after an approval, too', async () => {
    const { guard, heard } = listening({ attended: true, session: 'one' });
    const gone = (n: number) => (n <= 7 ? again(n) : n <= 10 ? lookFor('gone')(n) : { text: 'Done.' });
    const { agent } = agentOf(gone, guard);
    const storage = new InMemoryStore();
    const main = new Mastra({ agents: { main: agent }, storage, logger: false }).getAgent('main');
    const { runId = '', suspendPayload } = await main.generate('Find it.', { maxSteps: 30 });
    expect(heard.at(-1)?.decision).toMatchObject({ action: 'ask', call: 7 });
    await main.approveToolCallGenerate({ runId, toolCallId: suspendPayload.toolCallId, maxSteps: 30 });
    expect(heard.at(-1)).toMatchObject({
      decision: { action: 'nudge', call: 10 },
      event: { tool: 'gone', status: 'unknown-tool' },
    });
  });
});

describe('Mastra: models', () => {
  const { recommended } = presets;
  const detectors = { ...recommended.detectors, budget: { kind: 'budget' as const, tokens: 1000 } };
  const spending = (n: number) => ({
    ...(n <= 5 ? { calls: [callOf(n, 'look', { query: `${n}` })] } : { text: 'Done.' }),
    usage: { input: 150, output: 50 },
  });
  const broken = scriptedModel(() => {
    throw new Error('overloaded');
  });
  for (const [name, given] of [
    ['a function gives', (model: never) => ({ model: () => model })],
    ['are fallen back on', (model: never) => ({ model: [{ model: broken }, { model }] })],
  ] as const)
    it(`that ${name} are heard`, async () => {
      const { guard, heard } = listening({ preset: { ...recommended, detectors } });
      const { model } = scripted((answer) => scriptedModel(answer), spending);
      const { agent } = agentOf(spending, guard, { maxRetries: 0, ...given(model) });
      new Mastra({ agents: { main: agent }, logger: false });
      await agent.generate('Find it.', { maxSteps: 9 });
      expect(heard[0]?.decision.finding.detector).toBe('budget');
    });

  it('of a single call are heard', async () => {
    const { guard, heard } = listening({ preset: { ...recommended, detectors } });
    const { model } = scripted((answer) => scriptedModel(answer), spending);
    const { agent } = agentOf(again, guard);
    await agent.generate('Find it.', { maxSteps: 9, model });
    expect(heard[0]?.decision.finding.detector).toBe('budget');
  });

  it('that give a thread its title are not', async () => {
    const { guard, heard } = listening({ preset: { ...recommended, detectors } });
    const memory = new MockMemory({ options: { generateTitle: true } });
    const { agent, requests } = agentOf(() => ({ text: 'Done.', usage: { input: 700, output: 0 } }), guard, {
      memory,
    });
    await agent.generate('Find it.', { memory: { thread: 'chat-42', resource: 'one' } });
    await expect.poll(() => requests.length).toBe(2);
    expect(heard).toEqual([]);
  });
});

describe('Mastra: steps', () => {
  it('have a processor of ours where there is something to say, and only there', async () => {
    const { guard, actions } = listening();
    const turn = (n: number) =>
      n <= 3 ? again(n) : n <= 5 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' };
    const { agent, requests } = agentOf(turn, (plain) => plain);
    const steps = new Set<number>();
    onProcessors(agent, (count) => count > 0 && steps.add(requests.length + 1));
    await guard(agent).generate('Find it.', { maxSteps: 9 });
    expect(actions()).toEqual(['nudge 3']);
    expect([...steps]).toEqual([4]);
  });

  /** Hears how many processors there are whenever Mastra reads the list. */
  function onProcessors(agent: Agent, hear: (count: number) => unknown): void {
    const getLLM = agent.getLLM.bind(agent);
    agent.getLLM = async (options) => {
      const llm = (await getLLM(options)) as unknown as Llm;
      const stream = llm.stream.bind(llm);
      llm.stream = (given) => {
        const { inputProcessors: list = [] } = given;
        const read = () => {
          hear(list.length);
          return Array.prototype.values.call(list);
        };
        return stream({ ...given, inputProcessors: Object.assign(list, { [Symbol.iterator]: read }) });
      };
      return llm as never;
    };
  }
});

describe('Mastra: runs', () => {
  it('an agent that is guarded twice is guarded once', async () => {
    const { guard, actions } = listening();
    const { agent } = agentOf(again, guard);
    await guard(guard(agent)).generate('Find it.', { maxSteps: 4 });
    expect(actions()).toEqual(['nudge 3']);
  });

  it('two guards of one agent do not disturb each other', async () => {
    const [first, second] = [listening(), listening({ mode: 'shadow' })];
    const { agent } = agentOf(again, first.guard);
    await second.guard(agent).generate('Find it.', { maxSteps: 4 });
    expect([first.actions(), second.actions()]).toEqual([['nudge 3'], ['nudge 3']]);
  });

  it('a sub-agent has its own name in the session', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const { agent: helper } = agentOf((n) => (n <= 3 ? again(n) : { text: 'Done.' }), guard, {
      id: 'helper',
      name: 'helper',
      description: 'Helps.',
    });
    const ask = (n: number) => ({ calls: [callOf(n, 'agent-helper', { prompt: 'Look for it.' })] });
    const { agent } = agentOf((n) => (n === 1 ? ask(n) : { text: 'Done.' }), guard, { agents: { helper } });
    await agent.generate('Find it.', { maxSteps: 9 });
    expect(heard.map(({ decision: { action, agent: name }, session }) => [action, name, session])).toEqual([
      ['nudge', 'helper', 'one'],
    ]);
  });

  for (const first of [true, false])
    it(`a durable agent is watched, ${first ? 'made of a guarded one' : 'guarded itself'}`, async () => {
      const { guard, actions } = listening();
      const { agent, requests } = agentOf(again, first ? guard : (plain) => plain);
      const made = createDurableAgent({ agent });
      const durable = first ? made : guard(made);
      new Mastra({ agents: { main: durable as never }, storage: new InMemoryStore(), logger: false });
      const { output } = await durable.stream('Find it.', { maxSteps: 20 });
      expect(await output.text).toContain('Report.');
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
      expect(requests).toHaveLength(8);
    });

  it('two calls without a thread know nothing of each other', async () => {
    const { guard, heard } = listening();
    const one = () =>
      agentOf((n) => (n <= 2 ? again(n) : { text: 'Done.' }), guard).agent.generate('x', { maxSteps: 9 });
    await Promise.all([one(), one()]);
    await one();
    expect(heard).toEqual([]);
  });

  it('the session is the thread, and the nudge stays in its memory', async () => {
    const { guard, heard } = listening();
    const turn = (n: number) => (n <= 3 ? again(n) : { text: 'Done.' });
    const { agent, requests } = agentOf(turn, guard, { memory: new MockMemory() });
    const memory = { thread: 'chat-42', resource: 'one' };
    await agent.generate('Find it.', { maxSteps: 9, memory });
    expect(heard.map(({ session }) => session)).toEqual(['chat-42']);
    await agent.generate('And now?', { memory });
    expect(requests.at(-1)?.sent).toContain(heard[0]?.decision.message);
    expect(guard.run('chat-42').stopped).toBeNull();
  });

  it('calls of earlier turns that are sent along are history', async () => {
    const { guard, heard } = listening();
    const { agent } = agentOf(() => ({ text: 'Done.' }), guard);
    const past = Array.from({ length: 6 }, (_, n) => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: `${n}`, toolName: 'gone', input: {}, args: {} }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: `${n}`, toolName: 'gone', output: { type: 'text', value: 'x' } },
        ],
      },
    ]).flat();
    await agent.generate([{ role: 'user', content: 'x' }, ...past, { role: 'user', content: 'y' }] as never);
    expect(heard).toEqual([]);
  });

  it('ends at once when a stopped session is called again without a reason to go on', async () => {
    const { guard } = listening({ session: 'one', lastTurn: false });
    const { agent, requests } = agentOf(again, guard);
    const { response } = await agent.generate('Find it.', { maxSteps: 20 });
    expect(requests).toHaveLength(7);
    const messages = [{ role: 'user', content: 'Find it.' }, ...(response.messages ?? [])];
    const { steps } = await agent.generate(messages as never, { maxSteps: 20 });
    expect(requests).toHaveLength(7);
    expect(steps.at(-1)?.text).toBe(guard.stopped?.message);
  });
});
