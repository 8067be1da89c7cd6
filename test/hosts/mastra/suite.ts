import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { createScorer } from '@mastra/core/evals';
import { MockMemory } from '@mastra/core/memory';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { deloop } from '../../../src/adapters/mastra/index.ts';
import type { Llm } from '../../../src/adapters/mastra/shapes.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import { type Preset, presets } from '../../../src/index.ts';
import type { ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, listeningTo, scripted, thrifty, until } from '../driver.ts';
import './broken-streams.ts';
import { mastraHost, type Result, scriptedModel, WAYS } from './host.ts';

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

const looking = { id: 'look', description: 'Looks.', inputSchema: z.object({}).loose() };

/** A tool that counts how often it has run. */
function counted() {
  let ran = 0;
  const look = createTool({
    ...looking,
    execute: async () => {
      ran++;
      return 'Nothing.';
    },
  });
  return { look, ran: () => ran };
}

/** What a model is asked with. */
type Asked = Record<'doGenerate' | 'doStream', (options: { tools: { name: string }[] }) => unknown>;

const HELPER = { id: 'helper', name: 'helper', description: 'Helps.' };

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

  it('a report of a tool on what is wrong with its subject is no refusal of its arguments', async () => {
    const { guard, actions } = listening();
    const check = createTool({
      id: 'check',
      description: 'Checks a form.',
      inputSchema: z.object({ form: z.number() }),
      execute: async ({ form }) => ({ form, validationErrors: [] }),
    });
    const turn = (n: number) =>
      n <= 12 ? { calls: [callOf(n, 'check', { form: n })] } : { text: 'All forms are in order.' };
    const { agent } = agentOf(turn, guard, { tools: { check } });
    const { text } = await agent.generate('Check the forms.', { maxSteps: 20 });
    expect([actions(), text]).toEqual([[], 'All forms are in order.']);
  });

  it('a result that the schema of its tool refuses is a failure, and not one of the arguments', async () => {
    const { guard, heard } = listening();
    const count = createTool({
      id: 'count',
      description: 'Counts.',
      inputSchema: z.object({}).loose(),
      outputSchema: z.object({ total: z.number() }),
      execute: async () => ({ total: 'many' }) as never,
    });
    const { agent } = agentOf((n) => ({ calls: [callOf(n, 'count', {})] }), guard, { tools: { count } });
    await agent.generate('Count them.', { maxSteps: 5 });
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'count', status: 'error' });
  });

  describe.each([
    ['a thread', true],
    ['the whole list of messages', false],
  ])('of tools that a client runs, over %s', (_, hasMemory) => {
    const pick = createTool({ id: 'pick', description: 'Picks.', inputSchema: z.object({}).loose() });

    /** The client hands in what it has picked until the agent is done, or stopped. */
    async function picking(turn: (n: number) => ScriptedTurn, picked: (n: number) => string) {
      const { guard, actions } = listening({ session: 'one' });
      const memory = hasMemory && { memory: new MockMemory() };
      const { agent } = agentOf(turn, guard, { tools: {}, ...memory });
      const place = hasMemory && { memory: { thread: 't', resource: 'r' } };
      let messages: object[] = [{ role: 'user', content: 'Pick them.' }];
      for (let n = 1; n <= 24; n++) {
        const settings = { clientTools: { pick }, maxSteps: 3, ...place };
        const { text, toolCalls } = await agent.generate(messages as never, settings as never);
        if (toolCalls.length === 0) return { actions: actions(), calls: n, text };
        const said = toolCalls.flatMap(({ payload: { toolCallId, toolName, args } }) => [
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, args, input: args }] },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId,
                toolName,
                result: picked(n),
                output: { type: 'text', value: picked(n) },
              },
            ],
          },
        ]);
        messages = hasMemory ? said : [...messages, ...said];
      }
      return { actions: actions(), calls: 24, text: '' };
    }

    it('work that goes forward is left alone', async () => {
      const turn = (n: number) => (n <= 20 ? { calls: [callOf(n, 'pick', { n })] } : { text: 'All picked.' });
      expect(await picking(turn, (n) => `Picked apple ${n}, weighing ${n * 17} grams.`)).toEqual({
        actions: [],
        calls: 21,
        text: 'All picked.',
      });
    });

    it('a loop is told and stopped', async () => {
      const turn = (n: number) => ({ calls: [callOf(n, 'pick', {})] });
      expect(await picking(turn, () => 'There are no apples.')).toEqual({
        actions: ['nudge 3', 'block 5', 'block 6', 'halt 7'],
        calls: 8,
        text: 'Report.',
      });
    });
  });

  it('arguments that are no JSON are seen as such, each as it was sent', async () => {
    const unreadable = async (query: (n: number) => string, idOf = (n: number) => n) => {
      const { guard, heard, actions } = listening();
      const turn = (n: number) => ({ calls: [callOf(idOf(n), 'look', `{"query": ${query(n)}`)] });
      const { agent } = agentOf(turn, guard);
      await (await agent.stream('Find it.', { maxSteps: 30 })).getFullOutput();
      return { heard, actions: actions() };
    };
    const same = await unreadable(() => '');
    expect(same.heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'look', status: 'invalid' });
    expect(same.actions).toEqual(['nudge 3', 'nudge 4', 'block 5', 'block 6', 'halt 7']);
    expect(
      await unreadable(
        () => '',
        () => 0,
      ),
    ).toMatchObject({ actions: same.actions });
    const others = await unreadable((n) => `${n} ${n}`);
    expect(others.heard.map(({ decision }) => decision.finding.detector)).not.toContain('no-progress');
    expect(others.actions.at(-1)).toBe('halt 8');
  });

  it('a result that the model has already may be told in a word', async () => {
    const output = 'warning: unused variable\n'.repeat(200);
    const turn = (n: number) => (n <= 2 ? again(n) : { text: 'Done.' });
    const { agent, requests } = agentOf(turn, deloop({ preset: thrifty }), { output });
    await agent.generate('Build it.', { maxSteps: 9 });
    expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
    expect(requests[2]?.sent).toContain('The same as before.');
  });

  it('counts a step as a round, and nothing else, where a prepareStep is asked before each', async () => {
    const roundsWith = async (options: object) => {
      const guard = deloop({ session: 'one' });
      const { agent } = agentOf(() => ({ text: 'Done.' }), guard);
      await agent.generate('Find it.', options);
      await agent.generate('Find it.', options);
      return guard.run().state.guard.agents.map(({ rounds }) => rounds);
    };
    expect(await roundsWith({ prepareStep: () => ({}) })).toEqual(await roundsWith({}));
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

  it("that the user's own prepareStep puts in are watched", async () => {
    const { guard, actions } = listening();
    const { agent, requests } = agentOf(lookFor('extra'), guard);
    const { text } = await agent.generate('Find it.', {
      maxSteps: 20,
      prepareStep: () => ({ tools: { extra }, activeTools: ['extra'] }),
    });
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    expect([text, requests.length]).toEqual(['Report.', 8]);
  });

  it('that change from step to step are not missing', async () => {
    const { guard, actions } = listening();
    const read = createTool({
      id: 'read',
      description: 'Reads.',
      inputSchema: z.object({}).loose(),
      execute: async (args) => `Page ${JSON.stringify(args)}.`,
    });
    const turn = (n: number) =>
      n <= 16 ? { calls: [callOf(n, n % 2 === 1 ? 'odd' : 'even', { page: n })] } : { text: 'Done.' };
    const { agent } = agentOf(turn, guard);
    const { text } = await agent.generate('Read it.', {
      maxSteps: 20,
      prepareStep: ({ stepNumber }) => ({ tools: stepNumber % 2 === 0 ? { odd: read } : { even: read } }),
    });
    expect([actions(), text]).toEqual([[], 'Done.']);
  });

  it('that are hidden from the model are seen when it calls them', async () => {
    const { guard, heard, actions } = listening();
    const { agent } = agentOf(lookFor('look'), guard, { tools: { look: extra, extra } });
    const { steps } = await agent.generate('Find it.', { maxSteps: 30, activeTools: ['extra'] });
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'look', status: 'unknown-tool' });
    expect(actions().at(-1)).toMatch(/^halt/);
    expect(steps.length).toBeLessThan(12);
  });

  it('that the provider runs under a name of its own are not missing', async () => {
    const { guard, actions } = listening();
    let n = 0;
    const content = () => {
      n += 1;
      if (n > 12) return [{ type: 'text', text: 'Done.' }];
      const search = { toolCallId: `search-${n}`, toolName: 'web_search', providerExecuted: true };
      const { id: toolCallId } = callOf(n, 'extra', {});
      return [
        { type: 'tool-call', ...search, input: `{"query":"${n}"}` },
        { type: 'tool-result', ...search, result: `Page ${n}.` },
        { type: 'tool-call', toolCallId, toolName: 'extra', input: `{"page":${n}}` },
      ];
    };
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const scripted: object = scriptedModel(() => ({}));
    const model = {
      ...scripted,
      doGenerate: async () => ({
        content: content(),
        finishReason: n > 12 ? 'stop' : 'tool-calls',
        usage,
        warnings: [],
      }),
    };
    const webSearch = { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };
    const { agent } = agentOf(again, guard, { model, tools: { webSearch, extra } });
    const { text } = await agent.generate('Find it.', { maxSteps: 20, prepareStep: () => ({}) });
    expect([actions(), text]).toEqual([[], 'Done.']);
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

describe('Mastra: what the model reads of a result', () => {
  /** Nothing that the guard takes for a mere number or id. */
  const word = (n: number) => String.fromCharCode(96 + n).repeat(6);

  /** It finds the same each time; only what the model does not read is new. */
  function searching(toModelOutput: (output: { text: string }) => unknown) {
    const read: unknown[] = [];
    let n = 0;
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}).loose(),
      execute: async () => ({ text: 'Nothing.', trace: word(++n) }),
      toModelOutput: (output) => {
        read.push(output);
        return toModelOutput(output as never);
      },
    });
    return { look, read };
  }

  for (const [how, toModelOutput] of [
    ['at once', ({ text }: { text: string }) => ({ type: 'text', value: text })],
    ['later', async ({ text }: { text: string }) => ({ type: 'text', value: text })],
    ['without a type', ({ text }: { text: string }) => ({ found: text })],
  ] as const)
    it(`is what counts, given ${how}, and is made once`, async () => {
      const { guard, actions } = listening();
      const { look, read } = searching(toModelOutput);
      const { agent, requests } = agentOf(again, guard, { tools: { look } });
      await agent.generate('Find it.', { maxSteps: 30 });
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
      expect(requests[1]?.sent).not.toContain('trace');
      expect(read).toHaveLength(4);
    });

  it('is what counts in a durable agent, and is made once', async () => {
    const { guard, actions } = listening();
    const { look, read } = searching(({ text }) => ({ type: 'text', value: text }));
    const { agent } = agentOf(again, (plain) => plain, { tools: { look } });
    const durable = guard(createDurableAgent({ agent }));
    new Mastra({ agents: { main: durable as never }, storage: new InMemoryStore(), logger: false });
    const { output } = await durable.stream('Find it.', { maxSteps: 30 });
    expect(await output.text).toContain('Report.');
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    expect(read).toHaveLength(4);
  });

  it('is the result where nothing is made of it', async () => {
    const { guard, heard } = listening();
    const { look } = searching(() => undefined);
    const { agent } = agentOf(until(9), guard, { tools: { look } });
    await agent.generate('Find it.', { maxSteps: 30 });
    expect(heard).toEqual([]);
  });

  it('may differ where the result is the same', async () => {
    let n = 0;
    const { guard, heard } = listening();
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}).loose(),
      execute: async () => 'Looked.',
      toModelOutput: () => ({ type: 'text', value: `Page ${word(++n)}.` }),
    });
    const both = (k: number) => ({ calls: ['a', 'b'].map((id) => ({ ...again(k).calls![0]!, id: id + k })) });
    const { agent, requests } = agentOf((k) => (k <= 5 ? both(k) : { text: 'Done.' }), guard, {
      tools: { look },
    });
    await agent.generate('Find it.', { maxSteps: 30 });
    expect(heard).toEqual([]);
    expect(n).toBe(10);
    for (let k = 1; k <= n; k++) expect(requests.at(-1)?.sent).toContain(`Page ${word(k)}.`);
  });

  for (const way of WAYS)
    it(`of a sub-agent is its words, whatever its own calls came to: ${way}`, async () => {
      const { guard, actions } = listening();
      let times = 0;
      const look = createTool({
        id: 'look',
        description: 'Looks.',
        inputSchema: z.object({}).loose(),
        execute: async () => word(++times),
      });
      const turn = (n: number) =>
        n % 2 === 1 ? { calls: [callOf(n, 'look', { n })] } : { text: 'I found nothing.' };
      const { agent: helper } = agentOf(turn, (plain) => plain, { ...HELPER, tools: { look } });
      const ask = (n: number) => ({ calls: [callOf(n, 'agent-helper', { prompt: 'Find it.' })] });
      const { agent } = agentOf(ask, guard, { agents: { helper } });
      if (way === 'generate') await agent.generate('Find it.', { maxSteps: 30 });
      else await (await agent.stream('Find it.', { maxSteps: 30 })).getFullOutput();
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    });

  it('is not told in a word: its tool could not read that', async () => {
    const output = JSON.stringify({ lines: 'warning: unused variable\n'.repeat(200) });
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}).loose(),
      execute: async () => output,
      toModelOutput: (text) => ({ type: 'json', value: JSON.parse(text as string) }),
    });
    const { agent, requests } = agentOf(until(2), deloop({ preset: thrifty }), { tools: { look } });
    const { text } = await agent.generate('Build it.', { maxSteps: 9 });
    expect(text).toBe('Done.');
    expect(requests[2]?.sent).toContain('The same as before.');
  });

  it('is what fails when it cannot be made, as without a guard', async () => {
    const failing = () => {
      throw new Error('not readable');
    };
    const { look, read } = searching(failing);
    const { agent } = agentOf(until(2), deloop(), { tools: { look } });
    new Mastra({ agents: { main: agent }, logger: false });
    await expect(agent.generate('Find it.', { maxSteps: 9 })).rejects.toThrow('not readable');
    expect(read.length).toBeGreaterThan(0);
  });
});

describe('Mastra: an abort', () => {
  const { recommended } = presets;
  /** A question that comes up between two steps. */
  const spending: Preset = {
    ...recommended,
    detectors: { ...recommended.detectors, budget: { kind: 'budget', tokens: 1000 } },
    ladder: [{ on: 'budget', at: 1000, action: 'ask', message: 'Go on?' }, ...recommended.ladder],
  };
  for (const way of WAYS)
    for (const [where, preset, usage] of [
      ['a call', recommended, 0],
      ['a step', spending, 700],
    ] as const)
      it(`ends a wait for a person before ${where}: ${way}`, async () => {
        const aborting = new AbortController();
        const onAsk = () => {
          setTimeout(() => aborting.abort(), 10);
          return new Promise<never>(() => {});
        };
        const guard = deloop({ preset, onAsk });
        let ran = 0;
        const look = createTool({
          id: 'look',
          description: 'Looks.',
          inputSchema: z.object({}).loose(),
          execute: async () => `${preset === recommended ? '' : ++ran}`,
        });
        const turn = (n: number) => ({ ...again(n), usage: { input: usage, output: 0 } });
        const { agent, requests } = agentOf(turn, guard, { tools: { look } });
        const settings = { maxSteps: 30, abortSignal: aborting.signal };
        if (way === 'generate') await agent.generate('Find it.', settings);
        else await (await agent.stream('Find it.', settings)).consumeStream();
        expect(aborting.signal.aborted).toBe(true);
        expect(requests.length).toBeLessThan(9);
      });
});

describe('Mastra: suspended calls', () => {
  type Resume = (main: Agent, call: { runId: string; toolCallId: string }) => Promise<unknown>;
  type Suspending = {
    readonly turn?: (n: number) => ScriptedTurn;
    readonly options?: WatchOptions;
    readonly resume?: Resume;
    readonly [name: string]: unknown;
  };
  const approve: Resume = (main, call) => main.approveToolCallGenerate({ ...call, maxSteps: 30 });
  const decline: Resume = (main, call) => main.declineToolCallGenerate({ ...call, maxSteps: 30 });

  /** Runs to its end, however often it is suspended on the way. */
  async function run(look: object, { turn = again, options, resume = approve, ...rest }: Suspending = {}) {
    const { guard, heard, actions } = listening({ session: 'one', ...options });
    const { agent, requests } = agentOf(turn, guard, { tools: { look }, ...rest });
    const storage = new InMemoryStore();
    const main = new Mastra({ agents: { main: agent }, storage, logger: false }).getAgent('main');
    let result = (await main.generate('Find it.', { maxSteps: 30 })) as Result;
    let times = 0;
    while (result.finishReason === 'suspended' && times < 30) {
      times++;
      const { runId = '', suspendPayload } = result;
      result = (await resume(main, { runId, toolCallId: suspendPayload?.toolCallId ?? '' })) as Result;
    }
    return { guard, heard, actions, requests, times, text: result.steps.at(-1)?.text };
  }

  for (const [how, suspendSchema] of [
    ['says that it may', z.object({ question: z.string() })],
    ['does not say so', undefined],
  ] as const)
    it(`of a tool that ${how} end when they are resumed`, async () => {
      let n = 0;
      const look = createTool({
        ...looking,
        ...(suspendSchema && { suspendSchema }),
        resumeSchema: z.object({ said: z.string() }),
        async execute(_, { agent }) {
          if (agent?.resumeData !== undefined) return agent.resumeData;
          await agent?.suspend?.({ question: 'What next?' } as never);
          return 'Asked.';
        },
      });
      const resume: Resume = (main, call) =>
        main.resumeGenerate({ said: `Answer ${++n}.` }, { ...call, maxSteps: 30 });
      const turn = (k: number) => (k <= 12 ? again(k) : { text: 'Done.' });
      const { heard, times, text } = await run(look, { resume, turn });
      expect(heard).toEqual([]);
      expect([times, text]).toEqual([12, 'Done.']);
    });

  it('that come to the same each time are a loop, too', async () => {
    const look = createTool({
      ...looking,
      suspendSchema: z.object({}),
      resumeSchema: z.object({}),
      execute: async (_, { agent }) => (agent?.resumeData ? 'Nothing.' : agent?.suspend?.({})),
    });
    const { actions } = await run(look, {
      resume: (main, call) => main.resumeGenerate({}, { ...call, maxSteps: 30 }),
    });
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
  });

  it("that need the user's own approval are followed by what there is to say", async () => {
    const look = createTool({ ...looking, requireApproval: true, execute: async () => 'Nothing.' });
    const { heard, actions, requests, text } = await run(look);
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    expect(requests[3]?.sent).toContain(heard[0]?.decision.message);
    expect([requests.length, text]).toEqual([8, 'Report.']);
  });

  for (const calls of [1, 2])
    it(`that a person declines are seen as such, ${calls} at a time`, async () => {
      const look = createTool({ ...looking, requireApproval: true, execute: async () => 'Nothing.' });
      const turn = (n: number) => ({
        calls: Array.from({ length: calls }, (_, k) => callOf(n * calls + k, 'look', { query: 'x' })),
      });
      const { heard, guard } = await run(look, { resume: decline, turn });
      expect(heard[0]).toMatchObject({ decision: { action: 'nudge' }, event: { status: 'denied' } });
      expect(guard.run('one').state.guard.calls).toBeGreaterThan(6);
      expect(guard.stopped).toMatchObject({ detector: 'no-progress' });
    });

  const twice = (n: number): ScriptedTurn =>
    n <= 9
      ? { calls: ['a', 'b'].map((k) => ({ ...callOf(n, 'look', { query: 'x' }), id: `${n}${k}` })) }
      : { text: 'Done.' };
  for (const [answer, resume] of [
    ['yes', approve],
    ['no', decline],
  ] as const)
    it(`of one step get one answer to the guard's question: ${answer}`, async () => {
      const { look, ran } = counted();
      const { heard, guard, times, text } = await run(look, {
        options: { attended: true },
        turn: twice,
        resume,
      });
      expect(heard.filter(({ decision }) => decision.action === 'ask')).toHaveLength(1);
      expect(times).toBe(1);
      expect(guard.run('one').questionFor()).toBeNull();
      expect([ran(), text]).toEqual(answer === 'yes' ? [14, 'Done.'] : [8, 'Report.']);
    });

  it('of a step in which others were refused are declined once', async () => {
    const look = createTool({ ...looking, execute: async () => 'Nothing.' });
    const turn = (n: number): ScriptedTurn => ({
      calls: ['x', 'x', 'y'].map((query, i) => ({ ...callOf(n, 'look', { query }), id: `${n}-${i}` })),
    });
    const options = { attended: true };
    const { guard, times, text } = await run(look, { options, turn, resume: decline });
    expect([times, text, guard.run('one').questionFor()]).toEqual([1, 'Report.', null]);
  });

  it('of a step are run when a person lets them go on that were refused', async () => {
    const { look, ran } = counted();
    const fanOut = (n: number): ScriptedTurn =>
      n <= 7
        ? { calls: ['a', 'b', 'c'].map((k) => ({ ...callOf(n, 'look', { query: k }), id: `${n}${k}` })) }
        : { text: 'Done.' };
    const { heard, times } = await run(look, { options: { attended: true }, turn: fanOut, resume: approve });
    const asked = heard.filter(({ decision }) => decision.action === 'ask');
    expect(asked.map(({ decision }) => decision.finding.detector)).toEqual(['refusals']);
    expect([times, ran()]).toEqual([1, 18]);
  });
});

describe('Mastra: the end', () => {
  const structuredOutput = { schema: z.object({ answer: z.string() }) };
  for (const lastTurn of [true, false])
    it(`needs no object that fits the schema, ${lastTurn ? 'after' : 'without'} a last turn`, async () => {
      const { guard } = listening({ lastTurn });
      const { agent } = agentOf(again, guard);
      const { object, text } = await agent.generate('Find it.', { maxSteps: 20, structuredOutput });
      expect(object).toBeUndefined();
      expect(text).toContain(lastTurn ? 'Report.' : guard.stopped?.message);
    });

  it('may be an object that does', async () => {
    const script = ({ tools }: { tools: boolean }) => (tools ? again(++n) : { text: '{"answer":"None."}' });
    let n = 0;
    const { agent } = agentOf(again, listening().guard, { model: scriptedModel(script) });
    const { object } = await agent.generate('Find it.', { maxSteps: 20, structuredOutput });
    expect(object).toEqual({ answer: 'None.' });
  });

  it('requires no tool', async () => {
    const choices: unknown[] = [];
    const model = scriptedModel(({ tools }) => (tools ? again(choices.length) : { text: 'Report.' })) as {
      doStream(options: { toolChoice?: unknown }): unknown;
    };
    const { doStream } = model;
    model.doStream = (options) => {
      choices.push(options.toolChoice);
      return doStream(options);
    };
    const { agent } = agentOf(again, listening().guard, { model });
    await (await agent.stream('Find it.', { maxSteps: 20, toolChoice: 'required' })).getFullOutput();
    expect(choices.slice(-2)).toEqual([{ type: 'required' }, { type: 'auto' }]);
  });

  const scorer = createScorer({ id: 'done', description: 'Is it done?' }).generateScore(() => 0);
  for (const [who, more] of [
    ['onIterationComplete', { onIterationComplete: () => ({ continue: true, feedback: 'Go on.' }) }],
    ['isTaskComplete', { isTaskComplete: { scorers: [scorer] } }],
  ] satisfies [string, object][])
    for (const lastTurn of [true, false])
      it(`is the end, whatever ${who} says, ${lastTurn ? 'with' : 'without'} a last turn`, async () => {
        const { guard } = listening({ lastTurn });
        const { agent, requests } = agentOf(again, guard);
        const { steps } = await agent.generate('Find it.', { maxSteps: 30, ...more });
        expect([steps.length, requests.length]).toEqual([8, lastTurn ? 8 : 7]);
        expect(steps.at(-1)?.text).toContain(lastTurn ? 'Report.' : guard.stopped?.message);
      });

  for (const [who, more, goal] of [
    ['onIterationComplete', { onIterationComplete: () => ({ continue: true, feedback: 'Go on.' }) }],
    ['isTaskComplete', { isTaskComplete: { scorers: [scorer] } }],
    ['its goal', {}, { judge: scriptedModel(() => ({ text: 'No.' })), maxRuns: 30, scorer }],
  ] satisfies [string, object, object?][])
    it(`is the end of a durable agent, whatever ${who} says`, async () => {
      const { guard } = listening();
      const storage = new InMemoryStore();
      const { agent, requests } = agentOf(again, guard, { memory: new MockMemory({ storage }), goal });
      const durable = createDurableAgent({ agent });
      new Mastra({ agents: { main: durable as never }, storage, logger: false });
      if (goal) await agent.setObjective('Find it.', { threadId: 'chat-42', resourceId: 'one' });
      const memory = { thread: 'chat-42', resource: 'one' };
      let steps = 0;
      const { output } = await durable.stream('Find it.', { maxSteps: 30, memory, ...more });
      for await (const { type } of output.fullStream) if (type === 'step-start') steps++;
      expect(guard.stopped).not.toBeNull();
      expect(requests).toHaveLength(8);
      expect(steps).toBeLessThan(11);
    });
});

describe('Mastra: people', () => {
  const thread = { memory: { thread: 'chat-42', resource: 'one' } };
  const target = { threadId: 'chat-42', resourceId: 'one' };
  /** One look for each message, then an answer. */
  const answering = (n: number) => (n % 2 === 1 ? again(n) : { text: `Nothing yet, ${n}.` });

  async function chatting(
    turn: (n: number) => ScriptedTurn,
    { durable = false, ...rest }: { durable?: boolean; [name: string]: unknown },
  ) {
    const { guard, heard } = listening();
    const storage = new InMemoryStore();
    const { agent, requests } = agentOf(turn, guard, {
      memory: new MockMemory({ storage }),
      defaultOptions: { maxSteps: 30 },
      ...(durable && { durable }),
      ...rest,
    });
    const main = new Mastra({ agents: { main: agent }, storage, logger: false }).getAgent('main');
    const { stream } = await main.subscribeToThread(target);
    const parts = stream[Symbol.asyncIterator]();
    /** Until the agent has come to its end. */
    async function finished(): Promise<void> {
      for (let part = await parts.next(); !part.done; part = await parts.next())
        if ((part.value as { type: string }).type === 'finish') return;
    }
    return { guard, heard, requests, main, finished };
  }

  for (const durable of [false, true])
    it(`who write to a ${durable ? 'durable agent' : 'thread'} are heard`, async () => {
      const { heard, requests, main, finished } = await chatting(answering, { durable });
      for (let k = 0; k < 9; k++) {
        main.sendMessage('Anything new?', target);
        await finished();
      }
      expect(requests).toHaveLength(18);
      expect(heard).toEqual([]);
    });

  it('who write to a thread after a stop are answered', async () => {
    const turn = (n: number) => (n <= 8 ? again(n) : { text: 'Hello.' });
    const { guard, requests, main, finished } = await chatting(turn, {});
    main.sendMessage('Find it.', target);
    await finished();
    expect(guard.run('chat-42').stopped).not.toBeNull();
    const { length } = requests;
    main.sendMessage('Look elsewhere.', target);
    await finished();
    expect(guard.run('chat-42').stopped).toBeNull();
    expect(requests.slice(length)).toMatchObject([{ tools: true }]);
  });

  for (const durable of [false, true])
    it(`who write while ${durable ? 'a durable agent' : 'the agent'} works are heard`, async () => {
      let n = 0;
      let write = () => {};
      const look = createTool({
        id: 'look',
        description: 'Looks.',
        inputSchema: z.object({}).loose(),
        async execute() {
          if (++n < 12) write();
          return 'Nothing was found.';
        },
      });
      const turn = (k: number) => (k <= 12 ? again(k) : { text: 'Done.' });
      const { guard, main, finished } = await chatting(turn, { durable, tools: { look } });
      write = () => main.sendMessage('Try again.', target);
      main.sendMessage('Find it.', target);
      await finished();
      expect(n).toBe(12);
      expect(guard.run('chat-42').stopped).toBeNull();
    });

  const remind = {
    id: 'own',
    async processInput({
      messageList,
      sendSignal,
    }: {
      messageList: unknown;
      sendSignal?: (signal: object) => unknown;
    }) {
      await sendSignal?.({ type: 'reactive', tagName: 'system-reminder', contents: 'It is Monday.' });
      return messageList;
    },
  };
  const know = {
    id: 'own',
    processInput: ({ messages }: { messages: readonly object[] }) => [
      ...messages,
      {
        id: crypto.randomUUID(),
        role: 'assistant',
        createdAt: new Date(),
        content: { format: 2, parts: [{ type: 'text', text: 'It is Monday.' }] },
      },
    ],
  };
  for (const [what, own] of [
    ['a reminder', remind],
    ['an answer', know],
  ] as const)
    it(`are heard when a processor puts ${what} behind their words`, async () => {
      const { guard, heard } = listening();
      const { agent } = agentOf(answering, guard, { memory: new MockMemory(), inputProcessors: [own] });
      for (let k = 0; k < 9; k++) await agent.generate('Anything new?', thread);
      expect(heard).toEqual([]);
    });
});

describe('Mastra: background tasks', () => {
  async function working(turn: (n: number) => ScriptedTurn) {
    const { guard, heard, actions } = listening();
    const storage = new InMemoryStore();
    let ran = 0;
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}).loose(),
      background: { enabled: true },
      async execute() {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return `Report ${++ran}.`;
      },
    });
    const { agent } = agentOf(turn, guard, { tools: { look }, memory: new MockMemory({ storage }) });
    new Mastra({ agents: { main: agent }, storage, logger: false, backgroundTasks: { enabled: true } });
    const output = await agent.stream('Find it.', {
      maxSteps: 40,
      memory: { thread: 'chat-42', resource: 'one' },
      untilIdle: { maxIdleMs: 2000 },
    });
    let failed = 0;
    for await (const { type } of output.fullStream) if (type === 'background-task-failed') failed++;
    return { heard, actions, failed, ran };
  }

  it('that differ are work, however long they wait for their turn', async () => {
    const turn = (n: number) => (n <= 20 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' });
    const { heard, ran, failed } = await working(turn);
    expect(heard).toEqual([]);
    expect([ran, failed]).toEqual([20, 0]);
  });

  it('that are the same are a loop, and those that wait are run after the stop', async () => {
    const turn = (n: number) => (n <= 8 ? { calls: [callOf(n, 'look', { n })] } : again(n));
    const { actions, ran, failed } = await working(turn);
    expect(actions().at(-1)).toMatch(/^halt/);
    expect(failed).toBeLessThan(4);
    expect(ran).toBeGreaterThan(11);
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

  it.each(['generate', 'stream'] as const)(
    'of Mistral, which refuse what a user says right behind results, are nudged and stopped, and their threads go on: %s',
    async (way) => {
      const { guard, actions } = listening();
      const { agent } = agentOf(again, guard, { memory: new MockMemory() });
      const { model, requests } = scripted((answer) => scriptedModel(answer), again);
      Object.assign(model as object, { provider: 'mistral.chat', modelId: 'mistral-large-latest' });
      const settings = { model, maxSteps: 12, memory: { thread: 't', resource: 'r' } };
      const ask = async (text: string) =>
        way === 'generate'
          ? await agent.generate(text, settings)
          : await (await agent.stream(text, settings)).getFullOutput();
      const { text } = await ask('Find it.');
      expect([text, actions()[0]]).toEqual(['Report.', 'nudge 3']);
      await ask('And now?');
      for (const { sent } of requests) {
        const roles = (JSON.parse(sent) as { role: string }[]).map(({ role }) => role).join(' ');
        expect(roles).not.toContain('tool user');
      }
      expect(requests.length).toBeGreaterThan(8);
    },
  );

  it.each([
    ['generate', false],
    ['generate', true],
    ['stream', false],
    ['stream', true],
  ] as const)(
    'of Amazon Bedrock, which forgets calls and results where there are no tools, have them in the last turn, and none runs: %s, calls go on: %s',
    async (way, isStubborn) => {
      const { guard, actions } = listening();
      const { look, ran } = counted();
      const pick = createTool({ id: 'pick', description: 'Picks, where the client is.' });
      const turn = (n: number) => (n <= 7 || isStubborn ? again(n) : { text: 'Report.' });
      const { agent } = agentOf(turn, guard, { tools: { look, pick } });
      const { model, requests } = scripted((answer) => scriptedModel(answer), turn);
      const asked = vi.spyOn(model as Asked, way === 'generate' ? 'doGenerate' : 'doStream');
      Object.assign(model as object, { provider: 'amazon-bedrock' });
      const settings = { model, maxSteps: 20 };
      const result =
        way === 'generate'
          ? await agent.generate('Find it.', settings)
          : await (await agent.stream('Find it.', settings)).getFullOutput();
      expect([actions().at(-1), ran(), requests.length]).toEqual(['halt 7', 4, 8]);
      const offered = asked.mock.calls.map(([{ tools }]) => tools.map(({ name }) => name));
      expect([offered[0], offered.at(-1)]).toEqual([['look', 'pick'], ['look']]);
      if (!isStubborn) expect(result.text).toBe('Report.');
    },
  );

  it('of a single call are heard', async () => {
    const { guard, heard } = listening({ preset: { ...recommended, detectors } });
    const { model } = scripted((answer) => scriptedModel(answer), spending);
    const { agent } = agentOf(again, guard);
    await agent.generate('Find it.', { maxSteps: 9, model });
    expect(heard[0]?.decision.finding.detector).toBe('budget');
  });

  it("that the user's own prepareStep puts in are heard", async () => {
    const { guard, heard } = listening({ preset: { ...recommended, detectors } });
    const { model } = scripted((answer) => scriptedModel(answer), spending);
    const { agent } = agentOf(again, guard);
    await agent.generate('Find it.', { maxSteps: 9, prepareStep: () => ({ model }) });
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

  const VERDICT = '- This message is safe.\n'.repeat(100);
  type Judging = (step: { readonly model: unknown }) => Promise<undefined>;
  for (const [who, given, options] of [
    ['a processor of steps', (ask: Judging) => [{ id: 'own', processInputStep: ask }], () => ({})],
    ['a processor of requests', (ask: Judging) => [{ id: 'own', processLLMRequest: ask }], () => ({})],
    ['a processor of responses', (ask: Judging) => [{ id: 'own', processLLMResponse: ask }], () => ({})],
    ['a prepareStep', () => [], (ask: Judging) => ({ prepareStep: ask })],
  ] as const)
    for (const loops of [false, true])
      it(`that ${who} asks are the agent's only where it is the agent who asks: ${loops ? 'a loop' : 'work'}`, async () => {
        const { guard, actions } = listening();
        let steps = 0;
        const { model } = scripted(
          (answer) =>
            scriptedModel((request) =>
              request.sent.includes('You are a judge.') ? { text: VERDICT } : answer(request),
            ),
          () => {
            steps++;
            if (loops) return again(steps);
            return steps <= 9 ? { calls: [callOf(steps, 'look', { query: `${steps}` })] } : { text: 'Done.' };
          },
        );
        const verdicts = new Set<string>();
        const ask: Judging = async (step) => {
          const instructions = 'You are a judge.';
          const judge = new Agent({ id: 'judge', name: 'judge', instructions, model: step.model as never });
          if (steps < 7) verdicts.add((await judge.generate('Is it safe?')).text);
          return undefined;
        };
        const results = createTool({
          id: 'look',
          description: 'Looks.',
          inputSchema: z.object({}).loose(),
          execute: async (args) => `About ${JSON.stringify(args)}.`,
        });
        const { agent } = agentOf(again, guard, {
          model,
          tools: { look: results },
          inputProcessors: given(ask),
        });
        const { text } = await agent.generate('Find it.', { maxSteps: 20, ...(options(ask) as object) });
        expect([...verdicts]).toEqual([VERDICT]);
        expect(text).toBe(loops ? 'Report.' : 'Done.');
        expect(actions()).toEqual(loops ? ['nudge 3', 'block 5', 'block 6', 'halt 7'] : []);
      });
});

describe('Mastra: a conversation that is compacted', () => {
  const MOST = 14;
  const LOOP = ['nudge 6', 'nudge 7', 'nudge 8', 'block 9', 'block 10', 'halt 11'];
  type Prompt = readonly { readonly role: string }[];
  type Listed = { readonly id: string; readonly role: string };
  const files = (count: number) => (n: number) => ({
    calls: [callOf(n, 'read', { path: `src/${n % count}.ts` })],
  });
  const read = createTool({
    id: 'read',
    description: 'Reads.',
    inputSchema: z.object({}).loose(),
    execute: async (args) => `The code of ${JSON.stringify(args)}. `.repeat(20),
  });

  /** How many messages the model was sent for each response; and a guarded agent. */
  function readingAgent(turn: (n: number) => ScriptedTurn, guard: (agent: Agent) => Agent, given: object) {
    const made = agentOf(turn, guard, { tools: { read }, ...given });
    return { ...made, sizes: () => made.requests.map(({ sent }) => sent.split('"role"').length - 1) };
  }

  /** The instructions and the task stay, of all else what has come since it was too long. */
  function summing() {
    let from = 2;
    return (prompt: Prompt) => {
      if (prompt.length - from > MOST - 4) from = prompt.length;
      return [...prompt.slice(0, 2), ...prompt.slice(from)];
    };
  }

  /** Mastra has all steps in one message until somebody says that another one begins. */
  function rewriting() {
    let steps = 0;
    return ({
      messages,
      rotateResponseMessageId,
    }: {
      messages: readonly Listed[];
      rotateResponseMessageId?: () => string;
    }) => {
      steps++;
      if (steps % 6 !== 0) return undefined;
      rotateResponseMessageId?.();
      return { messages: messages.filter(({ role }) => role === 'user') };
    };
  }

  const request = (cut: (prompt: Prompt) => Prompt) => ({
    id: 'own',
    processLLMRequest: async ({ prompt }: { prompt: Prompt }) => ({ prompt: cut(prompt) }),
  });
  const WAYS_TO_COMPACT = [
    ['by a processor of requests', () => ({ inputProcessors: [request(summing())] }), () => ({})],
    [
      'by a processor of steps',
      () => ({ inputProcessors: [{ id: 'own', processInputStep: rewriting() }] }),
      () => ({}),
    ],
    ['by a prepareStep', () => ({}), () => ({ prepareStep: rewriting() })],
  ] as const;

  for (const [how, given, options] of WAYS_TO_COMPACT) {
    it(`${how} may be looked at again`, async () => {
      const { guard, heard } = listening();
      const turn = (n: number) => (n <= 12 ? files(6)(n) : { text: 'Done.' });
      const { agent, sizes } = readingAgent(turn, guard, given());
      const { text } = await agent.generate('Explain it.', { maxSteps: 60, ...(options() as object) });
      expect(text).toBe('Done.');
      expect(sizes().some((size, index, all) => size * 2 <= (all[index - 1] ?? 0))).toBe(true);
      expect(heard).toEqual([]);
    });

    it(`${how} again and again is no progress`, async () => {
      const { guard } = listening();
      const { agent, sizes } = readingAgent(files(3), guard, given());
      await agent.generate('Explain it.', { maxSteps: 60, ...(options() as object) });
      expect(guard.stopped).not.toBeNull();
      expect(sizes().length).toBeLessThan(30);
    });
  }

  it('is not one of which only the oldest messages fall out: a loop in it is one as ever', async () => {
    const { guard, actions } = listening();
    const cut = (prompt: Prompt) => [...prompt.slice(0, 2), ...prompt.slice(2).slice(-6)];
    const { agent, sizes } = readingAgent(files(3), guard, { inputProcessors: [request(cut)] });
    await agent.generate('Explain it.', { maxSteps: 60 });
    expect(Math.max(...sizes())).toBe(8);
    expect(actions()).toEqual(LOOP);
  });

  it('by a processor of a durable agent may be looked at again', async () => {
    const { guard, heard } = listening();
    const turn = (n: number) => (n <= 12 ? files(6)(n) : { text: 'Done.' });
    const { agent } = readingAgent(turn, (plain) => plain, { inputProcessors: [request(summing())] });
    const durable = guard(createDurableAgent({ agent }));
    new Mastra({ agents: { main: durable as never }, storage: new InMemoryStore(), logger: false });
    const { output } = await durable.stream('Explain it.', { maxSteps: 30 });
    expect(await output.text).toBe('Done.');
    expect(heard).toEqual([]);
  });

  it('is not one that the provider keeps, which is sent only what is new', async () => {
    const { guard, actions } = listening();
    const cut = (prompt: Prompt) => prompt.slice(prompt.length % 4 === 0 ? -1 : -3);
    const { agent, sizes } = readingAgent(files(3), guard, { inputProcessors: [request(cut)] });
    const providerOptions = { openai: { conversation: 'conv_1' } };
    await agent.generate('Explain it.', { maxSteps: 60, providerOptions });
    expect(sizes().slice(0, 5)).toEqual([2, 1, 3, 1, 3]);
    expect(actions()).toEqual(LOOP);
  });
});

describe('Mastra: models of the AI SDK 4', () => {
  it('are not watched, which is told once', async () => {
    const told: unknown[] = [];
    const guard = deloop({ onError: (error, about) => told.push([`${error}`, about]) });
    const model = {
      specificationVersion: 'v1',
      provider: 'scripted',
      modelId: 'scripted',
      defaultObjectGenerationMode: 'json',
      doGenerate: async () => ({
        text: 'Done.',
        finishReason: 'stop',
        usage: { promptTokens: 1, completionTokens: 1 },
        rawCall: { rawPrompt: '', rawSettings: {} },
      }),
    };
    const { agent } = agentOf(again, guard, { model });
    for (const words of ['Find it.', 'Find more.'])
      expect((await agent.generateLegacy(words)).text).toBe('Done.');
    expect(told).toEqual([[expect.stringContaining('AI SDK 4'), 'main']]);
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
  it('an agent of Mastra 0.x, which has other processors, is refused with the remedy', () => {
    const old = { getLLM: async () => ({}), getInputProcessors: async () => [] };
    expect(() => deloop()(old)).toThrow(/npm install @mastra\/core@1/);
  });

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
    const { agent: helper } = agentOf((n) => (n <= 3 ? again(n) : { text: 'Done.' }), guard, HELPER);
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

  it('sub-agents of one name that work at the same time have a history each', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const read = createTool({
      id: 'read',
      description: 'Reads.',
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }) => `The content of ${path}.`,
    });
    let n = 0;
    const model = scriptedModel(({ sent }) => {
      const results = sent.split('"tool-result"').length - 1;
      const path = results === 1 ? 'index' : `page-${++n}`;
      return results < 3 ? { calls: [callOf(++n, 'read', { path })] } : { text: 'Done.' };
    });
    const settings = { ...HELPER, instructions: 'x', model };
    const helper = guard(new Agent({ ...settings, tools: { read } }));
    const fanOut = Array.from({ length: 8 }, (_, k) => callOf(k, 'agent-helper', { prompt: `Topic ${k}.` }));
    const { agent } = agentOf((k) => (k <= 2 ? { calls: fanOut } : { text: 'Done.' }), guard, {
      agents: { helper },
    });
    await agent.generate('Find it.', { maxSteps: 9 });
    expect(n).toBeGreaterThan(16);
    expect(heard).toEqual([]);
  });

  it('a sub-agent that is called again keeps its name', async () => {
    const { guard } = listening({ session: 'one' });
    const { agent: helper } = agentOf((n) => (n % 2 === 1 ? again(n) : { text: 'Done.' }), guard, HELPER);
    const ask = (n: number) => ({ calls: [callOf(n, 'agent-helper', { prompt: `Look again, ${n}.` })] });
    const { agent } = agentOf((n) => (n <= 3 ? ask(n) : { text: 'Done.' }), guard, { agents: { helper } });
    await agent.generate('Find it.', { maxSteps: 9 });
    const state = JSON.stringify(guard.run('one').state);
    expect(state).toContain('"helper"');
    expect(state).not.toContain('helper#2');
  });

  it('agents that take turns on a thread are the main agent each', async () => {
    const { guard, heard } = listening();
    const memory = new MockMemory();
    const { agent: first } = agentOf(() => ({ text: 'Hello.' }), guard, { id: 'first', memory });
    const { agent: second } = agentOf(again, guard, { id: 'second', memory });
    const thread = { memory: { thread: 'chat-42', resource: 'one' } };
    await first.generate('Hello.', thread);
    await second.generate('Find it.', { maxSteps: 20, ...thread });
    expect(heard.at(-1)?.decision.action).toBe('halt');
    expect(guard.run('chat-42').stopped).toEqual(guard.stopped);
    expect(guard.stopped).not.toBeNull();
    guard.run('chat-42').resume();
    expect(guard.stopped).toBeNull();
  });

  it('an agent that follows a durable one on a thread is the main agent, too', async () => {
    const { guard } = listening();
    const memory = new MockMemory();
    const thread = { memory: { thread: 'chat-42', resource: 'one' } };
    const once = (n: number) => (n === 1 ? again(n) : { text: 'Hello.' });
    const { agent: first } = agentOf(once, (plain) => plain, { id: 'first', memory });
    const durable = guard(createDurableAgent({ agent: first }));
    new Mastra({ agents: { first: durable as never }, storage: new InMemoryStore(), logger: false });
    const { output } = await durable.stream('Hello.', thread);
    expect(await output.text).toContain('Hello.');
    const { agent: second } = agentOf(again, guard, { id: 'second', memory });
    await second.generate('Find it.', { maxSteps: 20, ...thread });
    expect(guard.run('chat-42').stopped).not.toBeNull();
    expect(guard.run('chat-42').stoppedFor('second')).toBeNull();
  });

  it('a sub-agent of a durable agent has its own name in the session', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const { agent: helper } = agentOf((n) => (n <= 3 ? again(n) : { text: 'Done.' }), guard, HELPER);
    const ask = (n: number) => ({ calls: [callOf(n, 'agent-helper', { prompt: 'Look for it.' })] });
    const { agent } = agentOf(
      (n) => (n === 1 ? ask(n) : { text: 'Done.' }),
      (plain) => plain,
      {
        agents: { helper },
      },
    );
    const durable = guard(createDurableAgent({ agent }));
    new Mastra({ agents: { main: durable as never }, storage: new InMemoryStore(), logger: false });
    const { output } = await durable.stream('Find it.', { maxSteps: 9 });
    expect(await output.text).toContain('Done.');
    expect(heard.map(({ decision: { action, agent: name } }) => [action, name])).toEqual([
      ['nudge', 'helper'],
    ]);
  });

  for (const how of ['throws', 'rejects'])
    it(`an agent that follows one that ${how} is the main agent, too`, async () => {
      const { guard } = listening({ session: 'one' });
      const broken = () => {
        if (how === 'throws') throw new Error('no loop');
        return Promise.reject(new Error('no loop'));
      };
      const { agent: first } = agentOf(
        again,
        (plain) => {
          const getLLM = plain.getLLM.bind(plain);
          plain.getLLM = async (...given) =>
            Object.assign(await getLLM(...given), { stream: broken }) as never;
          return guard(plain);
        },
        { id: 'first' },
      );
      await expect(first.generate('Hello.')).rejects.toThrow('no loop');
      const { agent: second } = agentOf(again, guard, { id: 'second' });
      await second.generate('Find it.', { maxSteps: 20 });
      expect(guard.run('one').stopped).not.toBeNull();
    });

  it('a sub-agent that was suspended keeps its name when a person writes instead of answering', async () => {
    const { guard } = listening({ session: 'one' });
    let suspends = true;
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}).loose(),
      suspendSchema: z.object({}),
      resumeSchema: z.object({}),
      execute: async (_, context) => (suspends ? context.agent?.suspend({}) : 'Nothing was found.'),
    });
    const { agent: helper } = agentOf(again, guard, {
      ...HELPER,
      tools: { look },
      defaultOptions: { maxSteps: 20 },
    });
    const ask = (n: number) => ({ calls: [callOf(n, 'agent-helper', { prompt: `Look, ${n}.` })] });
    const { agent } = agentOf((n) => (n <= 2 ? ask(n) : { text: 'Done.' }), guard, { agents: { helper } });
    const agents = { main: agent, helper };
    const main = new Mastra({ agents, storage: new InMemoryStore(), logger: false }).getAgent('main');
    const { finishReason } = await main.generate('Find it.', { maxSteps: 9 });
    expect(finishReason).toBe('suspended');
    suspends = false;
    await main.generate('Look elsewhere.', { maxSteps: 9 });
    expect(guard.run('one').stoppedFor('helper')).not.toBeNull();
    expect(guard.run('one').stoppedFor('helper#2')).toBeNull();
  });

  it('sub-agents that work at the same time are stopped each, however many they are', async () => {
    const { guard, heard } = listening({ session: 'one' });
    let n = 0;
    const model = scriptedModel(({ tools }) =>
      tools ? { calls: [callOf(++n, 'look', { query: 'x' })] } : { text: 'Report.' },
    );
    const { agent: helper } = agentOf(again, guard, {
      ...HELPER,
      model,
      defaultOptions: { maxSteps: 20 },
    });
    const fanOut = Array.from({ length: 10 }, (_, k) => callOf(k, 'agent-helper', { prompt: `Topic ${k}.` }));
    const { agent } = agentOf((k) => (k === 1 ? { calls: fanOut } : { text: 'Done.' }), guard, {
      agents: { helper },
    });
    await agent.generate('Find it.', { maxSteps: 9 });
    const halted = heard.filter(({ decision }) => decision.action === 'halt');
    expect(new Set(halted.map(({ decision }) => decision.agent)).size).toBe(10);
  });

  it('a copy of a guarded agent is guarded', async () => {
    const { guard, actions } = listening();
    const copy = agentOf(again, guard).agent.__fork();
    await copy.generate('Find it.', { maxSteps: 4 });
    expect(actions()).toEqual(['nudge 3']);
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
