import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  BaseAgent,
  type BaseLlmConnection,
  BasePlugin,
  type BaseTool,
  BaseToolset,
  createEvent,
  createEventActions,
  type Event,
  EXIT_LOOP,
  FunctionTool,
  getFunctionCalls,
  InMemoryRunner,
  type InvocationContext,
  LiveRequestQueue,
  LlmAgent,
  type LlmAgentConfig,
  type LlmResponse,
  LongRunningFunctionTool,
  LoopAgent,
  ParallelAgent,
  SequentialAgent,
  StreamingMode,
  Workflow,
} from '@google/adk';
import { Type } from '@google/genai';
import * as adk1 from 'adk-1';
import { describe, expect, it } from 'vitest';
import { deloop, type GoogleAdkGuard } from '../../../src/adapters/google-adk/index.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import type { ModelRequest, ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, listeningTo, scripted, talking, thrifty } from '../driver.ts';
import { CONFIRMATION, driverOf, googleAdkHost, PlainTool, StubModel, WAYS } from './host.ts';
import './broken-streams.ts';
import './gemini-streams.ts';
import './workflows.ts';

for (const way of WAYS) {
  testAdapter(googleAdkHost(way), { describe, it });
  testAdapter(driverOf(adk1 as never).googleAdkHost(way), { describe, it });
}

const look = (output = 'Nothing was found.') => new PlainTool('look', () => output);

const script = (turn: (n: number, request: ModelRequest) => ScriptedTurn) =>
  scripted((answer) => new StubModel(answer), turn);
const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);

/** A message of a person to a new session, and everything that came of it. */
async function send(
  agent: BaseAgent,
  plugins: (GoogleAdkGuard | BasePlugin)[],
  { userId = 'one', sessionId = 'chat', streamingMode = StreamingMode.NONE, maxLlmCalls = 500 } = {},
) {
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins });
  await runner.sessionService.createSession({ appName: 'app', userId, sessionId });
  const newMessage = { role: 'user', parts: [{ text: 'Find it.' }] };
  const events: Event[] = [];
  const runConfig = { streamingMode, maxLlmCalls };
  for await (const event of runner.runAsync({ userId, sessionId, newMessage, runConfig })) events.push(event);
  return events;
}

const KEY = { appName: 'app', userId: 'one', sessionId: 'chat' };

/** A session of one agent, with messages of any kind. */
async function session(agent: BaseAgent | Workflow, plugins: (GoogleAdkGuard | BasePlugin)[]) {
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins });
  await runner.sessionService.createSession(KEY);
  const sayUntil = async (abortSignal: AbortSignal | undefined, ...parts: object[]) => {
    const events: Event[] = [];
    const newMessage = { role: 'user', parts };
    for await (const event of runner.runAsync({ ...KEY, newMessage, ...(abortSignal && { abortSignal }) }))
      events.push(event);
    return events;
  };
  const say = (...parts: object[]) => sayUntil(undefined, ...parts);
  return { runner, say, sayUntil };
}

/** The answers to all calls of a tool in these events. */
const answersTo = (events: Event[], tool: string, response: object) =>
  events
    .flatMap((event) => getFunctionCalls(event))
    .filter(({ name }) => name === tool)
    .map(({ id, name }) => ({ functionResponse: { id, name, response } }));

describe('Google ADK: text', () => {
  for (const [kind, channel] of [
    ['text', 'content'],
    ['reasoning', 'reasoning'],
  ] as const)
    it(`a stream of ${kind} that repeats itself is cut`, async () => {
      const { guard, heard } = listening();
      const { model } = script(() => ({ [kind]: 'I should check the file again. '.repeat(200) }));
      const agent = new LlmAgent({ name: 'main', model, tools: [look()] });
      const events = await send(agent, [guard], { streamingMode: StreamingMode.SSE });
      const whole = events.filter(({ partial }) => partial !== true);
      const length = JSON.stringify(whole.map(({ content }) => content)).length;
      expect(whole).toHaveLength(1);
      expect(length).toBeGreaterThan(200);
      expect(length).toBeLessThan(1200);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
    });
});

describe('Google ADK: data that an outputSchema asks for', () => {
  const outputSchema = { type: Type.OBJECT, properties: { rows: { type: Type.ARRAY } } };
  const rows = (count: number) => JSON.stringify({ rows: Array(count).fill({ name: 'Widget', ok: true }) });

  for (const streamingMode of [StreamingMode.SSE, StreamingMode.NONE])
    it(`may be a list of many equal rows (${streamingMode ?? 'whole'})`, async () => {
      const { guard, heard } = listening();
      const model = new StubModel(() => ({ text: rows(200) }));
      const agent = new LlmAgent({ name: 'main', model, outputSchema });
      const events = await send(agent, [guard], { streamingMode });
      expect(
        events
          .at(-1)
          ?.content?.parts?.map(({ text }) => text)
          .join(''),
      ).toBe(rows(200));
      expect(heard).toEqual([]);
    });

  it('is cut where it repeats itself within a string', async () => {
    const { guard, heard } = listening();
    const model = new StubModel(() => ({ text: `{"rows": ["${'I should check again. '.repeat(200)}"]}` }));
    const agent = new LlmAgent({ name: 'main', model, outputSchema });
    await send(agent, [guard], { streamingMode: StreamingMode.SSE });
    expect(heard[0]?.decision.finding.detector).toBe('stream-repeat');
  });
});

describe('Google ADK: calls', () => {
  it('a call that another plugin answers is seen all the same', async () => {
    class Cache extends BasePlugin {
      override beforeToolCallback = async () => ({ cached: 'Nothing.' });
    }
    const { guard, heard } = listening();
    const { model } = script((n) => (n <= 3 ? again(n) : { text: 'Done.' }));
    const agent = new LlmAgent({ name: 'main', model, tools: [look()] });
    await send(agent, [new Cache('cache'), guard]);
    expect(heard.map(({ decision: { action, call } }) => [action, call])).toEqual([['nudge', 3]]);
  });

  it('a result that the model has already may be told in a word', async () => {
    const { model, requests } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
    const tools = [look('warning: unused variable\n'.repeat(200))];
    await send(new LlmAgent({ name: 'main', model, tools }), [deloop({ preset: thrifty })]);
    expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
    expect(requests[2]?.sent).toContain('The same as before.');
  });

  it("a tool that says that it failed in ADK's own words has failed; a thing that it looked up has not", async () => {
    const failed = { status: 'error', error_message: 'The API key is not valid.' };
    for (const [output, isFailure] of [
      [failed, true],
      [{ job: 'nightly', ...failed }, false],
      [{ ...failed, status: 'success' }, false],
    ] as const) {
      const { guard, heard } = listening();
      const { model } = script((n) => (n <= 12 ? { calls: [callOf(n, 'order', { n })] } : { text: 'Done.' }));
      const order = new PlainTool('order', () => output);
      await send(new LlmAgent({ name: 'main', model, tools: [order] }), [guard]);
      const detectors = heard.map(({ decision }) => decision.finding.detector);
      expect(detectors.includes('same-failure')).toBe(isFailure);
    }
  });

  it('a model that calls a tool that does not exist is stopped, where ADK would go on to its limit', async () => {
    for (const [plugins, asked] of [
      [[], 20],
      [[deloop()], 9],
    ] as const) {
      const { model, requests } = script((n) => ({ calls: [callOf(n, 'no_such_tool', { n })] }));
      const agent = new LlmAgent({ name: 'main', model, tools: [look()] });
      await send(agent, [...plugins], { maxLlmCalls: 20 }).catch((error: Error) =>
        expect(error.message).toMatch(/Max number of llm calls/),
      );
      expect(requests.length).toBe(asked);
    }
  });
});

describe('Google ADK: what others make of it', () => {
  class Changing extends BasePlugin {
    constructor(change: () => Record<string, unknown>) {
      super('changing');
      this.afterToolCallback = async () => change();
    }
  }
  const REPORTS = [
    ['new', false],
    ['the same', true],
  ] as const;
  const WHO = ["the agent's own callback", 'a plugin behind the guard', 'a plugin before the guard'] as const;

  for (const who of WHO)
    for (const [kind, halts] of REPORTS)
      for (const calls of [1, 2])
        it(`${who} makes ${kind} results of others, ${calls} at a time: that is what is judged`, async () => {
          let raw = 0;
          let pages = 0;
          const change = () => ({ page: halts ? 'Nothing was found.' : `page ${++pages} of the book` });
          const tools = [
            new PlainTool('look', () => (halts ? `chunk ${++raw}, as it is stored` : 'Stored.')),
          ];
          const { guard, heard } = listening();
          const { model, requests } = script((n) =>
            n <= 30
              ? { calls: Array.from({ length: calls }, (_, k) => callOf(10 * n + k, 'look', {})) }
              : { text: 'Done.' },
          );
          const own = { afterToolCallback: async () => change() };
          const agent = new LlmAgent({ name: 'main', model, tools, ...(who === WHO[0] && own) });
          const other = new Changing(change);
          await send(agent, who === WHO[0] ? [guard] : who === WHO[1] ? [guard, other] : [other, guard]);
          expect(heard.map(({ decision }) => decision.action).includes('halt')).toBe(halts);
          if (halts) expect(requests.length).toBeLessThan(15);
          else expect([requests.length, heard]).toEqual([31, []]);
        });

  it('errors that a plugin behind the guard makes good are results', async () => {
    class Spare extends BasePlugin {
      override onToolErrorCallback = async ({ toolArgs }: { toolArgs: Record<string, unknown> }) => ({
        price: `${toolArgs['item']} costs ${Number(toolArgs['item']) * 3}`,
      });
    }
    for (const [plugins, halts] of [
      [[new Spare('spare')], false],
      [[], true],
    ] as const) {
      const { guard, heard } = listening();
      const { model } = script((n) =>
        n <= 20 ? { calls: [callOf(n, 'price', { item: n })] } : { text: 'Done.' },
      );
      const broken = () => {
        throw new Error('503 Service Unavailable');
      };
      const tools = [new PlainTool('price', broken)];
      await send(new LlmAgent({ name: 'main', model, tools }), [guard, ...plugins]);
      expect(heard.map(({ decision }) => decision.action).includes('halt')).toBe(halts);
    }
  });

  it('a plugin before the guard that answers for a failed call does not hide that it failed', async () => {
    const { guard, heard } = listening();
    const { model } = script(again);
    const broken = () => {
      throw new Error('503 Service Unavailable');
    };
    const agent = new LlmAgent({ name: 'main', model, tools: [new PlainTool('look', broken)] });
    await send(agent, [new Changing(() => ({ page: Math.random() })), guard]);
    expect(heard.map(({ decision }) => decision.action)).toContain('halt');
  });

  const repaired = ({ content, ...response }: LlmResponse): LlmResponse | undefined =>
    content && {
      ...response,
      content: {
        ...content,
        parts: (content.parts ?? []).map(({ functionCall, ...part }) => ({
          ...part,
          ...(functionCall && { functionCall: { ...functionCall, name: 'look' } }),
        })),
      },
    };
  class Repairing extends BasePlugin {
    override afterModelCallback = async ({ llmResponse }: { llmResponse: LlmResponse }) =>
      repaired(llmResponse);
  }

  for (const who of WHO)
    for (const streamingMode of [StreamingMode.NONE, StreamingMode.SSE])
      it(`names of tools that ${who} repairs are known (${streamingMode})`, async () => {
        const { guard, heard } = listening();
        const { model, requests } = script((n) =>
          n <= 14 ? { calls: [callOf(n, 'default_api.look', { n })] } : { text: 'Done.' },
        );
        let pages = 0;
        const tools = [new PlainTool('look', () => `page ${++pages} of the book`)];
        const own = {
          afterModelCallback: async ({ response }: { response: LlmResponse }) => repaired(response),
        };
        const agent = new LlmAgent({ name: 'main', model, tools, ...(who === WHO[0] && own) });
        const other = new Repairing('repairing');
        const plugins = who === WHO[0] ? [guard] : who === WHO[1] ? [guard, other] : [other, guard];
        await send(agent, plugins, { streamingMode });
        expect([requests.length, heard]).toEqual([15, []]);
      });

  it('calls of tools that do not exist count, too, where another plugin changes every event', async () => {
    class Stamping extends BasePlugin {
      override onEventCallback = async ({ event }: { event: Event }) => ({ ...event });
    }
    const { guard } = listening();
    const { model, requests } = script((n) => ({ calls: [callOf(n, 'no_such_tool', { n })] }));
    const agent = new LlmAgent({ name: 'main', model, tools: [look()] });
    await send(agent, [new Stamping('stamping'), guard], { maxLlmCalls: 20 });
    expect(requests.length).toBe(9);
  });
});

describe('Google ADK: results that come later', () => {
  /** The same call again and again; a person says this to each. */
  async function confirmed(answer: boolean) {
    let paid = 0;
    const pay = new FunctionTool({
      name: 'pay',
      description: 'Pays.',
      requireConfirmation: true,
      execute: async () => ({ paid: ++paid }),
    });
    const { guard, heard } = listening();
    const { model } = script((n) => (n <= 8 ? { calls: [callOf(n, 'pay', {})] } : { text: 'Done.' }));
    const { say } = await session(new LlmAgent({ name: 'main', model, tools: [pay] }), [guard]);
    let parts: object[] = [{ text: 'Pay them all.' }];
    while (parts.length > 0) parts = answersTo(await say(...parts), CONFIRMATION, { confirmed: answer });
    return { paid, heard };
  }

  it('a call that a person confirms is judged by its result, not by the request', async () => {
    expect(await confirmed(true)).toEqual({ paid: 8, heard: [] });
  });

  it('a call that a person refuses each time is a loop', async () => {
    const { paid, heard } = await confirmed(false);
    expect(paid).toBe(0);
    expect(heard.map(({ decision }) => decision.action)).toContain('halt');
  });

  it('a call that takes long is judged by the result that a message brings', async () => {
    for (const [built, halts] of [
      [(n: number) => `version ${n}`, false],
      [() => 'The disk is full.', true],
    ] as const) {
      const build = new LongRunningFunctionTool({
        name: 'build',
        description: 'Builds.',
        execute: async () => ({ status: 'pending' }),
      });
      const { guard, heard } = listening();
      const { model } = script((n) =>
        n % 2 === 1 ? { calls: [callOf(n, 'build', {})] } : { text: `Waiting for build ${n}.` },
      );
      const { say } = await session(new LlmAgent({ name: 'main', model, tools: [build] }), [guard]);
      let parts: object[] = [{ text: 'Build it.' }];
      for (let n = 1; n <= 10 && parts.length > 0; n++)
        parts = answersTo(await say(...parts), 'build', { built: built(n) });
      expect(heard.some(({ decision }) => decision.action === 'halt')).toBe(halts);
    }
  });
});

describe('Google ADK: aborts', () => {
  for (const [what, calls] of [
    ['a call', 1],
    ['several calls', 3],
  ] as const)
    it(`a run that asks a person about ${what} ends with its abort, and no tool runs`, async () => {
      const abort = new AbortController();
      let ran = 0;
      let before = [0, 0];
      const guard = deloop({
        onAsk: () => {
          before = [ran, requests.length];
          setTimeout(() => abort.abort());
          return new Promise(() => {});
        },
      });
      const { model, requests } = script((n, { sent }) =>
        sent.includes('Something else.')
          ? { text: 'Done.' }
          : { calls: Array.from({ length: calls }, (_, k) => callOf(10 * n + k, 'look', {})) },
      );
      const find = () => {
        ran++;
        return 'Nothing was found.';
      };
      const tools = [new PlainTool('look', find)];
      const { say, sayUntil } = await session(new LlmAgent({ name: 'main', model, tools }), [guard]);
      await sayUntil(abort.signal, { text: 'Find it.' });
      expect(before[0]).toBeGreaterThan(0);
      expect([ran, requests.length]).toEqual(before);
      expect(JSON.stringify(await say({ text: 'Something else.' }))).toContain('Done.');
      expect(guard.stopped).toBeNull();
    });

  it('a tool that gives up at the abort was cancelled, and has not failed', async () => {
    const { guard, heard } = listening();
    let abort = new AbortController();
    const execute = async () => {
      abort.abort();
      throw new Error('Given up.');
    };
    const slow = new FunctionTool({ name: 'look', description: 'Looks.', execute });
    const { model, requests } = script(again);
    const { sayUntil } = await session(new LlmAgent({ name: 'main', model, tools: [slow] }), [guard]);
    for (let n = 1; n <= 8; n++) {
      abort = new AbortController();
      await sayUntil(abort.signal, { text: `Try ${n}.` });
    }
    expect(requests).toHaveLength(8);
    expect(heard).toEqual([]);
  });
});

describe('Google ADK: live conversations', () => {
  it('are left alone: what persons say in them is not seen, and they may ask for the same again', async () => {
    const read: string[] = [];
    class LiveModel extends StubModel {
      override async connect(): Promise<BaseLlmConnection> {
        return {
          sendHistory: async () => {},
          sendRealtime: async () => {},
          close: async () => {},
          async sendContent(content) {
            read.push(JSON.stringify(content));
          },
          async *receive() {
            for (let n = 1; n <= 8; n++) {
              yield { inputTranscription: { text: 'Is the light on?', finished: true } };
              yield {
                content: { role: 'model', parts: [{ functionCall: { id: `call_${n}`, name: 'look' } }] },
              };
              yield { content: { role: 'model', parts: [{ text: 'It is.' }] }, turnComplete: true };
            }
          },
        };
      }
    }
    const { guard, actions } = listening();
    const agent = new LlmAgent({
      name: 'main',
      model: new LiveModel(() => ({})),
      tools: [look('The light is on.')],
    });
    const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
    for await (const _ of runner.runLive({ ...KEY, liveRequestQueue: new LiveRequestQueue() }));
    expect(read).toHaveLength(8);
    expect(read.filter((result) => !result.includes('The light is on.'))).toEqual([]);
    expect(actions()).toEqual([]);
    expect(guard.stopped).toBeNull();
  });
});

describe('Google ADK: the last turn', () => {
  const city = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] };

  /** It looks as long as it can; then it answers by the tool that is left. */
  function stuck(tool: string, options: { readonly mode?: 'task' } = {}) {
    let names: (string | undefined)[] = [];
    const { model } = script((n) =>
      names.includes('look') ? again(n) : { calls: [callOf(n, tool, { city: 'Rome' })] },
    );
    return new LlmAgent({
      name: 'stuck',
      model,
      tools: [look()],
      outputSchema: city,
      outputKey: 'found',
      beforeModelCallback({ request }) {
        const declared = request.config?.tools?.flatMap(
          (one) => ('functionDeclarations' in one && one.functionDeclarations) || [],
        );
        names = declared?.map(({ name }) => name) ?? [];
        return undefined;
      },
      ...options,
    });
  }

  it('of an agent with an outputSchema gives an answer of that form', async () => {
    const { guard } = listening();
    const { runner, say } = await session(stuck('set_model_response'), [guard]);
    await say({ text: 'Find it.' });
    expect(guard.stopped).toMatchObject({ action: 'halt' });
    expect((await runner.sessionService.getSession(KEY))?.state).toEqual({ found: { city: 'Rome' } });
  });

  it('of a node that has a task finishes it', async () => {
    const { guard } = listening();
    const seen: unknown[] = [];
    const next = (_: unknown, input: unknown) => seen.push(input);
    const agent = new Workflow({
      name: 'both',
      edges: [['START', stuck('finish_task', { mode: 'task' }), next]],
    });
    const { say } = await session(agent, [guard]);
    await say({ text: 'Find it.' });
    expect(guard.run('app/one/chat').stoppedFor('stuck')).toMatchObject({ action: 'halt' });
    expect(seen).toEqual([{ city: 'Rome' }]);
  });
});

/** Takes until the clock has moved before each response. */
class Late extends BasePlugin {
  constructor() {
    super('late');
  }

  override async beforeModelCallback(): Promise<undefined> {
    const now = Date.now();
    while (Date.now() === now) await null;
  }
}

describe('Google ADK: sessions and agents', () => {
  it('a stop of an agent ends the loop around it', async () => {
    const { guard, heard } = listening();
    const worker = script((n) => again(n));
    const critic = script(() => ({ text: 'Go on.' }));
    const agent = new LoopAgent({
      name: 'loop',
      maxIterations: 5,
      subAgents: [
        new LlmAgent({ name: 'worker', model: worker.model, tools: [look()] }),
        new LlmAgent({ name: 'critic', model: critic.model }),
      ],
    });
    const events = await send(agent, [guard]);
    expect(JSON.stringify(events.at(-1)?.content)).toContain('Report.');
    expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', agent: 'worker' });
    expect(critic.requests).toEqual([]);
  });

  for (const answer of [true, false])
    it(`a question about an agent ends the loop around it, is one, and can be answered with ${answer ? 'yes' : 'no'}`, async () => {
      const guard = deloop({ attended: true });
      const { model, requests } = script((n, { tools }) =>
        tools && n < 50 ? again(n) : { text: 'Report.' },
      );
      let ran = 0;
      const tools = [new PlainTool('look', () => `Nothing was found.${++ran > 4 ? ` Now ${ran}.` : ''}`)];
      const critic = script((n) => ({ text: `Remark ${n}.` }));
      const loop = new LoopAgent({
        name: 'loop',
        maxIterations: 3,
        subAgents: [
          new LlmAgent({ name: 'worker', model, tools }),
          new LlmAgent({ name: 'critic', model: critic.model }),
        ],
      });
      const { say } = await session(loop, [guard]);
      const answers = answersTo(await say({ text: 'Find it.' }), CONFIRMATION, { confirmed: answer });
      expect([answers.length, critic.requests.length]).toEqual([1, 0]);
      const [before, asked] = [ran, requests.length];
      const events = await say(...answers);
      expect(answersTo(events, CONFIRMATION, {})).toEqual([]);
      if (answer) expect([ran > before, critic.requests.length]).toEqual([true, 3]);
      else expect([ran, requests.length, critic.requests.length]).toEqual([before, asked + 1, 0]);
    });

  it('a person who lets calls go on that were refused is obeyed', async () => {
    const { guard, heard } = listening({ attended: true });
    let ran = 0;
    const tools = [
      new PlainTool('look', () => {
        ran++;
        return 'Nothing was found.';
      }),
    ];
    const { model } = script((n) =>
      n <= 7
        ? { calls: ['a', 'b', 'c'].map((k) => ({ ...callOf(n, 'look', { query: k }), id: `${n}${k}` })) }
        : { text: 'Done.' },
    );
    const { say } = await session(new LlmAgent({ name: 'main', model, tools }), [guard]);
    const answers = answersTo(await say({ text: 'Find it.' }), CONFIRMATION, { confirmed: true });
    expect(heard.at(-1)?.decision).toMatchObject({ action: 'ask', finding: { detector: 'refusals' } });
    await say(...answers);
    expect([answers.length, ran]).toEqual([3, 18]);
  });

  it('agents without tools may talk for as long as they have something to say', async () => {
    const { guard, heard } = listening();
    const says = (name: string) =>
      new LlmAgent({ name, model: talking((answer) => new StubModel(answer)).model });
    const agent = new LoopAgent({
      name: 'loop',
      maxIterations: 20,
      subAgents: [says('writer'), says('critic')],
    });
    expect(await send(agent, [guard])).toHaveLength(40);
    expect(heard).toEqual([]);
  });

  it('a new message lets stopped sub-agents go on in another process, too', async () => {
    const store = createMemoryStore();
    const pipeline = (worker: StubModel) =>
      new SequentialAgent({
        name: 'both',
        subAgents: [
          new LlmAgent({ name: 'planner', model: script(() => ({ text: 'A plan.' })).model }),
          new LlmAgent({ name: 'worker', model: worker, tools: [look()] }),
        ],
      });
    const first = await session(pipeline(script((n) => again(n)).model), [deloop({ store })]);
    expect(JSON.stringify((await first.say({ text: 'Find it.' })).at(-1))).toContain('Report.');
    const second = await session(pipeline(script(() => ({ text: 'Here it is.' })).model), [
      deloop({ store }),
    ]);
    expect(JSON.stringify((await second.say({ text: 'Now?' })).at(-1))).toContain('Here it is.');
  });

  it('sessions of the same name are two when they are of two users', async () => {
    const { guard, heard } = listening();
    for (const userId of ['one', 'two']) {
      const { model } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
      await send(new LlmAgent({ name: 'main', model, tools: [look()] }), [guard], { userId });
    }
    expect(heard).toEqual([]);
  });

  for (const way of ['to its end', 'to the answer', 'until somebody turns away'] as const)
    it(`keep no tools that a toolset has made for them when they were run ${way}`, async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const guard = deloop();
      const made: WeakRef<BaseTool>[] = [];
      class FreshTools extends BaseToolset {
        override async getTools() {
          const tool = look();
          made.push(new WeakRef(tool));
          return [tool];
        }
        override async close() {}
      }
      for (let n = 0; n < 8; n++) {
        const { model } = script((turn) => (turn <= 2 ? again(turn) : { text: 'Done.' }));
        const agent = new LlmAgent({ name: 'main', model, tools: [new FreshTools([])] });
        const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
        const newMessage = { role: 'user', parts: [{ text: 'Find it.' }] };
        for await (const event of runner.runEphemeral({ userId: 'one', newMessage })) {
          const isAnswer = getFunctionCalls(event).length === 0 && event.content?.role === 'model';
          if (way === 'until somebody turns away' || (way === 'to the answer' && isAnswer)) break;
        }
      }
      expect(made.length).toBeGreaterThanOrEqual(8);
      await expect
        .poll(() => {
          collect();
          return made.filter((ref) => ref.deref() !== undefined).length;
        })
        .toBeLessThan(5);
    });

  it('sub-agents have histories of their own in the session, and a stop of their own', async () => {
    const { guard, heard } = listening();
    const [first, second] = [script((n) => again(n)), script((n) => (n <= 2 ? again(n) : { text: 'Done.' }))];
    const agent = new SequentialAgent({
      name: 'both',
      subAgents: [
        new LlmAgent({ name: 'researcher', model: first.model, tools: [look()] }),
        new LlmAgent({ name: 'writer', model: second.model, tools: [look()] }),
      ],
    });
    const events = await send(agent, [guard]);
    expect(JSON.stringify(events.at(-1)?.content)).toContain('Done.');
    expect(heard.map(({ decision: { action, agent: name }, session }) => [action, name, session])).toEqual([
      ['nudge', 'researcher', 'app/one/chat'],
      ['block', 'researcher', 'app/one/chat'],
      ['block', 'researcher', 'app/one/chat'],
      ['halt', 'researcher', 'app/one/chat'],
    ]);
    const run = guard.run('app/one/chat');
    expect(run.stopped).toBeNull();
    expect(run.stoppedFor('researcher')?.detector).toBe('no-progress');
    expect(guard.stopped).toBeNull();
  });

  describe('who hand over to each other', () => {
    const toThe = (agentName: string, n: number) => callOf(n, 'transfer_to_agent', { agentName });

    /** A planner hands over round after round; the worker does something each time and hands back. */
    async function rounds(workOf: (n: number) => ScriptedTurn) {
      const { guard, actions } = listening();
      const plan = script((n) =>
        n <= 7 ? { text: draft(n), calls: [toThe('worker', n)] } : { text: 'All is done.' },
      );
      const work = script(workOf);
      const seen = new PlainTool('look', (args) => `This is what is there: ${JSON.stringify(args)}.`);
      const worker = new LlmAgent({ name: 'worker', model: work.model, tools: [seen] });
      const planner = new LlmAgent({ name: 'planner', model: plan.model, subAgents: [worker] });
      const events = await send(planner, [guard]);
      return { actions: actions(), end: JSON.stringify(events.at(-1)?.content) };
    }

    it('may do so as long as work is done in between', async () => {
      const { actions, end } = await rounds((n) => ({
        calls: [n % 2 === 1 ? callOf(n, 'look', { page: n }) : toThe('planner', n)],
      }));
      expect(actions).toEqual([]);
      expect(end).toContain('All is done.');
    });

    it.each([
      ['do nothing else', (n: number) => ({ calls: [toThe('planner', n)] })],
      [
        'do the same each time',
        (n: number) => ({ calls: [n % 2 === 1 ? callOf(n, 'look', {}) : toThe('planner', n)] }),
      ],
    ])('are stopped where they %s', async (_, workOf) => {
      const { actions, end } = await rounds(workOf);
      expect(actions.some((action) => action.startsWith('halt'))).toBe(true);
      expect(end).not.toContain('All is done.');
    });
  });

  for (const isFollowed of [false, true])
    it(`agents at once whose calls have the same ids keep their results (changed later: ${isFollowed})`, async () => {
      const { guard, heard } = listening();
      const asks = (name: string, ms: number, find: (n: number) => string) => {
        let found = 0;
        const { model, requests } = script((n) =>
          n <= 14 ? { calls: [{ ...callOf(n, 'look', {}), id: 'call_0' }] } : { text: 'Done.' },
        );
        const execute = async () => {
          await new Promise((resolve) => setTimeout(resolve, ms));
          return find(++found);
        };
        const later = { afterToolCallback: () => undefined };
        const tools = [new PlainTool('look', execute)];
        return { agent: new LlmAgent({ name, model, tools, ...(isFollowed && later) }), requests };
      };
      const all = [
        asks('stuck', 4, () => 'Nothing was found.'),
        asks('quick', 2, (n) => `page ${n} of the book`),
        asks('slow', 7, (n) => `row ${n} of the table`),
      ];
      await send(new ParallelAgent({ name: 'all', subAgents: all.map(({ agent }) => agent) }), [guard]);
      expect(heard.map(({ decision: { action, agent } }) => [action, agent])).toEqual([
        ['nudge', 'stuck'],
        ['block', 'stuck'],
        ['block', 'stuck'],
        ['halt', 'stuck'],
      ]);
      expect(all.map(({ requests }) => requests.length)).toEqual([8, 15, 15]);
    });

  it('a nudge is part of the session, and no event of it is shown', async () => {
    const { guard, heard } = listening();
    const { model } = script((n) => (n <= 3 ? again(n) : { text: 'Done.' }));
    const agent = new LlmAgent({ name: 'main', model, tools: [look()] });
    const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
    const { sessionService } = runner;
    const key = { appName: 'app', userId: 'one', sessionId: 'chat' };
    await sessionService.createSession(key);
    const newMessage = { role: 'user', parts: [{ text: 'Find it.' }] };
    const shown: Event[] = [];
    for await (const event of runner.runAsync({ ...key, newMessage })) shown.push(event);
    const message = heard[0]?.decision.message ?? 'no nudge';
    const kept = await sessionService.getSession(key);
    expect(JSON.stringify(kept?.events)).toContain(message);
    expect(JSON.stringify(shown)).not.toContain(message);
  });

  it('a nudge stays before its response where events are kept by their times, as in a database', async () => {
    const { guard, actions } = listening();
    const { model } = script((n) => (n <= 3 ? again(n) : { text: 'Done.' }));
    const agent = new LlmAgent({ name: 'main', model, tools: [look()] });
    const { runner, say } = await session(agent, [new Late(), guard]);
    await say({ text: 'Find it.' });
    expect(actions()).toEqual(['nudge 3']);
    const { events = [] } = (await runner.sessionService.getSession(KEY)) ?? {};
    const kept = events.map(({ timestamp }) => timestamp);
    expect(kept).toEqual(kept.toSorted((one, other) => one - other));
  });
});

const WORDS = 'cats dogs birds fish frogs cows ants bees owls bats rats elks hens pigs emus'.split(' ');
/** A text that is another one each round. */
const draft = (n: number) =>
  `A chapter about ${WORDS[n % 15]}, which are seldom seen with ${WORDS[(n * 4) % 15]}, as there are ${n * 37} of them.`;

describe('Google ADK: agents that are run again', () => {
  /** Ends the loop when the verdict is good. */
  class Gate extends BaseAgent {
    override async *runAsyncImpl({ session, invocationId }: InvocationContext) {
      const escalate = /pass/.test(JSON.stringify(session.state['verdict'] ?? ''));
      yield createEvent({ author: this.name, invocationId, actions: createEventActions({ escalate }) });
    }

    override async *runLiveImpl(): AsyncGenerator<Event, void> {}
  }

  /** What the model of an agent without tools says each time. */
  const saying = (says: (n: number) => ScriptedTurn) => {
    let n = 0;
    return new StubModel(() => says(++n));
  };

  /** A writer, and how many drafts it has made. */
  const writing = (drafts: (n: number) => ScriptedTurn) => {
    const desk = { written: 0 };
    const model = saying((n) => {
      desk.written = n;
      return drafts(n);
    });
    return { writer: new LlmAgent({ name: 'writer', model }), desk };
  };

  type Verdicts = {
    readonly kind: string;
    readonly says: (isGood: boolean) => ScriptedTurn;
    readonly options?: Partial<LlmAgentConfig>;
  };
  const word = (isGood: boolean) => ({ text: isGood ? 'pass' : 'fail' });
  const WORD: Verdicts = { kind: 'a word', says: word };
  const VERDICTS: readonly Verdicts[] = [
    WORD,
    {
      kind: 'a word, by one who reads nothing else',
      says: word,
      options: { includeContents: 'none' },
    },
    {
      kind: 'JSON',
      says: (isGood) => ({ text: JSON.stringify({ grade: word(isGood).text }) }),
      options: { outputSchema: { type: Type.OBJECT, properties: { grade: { type: Type.STRING } } } },
    },
    {
      kind: 'a call that ends it',
      says: (isGood) => (isGood ? { calls: [callOf(1, 'exit_loop', {})] } : { text: 'fail' }),
      options: { tools: [EXIT_LOOP] },
    },
  ];

  /** A writer, and a critic who wants another version until the last round. */
  async function review(
    { says, options }: Verdicts,
    drafts: (n: number) => ScriptedTurn,
    rounds = Number.POSITIVE_INFINITY,
  ) {
    const { guard, heard } = listening();
    const { writer, desk } = writing(drafts);
    const model = saying((n) => says(n >= rounds));
    const critic = new LlmAgent({ name: 'critic', model, outputKey: 'verdict', ...options });
    const subAgents = [writer, critic, new Gate({ name: 'gate' })];
    await send(new LoopAgent({ name: 'loop', maxIterations: 50, subAgents }), [guard]);
    return { ...desk, decisions: heard.map(({ decision: { action, agent } }) => `${action} ${agent}`) };
  }

  for (const verdicts of VERDICTS) {
    it(`a critic may say the same of drafts that change: ${verdicts.kind}`, async () => {
      const { written, decisions } = await review(verdicts, (n) => ({ text: draft(n) }), 15);
      expect([written, decisions]).toEqual([15, []]);
    });

    for (const [what, drafts] of [
      ['the same', () => draft(1)],
      ['one of two', (n: number) => draft(n % 2)],
      ['the same at another time', (n: number) => `${draft(1)} 2026-01-01 12:00:${10 + n}`],
    ] as const)
      it(`drafts that are ${what} are a loop: ${verdicts.kind}`, async () => {
        const { written, decisions } = await review(verdicts, (n) => ({ text: drafts(n) }));
        expect(written).toBeLessThan(15);
        expect(decisions.at(-1)).toMatch('halt');
      });
  }

  it('what others think is no news', async () => {
    const { decisions } = await review(WORD, (n) => ({ reasoning: draft(n), text: 'Short.' }));
    expect(decisions).toContain('nudge critic');
  });

  it('both may not say a few words in turn', async () => {
    const { guard, heard } = listening();
    const says = (name: string, by: number) =>
      new LlmAgent({ name, model: saying((n) => ({ text: draft((n % 2) + by) })) });
    const subAgents = [says('writer', 1), says('critic', 5)];
    const events = await send(new LoopAgent({ name: 'loop', maxIterations: 50, subAgents }), [guard]);
    expect(heard.at(-1)?.decision.action).toBe('halt');
    expect(events.length).toBeLessThan(40);
  });

  it('calls that bring nothing count, whatever others say', async () => {
    const { guard, heard } = listening();
    const { model, requests } = script((n) => (n % 2 === 1 ? again(n) : { text: 'It is not there.' }));
    const worker = new LlmAgent({ name: 'worker', model, tools: [look()] });
    const critic = new LlmAgent({ name: 'critic', model: saying((n) => ({ text: draft(n) })) });
    const loop = new LoopAgent({ name: 'loop', maxIterations: 50, subAgents: [worker, critic] });
    await send(loop, [guard]);
    expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', agent: 'worker' });
    expect(requests.length).toBeLessThan(20);
  });

  const accepting = (actions: object) =>
    new FunctionTool({
      name: 'accept',
      description: 'Accepts the chapter.',
      execute: (_, context) => Object.assign(context?.actions ?? {}, actions) && {},
    });
  /** ADK's own tool, and what people write in its place; without `skipSummarization` the model has the last word. */
  const EXITS: readonly (readonly [string, BaseTool, readonly ScriptedTurn[]])[] = [
    ['of ADK', EXIT_LOOP, []],
    ['of the user', accepting({ escalate: true, skipSummarization: true }), []],
    ['of the user, and words', accepting({ escalate: true }), [{ text: 'Accepted.' }]],
  ];

  /** Runs a loop of agents once for each chapter. */
  class Book extends BaseAgent {
    override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void> {
      for (let n = 0; n < 40; n++) for (const agent of this.subAgents) yield* agent.runAsync(context);
    }

    override async *runLiveImpl(): AsyncGenerator<Event, void> {}
  }

  /** A critic who does this, and ends the loop then. */
  async function chapters(
    exit: BaseTool,
    drafts: (n: number) => string,
    critic: (n: number) => readonly ScriptedTurn[],
    last: readonly ScriptedTurn[],
  ) {
    const { guard, heard } = listening();
    const { writer, desk } = writing((n) => ({ text: drafts(n) }));
    const turns: ScriptedTurn[] = [];
    const { model } = script((n) => {
      if (turns.length === 0) turns.push(...critic(n), { calls: [callOf(n, exit.name, {})] }, ...last);
      return turns.shift() as ScriptedTurn;
    });
    let checked = 0;
    const check = new PlainTool('check', () => `${++checked} words, ${checked * 7} letters`);
    const subAgents = [writer, new LlmAgent({ name: 'critic', model, tools: [exit, check] })];
    const loop = new LoopAgent({ name: 'loop', maxIterations: 5, subAgents });
    await send(new Book({ name: 'book', subAgents: [loop] }), [guard]);
    return { ...desk, decisions: heard.map(({ decision: { action, agent } }) => `${action} ${agent}`) };
  }

  for (const [whose, exit, last] of EXITS) {
    for (const [what, critic, rounds] of [
      ['at once', () => [], 1],
      ['after a remark', (n: number) => [{ text: `Say more of ${draft(n + 3)}` }], 2],
      ['after a check', (n: number) => [{ calls: [callOf(n, 'check', {})] }], 1],
    ] as const)
      it(`a loop may be left for each of many chapters, ${what}: by a tool ${whose}`, async () => {
        expect(await chapters(exit, draft, critic, last)).toEqual({ written: 40 * rounds, decisions: [] });
      });

    it(`a loop that is left each time by a tool ${whose} is one where nothing new is written`, async () => {
      const { written, decisions } = await chapters(
        exit,
        () => draft(1),
        () => [],
        last,
      );
      expect(written).toBeLessThan(12);
      expect(decisions.at(-1)).toBe('halt writer');
    });

    it(`so is one of an agent that does nothing but leave it, by a tool ${whose}`, async () => {
      const { guard, heard } = listening();
      const { model, requests } = script((n) => ({ calls: [callOf(n, exit.name, {})] }));
      const loop = new LoopAgent({
        name: 'loop',
        subAgents: [new LlmAgent({ name: 'critic', model, tools: [exit] })],
      });
      await send(new Book({ name: 'book', subAgents: [loop] }), [guard]);
      expect(requests.length).toBeLessThan(20);
      expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', agent: 'critic' });
    });
  }

  it('a tool that has ended a loop once counts where it does not', async () => {
    const { guard, heard } = listening();
    let tries = 0;
    const submit = new FunctionTool({
      name: 'submit',
      description: 'Submits the chapter.',
      execute: (_, context) => {
        if (++tries === 1) Object.assign(context?.actions ?? {}, { escalate: true, skipSummarization: true });
        return { accepted: tries === 1 };
      },
    });
    const { model, requests } = script((n) => ({ calls: [callOf(n, 'submit', {})] }));
    const loop = new LoopAgent({
      name: 'loop',
      subAgents: [new LlmAgent({ name: 'critic', model, tools: [submit] })],
    });
    await send(new Book({ name: 'book', subAgents: [loop] }), [guard]);
    expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', agent: 'critic' });
    expect(requests.length).toBeLessThan(12);
  });
});

describe('Google ADK: responses in place of those of the model', () => {
  /** A cache, which knows every answer, every other one, or none: all of that is the same to the guard. */
  function cached(turn: (n: number) => ScriptedTurn, isBehind: boolean, every: number) {
    let n = 0;
    const answer = ({ text, calls = [] }: ScriptedTurn): LlmResponse => ({
      content: {
        role: 'model',
        parts: [
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ id, tool, args }) => ({
            functionCall: { id, name: tool, args: args as Record<string, unknown> },
          })),
        ],
      },
    });
    const respond = () => (++n % every === 0 ? answer(turn(n)) : undefined);
    class Cache extends BasePlugin {
      override beforeModelCallback = async () => respond();
    }
    const { guard, heard } = listening();
    return {
      heard,
      responses: () => n,
      plugins: isBehind ? [guard, new Cache('cache')] : [guard],
      options: {
        model: new StubModel(() => turn(n)),
        ...(!isBehind && { beforeModelCallback: respond }),
      },
    };
  }

  for (const [who, isBehind] of [
    ["the agent's own callback", false],
    ['a plugin behind the guard', true],
  ] as const)
    for (const every of [1, 2, Number.POSITIVE_INFINITY])
      for (const streamingMode of [StreamingMode.NONE, StreamingMode.SSE]) {
        const what = `${who} (every ${every}, ${streamingMode})`;

        it(`calls of tools that do not exist are seen: ${what}`, async () => {
          const script = (n: number) =>
            n <= 25 ? { calls: [callOf(n, 'no_such_tool', { n })] } : { text: 'Done.' };
          const { options, plugins, responses } = cached(script, isBehind, every);
          const agent = new LlmAgent({ name: 'main', tools: [look()], ...options });
          await send(agent, plugins, { streamingMode });
          expect(responses()).toBe(9);
        });

        it(`the same words are seen: ${what}`, async () => {
          const script = () => ({ text: 'It is not ready yet, so I will try once more.' });
          const { options, plugins, responses, heard } = cached(script, isBehind, every);
          const subAgents = [new LlmAgent({ name: 'writer', ...options })];
          const loop = new LoopAgent({ name: 'loop', maxIterations: 50, subAgents });
          await send(loop, plugins, { streamingMode });
          expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'halt']);
          expect(responses()).toBe(7);
        });

        it(`each counts once, and healthy ones are left alone: ${what}`, async () => {
          const script = (n: number) =>
            n <= 20 ? { text: draft(n), calls: [callOf(n, 'look', { n })] } : { text: 'Done.' };
          const { options, plugins, responses, heard } = cached(script, isBehind, every);
          let pages = 0;
          const tools = [new PlainTool('look', () => `page ${++pages} of the book`)];
          const events = await send(new LlmAgent({ name: 'main', tools, ...options }), plugins, {
            streamingMode,
          });
          expect([responses(), heard]).toEqual([21, []]);
          expect(JSON.stringify(events.at(-1))).toContain('Done.');
        });
      }
});
