import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  AfterToolCallEvent,
  Agent,
  type AgentConfig,
  BeforeToolCallEvent,
  BeforeToolsEvent,
  ContextWindowOverflowError,
  FunctionTool,
  Graph,
  InterventionActions,
  InterventionHandler,
  InvokeModelStage,
  type JSONValue,
  type Message,
  type Model,
  ModelRouter,
  type ModelStreamEvent,
  SessionManager,
  SlidingWindowConversationManager,
  SummarizingConversationManager,
  Swarm,
} from '@strands-agents/sdk';
import { InMemoryStorage } from '@strands-agents/sdk/storage';
import {
  ContextOffloader,
  type ContextOffloaderConfig,
  InMemoryStorage as OffloaderStorage,
} from '@strands-agents/sdk/vended-plugins/context-offloader';
import { GoalLoop } from '@strands-agents/sdk/vended-plugins/goal';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { deloop, findLoopHalted, type StrandsOptions } from '../../../src/adapters/strands/index.ts';
import { type Preset, presets } from '../../../src/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import type { ModelRequest, ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, listeningTo, scripted, talking, thrifty } from '../driver.ts';
import './broken-streams.ts';
import { StubModel, strandsHost, WAYS } from './host.ts';

describe('Strands: the model of a guarded agent', () => {
  const LIST = '- look: nothing was found.\n'.repeat(100);

  for (const [when, options, last] of [
    ['between responses', {}, 2],
    ['after a stop', { lastTurn: false }, 20],
  ] as const)
    it(`may be asked for a summary ${when}, and what it says there is not the agent's`, async () => {
      const { guard, heard } = listening(options);
      const model = new StubModel(({ sent, tools }) =>
        !tools
          ? { text: LIST }
          : sent.split('toolResult').length > last
            ? { text: 'Done.' }
            : again(sent.length),
      );
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      await agent.invoke('Find it.');
      const before = heard.length;
      const manager = new SummarizingConversationManager({ summaryRatio: 0.5, preserveRecentMessages: 1 });
      expect(await manager.reduce({ agent, model: agent.model as Model })).toBe(true);
      expect(JSON.stringify(agent.messages[0])).toContain(JSON.stringify(LIST).slice(1, -1));
      expect(heard).toHaveLength(before);
    });

  it('may have a streamAggregated of its own, with private fields', async () => {
    class Counting extends StubModel {
      #responses = 0;

      override async *streamAggregated(...given: Parameters<StubModel['streamAggregated']>) {
        this.#responses += 1;
        return yield* super.streamAggregated(...given);
      }

      get responses(): number {
        return this.#responses;
      }
    }
    const { guard, actions } = listening();
    const asked: boolean[] = [];
    const model = new Counting(({ tools }) => {
      asked.push(tools);
      return tools ? again(asked.length) : { text: 'Report.' };
    });
    const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
    expect(`${await agent.invoke('Find it.')}`).toBe('Report.');
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    expect(asked).toEqual([true, true, true, true, true, true, true, false]);
    expect(model.responses).toBe(8);
  });

  it("may be asked by an agent that a tool makes of it, and what that one says is not the agent's", async () => {
    const { guard, heard } = listening();
    let calls = 0;
    const model = new StubModel(({ sent }) => {
      if (sent.includes('A list, please.')) return { text: LIST };
      calls++;
      return calls > 3 ? { text: 'Done.' } : { calls: [callOf(calls, 'list', { page: calls })] };
    });
    const said: string[] = [];
    const list = new FunctionTool({
      name: 'list',
      description: 'Lists.',
      async callback(_, { agent }) {
        const inner = new Agent({ model: (agent as Agent).model, printer: false });
        said.push(`${await inner.invoke('A list, please.')}`);
        return `List ${said.length}`;
      },
    });
    const agent = new Agent({ model, tools: [list], interventions: [guard], printer: false });
    expect(`${await agent.invoke('Find it.')}`).toBe('Done.');
    expect(said).toEqual([LIST, LIST, LIST]);
    expect(heard).toEqual([]);
  });

  it("may be asked by a judge in an intervention or a middleware of the user's, whichever comes first", async () => {
    class Judging extends InterventionHandler {
      readonly name = 'own';

      override async beforeModelCall(event: { readonly agent: unknown }) {
        return judge(event.agent as Agent);
      }

      override async afterModelCall(event: { readonly agent: unknown }) {
        return judge(event.agent as Agent);
      }
    }
    let judged = 0;
    async function judge({ model }: Agent) {
      judged += 1;
      await new Agent({ model: model as Model, printer: false }).invoke('Is it fine?');
      return InterventionActions.proceed();
    }
    for (const way of ['first', 'last', 'middleware']) {
      const { guard, actions } = listening();
      let calls = 0;
      const model = new StubModel(({ sent, tools }) => {
        if (sent.includes('Is it fine?')) return { text: 'Fine.' };
        calls += 1;
        return tools ? again(calls) : { text: 'Report.' };
      });
      const own = way === 'middleware' ? [] : [new Judging()];
      const interventions = way === 'first' ? [...own, guard] : [guard, ...own];
      const agent = new Agent({ model, tools: [look()], interventions, printer: false });
      if (way === 'middleware')
        agent.addMiddleware(InvokeModelStage, async function* judging(context, next) {
          await judge(agent);
          const result = yield* next(context);
          await judge(agent);
          return result;
        });
      judged = 0;
      expect([`${await agent.invoke('Find it.')}`, calls, judged]).toEqual(['Report.', 8, 16]);
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    }
  });

  for (const lastTurn of [true, false])
    it(`may be asked by another agent when its own was stopped ${lastTurn ? 'with' : 'without'} a last turn`, async () => {
      const { guard } = listening({ lastTurn });
      const { model, requests } = script(again);
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      await agent.invoke('Find it.');
      expect(guard.stopped).not.toBeNull();
      const other = new Agent({ model: agent.model as Model, tools: [look()], printer: false });
      await other.invoke('Find it.', { limits: { turns: 1 } });
      expect(requests.at(-1)?.tools).toBe(true);
    });

  it('is of its class', async () => {
    const { model } = script(() => ({ text: 'Done.' }));
    const agent = new Agent({ model, interventions: [deloop()], printer: false });
    await agent.invoke('Find it.');
    expect(agent.model).toBeInstanceOf(StubModel);
    expect(agent.model.constructor).toBe(StubModel);
  });
});

for (const way of WAYS) testAdapter(strandsHost(way), { describe, it });

const look = (output = 'Nothing was found.') =>
  new FunctionTool({ name: 'look', description: 'Looks.', callback: () => output });

const script = (turn: (n: number, request: ModelRequest) => ScriptedTurn) =>
  scripted((answer) => new StubModel(answer), turn);
const listening = (options: StrandsOptions = {}) => listeningTo(deloop, options);

/** Calls a tool for every prompt, and says something when it has the result. */
const once = (tool: string, words: (n: number) => string) =>
  script((n, { sent }) =>
    isAnswered(sent) ? { text: words(n) } : { calls: [callOf(n, tool, { query: 'x' })] },
  );

function isAnswered(sent: string): boolean {
  return JSON.stringify(JSON.parse(sent).at(-1)).includes('toolResult');
}

describe('Strands: text', () => {
  for (const [kind, channel] of [
    ['text', 'content'],
    ['reasoning', 'reasoning'],
  ] as const)
    it(`a stream of ${kind} that repeats itself is cut`, async () => {
      const { guard, heard } = listening();
      const { model } = script(() => ({ [kind]: 'I should check the file again. '.repeat(200) }));
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      const { lastMessage, stopReason } = await agent.invoke('Think.');
      const { length } = JSON.stringify(lastMessage.content);
      expect(stopReason).toBe('endTurn');
      expect(length).toBeGreaterThan(200);
      expect(length).toBeLessThan(1200);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
    });
});

describe('Strands: a conversation that is compacted', () => {
  const MOST = 12;
  const summing = { summaryRatio: 0.8, preserveRecentMessages: 1 };
  const files = (count: number) => (n: number) => ({
    calls: [callOf(n, 'read', { path: `src/${n % count}.ts` })],
  });
  const read = new FunctionTool({
    name: 'read',
    description: 'Reads.',
    inputSchema: { type: 'object', additionalProperties: true },
    callback: (args) => `The code of ${JSON.stringify(args)}. `.repeat(20),
  });

  /** An agent whose model takes no more messages than these, and how many it was sent for each response. */
  function agentOf(
    turn: (n: number) => ScriptedTurn,
    guard: ReturnType<typeof deloop>,
    config: AgentConfig,
    most = MOST,
  ) {
    const sizes: number[] = [];
    const model = new StubModel(({ sent, tools }) => {
      const size = sent.split('"role"').length - 1;
      if (!tools) return { text: 'All was read.' };
      if (size > most) throw new ContextWindowOverflowError('Too long.');
      sizes.push(size);
      return turn(sizes.length);
    });
    const agent = new Agent({ model, tools: [read], interventions: [guard], printer: false, ...config });
    return { agent, sizes };
  }

  type Cut = (messages: readonly Message[], from: number) => readonly Message[];
  /** Whatever is older than `MOST` messages is cut on the way to the model. */
  function cutting(agent: Agent, cut: Cut): void {
    let from = 0;
    agent.addMiddleware(InvokeModelStage, async function* own(context, next) {
      const { messages } = context;
      if (messages.length - from > MOST) from = messages.length - 1;
      return yield* next({ ...context, messages: cut(messages, from) });
    });
  }
  const toSummary: Cut = (messages, from) =>
    from === 0 ? messages : [...messages.slice(0, 1), ...messages.slice(from + 1)];

  const WAYS_TO_COMPACT = {
    'by a manager when it is too long': {
      config: { conversationManager: new SummarizingConversationManager(summing) },
      open() {},
    },
    'by a manager before it is too long': {
      config: {
        conversationManager: new SummarizingConversationManager({
          ...summing,
          proactiveCompression: { compressionThreshold: 0.9 },
        }),
      },
      open: (agent: Agent) =>
        Object.assign(agent.model, {
          estimateUtilization: () => agent.messages.length / MOST,
        }),
    },
    'on the way to the model': { config: {}, open: (agent: Agent) => cutting(agent, toSummary) },
  } as const;

  for (const [how, { config, open }] of Object.entries(WAYS_TO_COMPACT)) {
    it(`${how} may be looked at again`, async () => {
      const { guard, heard } = listening();
      const { agent, sizes } = agentOf((n) => (n <= 12 ? files(6)(n) : { text: 'Done.' }), guard, config);
      open(agent);
      expect(`${await agent.invoke('Explain it.')}`).toBe('Done.');
      expect(sizes.some((size, index) => size * 2 <= (sizes[index - 1] ?? 0))).toBe(true);
      expect(heard).toEqual([]);
    });

    it(`${how} again and again is no progress`, async () => {
      const { guard } = listening();
      const { agent, sizes } = agentOf((n) => (n <= 60 ? files(3)(n) : { text: 'Done.' }), guard, config);
      open(agent);
      await agent.invoke('Explain it.');
      expect(guard.stopped).not.toBeNull();
      expect(sizes.length).toBeLessThan(30);
    });
  }

  it('is that of one invocation: what a program takes away between two is no compaction', async () => {
    const { guard } = listening({ session: 'one' });
    const told = vi.spyOn(guard.run('one'), 'tell');
    const { agent } = agentOf((n) => (n % 6 === 0 ? { text: 'Done.' } : files(60)(n)), guard, {});
    await agent.invoke('Explain it.');
    agent.messages.splice(0);
    await agent.invoke('Explain it.');
    expect(told.mock.calls.filter(([{ type }]) => type === 'compaction')).toEqual([]);
  });

  it('may be cut more than once until the model takes it', async () => {
    const { guard, heard } = listening();
    let answered = 0;
    const { agent, sizes } = agentOf(
      () => {
        // Large results come now and then.
        if (answered % 12 === 11 && (sizes.at(-1) ?? 0) > 8)
          throw new ContextWindowOverflowError('Too long.');
        answered += 1;
        return answered <= 40 ? files(40)(answered) : { text: 'Done.' };
      },
      guard,
      { conversationManager: new SummarizingConversationManager({ ...summing, summaryRatio: 0.6 }) },
      40,
    );
    expect(`${await agent.invoke('Explain it.')}`).toBe('Done.');
    const isHalf = (index: number) => (sizes[index] ?? 0) * 2 <= (sizes[index - 1] ?? 0);
    expect(sizes.some((_, index) => isHalf(index) && isHalf(index - 1))).toBe(true);
    expect(heard).toEqual([]);
  });

  for (const [how, config, open] of [
    [
      'by a manager',
      {
        conversationManager: new SlidingWindowConversationManager({
          windowSize: 8,
          shouldTruncateResults: false,
        }),
      },
      () => {},
    ],
    [
      'on the way to the model',
      {},
      (agent: Agent) =>
        cutting(agent, (messages) => [...messages.slice(0, 1), ...messages.slice(1).slice(-4)]),
    ],
  ] as const)
    it(`is not one of which only the oldest messages fall out ${how}: a loop in it is one as ever`, async () => {
      const { guard, actions } = listening();
      const { agent, sizes } = agentOf(files(3), guard, config);
      open(agent);
      await agent.invoke('Explain it.');
      expect(sizes).toHaveLength(11);
      expect(Math.max(...sizes)).toBeLessThan(MOST);
      expect(actions()).toEqual(['nudge 6', 'nudge 7', 'nudge 8', 'block 9', 'block 10', 'halt 11']);
    });
});

describe('Strands: calls', () => {
  it("a call that the user's own hook cancels counts as denied, and keeps the user's words", async () => {
    const { guard, heard } = listening();
    const { model, requests } = script((n) => (n <= 4 ? again(n) : { text: 'Done.' }));
    const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
    agent.addHook(BeforeToolCallEvent, (event) => {
      event.cancel = 'Not on Sundays.';
    });
    await agent.invoke('Find it.');
    expect(requests[1]?.sent).toContain('Not on Sundays.');
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'denied' });
  });

  it('parallel calls wait for one answer', async () => {
    const { guard } = listening({ attended: true });
    const { model } = script((n) =>
      n <= 7 ? { calls: [again(n).calls?.[0] as never, callOf(n, 'look', { n }, 1)] } : { text: 'Done.' },
    );
    let ran = 0;
    const counting = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      callback: (args) => {
        ran += 1;
        const { n = 0 } = args as { n?: number };
        return n === 0 ? 'Nothing.' : `Found ${n}.`;
      },
    });
    const agent = new Agent({ model, tools: [counting], interventions: [guard], printer: false });
    const held = await agent.invoke('Find it.');
    expect(held.stopReason).toBe('interrupt');
    const before = ran;
    const answers = (held.interrupts ?? []).map(({ id, name }) => {
      expect(name).toBe('deloop');
      return { interruptResponse: { interruptId: id, response: 'yes' } };
    });
    const ended = await agent.invoke(answers);
    expect(ended.stopReason).toBe('endTurn');
    expect(ran).toBe(before + answers.length);
    expect(guard.stopped).toBeNull();
  });

  for (const [what, output, told] of [
    ['the same', () => 'Nothing was found.', 'nudge 3'],
    ['something new', (n: number) => `Line ${n} of the report: ${Math.sqrt(n)}.`, undefined],
  ] as const)
    it(`what a task in the background gives counts when it comes: ${what}`, async () => {
      const { guard, actions } = listening();
      const { model, requests } = script((n) => {
        if (n % 2 === 0) return { text: `I have read about ${'cats dogs birds'.split(' ')[n / 2 - 1]}.` };
        return n < 6 ? again(n) : { text: 'Done.' };
      });
      const callback = async () => {
        await vi.waitFor(() => expect(requests.length % 2).toBe(0), { interval: 1 });
        return output(requests.length);
      };
      const agent = new Agent({
        model,
        tools: [new FunctionTool({ name: 'look', description: 'Looks.', callback })],
        backgroundTasks: { always: ['look'] },
        interventions: [guard],
        printer: false,
      });
      await agent.invoke('Find it.');
      expect([requests.length, actions()[0]]).toEqual([7, told]);
    });

  it('a result that the model has already may be told in a word', async () => {
    const { model, requests } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
    const tools = [look('warning: unused variable\n'.repeat(200))];
    const interventions = [deloop({ preset: thrifty })];
    await new Agent({ model, tools, interventions, printer: false }).invoke('Build it.');
    expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
    expect(requests[2]?.sent).toContain('The same as before.');
  });
});

describe('Strands: results that are put elsewhere', () => {
  const STORAGES: readonly [string, () => NonNullable<ContextOffloaderConfig['storage']>][] = [
    ['by the names of their calls', () => new InMemoryStorage()],
    ['by these and a number', () => new OffloaderStorage()],
  ];
  const LINES = 'A line that says nothing of note.\n'.repeat(500);

  async function offloaded(textOf: (n: number) => string, storage: (typeof STORAGES)[number][1]) {
    const { guard, actions } = listening();
    const { model, requests } = script((n) =>
      n <= 9
        ? { calls: [{ id: `tooluse_d-cze_-mB${n}Gv${n * n}ftc`, tool: 'look', args: {} }] }
        : { text: 'Done.' },
    );
    let n = 0;
    const tools = [new FunctionTool({ name: 'look', description: 'Looks.', callback: () => textOf(++n) })];
    const plugins = [new ContextOffloader({ storage: storage() })];
    await new Agent({ model, tools, plugins, interventions: [guard], printer: false }).invoke('Find it.');
    expect(requests[1]?.sent).toContain('tooluse_d-cze_-mB1Gv1ftc_0');
    return actions();
  }

  for (const [how, storage] of STORAGES) {
    it(`${how} are the same where they say the same`, async () => {
      expect(await offloaded(() => LINES, storage)).toEqual([
        'nudge 3',
        'nudge 4',
        'block 5',
        'block 6',
        'halt 7',
      ]);
    });

    it(`${how} are told apart by what the model sees of them`, async () => {
      expect(await offloaded((n) => `${n} of 9\n${LINES}`, storage)).toEqual([]);
    });
  }
});

describe('Strands: calls that a hook tries again', () => {
  /** Reads a page for each turn; every page fails at first. */
  function reading(guard: ReturnType<typeof deloop>, order: number) {
    const { model, requests } = script((n, { tools }) =>
      tools && n <= 14 ? { calls: [callOf(n, 'fetch', { page: n })] } : { text: 'Done.' },
    );
    const tries = new Map<unknown, number>();
    const fetch = new FunctionTool({
      name: 'fetch',
      description: 'Fetches.',
      inputSchema: { type: 'object', additionalProperties: true },
      callback: (args) => {
        const { page } = args as { page: number };
        tries.set(page, (tries.get(page) ?? 0) + 1);
        if (tries.get(page) === 1) throw new Error('429 Too Many Requests');
        return `Page ${page}.`;
      },
    });
    const agent = new Agent({ model, tools: [fetch], interventions: [guard], printer: false });
    const seen = { results: 0 };
    agent.addHook(
      AfterToolCallEvent,
      (event) => {
        if (seen.results++ > 500) throw new Error('It has no end.');
        if (event.result.status === 'error') event.retry = true;
      },
      { order },
    );
    return { agent, requests, tries };
  }

  for (const order of [-1000, 0, 1000])
    it(`have the result of the last attempt, with a hook of order ${order}`, async () => {
      const { guard, heard } = listening();
      const { agent, requests, tries } = reading(guard, order);
      expect(`${await agent.invoke('Read all.')}`).toContain('Done.');
      expect([requests.length, tries.size, [...tries.values()].every((n) => n === 2)]).toEqual([
        15,
        14,
        true,
      ]);
      expect(heard).toEqual([]);
    });

  it('have the result of the last attempt in a bundle that shortens the names of classes', async () => {
    const { name } = AfterToolCallEvent;
    const rename = (value: string) =>
      Object.defineProperty(AfterToolCallEvent, 'name', { value, configurable: true });
    rename('a');
    try {
      const { guard, heard } = listening();
      const { agent, requests } = reading(guard, 0);
      await agent.invoke('Read all.');
      expect([requests.length, heard]).toEqual([15, []]);
      const { model, requests: asked } = script(again);
      await new Agent({ model, tools: [look()], interventions: [guard], printer: false }).invoke('Find it.');
      expect(asked).toHaveLength(8);
    } finally {
      rename(name);
    }
  });

  for (const made of ['once', 'anew'])
    it(`are not tried again where the guard has refused them, with an agent made ${made}`, async () => {
      const { guard } = listening({ session: 'one' });
      const { model, requests } = script(again);
      const make = () => {
        const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
        let results = 0;
        agent.addHook(AfterToolCallEvent, (event) => {
          if (results++ > 500) throw new Error('It has no end.');
          if (event.result.status === 'error') event.retry = true;
        });
        return agent;
      };
      const agent = make();
      expect(`${await agent.invoke('Find it.')}`).toContain('Report.');
      expect(requests).toHaveLength(8);
      await (made === 'once' ? agent : make()).invoke([]);
      expect(guard.stopped?.detector).toBe('no-progress');
    });
});

describe('Strands: a process that ends with a question of a tool', () => {
  for (const [kind, output, most] of [
    ['has told of the result that came before it', () => 'Nothing was found.', 8],
    ['is healthy where results differ', (n: number) => `Found ${Math.sqrt(n)}.`, 15],
  ] as const)
    it(kind, async () => {
      const storage = new InMemoryStorage();
      const store = createMemoryStore();
      const { model, requests } = script((n, { tools }) =>
        tools && n < 15
          ? { calls: [callOf(n, 'look', {}), callOf(n, 'confirm', { n }, 1)] }
          : { text: 'Report.' },
      );
      const looks = new FunctionTool({
        name: 'look',
        description: 'Looks.',
        callback: () => output(requests.length),
      });
      const confirm = new FunctionTool({
        name: 'confirm',
        description: 'Asks.',
        inputSchema: { type: 'object', additionalProperties: true },
        callback: (args, context) =>
          `${JSON.stringify(args)}: ${context.interrupt({ name: 'approval', reason: 'Really?' })}`,
      });
      const next = (args: Parameters<Agent['invoke']>[0]) => {
        const { guard } = listening({ store });
        const sessionManager = new SessionManager({ sessionId: 'chat-1', storage });
        const config = { model, tools: [looks, confirm], interventions: [guard], printer: false };
        return new Agent({ id: 'main', ...config, sessionManager }).invoke(args);
      };
      let result = await next('Find it.');
      while (result.stopReason === 'interrupt')
        result = await next(
          (result.interrupts ?? []).map(({ id }) => ({
            interruptResponse: { interruptId: id, response: 'yes' },
          })),
        );
      expect(`${result}`).toContain('Report.');
      expect(requests).toHaveLength(most);
    });
});

describe('Strands: calls that others do not let run', () => {
  class Policy extends InterventionHandler {
    readonly name = 'policy';

    override beforeToolCall(): ReturnType<typeof InterventionActions.deny> {
      return InterventionActions.deny('Not on Sundays.');
    }
  }
  const WHO = [
    'a hook',
    'a hook for all of a turn',
    'an intervention before',
    'an intervention after',
  ] as const;

  function refusing(who: (typeof WHO)[number], options: StrandsOptions, args: (n: number) => JSONValue) {
    const { guard, heard } = listening(options);
    const { model, requests } = script((n, { tools }) =>
      tools && n <= 30 ? { calls: [callOf(n, 'look', args(n) as never)] } : { text: 'Report.' },
    );
    const others = who.startsWith('an intervention') ? [new Policy()] : [];
    const interventions = who === 'an intervention before' ? [...others, guard] : [guard, ...others];
    const agent = new Agent({ model, tools: [look()], interventions, printer: false });
    const cancel = (event: { cancel: boolean | string }) => {
      event.cancel = 'Not on Sundays.';
    };
    if (who === 'a hook') agent.addHook(BeforeToolCallEvent, cancel);
    if (who === 'a hook for all of a turn') agent.addHook(BeforeToolsEvent, cancel);
    return { agent, guard, heard, requests };
  }

  for (const who of WHO) {
    it(`are denied, by ${who}: the same one again and again is stopped`, async () => {
      const { agent, guard, heard, requests } = refusing(who, {}, () => ({ query: 'x' }));
      await agent.invoke('Find it.');
      expect(requests).toHaveLength(8);
      expect(guard.stopped?.detector).toBe('no-progress');
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'denied' });
    });

    it(`are denied, by ${who}: others are no failures, but nothing is allowed`, async () => {
      const { agent, guard, heard, requests } = refusing(who, {}, (n) => ({ query: `${Math.sqrt(n)}` }));
      await agent.invoke('Find it.');
      expect(heard.map(({ decision: { action, call } }) => `${action} ${call}`)).toEqual([
        'nudge 8',
        'halt 24',
      ]);
      expect(guard.stopped?.detector).toBe('denied-rounds');
      expect(requests.at(-1)?.tools).toBe(false);
    });

    it(`come to an end by ${who}, where a person would be asked`, async () => {
      const { agent, guard, requests } = refusing(who, { attended: true }, () => ({ query: 'x' }));
      const { stopReason } = await agent.invoke('Find it.');
      expect(requests.length).toBeLessThan(10);
      expect(stopReason === 'interrupt' || guard.stopped !== null).toBe(true);
    });
  }
});

describe('Strands: what a person cancels', () => {
  it('has not failed, whatever the tool throws', async () => {
    const { guard, heard } = listening();
    const slow = new FunctionTool({
      name: 'look',
      description: 'Looks for long.',
      callback: async (_, { cancelSignal }) => {
        const aborted = new Promise((done) => cancelSignal.addEventListener('abort', done));
        agent.cancel();
        await aborted;
        throw new Error('Broken off.');
      },
    });
    const agent = new Agent({
      model: script(again).model,
      tools: [slow],
      interventions: [guard],
      printer: false,
    });
    for (let n = 0; n < 8; n++) await agent.invoke(`Find ${Math.sqrt(n)}.`);
    expect(heard).toEqual([]);
  });

  for (const [when, tools, turn] of [
    ['before a call', [look()], again],
    [
      'before the model',
      Array.from(
        { length: 80 },
        (_, n) =>
          new FunctionTool({
            name: `look${n}`,
            description: 'Looks.',
            callback: () => {
              throw new Error('429 Too Many Requests');
            },
          }),
      ),
      (n: number): ScriptedTurn => ({ calls: [callOf(n, `look${n}`, { n })] }),
    ],
  ] as const)
    it(`ends while it is asked about, ${when}`, async () => {
      const { model } = script(turn);
      let ran = 0;
      const onAsk = () => {
        ran = results;
        setTimeout(() => agent.cancel());
        return new Promise<boolean>(() => {});
      };
      const { guard } = listening({ onAsk });
      const agent = new Agent({ model, tools: [...tools], interventions: [guard], printer: false });
      let results = 0;
      agent.addHook(AfterToolCallEvent, ({ result: { content } }) => {
        if (!JSON.stringify(content).includes('cancelled')) results += 1;
      });
      expect((await agent.invoke('Find it.')).stopReason).toBe('cancelled');
      expect(results).toBe(ran);
    });
});

describe('Strands: a nudge', () => {
  const rolesIn = ({ sent }: ModelRequest) =>
    (JSON.parse(sent) as { readonly role: string }[]).map(({ role }) => role);
  /** What Bedrock refuses. */
  const isTwice = (role: string, index: number, roles: readonly string[]) => role === roles[index + 1];

  it('is part of the message with the results: no two messages of one role follow each other', async () => {
    const { guard, actions } = listening();
    const { model, requests } = script(again);
    const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
    expect(`${await agent.invoke('Find it.')}`).toBe('Report.');
    expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    expect(requests[3]?.sent).toContain('[deloop]');
    expect(requests.filter((request) => rolesIn(request).some(isTwice))).toEqual([]);
    const ids = agent.messages.map(({ trackingId }) => trackingId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.stringify(agent.messages.map((message) => message.clone()))).toBe(
      JSON.stringify(agent.messages),
    );
  });
});

describe('Strands: tokens', () => {
  /** As the SDK's own model of Anthropic tells them: the total leaves out what the cache gave and took. */
  class CachingModel extends StubModel {
    override async *stream(...given: Parameters<StubModel['stream']>): AsyncIterable<ModelStreamEvent> {
      yield* super.stream(...given);
      const cache = { cacheReadInputTokens: 500, cacheWriteInputTokens: 480 };
      const usage = { inputTokens: 10, outputTokens: 10, totalTokens: 20, ...cache };
      yield { type: 'modelMetadataEvent', usage };
    }
  }

  it('that a cache gave and took count, whatever the total says', async () => {
    const { recommended } = presets;
    const budget = { kind: 'budget', tokens: 3500 } as const;
    const preset: Preset = { ...recommended, detectors: { ...recommended.detectors, budget } };
    const { guard, heard } = listening({ preset });
    const { model } = scripted(
      (answer) => new CachingModel(answer),
      (n) => (n <= 6 ? { calls: [callOf(n, 'look', { page: n })] } : { text: 'Done.' }),
    );
    let pages = 0;
    const pager = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      callback: () => `Page ${'x'.repeat(++pages)}`,
    });
    const agent = new Agent({ model, tools: [pager], interventions: [guard], printer: false });
    expect(`${await agent.invoke('Find it.')}`).toBe('Report.');
    expect(heard.map(({ decision: { action, finding } }) => `${action} ${finding.count}`)).toEqual([
      'nudge 85',
      'halt 114',
    ]);
  });
});

describe('Strands: the end', () => {
  it('of a run that is to give a structured answer has one', async () => {
    const { guard, heard } = listening();
    const { model } = script((n) =>
      n <= 7 ? again(n) : { calls: [callOf(n, 'strands_structured_output', { cause: 'x' })] },
    );
    const agent = new Agent({
      model,
      tools: [look()],
      structuredOutputSchema: z.object({ cause: z.string() }),
      interventions: [guard],
      printer: false,
    });
    const { structuredOutput } = await agent.invoke('Find it.');
    expect(structuredOutput).toEqual({ cause: 'x' });
    expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
  });

  it('comes with a report for an agent that has the model of another', async () => {
    const guard = deloop();
    const ending = async (model: Agent['model']) => {
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      return { agent, text: `${await agent.invoke('Find it.')}` };
    };
    const { agent } = await ending(script(again).model);
    expect((await ending(agent.model)).text).toContain('Report');
  });

  it('comes with a report of what tasks in the background give after the stop', async () => {
    const { guard } = listening();
    const { model, requests } = script((n) => (n === 1 ? { calls: [callOf(n, 'build', {})] } : again(n)));
    const build = new FunctionTool({
      name: 'build',
      description: 'Builds.',
      inputSchema: { type: 'object' },
      callback: async () => {
        await vi.waitFor(() => expect(guard.stopped).not.toBeNull());
        return 'The cause is x.';
      },
    });
    const agent = new Agent({
      model,
      tools: [look(), build],
      backgroundTasks: { always: ['build'] },
      interventions: [guard],
      printer: false,
    });
    expect(`${await agent.invoke('Find it.')}`).toContain('Report.');
    expect(requests.slice(8).map(({ tools }) => tools)).toEqual([false, false]);
    expect(requests[9]?.sent).toContain('The cause is x.');
  });
});

describe('Strands: a report that others refuse', () => {
  it('is asked for again', async () => {
    const { guard } = listening();
    const { model, requests } = script(again);
    const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
    let refused = 0;
    agent.addHook(AfterModelCallEvent, (event) => {
      event.retry = guard.stopped !== null && refused++ < 2;
    });
    expect(`${await agent.invoke('Find it.')}`).toContain('Report.');
    expect(requests.slice(7).map(({ tools }) => tools)).toEqual([false, false, false]);
    expect(`${await agent.invoke('Something else.')}`).toContain('Report.');
    expect(requests[10]?.tools).toBe(true);
  });

  for (const [lastTurn, asked] of [
    [true, [false, false, false, false]],
    [false, []],
  ] as const)
    it(`is not asked for without end, ${lastTurn ? 'with' : 'without'} a last turn`, async () => {
      const { guard } = listening({ lastTurn });
      const { model, requests } = script(again);
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      let refused = 0;
      const cleanup = agent.addHook(AfterModelCallEvent, (event) => {
        event.retry = guard.stopped !== null && event.stopData !== undefined && refused++ < 20;
      });
      const error = await agent.invoke('Find it.').catch((thrown: unknown) => thrown);
      expect(findLoopHalted(error)?.reason).toEqual(guard.stopped);
      expect(requests.slice(7).map(({ tools }) => tools)).toEqual(asked);
      cleanup();
      await agent.invoke('Something else.');
      expect(requests[7 + asked.length]?.tools).toBe(true);
    });
});

describe('Strands: agents that are called by agents', () => {
  /** A main agent that asks for the same tool again and again, in the n-th words. */
  function mainOf(tools: AgentConfig['tools'], tool: string, words: (n: number) => string, last = 60) {
    const { model, requests } = script((n) =>
      n <= last ? { calls: [callOf(n, tool, { input: words(n) })] } : { text: 'Done.' },
    );
    return { requests, config: { model, tools, printer: false } as AgentConfig };
  }

  it('are told apart without an id, and a main agent that repeats itself is stopped', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const researcher = new Agent({
      name: 'researcher',
      model: script(() => ({ text: 'I found nothing.' })).model,
      tools: [look()],
      interventions: [guard],
      printer: false,
    });
    const { config, requests } = mainOf([researcher], 'researcher', () => 'Find it.');
    await new Agent({ ...config, interventions: [guard] }).invoke('Find it.');
    expect(requests).toHaveLength(8);
    expect(guard.run('one').stopped?.detector).toBe('no-progress');
    expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set([undefined, 'researcher']));
  });

  it('have the names of the tools that they are', async () => {
    const { guard } = listening({ session: 'one' });
    const sub = (turn: (n: number) => ScriptedTurn, name: string) =>
      new Agent({
        model: script(turn).model,
        tools: [look()],
        interventions: [guard],
        printer: false,
      }).asTool({ name });
    const tools = [sub(again, 'search'), sub(() => ({ text: 'Written.' }), 'write')];
    const { model } = script((n) =>
      n <= 2 ? { calls: [callOf(n, n === 1 ? 'search' : 'write', { input: 'x' })] } : { text: 'Done.' },
    );
    await new Agent({ model, tools, interventions: [guard], printer: false }).invoke('Find it.');
    const run = guard.run('one');
    expect([run.stoppedFor('search')?.detector, run.stoppedFor('write'), run.stopped]).toEqual([
      'no-progress',
      null,
      null,
    ]);
  });

  it('have these names without a session, too', async () => {
    const { guard, heard } = listening();
    const sub = (name: string) =>
      new Agent({
        name,
        model: script(again).model,
        tools: [look()],
        interventions: [guard],
        printer: false,
      });
    const { model } = script((n) =>
      n <= 2 ? { calls: [callOf(n, n === 1 ? 'search' : 'check', { input: 'x' })] } : { text: 'Done.' },
    );
    const tools = [sub('search'), sub('check')];
    await new Agent({ model, tools, interventions: [guard], printer: false }).invoke('Find it.');
    expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set(['search', 'check']));
    expect(guard.stopped).toBeNull();
  });

  it('are told apart where a tool makes them, at once and all of one name', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const make = () =>
      new Agent({ model: script(again).model, tools: [look()], interventions: [guard], printer: false });
    const spawn = new FunctionTool({
      name: 'spawn',
      description: 'Asks another agent.',
      callback: async () => `${await make().invoke('Find it.')}` as JSONValue,
    });
    const { model } = script((n) =>
      n === 1
        ? { calls: [callOf(n, 'spawn', { n: 1 }), callOf(n, 'spawn', { n: 2 }, 1)] }
        : { text: 'Done.' },
    );
    const main = new Agent({ model, tools: [spawn], interventions: [guard], printer: false });
    expect(`${await main.invoke('Find it.')}`).toContain('Done.');
    const halted = heard.filter(({ decision }) => decision.action === 'halt');
    expect(halted.map(({ decision }) => decision.agent).sort()).toEqual([
      'Strands Agent 2',
      'Strands Agent 3',
    ]);
    expect(guard.run('one').stopped).toBeNull();
  });

  it('are the main agent where they are made anew for every message', async () => {
    const { guard, heard } = listening({ session: 'one', lastTurn: false });
    const make = (turn: (n: number) => ScriptedTurn) =>
      new Agent({ model: script(turn).model, tools: [look()], interventions: [guard], printer: false });
    await make(again).invoke('Find it.');
    expect(guard.run('one').stopped).not.toBeNull();
    expect(`${await make(() => ({ text: 'Done.' })).invoke('Go on.')}`).toContain('Done.');
    expect(guard.run('one').stopped).toBeNull();
    expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set([undefined]));
  });

  it('may get many tasks, and look up the same for each', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const translator = new Agent({
      name: 'translator',
      model: once('look', (n) => `Translation ${Math.sqrt(n)}.`).model,
      tools: [look('The glossary.')],
      interventions: [guard],
      printer: false,
    });
    const { config } = mainOf([translator], 'translator', (n) => `Translate chapter ${n}.`, 24);
    await new Agent({ ...config, interventions: [guard] }).invoke('Translate the book.');
    expect(heard).toEqual([]);
  });

  describe('that answer for the one which calls them', () => {
    const helping = (turn: (n: number, request: ModelRequest) => ScriptedTurn) => {
      const { guard, actions, heard } = listening({ session: 'one' });
      const config = { interventions: [guard], printer: false };
      const helper = new Agent({ ...config, name: 'helper', model: script(turn).model, tools: [look()] });
      const { model } = script((n) => ({ calls: [callOf(n, 'help', { input: 'Help.' })] }));
      const tools = [helper.asTool({ name: 'help', delegate: true })];
      return { guard, heard, actions, main: new Agent({ ...config, model, tools }) };
    };

    it('are heard once, and may say the same to each message', async () => {
      const { guard, heard, main } = helping((n, { sent }) =>
        isAnswered(sent) ? { text: 'The shop is closed.' } : again(n),
      );
      const run = guard.run('one');
      const [turns, results] = [vi.spyOn(run, 'turn'), vi.spyOn(run, 'after')];
      for (let n = 1; n <= 8; n++)
        expect(`${await main.invoke(`Question ${n}.`)}`).toBe('The shop is closed.');
      expect(turns).toHaveBeenCalledTimes(24);
      const told = results.mock.calls.map(([{ tool, agent }]) => `${agent} ${tool}`);
      expect(told).toEqual(Array.from({ length: 8 }, () => ['help look', 'undefined help']).flat());
      expect(heard).toEqual([]);
    });

    it('are stopped like others, with a report', async () => {
      const { actions, main, guard } = helping(again);
      expect(`${await main.invoke('Find it.')}`).toBe('Report.');
      // The first call is the one of the main agent.
      expect(actions()).toEqual(['nudge 4', 'block 6', 'block 7', 'halt 8']);
      expect(guard.run('one').stopped).toBeNull();
    });
  });

  it('cannot be asked about: a question is a stop there', async () => {
    const { guard, heard } = listening({ session: 'one', attended: true });
    const researcher = new Agent({
      name: 'researcher',
      model: script(again).model,
      tools: [look()],
      interventions: [guard],
      printer: false,
    });
    const { config, requests } = mainOf([researcher], 'researcher', () => 'Find it.', 1);
    const { stopReason } = await new Agent({ ...config, interventions: [guard] }).invoke('Find it.');
    expect(stopReason).toBe('endTurn');
    expect(requests[1]?.sent).toContain('Report.');
    expect(guard.run('one').stoppedFor('researcher')?.action).toBe('ask');
    expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'ask']);
  });

  for (const attended of [true, false])
    it(`are no one to ask and nothing to throw where a tool invokes them with its own state${attended ? ', with a person there' : ''}`, async () => {
      const { guard } = listening({ session: 'one', attended });
      const config = { interventions: [guard], printer: false };
      const sub = new Agent({ ...config, id: 'sub', model: script(again).model, tools: [look()] });
      const research = new FunctionTool({
        name: 'research',
        description: 'Asks another agent.',
        inputSchema: { type: 'object', additionalProperties: true },
        callback: async (_, { invocationState }) => {
          const { stopReason, lastMessage } = await sub.invoke('Find it.', { invocationState });
          return `${stopReason} ${JSON.stringify(lastMessage.content)}`;
        },
      });
      const { model, requests } = script((n) =>
        n <= 2 ? { calls: [callOf(n, 'research', { n })] } : { text: 'Done.' },
      );
      const main = new Agent({ ...config, id: 'main', model, tools: [research] });
      expect(`${await main.invoke('Find it.')}`).toContain('Done.');
      expect(requests[1]?.sent).toMatch(/endTurn.*Report\./);
      expect(requests[2]?.sent).toMatch(/endTurn.*Report\..*endTurn.*Stopped: look/);
      expect(guard.run('one').questionFor('sub')).toBeNull();
    });

  it('are no main agent in the next process, where it is said which one is', async () => {
    const store = createMemoryStore();
    const make = (id: string, turn: (n: number) => ScriptedTurn) => {
      const { guard } = listening({ store, session: 'one', main: 'main' });
      const { model } = script(turn);
      return {
        guard,
        agent: new Agent({ id, model, tools: [look()], interventions: [guard], printer: false }),
      };
    };
    const first = make('main', again);
    await first.agent.invoke('Find it.');
    expect(first.guard.run('one').stopped).not.toBeNull();
    const { guard, agent } = make('worker', () => ({ text: 'Done.' }));
    expect(`${await agent.invoke([])}`).toContain('Done.');
    expect(guard.run('one').stopped).not.toBeNull();
  });
});

describe('Strands: graphs', () => {
  function cycleOf(
    guard: ReturnType<typeof deloop>,
    words: (n: number) => string,
    { rounds = 60, preserveContext = false }: { rounds?: number; preserveContext?: boolean } = {},
  ) {
    const writes = once('look', (n) => `Draft ${Math.sqrt(n)}.`);
    const criticises = script((n) => ({ text: words(n) }));
    const config = { interventions: [guard], printer: false };
    const writer = new Agent({ ...config, id: 'writer', model: writes.model, tools: [look('1 failed')] });
    const critic = new Agent({ ...config, id: 'critic', model: criticises.model, tools: [look()] });
    const goesOn = () => criticises.requests.length % rounds !== 0;
    const graph = new Graph({
      nodes: [
        { agent: writer, preserveContext },
        { agent: critic, preserveContext },
      ],
      edges: [['writer', 'critic'], { source: 'critic', target: 'writer', handler: goesOn }],
      sources: ['writer'],
      maxSteps: 120,
    });
    return { graph, criticises };
  }

  for (const preserveContext of [false, true])
    for (const [kind, words] of [
      ['the same', () => 'Not good, try again.'],
      ['other', (n: number) => `Not good, try ${Math.sqrt(n)}.`],
    ] as const)
      it(`that go round in ${kind} words come to an end${preserveContext ? ', with nodes that remember' : ''}`, async () => {
        const { guard } = listening({ session: 'one' });
        const { graph, criticises } = cycleOf(guard, words, { preserveContext });
        const { status, results } = await graph.invoke('Write it.');
        expect(status).toBe('FAILED');
        expect(criticises.requests.length).toBeLessThan(14);
        const { error } = results.at(-1) ?? {};
        expect(findLoopHalted(error)?.reason).toEqual(guard.run('one').stopped);
      });

  for (const [kind, words] of [
    ['the same', () => 'Not good, try again.'],
    ['other', (n: number) => `Not good, try ${Math.sqrt(n)}.`],
  ] as const)
    it(`that are a swarm and go round in ${kind} words come to an end`, async () => {
      const { guard } = listening({ session: 'one' });
      const config = { interventions: [guard], printer: false };
      const handsOn = (n: number, agentId: string, message: string): ScriptedTurn => ({
        calls: [callOf(n, 'strands_structured_output', { agentId, message })],
      });
      const writes = script((n, { sent }) =>
        isAnswered(sent) ? handsOn(n, 'critic', `Draft ${Math.sqrt(n)}.`) : again(n),
      );
      const criticises = script((n) => handsOn(n, 'writer', words(n)));
      const writer = new Agent({ ...config, id: 'writer', model: writes.model, tools: [look('1 failed')] });
      const critic = new Agent({ ...config, id: 'critic', model: criticises.model });
      const swarm = new Swarm({ nodes: [writer, critic], start: 'writer', maxSteps: 60 });
      const { status, results } = await swarm.invoke('Write it.');
      expect(status).toBe('FAILED');
      expect(criticises.requests.length).toBeLessThan(14);
      expect(findLoopHalted(results.at(-1)?.error)?.reason).toEqual(guard.run('one').stopped);
    });

  it('that are a swarm may hand on in the same words, where they have worked for it', async () => {
    const { guard, heard } = listening({ session: 'one' });
    let rounds = 0;
    const node = (id: string, agentId: string, message: string) => {
      const { model } = script((n) => {
        if (n % 2 === 1) return { calls: [callOf(n, 'look', { page: n })] };
        rounds += 1;
        const input = rounds < 24 ? { agentId, message } : { message: 'All is well.' };
        return { calls: [callOf(n, 'strands_structured_output', input)] };
      });
      const pages = new FunctionTool({
        name: 'look',
        description: 'Looks.',
        inputSchema: { type: 'object', properties: { page: { type: 'number' } } },
        callback: (input) => `${id}, ${Math.sqrt((input as { page: number }).page)}`,
      });
      return new Agent({ id, model, tools: [pages], interventions: [guard], printer: false });
    };
    const nodes = [node('coder', 'reviewer', 'Please review.'), node('reviewer', 'coder', 'Please fix.')];
    const { status } = await new Swarm({ nodes, start: 'coder', maxSteps: 60 }).invoke('Write it.');
    expect([status, rounds]).toEqual(['COMPLETED', 24]);
    expect(heard).toEqual([]);
  });

  it('whose structured answers are refused come to an end, though they look for others in between', async () => {
    const { guard } = listening({ session: 'one' });
    const { model, requests } = script((n) => ({
      calls: [
        n % 2 === 1
          ? callOf(n, 'look', { page: n })
          : callOf(n, 'strands_structured_output', { total: 'none' }),
      ],
    }));
    const pages = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object', properties: { page: { type: 'number' } } },
      callback: (input) => `page ${Math.sqrt((input as { page: number }).page)}`,
    });
    const structuredOutputSchema = z.object({ total: z.number() });
    const agent = new Agent({
      model,
      tools: [pages],
      interventions: [guard],
      printer: false,
      structuredOutputSchema,
    });
    await agent.invoke('Count it.').catch(() => {});
    expect(requests.length).toBeLessThan(40);
    expect(guard.run('one').stopped).not.toBeNull();
  });

  it('come to an end within a tool, too', async () => {
    const { guard } = listening({ session: 'one' });
    const { graph } = cycleOf(guard, () => 'Not good, try again.');
    const write = new FunctionTool({
      name: 'write',
      description: 'Writes.',
      callback: async () => (await graph.invoke('Write it.')).status,
    });
    const { model, requests } = script((n) =>
      n === 1 ? { calls: [callOf(n, 'write', {})] } : { text: 'Done.' },
    );
    await new Agent({ model, tools: [write], interventions: [guard], printer: false }).invoke('Write it.');
    expect(requests[1]?.sent).toContain('FAILED');
    expect(guard.run('one').stopped).toBeNull();
    expect(guard.run('one').stoppedFor('writer')).not.toBeNull();
  });

  it('may go round for a while, and look up the same each time', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const { graph } = cycleOf(guard, (n) => `Not good, try ${Math.sqrt(n)}.`, { rounds: 4 });
    for (let n = 0; n < 5; n++) {
      const { status } = await graph.invoke('Write it.');
      expect(status).toBe('COMPLETED');
    }
    expect(heard).toEqual([]);
  });

  it('that were stopped begin anew with the next task', async () => {
    const { guard } = listening({ session: 'one' });
    const { graph, criticises } = cycleOf(guard, () => 'Not good, try again.');
    await graph.invoke('Write it.');
    const { length } = criticises.requests;
    await graph.invoke('Write it.');
    expect(criticises.requests.length).toBeGreaterThan(length + 2);
  });

  it('ask in their own way, also while another node calls a tool', async () => {
    const { guard } = listening({ session: 'one', attended: true });
    let end = () => {};
    const waits = new FunctionTool({
      name: 'look',
      description: 'Looks for long.',
      callback: () => new Promise<string>((done) => (end = () => done('Found.'))),
    });
    const node = (id: string, turn: (n: number) => ScriptedTurn, tool = look()) =>
      new Agent({ id, model: script(turn).model, tools: [tool], interventions: [guard], printer: false });
    const waiter = node('waiter', (n) => (n === 1 ? again(n) : { text: 'Done.' }), waits);
    const looper = node('looper', again);
    const plan = node('plan', () => ({ text: 'Planned.' }));
    const hurry = node('hurry', () => ({ text: 'Soon.' }));
    const graph = new Graph({
      nodes: [waiter, plan, looper, hurry],
      edges: [
        ['plan', 'hurry'],
        ['hurry', 'looper'],
      ],
      maxSteps: 8,
    });
    const ends = graph.invoke('Write it.');
    await expect.poll(() => guard.run('one').questionFor('looper')).not.toBeNull();
    end();
    const { status, interrupts = [] } = await ends;
    expect([status, interrupts.length]).toEqual(['INTERRUPTED', 1]);
  });

  it('of agents without tools may go round for as long as they have something to say', async () => {
    const { guard, heard } = listening();
    const says = (id: string) => {
      const { model, said } = talking((answer) => new StubModel(answer));
      return { said, agent: new Agent({ id, model, interventions: [guard], printer: false }) };
    };
    const [writer, critic] = [says('writer'), says('critic')];
    const graph = new Graph({
      nodes: [writer.agent, critic.agent],
      edges: [
        ['writer', 'critic'],
        { source: 'critic', target: 'writer', handler: () => critic.said.length < 24 },
      ],
      sources: ['writer'],
      maxSteps: 120,
    });
    expect((await graph.invoke('Write it.')).status).toBe('COMPLETED');
    expect([writer.said.length, heard]).toEqual([24, []]);
  });

  it('ask in their own way', async () => {
    const { guard } = listening({ session: 'one', attended: true });
    const writer = new Agent({
      id: 'writer',
      model: script((n) => (n <= 7 ? again(n) : { text: 'Done.' })).model,
      tools: [look()],
      interventions: [guard],
      printer: false,
    });
    const graph = new Graph({ nodes: [writer], edges: [], maxSteps: 4 });
    const { status, interrupts = [] } = await graph.invoke('Write it.');
    expect([status, interrupts.length]).toEqual(['INTERRUPTED', 1]);
    const answers = interrupts.map(({ id }) => ({ interruptResponse: { interruptId: id, response: true } }));
    expect((await graph.invoke(answers as never)).status).toBe('COMPLETED');
  });
});

describe('Strands: an invocationState that a program keeps', () => {
  it('is no reason not to hear a person', async () => {
    const { guard, heard } = listening();
    const invocationState = { user: 'u-1' };
    const sub = new Agent({
      name: 'sub',
      model: script(() => ({ text: 'Nothing.' })).model,
      tools: [look()],
      interventions: [guard],
      printer: false,
    });
    const { model } = script((n, { sent }) =>
      isAnswered(sent) ? { text: `Said ${Math.sqrt(n)}.` } : { calls: [callOf(n, 'sub', { input: 'x' })] },
    );
    const agent = new Agent({ model, tools: [sub], interventions: [guard], printer: false });
    for (let n = 0; n < 12; n++) await agent.invoke('Go on.', { invocationState });
    expect(heard).toEqual([]);
  });

  for (const kind of ['the same agent', 'an agent that is made anew'])
    it(`lets a person go on after a stop, with ${kind}`, async () => {
      const { guard } = listening({ session: 'one' });
      const invocationState = {};
      const { model } = script((n) => (n <= 7 ? again(n) : { text: 'Done.' }));
      const make = () => new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      const agent = make();
      await agent.invoke('Go on.', { invocationState });
      expect(guard.stopped).not.toBeNull();
      const next = kind === 'the same agent' ? agent : make();
      expect(`${await next.invoke('Go on.', { invocationState })}`).toContain('Done.');
      expect(guard.stopped).toBeNull();
    });
});

describe('Strands: an invocationState that all agents of a program share', () => {
  function programOf(options: StrandsOptions = {}) {
    const { guard, heard } = listening(options);
    const invocationState = { db: {} };
    const make = (turn: (n: number, request: ModelRequest) => ScriptedTurn, tool = look()) =>
      new Agent({ model: script(turn).model, tools: [tool], interventions: [guard], printer: false });
    return { guard, heard, invocationState, make };
  }

  for (const kind of ['the same', 'other'])
    it(`is no graph: users who say ${kind} words are persons`, async () => {
      const { heard, invocationState, make } = programOf();
      const user = () =>
        make((n, { sent }) => (isAnswered(sent) ? { text: `Said ${Math.sqrt(n)}.` } : again(n)));
      const users = [user(), user(), user()];
      for (let n = 0; n < 12; n++)
        for (const agent of users)
          await agent.invoke(kind === 'other' ? `Go on with ${Math.sqrt(n)}.` : 'Go on.', {
            invocationState,
          });
      expect(heard).toEqual([]);
    });

  it('lets a person go on after a stop', async () => {
    const { guard, invocationState, make } = programOf();
    await make(() => ({ text: 'Hello.' })).invoke('Hello.', { invocationState });
    let loops = false;
    const agent = make((n) => (loops ? again(n) : { text: `Said ${Math.sqrt(n)}.` }));
    for (let n = 0; n < 6; n++) await agent.invoke(`Question ${Math.sqrt(n)}`, { invocationState });
    loops = true;
    await agent.invoke('Find it.', { invocationState });
    expect(guard.stopped).not.toBeNull();
    loops = false;
    expect(`${await agent.invoke('Something new.', { invocationState })}`).toContain('Said');
    expect(guard.stopped).toBeNull();
  });

  it('does not put an agent into the call of another user: it is asked about', async () => {
    const { invocationState, make } = programOf({ attended: true });
    let end = () => {};
    const waits = new FunctionTool({
      name: 'look',
      description: 'Looks for long.',
      callback: () => new Promise<string>((done) => (end = () => done('Found.'))),
    });
    const one = make((n) => (n === 1 ? again(n) : { text: 'Done.' }), waits);
    const two = make((n) => (n === 1 ? { text: 'Hello.' } : again(n)));
    await two.invoke('Hello.', { invocationState });
    const first = one.invoke('Find it.', { invocationState });
    await expect.poll(() => one.messages.length).toBe(1);
    const { stopReason } = await two.invoke('Find it.', { invocationState });
    end();
    expect([stopReason, (await first).stopReason]).toEqual(['interrupt', 'endTurn']);
  });
});

describe('Strands: an agent that is sent on by its own program', () => {
  const sentOn = (agent: Agent, words: (n: number) => string, last = 25) => {
    const seen = { attempts: 0 };
    agent.addHook(AfterInvocationEvent, (event) => {
      seen.attempts += 1;
      if (seen.attempts % last !== 0) event.resume = words(seen.attempts);
    });
    return seen;
  };

  for (const state of [undefined, { user: 'u-1' }])
    for (const [kind, words, most] of [
      ['the same', () => 'Not there yet.', 3],
      ['other', (n: number) => `Not there yet: ${Math.sqrt(n)}.`, 5],
    ] as const)
      it(`in ${kind} words${state ? ', with a state that is kept,' : ''} comes to an end, and can go on after it`, async () => {
        const { guard } = listening();
        let loops = true;
        const { model } = script((n) => (loops ? again(n) : { text: 'Done.' }));
        const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
        const seen = sentOn(agent, words);
        const options = state && { invocationState: state };
        const error = await agent.invoke('Reach the goal.', options).catch((thrown: unknown) => thrown);
        expect(findLoopHalted(error)?.reason).toEqual(guard.stopped);
        expect(seen.attempts).toBe(most);
        loops = false;
        seen.attempts = 24;
        expect(`${await agent.invoke('Reach the goal.', options)}`).toContain('Done.');
        expect(guard.stopped).toBeNull();
      });

  it('may try for a while, and a person may say the same again and again', async () => {
    const { guard, heard } = listening();
    const { model } = once('look', (n) => `Attempt ${Math.sqrt(n)}.`);
    const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
    sentOn(agent, (n) => `Not there yet: ${Math.sqrt(n)}.`, 4);
    const invocationState = {};
    for (let n = 0; n < 8; n++) await agent.invoke('Reach the goal.', { invocationState });
    expect(heard).toEqual([]);
  });

  it('by a GoalLoop comes to an end', async () => {
    const { guard } = listening();
    const { model, requests } = script(again);
    const plugins = [
      new GoalLoop({ goal: () => ({ passed: false, feedback: 'Not yet.' }), maxAttempts: 25 }),
    ];
    const agent = new Agent({ model, tools: [look()], plugins, interventions: [guard], printer: false });
    const error = await agent.invoke('Reach the goal.').catch((thrown: unknown) => thrown);
    expect(findLoopHalted(error)?.reason).toEqual(guard.stopped);
    expect(requests.length).toBeLessThan(24);
  });
});

describe('Strands: an agent that goes on from checkpoints', () => {
  for (const [kind, isKept] of [
    ['of one process', true],
    ['of another process each', false],
  ] as const)
    it(`${kind} is stopped where it goes round`, async () => {
      const store = createMemoryStore();
      const { model, requests } = script(again);
      const { guard: first } = listening({ store, session: 's-1' });
      const agentOf = (guard: typeof first) =>
        new Agent({ model, tools: [look()], interventions: [guard], checkpointing: true, printer: false });
      let guard = first;
      let agent = agentOf(guard);
      let result = await agent.invoke('Find it.');
      while (result.checkpoint !== undefined && requests.length < 40) {
        const { checkpoint } = result;
        if (!isKept) {
          const snapshot = agent.takeSnapshot({ preset: 'session' });
          ({ guard } = listening({ store, session: 's-1' }));
          agent = agentOf(guard);
          agent.loadSnapshot(snapshot);
        }
        result = await agent.invoke({ checkpointResume: { checkpoint: checkpoint.toJSON() } });
      }
      expect(result.stopReason).toBe('endTurn');
      expect(guard.stopped).toMatchObject({ action: 'halt', count: 5 });
    });
});

describe('Strands: agents that a tool makes', () => {
  it('one after another have one history in the session', async () => {
    const { guard } = listening({ session: 'one' });
    let looked = 0;
    const counting = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      callback: () => {
        looked += 1;
        return 'Nothing was found.';
      },
    });
    const { model: calls } = script((n) => (n % 4 === 0 ? { text: 'Nothing.' } : again(n)));
    const delegate = new FunctionTool({
      name: 'delegate',
      description: 'Delegates.',
      inputSchema: { type: 'object', additionalProperties: true },
      callback: async (_, { invocationState }) => {
        const config = { model: calls, tools: [counting], interventions: [guard], printer: false };
        return `${await new Agent({ name: 'researcher', ...config }).invoke('Find it.', { invocationState })}`;
      },
    });
    const { model } = script((n) => (n <= 8 ? { calls: [callOf(n, 'delegate', { n })] } : { text: 'Done.' }));
    const main = new Agent({
      name: 'main',
      model,
      tools: [delegate],
      interventions: [guard],
      printer: false,
    });
    await main.invoke('Find it.');
    expect(looked).toBeLessThan(8);
    expect(guard.run('one').stoppedFor('researcher')).not.toBeNull();
    expect(JSON.stringify(guard.run('one').state)).not.toContain('researcher 2');
  });
});

describe('Strands: agents', () => {
  it('are not kept when their call has ended', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const guard = deloop();
    const refs: WeakRef<Agent>[] = [];
    for (let n = 0; n < 8; n++) {
      const sessionManager = new SessionManager({ sessionId: `chat-${n}`, storage: new InMemoryStorage() });
      const { model } = once('look', () => 'Done.');
      const agent = new Agent({
        model,
        tools: [look()],
        interventions: [guard],
        sessionManager,
        printer: false,
      });
      await agent.invoke('Find it.');
      refs.push(new WeakRef(agent));
    }
    await expect
      .poll(() => {
        collect();
        return refs.filter((ref) => ref.deref() !== undefined).length;
      })
      .toBeLessThan(3);
  });

  it('two agents of one guard know nothing of each other', async () => {
    const { guard, heard } = listening();
    const one = () => {
      const { model } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
      return new Agent({ model, tools: [look()], interventions: [guard], printer: false }).invoke('Find it.');
    };
    await Promise.all([one(), one()]);
    await one();
    expect(heard).toEqual([]);
  });

  it('an agent that is a tool has a history of its own in the session', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const researcher = new Agent({
      id: 'researcher',
      name: 'researcher',
      model: script((n) => again(n)).model,
      tools: [look()],
      interventions: [guard],
      printer: false,
    });
    const { model } = script((n) =>
      n === 1 ? { calls: [callOf(n, 'researcher', { input: 'Find it.' })] } : { text: 'Done.' },
    );
    const main = new Agent({ model, tools: [researcher], interventions: [guard], printer: false });
    const { lastMessage } = await main.invoke('Find it.');
    expect(JSON.stringify(lastMessage.content)).toContain('Done.');
    expect(heard.map(({ decision: { action, agent }, session }) => [action, agent, session])).toEqual([
      ['nudge', 'researcher', 'one'],
      ['block', 'researcher', 'one'],
      ['block', 'researcher', 'one'],
      ['halt', 'researcher', 'one'],
    ]);
    expect(guard.run('one').stopped).toBeNull();
    expect(guard.run('one').stoppedFor('researcher')?.detector).toBe('no-progress');
  });

  it('the session is that of the session manager', async () => {
    const { guard, heard } = listening();
    const sessionManager = new SessionManager({ sessionId: 'chat-42', storage: new InMemoryStorage() });
    const { model } = script((n) => (n <= 3 ? again(n) : { text: 'Done.' }));
    const agent = new Agent({
      model,
      tools: [look()],
      interventions: [guard],
      sessionManager,
      printer: false,
    });
    await agent.invoke('Find it.');
    expect(heard.map(({ session }) => session)).toEqual(['chat-42']);
  });

  it('a router chooses the model, and a stopped agent ends all the same', async () => {
    const { guard } = listening();
    const { model, requests } = script((n) => again(n));
    const router = new ModelRouter([model]);
    const agent = new Agent({ model: router, tools: [look()], interventions: [guard], printer: false });
    const { stopReason } = await agent.invoke('Find it.');
    expect(stopReason).toBe('endTurn');
    expect(requests).toHaveLength(8);
    expect(guard.stopped?.action).toBe('halt');
  });
});
