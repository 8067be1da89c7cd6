import {
  APICallError,
  experimental_createSteering,
  experimental_toolCaller,
  generateObject,
  generateText,
  jsonSchema,
  Output,
  pruneMessages,
  streamObject,
  streamText,
  ToolLoopAgent,
  tool,
  toolSearch,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/ai-sdk/index.ts';
import type { AgentEvent } from '../../../src/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { aiSdkHost, scriptedModel, WAYS, type WholeAiSdk } from '../ai-sdk.ts';
import { testAiSdk } from '../ai-sdk-cases.ts';

const sdk: WholeAiSdk = {
  name: 'AI SDK 7',
  generateText: (settings) => generateText(settings as never) as never,
  streamText: (settings) => streamText(settings as never) as never,
  generateObject: (settings) => generateObject(settings as never),
  streamObject: (settings) => streamObject(settings as never),
  ToolLoopAgent: ToolLoopAgent as never,
  jsonSchema,
  pruneMessages: (options) => pruneMessages(options as never),
  listOf: (element) => Output.array({ element: element as never }),
  mockModel: (functions) => new MockLanguageModelV4(functions as never),
  APICallError,
};

for (const way of WAYS) testAdapter(aiSdkHost(sdk, way), { describe, it });
testAiSdk(sdk);

describe('AI SDK 7: steering', () => {
  it('is a person who speaks: what was done before counts no longer, unless a program says that it is its own', async () => {
    for (const [own, byHost] of [
      [undefined, undefined],
      [() => undefined, undefined],
      [undefined, () => true],
    ])
      for (const streamed of [false, true]) {
        const guard = deloop();
        const steering = experimental_createSteering();
        for (let n = 1; n <= 10; n++) steering.queue(`Message ${n}: run the tests again.`);
        let requests = 0;
        const model = scriptedModel(sdk, () => {
          requests += 1;
          return requests % 2 === 1 ? { calls: [callOf(requests, 'test', {})] } : { text: `${requests}` };
        });
        let ran = 0;
        const test = {
          inputSchema: jsonSchema({ type: 'object' }),
          async execute() {
            ran += 1;
            return '3 failed';
          },
        };
        const settings = {
          ...guard(
            { model, tools: { test }, prompt: 'x', stopWhen: () => false, prepareStep: own },
            { byHost },
          ),
          experimental_steering: steering,
        };
        if (streamed) await sdk.streamText(settings).consumeStream();
        else await sdk.generateText(settings);
        expect([ran > 7, guard.stopped === null]).toEqual([byHost === undefined, byHost === undefined]);
      }
  });
});

describe('AI SDK 7: streamRetries', () => {
  it('attempts that broke are no responses, whatever they have said and called', async () => {
    const words =
      'In the meantime I looked at the heap dumps of three pods, and each of them shows the same index twice. The plan has four parts: ' +
      'first we copy the tables that nobody writes to, then we switch the readers to the new cluster and compare the answers for a day.';
    const usage = { inputTokens: { total: 9 }, outputTokens: { total: 9 } };
    const end = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: undefined }, usage });
    const error = { type: 'error', error: new Error('overloaded') };
    for (const rest of [[error], [error, end('error')]])
      for (const called of ['none', 'look', 'fill']) {
        const actions: string[] = [];
        const guard = deloop({ onDecision: ({ action, call }) => actions.push(`${action} ${call}`) });
        let requests = 0;
        let ran = 0;
        const call = (toolName: string) => ({
          type: 'tool-call',
          toolCallId: `call-${requests}`,
          toolName,
          input: '{}',
        });
        const model = sdk.mockModel({
          doGenerate: () => Promise.reject(new Error('not here')),
          async doStream() {
            requests += 1;
            const broken = [...(called === 'none' ? [] : [call(called)]), ...rest];
            const good = [...(requests === 8 ? [call('look')] : []), end('stop')];
            const parts = [
              { type: 'text-start', id: '0' },
              ...(words.match(/.{1,9}/gs) ?? []).map((delta) => ({ type: 'text-delta', id: '0', delta })),
              { type: 'text-end', id: '0' },
              ...(requests <= 7 ? broken : good),
            ];
            return {
              stream: new ReadableStream({
                start(controller) {
                  for (const part of parts) controller.enqueue(part);
                  controller.close();
                },
              }),
            };
          },
        });
        const inputSchema = jsonSchema({ type: 'object' });
        const tools = { look: { inputSchema, execute: async () => `${++ran}` }, fill: { inputSchema } };
        const settings = { model, tools, prompt: 'x', stopWhen: () => false, onError() {} };
        const result = sdk.streamText({ ...guard(settings), streamRetries: 7, maxRetries: 0 });
        await result.consumeStream();
        const steps = await result.steps;
        expect([actions, ran, requests, steps.length]).toEqual([[], 1, 9, 2]);
        expect(steps.at(-1)?.text).toBe(words);
      }
  });
});

describe('AI SDK 7: timeout of a tool', () => {
  it('is a failure: a call that is over its time again and again is stopped', async () => {
    for (const [name, error] of [
      ['TimeoutError', null],
      ['AbortError', new DOMException('This operation was aborted', 'AbortError')],
    ] as const) {
      const guard = deloop();
      let n = 0;
      const model = scriptedModel(sdk, ({ tools }) =>
        tools ? { calls: [callOf(++n, 'look', { query: 'x' })] } : { text: 'Report.' },
      );
      const execute = (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          abortSignal.addEventListener('abort', () => reject(error ?? abortSignal.reason));
        });
      const tools = { look: { inputSchema: jsonSchema({ type: 'object' }), execute } };
      const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length === 30;
      const settings = { model, tools, prompt: 'x', stopWhen, timeout: { toolMs: 1 } };
      const { text, steps } = await sdk.generateText(guard(settings));
      expect(steps[0]?.content.at(-1)?.error).toMatchObject({ name });
      expect([text, guard.stopped?.detector]).toEqual(['Report.', 'no-progress']);
    }
  });
});

describe('AI SDK 7: toolApproval of the user', () => {
  it('asks a person who denies one call after the other: they are calls, and they were denied', async () => {
    for (const toolApproval of [
      { run: 'user-approval' },
      { run: () => 'user-approval' },
      () => 'user-approval',
    ])
      for (const attended of [false, true]) {
        const actions: string[] = [];
        const onDecision = ({ action, call }: { action: string; call: number }) =>
          actions.push(`${action} ${call}`);
        const guard = deloop({ attended, session: 'a', onDecision });
        let n = 0;
        const model = scriptedModel(sdk, () => {
          n += 1;
          return n <= 20
            ? { text: 'I will run this command for you now.', calls: [callOf(n, 'run', { n })] }
            : { text: 'Done.' };
        });
        const run = { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'never' };
        const messages: object[] = [{ role: 'user', content: 'x' }];
        let said = '';
        while (said !== 'Done.' && n < 30) {
          const settings = { model, tools: { run }, toolApproval, messages: [...messages] };
          const result = await sdk.generateText(guard({ ...settings, stopWhen: () => false } as object));
          said = result.text;
          const content = (result.steps.at(-1)?.content ?? []).flatMap(({ approvalId }) =>
            approvalId === undefined ? [] : [{ type: 'tool-approval-response', approvalId, approved: false }],
          );
          messages.push(...(result.responseMessages ?? []), { role: 'tool', content });
        }
        expect([said, actions]).toEqual(['Done.', ['nudge 8']]);
      }
  });
});

describe('AI SDK 7: toolApproval', () => {
  const look = {
    inputSchema: jsonSchema({ type: 'object' }),
    execute: async () => 'Nothing was found.',
  };

  /** The statuses of the approvals, step by step. */
  async function approvals(toolApproval: object | undefined, needsApproval?: boolean) {
    let n = 0;
    const events: AgentEvent[] = [];
    const guard = deloop({ attended: true, onDecision: (_decision, event) => events.push(event) });
    const model = scriptedModel(sdk, () => {
      n += 1;
      return { calls: [callOf(n, 'look', { query: 'x' })] };
    });
    const { steps } = await sdk.generateText(
      guard({
        model,
        tools: { look: { ...look, ...(needsApproval && { needsApproval }) } },
        toolApproval,
        prompt: 'x',
        stopWhen: ({ steps: all }: { steps: readonly unknown[] }) => all.length === 9,
      }),
    );
    const last = steps.at(-1)?.content.find(({ type }) => type === 'tool-approval-request');
    return { steps: steps.length, asked: last?.isAutomatic !== true && last !== undefined, last, events };
  }

  it('asks in words of the guard where nobody else does', async () => {
    for (const own of [
      undefined,
      {},
      () => undefined,
      { look: () => 'not-applicable' },
      { look: 'approved' },
    ]) {
      const { steps, asked, last } = await approvals(own);
      expect([steps, asked]).toEqual([7, true]);
      expect((last as { reason?: string }).reason).toMatch(/^The agent may be stuck: look was to run again/);
    }
  });

  it("asks where the user's own rule asks", async () => {
    for (const own of [
      () => 'user-approval',
      { look: 'user-approval' },
      { look: async () => ({ type: 'user-approval' }) },
    ])
      expect(await approvals(own)).toMatchObject({ steps: 1, asked: true });
    expect(await approvals(undefined, true)).toMatchObject({ steps: 1, asked: true });
    expect(await approvals({ look: 'not-applicable' }, true)).toMatchObject({ steps: 7, asked: true });
  });

  it('asks about tools that are added while the agent runs, and in words that are added with them', async () => {
    for (const [attended, rule, asks] of [
      [true, null, 8],
      [true, 'user-approval', 2],
      [false, 'user-approval', 2],
      [false, () => 'user-approval', 2],
    ] as const) {
      const guard = deloop({ attended });
      const toolApproval: Record<string, unknown> = {};
      const tools: Record<string, object> = {
        load: {
          ...look,
          async execute() {
            tools['look'] = look;
            if (rule !== null) toolApproval['look'] = rule;
            return 'There is the tool look now.';
          },
        },
      };
      let n = 0;
      const model = scriptedModel(sdk, () => {
        n += 1;
        return { calls: [callOf(n, n === 1 ? 'load' : 'look', { query: 'x' })] };
      });
      const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length === 20;
      const settings = { model, tools, ...((rule !== null || !attended) && { toolApproval }), stopWhen };
      const { steps } = await sdk.generateText(guard({ ...settings, prompt: 'x' } as object));
      expect([steps.length, steps.at(-1)?.content.at(-1)?.type]).toEqual([asks, 'tool-approval-request']);
    }
  });

  it("lets the user's own rule deny, and counts it", async () => {
    const { steps, asked, events } = await approvals({ look: { type: 'denied', reason: 'No.' } });
    expect([steps, asked]).toEqual([9, false]);
    expect(events[0]).toMatchObject({ type: 'tool-result', status: 'denied' });
  });
});

describe('AI SDK 7: tools that call tools', () => {
  const inputSchema = jsonSchema<{ city: string }>({ type: 'object', additionalProperties: true });

  /** A model that writes code, which the SDK lets call the other tools. */
  async function coding(cityOf: (n: number) => string) {
    const ran: string[] = [];
    let requests = 0;
    const guard = deloop();
    const weather = tool({
      inputSchema,
      async execute({ city }: { city: string }) {
        ran.push(city);
        return `Sunny in ${city}.`;
      },
    });
    const unbound = tool({
      inputSchema,
      execute(): string {
        throw new Error('The SDK has to bind it.');
      },
    });
    const code = experimental_toolCaller(unbound, {
      type: 'local',
      bind: (tools) =>
        tool({
          inputSchema,
          execute: async (input, options) =>
            (tools['weather'] as { execute: typeof weather.execute }).execute?.(input, options as never),
        }),
    });
    const model = scriptedModel(sdk, ({ tools }) => {
      requests += 1;
      return tools && requests <= 12
        ? { calls: [callOf(requests, 'code', { city: cityOf(requests) })] }
        : { text: 'Done.' };
    });
    const { text, steps } = await sdk.generateText(
      guard({
        model,
        tools: Object.freeze({ code, weather: Object.freeze(weather) }),
        experimental_toolCallers: { weather: ['code'] },
        prompt: 'x',
        stopWhen: () => false,
      }),
    );
    const errors = steps.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-error'));
    return { text, ran, errors, stopped: guard.stopped };
  }

  it('do so as before', async () => {
    const { text, ran, errors, stopped } = await coding((n) => `city ${n}`);
    expect([text, ran.length, errors, stopped]).toEqual(['Done.', 12, [], null]);
  });

  it('are stopped where they go round in circles', async () => {
    const { ran, stopped } = await coding(() => 'Oslo');
    expect([ran.length, stopped?.detector]).toEqual([4, 'no-progress']);
  });
});

describe('AI SDK 7: tools that the SDK makes anew for every step', () => {
  const inputSchema = jsonSchema<{ query: string }>({ type: 'object', additionalProperties: true });

  /** Such a tool, and what it gives when the SDK runs it. */
  const KINDS = {
    code: (given: () => string[]) =>
      experimental_toolCaller(
        tool({
          inputSchema,
          execute(): string {
            throw new Error('The SDK has to bind it.');
          },
        }),
        { type: 'local', bind: () => tool({ inputSchema, execute: async () => given().join() }) },
      ),
    search: (search: () => string[]) => toolSearch({ search }),
  };

  async function steps(kind: keyof typeof KINDS, attended: boolean, given: (n: number) => string[]) {
    const actions: string[] = [];
    let ran = 0;
    let requests = 0;
    const guard = deloop({ attended, session: 'a', onDecision: ({ action }) => actions.push(action) });
    const model = scriptedModel(sdk, ({ tools }) => {
      requests += 1;
      return tools && requests <= 15
        ? { calls: [callOf(requests, 'find', { query: 'weather' })] }
        : { text: 'Done.' };
    });
    const later = { inputSchema, execute: async () => 'Sunny.', deferLoading: true };
    const { text, steps } = await sdk.generateText(
      guard({
        model,
        tools: { find: KINDS[kind](() => given(++ran)), a: later, b: later, c: later, d: later },
        ...(kind === 'code' && { experimental_toolCallers: {} }),
        prompt: 'x',
        stopWhen: () => false,
      }),
    );
    const errors = steps.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-error'));
    return { text, ran, errors, actions, stopped: guard.stopped?.detector };
  }

  it('are heard by their results, with somebody to ask, too', async () => {
    for (const kind of ['code', 'search'] as const)
      for (const attended of [false, true]) {
        const names = ['a', 'b', 'c', 'd'];
        const healthy = await steps(kind, attended, (n) => names.filter((_, bit) => (n >> bit) % 2 === 1));
        expect(healthy).toEqual({ text: 'Done.', ran: 15, errors: [], actions: [], stopped: undefined });
      }
  });

  it('are stopped by a question, for no approval could stand for it: after it the SDK could not run them', async () => {
    for (const kind of ['code', 'search'] as const) {
      const { text, errors, actions, stopped } = await steps(kind, true, () => ['a']);
      expect([text, errors, stopped]).toEqual(['Done.', [], 'no-progress']);
      expect(actions).toEqual(['nudge', 'block', 'block', 'ask']);
    }
  });
});

describe('AI SDK 7: a cut stream', () => {
  it('is no error where the model must call a tool', async () => {
    for (const toolChoice of ['required', { type: 'tool', toolName: 'look' }] as const) {
      const errors: unknown[] = [];
      const look = { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'Nothing.' };
      const model = scriptedModel(sdk, () => ({
        text: 'I should look at the file again. '.repeat(80),
        calls: [callOf(1, 'look', {})],
      }));
      const settings = deloop()({ model, tools: { look }, prompt: 'x', toolChoice });
      const result = streamText({
        ...settings,
        onError: ({ error }: { error: unknown }) => errors.push(error),
      } as never);
      await result.consumeStream();
      expect([errors, await result.finishReason, await result.rawFinishReason]).toEqual([
        [],
        'interrupted',
        'deloop',
      ]);
      expect((await result.text).length).toBeLessThan(1000);
    }
  });
});
