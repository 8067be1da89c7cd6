import { describe, expect, it } from 'vitest';
import {
  type AiSdkOptions,
  deloop,
  findLoopHalted,
  isCallBlocked,
  isLoopHalted,
} from '../../src/adapters/ai-sdk/index.ts';
import type { Preset } from '../../src/index.ts';
import { presets } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/index.ts';
import type { ScriptedTurn } from '../../src/testing/adapter-host.ts';
import { callOf } from '../../src/testing/adapter-stage.ts';
import { scriptedModel, type WholeAiSdk } from './ai-sdk.ts';
import { listeningTo, scripted, thrifty } from './driver.ts';

/** What belongs to the AI SDK alone; the rest is the contract of all adapters. */
export function testAiSdk(sdk: WholeAiSdk): void {
  const schema = sdk.jsonSchema({ type: 'object', additionalProperties: true });
  const never = () => false;
  /** For loops that must end before. */
  const late = ({ steps }: { steps: readonly unknown[] }) => steps.length === 30;
  const again = (n: number, tool = 'look'): ScriptedTurn => ({ calls: [callOf(n, tool, { query: 'x' })] });

  type Guard = ReturnType<typeof deloop>;
  type Result = Awaited<ReturnType<WholeAiSdk['generateText']>>;
  type Turn = Parameters<typeof scripted>[1];
  const script = (turn: Turn) => scripted((answer) => scriptedModel(sdk, answer), turn);
  const listening = (options: AiSdkOptions = {}) => listeningTo(deloop, options);

  const look = { inputSchema: schema, execute: async () => 'Nothing was found.' };

  type Settings = { readonly model: unknown; readonly tools: object; readonly messages: readonly object[] };
  /** A call of the SDK, whether it streams or not. */
  const calling = {
    generateText: (settings: Settings) => sdk.generateText(settings),
    async streamText(settings: Settings): Promise<Result> {
      const result = sdk.streamText(settings);
      await result.consumeStream();
      const [text, steps, response] = await Promise.all([result.text, result.steps, result.response]);
      return { text, steps, response };
    },
  };
  const messagesOf = ({ response, responseMessages }: Result) => responseMessages ?? response.messages;

  /** A model by its name, for as long as this takes. */
  async function named<Result>(
    model: unknown,
    run: (name: string) => Promise<Result>,
    name = 'mock/model',
  ): Promise<Result> {
    const place = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };
    const { specificationVersion } = model as { specificationVersion: string };
    place.AI_SDK_DEFAULT_PROVIDER = { specificationVersion, languageModel: () => model };
    try {
      return await run(name);
    } finally {
      delete place.AI_SDK_DEFAULT_PROVIDER;
    }
  }

  const GIVEN = ['itself', 'by its name', 'by its name in a step'] as const;
  /** The last of them is heard only when its step has ended. */
  const giving = (how: (typeof GIVEN)[number], model: unknown, name: string) =>
    how === 'by its name in a step'
      ? { model, prepareStep: () => ({ model: name }) }
      : { model: how === 'itself' ? model : name };

  const frugal: Preset = {
    ...presets.recommended,
    detectors: { ...presets.recommended.detectors, budget: { kind: 'budget', tokens: 1000 } },
  };

  describe(`${sdk.name}: steps`, () => {
    it('one step where the user gives no condition', async () => {
      const { model, requests } = script((n) => again(n));
      await sdk.generateText(deloop()({ model, tools: { look }, prompt: 'x' }));
      expect(requests).toHaveLength(1);
    });

    it("twenty steps of an agent, whose default it is, and the user's own conditions", async () => {
      for (const [stopWhen, steps] of [
        [undefined, 20],
        [({ steps: all }: { steps: readonly unknown[] }) => all.length === 2, 2],
        [[never, ({ steps: all }: { steps: readonly unknown[] }) => all.length === 3], 3],
      ] as const) {
        const { model, requests } = script((n) => again(n));
        const tools = { look: { ...look, execute: async () => `${requests.length}` } };
        const settings = { model, tools, prepareCall: deloop(), ...(stopWhen && { stopWhen }) };
        await new sdk.ToolLoopAgent(settings).generate({ prompt: 'x' });
        expect(requests).toHaveLength(steps);
      }
    });

    it('twenty steps of an agent that is made of guarded settings, in each of its calls', async () => {
      const { guard, heard } = listening();
      const { model, requests } = script((n) => ({ calls: [callOf(n, 'look', { n })] }));
      const tools = { look: { ...look, execute: async (args: unknown) => JSON.stringify(args) } };
      const agent = new sdk.ToolLoopAgent(guard({ model, tools }));
      for (const steps of [20, 40]) {
        await agent.generate({ prompt: `${steps}` });
        expect(requests).toHaveLength(steps);
      }
      expect(heard).toEqual([]);
    });

    it('guarded settings that are used again see what each call does', async () => {
      const { guard, actions } = listening();
      const { model } = script((n) => again(n, 'lok'));
      const agent = new sdk.ToolLoopAgent(guard({ model, tools: { look }, stopWhen: late }));
      const steps: number[] = [];
      for (const _ of [1, 2]) steps.push((await agent.generate({ prompt: 'x' })).steps.length);
      expect(actions().filter((action) => action.startsWith('halt'))).toEqual(['halt 7', 'halt 12']);
      expect(steps).toEqual([8, 6]);
    });

    it("keeps what the user's prepareStep changes, and listens to the model that it chooses", async () => {
      const { guard, heard } = listening({ preset: frugal });
      const other = script(() => ({ text: 'From the other.', usage: { input: 900, output: 0 } }));
      const { model } = script((n) => again(n));
      const result = await sdk.generateText(
        guard({
          model,
          tools: { look },
          prompt: 'x',
          stopWhen: never,
          prepareStep: ({ steps, messages }: { steps: readonly unknown[]; messages: readonly object[] }) =>
            steps.length === 0
              ? undefined
              : { model: other.model, messages: [...messages, { role: 'user', content: 'Mine.' }] },
        }),
      );
      expect(result.text).toBe('From the other.');
      expect(other.requests[0]?.sent).toContain('Mine.');
      expect(heard.map(({ decision }) => decision.finding.detector)).toEqual(['budget']);
    });

    it("a model that the user's prepareStep gives back, as it was or in one of its own, is heard once", async () => {
      type Step = { readonly model: object };
      const prepares: readonly ((step: Step) => object | undefined)[] = [
        () => undefined,
        ({ model }) => ({ model }),
        ({ model }) => ({ model: new Proxy(model, {}) }),
      ];
      for (const prepareStep of prepares)
        for (const call of Object.values(calling)) {
          const { guard, heard } = listening({ preset: frugal, session: 'one' });
          const { model, requests } = script((n) => ({
            text: `Part ${n}.`,
            ...(n < 4 && { calls: [callOf(n, 'look', { n })] }),
            usage: { input: 150, output: 0 },
          }));
          const messages = [{ role: 'user', content: 'x' }];
          const { text } = await call(
            guard({ model, tools: { look }, messages, stopWhen: never, prepareStep }) as Settings,
          );
          expect([heard, requests.length, text]).toEqual([[], 4, 'Part 4.']);
        }
    });

    it("a nudge never comes between a call and its result, however the user's prepareStep cuts the list", async () => {
      for (const kept of [8, 9, 10]) {
        const { guard, heard } = listening();
        const { model, requests } = script((n) =>
          n <= 12 ? { calls: [callOf(n, 'look', { query: n <= 3 ? 'x' : `${n}` })] } : { text: 'Done.' },
        );
        const tools = { look: { ...look, execute: async (args: unknown) => JSON.stringify(args) } };
        const prepareStep = ({ messages }: { messages: readonly { readonly role: string }[] }) => {
          if (messages.length <= kept) return undefined;
          const latest = messages.slice(-kept);
          return { messages: latest.slice(latest.findIndex(({ role }) => role === 'assistant')) };
        };
        const settings = { model, tools, prompt: 'x', prepareStep, stopWhen: never, maxRetries: 0 };
        const { text } = await sdk.generateText(guard(settings));
        expect([text, heard.map(({ decision }) => decision.action)]).toEqual(['Done.', ['nudge']]);
        for (const { sent } of requests.slice(3))
          expect(sent.split('has given the same result 3 times')).toHaveLength(2);
      }
    });

    it('a nudge and the last turn reach a model of Mistral, which refuses what a user says right behind results', async () => {
      for (const call of Object.values(calling))
        for (const how of GIVEN) {
          const { guard, actions } = listening();
          const { model, requests } = script((n) => again(n));
          Object.assign(model as object, { provider: 'mistral.chat', modelId: 'mistral-large-latest' });
          const rest = { tools: { look }, messages: [{ role: 'user', content: 'x' }], stopWhen: late };
          const result = await named(
            model,
            (name) => call(guard({ ...giving(how, model, name), ...rest })),
            'mistral/mistral-large-latest',
          );
          expect([result.text, actions()[0]]).toEqual(['Report.', 'nudge 3']);
          for (const { sent } of requests) {
            const roles = (JSON.parse(sent) as { role: string }[]).map(({ role }) => role).join(' ');
            expect(roles).not.toContain('tool user');
          }
          expect(requests.at(-1)?.sent.split('has given the same result 3 times')).toHaveLength(2);
        }
    });

    it('of Amazon Bedrock, which forgets calls and results where there are no tools, the last turn has them, and none runs', async () => {
      for (const call of Object.values(calling))
        for (const isStubborn of [false, true]) {
          const { guard, actions } = listening();
          let ran = 0;
          const execute = async () => {
            ran += 1;
            return 'Nothing was found.';
          };
          const { model, requests } = script((n) => (n <= 7 || isStubborn ? again(n) : { text: 'Report.' }));
          Object.assign(model as object, { provider: 'amazon-bedrock' });
          const result = await call(
            guard({
              model,
              tools: { look: { ...look, execute } },
              messages: [{ role: 'user', content: 'x' }],
              stopWhen: late,
            }),
          );
          expect([actions().at(-1), ran, result.steps.length]).toEqual(['halt 7', 4, 8]);
          expect(requests.map(({ tools }) => tools)).toEqual(Array(8).fill(true));
          if (!isStubborn) expect(result.text).toBe('Report.');
          expect(result.steps.at(-1)?.content.some(({ error }) => isCallBlocked(error))).toBe(isStubborn);
        }
    });

    it('nor does it have tools there that somebody else would run', async () => {
      const { guard } = listening();
      const { model, requests } = script((n) => again(n));
      Object.assign(model as object, { provider: 'amazon-bedrock' });
      const rest = { tools: { look: { inputSchema: schema } }, stopWhen: never, maxRetries: 0 };
      const messages: object[] = [{ role: 'user', content: 'x' }];
      let text = '';
      for (let n = 1; n <= 20 && text === ''; n++) {
        const result = await sdk.generateText(guard({ model, ...rest, messages }, { session: 'a' }));
        text = result.text;
        const output = { type: 'text', value: 'Nothing was found.' };
        const part = { type: 'tool-result', toolCallId: `call-${n}-0`, toolName: 'look', output };
        messages.push(...messagesOf(result), { role: 'tool', content: [part] });
      }
      expect([text, guard.stopped?.action, requests.at(-1)?.tools]).toEqual(['Report.', 'halt', false]);
    });

    it('a last turn that the provider refuses ends the run with all that there is, and onError hears of it', async () => {
      const errors: unknown[] = [];
      const refusal = new sdk.APICallError({
        message: 'Tool choice is none, but model called a tool',
        url: 'https://example.com',
        requestBodyValues: {},
        statusCode: 400,
        isRetryable: false,
        responseHeaders: {},
      });
      for (const call of Object.values(calling))
        for (const how of GIVEN.slice(0, 2)) {
          errors.length = 0;
          const { guard } = listening({ onError: (error) => errors.push(error) });
          let asked = 0;
          const model = scriptedModel(sdk, ({ tools }) => {
            asked += 1;
            if (!tools) throw refusal;
            return { ...again(asked), text: `Step ${asked}.` };
          });
          const messages = [{ role: 'user', content: 'x' }];
          const rest = { tools: { look }, messages, stopWhen: late, onError() {} };
          const { steps } = await named(model, (name) =>
            call(guard({ ...giving(how, model, name), ...rest })),
          );
          expect([guard.stopped?.action, asked, steps[6]?.text]).toEqual(['halt', 8, 'Step 7.']);
          expect(errors).toEqual([refusal]);
        }
    });

    it("the user's prepareStep counts the messages as it would without a guard", async () => {
      const lengths = async (guarded: boolean) => {
        const { guard, heard } = listening();
        const { model, requests } = script((n) =>
          n <= 40 ? { calls: [callOf(n, 'look', { query: n <= 3 ? 'x' : `${n}` })] } : { text: 'Done.' },
        );
        const tools = { look: { ...look, execute: async (args: unknown) => JSON.stringify(args) } };
        const counted: number[] = [];
        const prepareStep = ({ messages }: { messages: readonly object[] }) => {
          counted.push(messages.length);
          return messages.length > 20 ? { messages: messages.slice(-10) } : {};
        };
        const settings = { model, tools, prompt: 'x', prepareStep, stopWhen: never, maxRetries: 0 };
        await sdk.generateText(guarded ? guard(settings) : settings);
        const roles = requests.map(({ sent }) => {
          const all = JSON.parse(sent) as { role: string; content: unknown }[];
          return all
            .filter(({ content }) => !JSON.stringify(content).includes('the same result 3 times'))
            .map(({ role }) => role);
        });
        return { counted, roles, actions: heard.map(({ decision }) => decision.action) };
      };
      const bare = await lengths(false);
      expect(await lengths(true)).toEqual({ ...bare, actions: ['nudge'] });
    });

    it('gives the next step to a stronger model where the guard says so', async () => {
      const strong = script((n) => again(100 + n, 'build'));
      const { model, requests } = script((n) => ({ calls: [callOf(n, 'build', { target: `${n}` })] }));
      await sdk.generateText(
        deloop({ strongerModel: strong.model })({
          model,
          tools: {
            build: {
              inputSchema: schema,
              execute() {
                throw new TypeError('the config is not valid');
              },
            },
          },
          prompt: 'x',
          stopWhen: ({ steps }: { steps: readonly unknown[] }) => steps.length === 8,
        }),
      );
      expect([requests.length, strong.requests.length]).toEqual([7, 1]);
    });

    it('names all its options where one is unknown', () => {
      expect(() => deloop({ list: [] } as never)).toThrow(/no option "list"; known are .*\bstrongerModel\b/);
    });

    it('throws a typed error when a stopped session is called again without a reason to go on', async () => {
      const { model, requests } = script((n) => again(n));
      const guard = deloop({ lastTurn: false });
      const settings = { model, tools: { look }, stopWhen: never, maxRetries: 0 };
      const whose = { session: 'a' };
      const { response, responseMessages } = await sdk.generateText(
        guard({ ...settings, prompt: 'x' }, whose),
      );
      expect(guard.stopped?.detector).toBe('no-progress');
      const messages = [{ role: 'user', content: 'x' }, ...(responseMessages ?? response.messages)];
      const error: unknown = await sdk
        .generateText(guard({ ...settings, messages }, whose))
        .catch((thrown) => thrown);
      expect(isLoopHalted(error)).toBe(true);
      expect(findLoopHalted(new Error('outer', { cause: error }))?.reason.action).toBe('halt');
      expect(requests).toHaveLength(7);
    });
  });

  describe(`${sdk.name}: conversations that are compacted`, () => {
    type Message = { readonly role: string; readonly content: unknown };
    type Step = { readonly steps: readonly unknown[]; readonly messages: readonly Message[] };
    type Prepare = (step: Step) => object | undefined;
    const summary = { role: 'user', content: 'The files were read.' };
    const read = (files: number, last: number) => (n: number) =>
      n <= last ? { calls: [callOf(n, 'look', { path: `src/${n % files}.ts` })] } : { text: 'Done.' };
    const execute = async (args: unknown) => `The code of ${JSON.stringify(args)}. `.repeat(12);

    /** After so many steps, and then after so many again, only the latest messages are sent, behind others. */
    const compacting = (every: number, cut: (messages: readonly Message[], latest: number) => object) => {
      let from = 0;
      return ({ steps, messages }: Step) => {
        if (steps.length - from === every) from = steps.length;
        return from === 0 ? undefined : { messages: cut(messages, 2 * (steps.length - from)) };
      };
    };
    const summed = (messages: readonly Message[], latest: number) => [
      summary,
      ...messages.slice(messages.length - latest),
    ];
    const pruned = (messages: readonly Message[], latest: number) =>
      sdk.pruneMessages({
        messages,
        toolCalls: latest === 0 ? 'all' : `before-last-${latest}-messages`,
        emptyMessages: 'remove',
      });

    async function run(way: keyof typeof calling, turn: Turn, prepareStep?: Prepare, options?: AiSdkOptions) {
      const { guard, actions } = listening(options);
      const { model, requests } = script(turn);
      const messages = [{ role: 'user', content: 'Explain it.' }];
      const settings = {
        model,
        tools: { look: { ...look, execute } },
        messages,
        stopWhen: never,
        prepareStep,
      };
      const { text } = await calling[way](guard(settings) as Settings);
      return { guard, actions: actions(), requests, text };
    }

    for (const way of ['generateText', 'streamText'] as const) {
      it(`may be looked at again, ${way}`, async () => {
        for (const cut of [summed, pruned]) {
          const { actions, requests, text } = await run(way, read(6, 12), compacting(6, cut));
          expect(requests[5]?.sent).toContain('The code of');
          expect(requests[6]?.sent).not.toContain('The code of');
          expect([actions, requests.length, text]).toEqual([[], 13, 'Done.']);
        }
      });

      it(`again and again are no progress, ${way}`, async () => {
        for (const cut of [summed, pruned])
          for (const every of [3, 6]) {
            const { guard, requests, text } = await run(way, read(3, 90), compacting(every, cut));
            expect(guard.stopped).not.toBeNull();
            expect(requests.length).toBeLessThan(30);
            expect(text).toBe('Report.');
          }
      });

      it(`are told apart from those whose oldest messages fall out, or that the provider keeps, ${way}`, async () => {
        const windows: readonly Prepare[] = [
          ({ messages }) => (messages.length <= 12 ? undefined : { messages: messages.slice(-8) }),
          ({ messages }) => ({ messages: [...messages.slice(0, 1), ...messages.slice(1).slice(-12)] }),
          ({ steps, messages }) =>
            steps.length < 6
              ? undefined
              : {
                  messages: messages.slice(-1),
                  providerOptions: { openai: { previousResponseId: `${steps.length}` } },
                },
        ];
        for (const files of [3, 6]) {
          const { actions } = await run(way, read(files, 90));
          expect(actions.length).toBeGreaterThan(0);
          for (const prepareStep of windows)
            expect((await run(way, read(files, 90), prepareStep)).actions).toEqual(actions);
        }
      });
    }

    it('end the run without another call of a tool, where no report is wanted, too', async () => {
      for (const lastTurn of [true, false]) {
        const { guard, requests } = await run('generateText', read(6, 90), compacting(6, summed), {
          lastTurn,
        });
        expect(guard.stopped?.detector).toBe('fruitless-compactions');
        expect(requests.findIndex(({ tools }) => !tools)).toBe(requests.length - 1);
        expect(requests.length).toBeLessThan(30);
      }
    });

    it('are those of one call of the SDK, whatever others are sent at the same time', async () => {
      const loops = async (prepareStep?: Prepare) => {
        const { guard, actions } = listening({ session: 'one' });
        const tools = { look: { ...look, execute } };
        const looping = (words: number) => {
          const { model } = script(read(3, 90));
          const messages = Array.from({ length: words }, (_, n) => ({ role: 'user', content: `${n}` }));
          return sdk.generateText(guard({ model, tools, messages, stopWhen: late, prepareStep }));
        };
        await Promise.all([looping(40), looping(1)]);
        return actions().sort();
      };
      expect(await loops(() => undefined)).toEqual(await loops());
    });

    it('begin anew with every call of the SDK', async () => {
      const twice = async (prepareStep?: Prepare) => {
        const { guard, actions } = listening();
        const { model } = script((n) => (n % 7 === 0 ? { text: 'Done.' } : read(7, 90)(n)));
        const settings = { model, tools: { look: { ...look, execute } }, stopWhen: late, prepareStep };
        const agent = new sdk.ToolLoopAgent(guard(settings, { byHost: () => true }));
        for (const prompt of ['Explain it.', 'Go on.']) await agent.generate({ prompt });
        return actions();
      };
      const actions = await twice();
      expect(actions).not.toEqual([]);
      expect(await twice(() => undefined)).toEqual(actions);
    });
  });

  describe(`${sdk.name}: tools`, () => {
    it('arguments that are refused are seen as such', async () => {
      const { guard, heard } = listening();
      const { model } = script((n) => (n <= 3 ? { calls: [callOf(n, 'strict', { n })] } : { text: 'Done.' }));
      const strict = {
        inputSchema: {
          ...(sdk.jsonSchema({ type: 'object' }) as object),
          validate: () => ({ success: false, error: new Error('wrong') }),
        },
        execute: async () => 'never',
      };
      await sdk.generateText(guard({ model, tools: { strict }, prompt: 'x', stopWhen: late }));
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'strict', status: 'invalid' });
      expect(heard[0]?.decision.call).toBe(3);
    });

    it('tools that the provider runs are seen', async () => {
      const { guard, heard } = listening();
      let n = 0;
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      const model = sdk.mockModel({
        async doGenerate() {
          n += 1;
          const id = `search-${n}`;
          const args = { type: 'tool-call', toolCallId: id, toolName: 'search', input: '{"q":"x"}' };
          return {
            content: [
              { ...args, providerExecuted: true },
              { type: 'tool-result', toolCallId: id, toolName: 'search', result: 'Nothing.' },
              ...(n <= 4
                ? [{ type: 'tool-call', toolCallId: `look-${n}`, toolName: 'look', input: `{"n":${n}}` }]
                : []),
            ],
            finishReason: { unified: n <= 4 ? 'tool-calls' : 'stop', raw: undefined },
            usage,
            warnings: [],
          };
        },
        doStream: () => Promise.reject(new Error('not here')),
      });
      const search = {
        type: 'provider',
        isProviderExecuted: true,
        id: 'mock.search',
        name: 'search',
        args: {},
        inputSchema: schema,
      };
      await sdk.generateText(
        guard({
          model,
          tools: { look: { ...look, execute: async () => `${n}` }, search },
          prompt: 'x',
          stopWhen: never,
        }),
      );
      expect(heard[0]?.decision.finding).toMatchObject({
        detector: 'no-progress',
        subject: expect.stringMatching(/^search/),
      });
    });

    it('tools that the provider runs are seen in a step that is the only one', async () => {
      for (const call of Object.values(calling)) {
        const { guard, actions } = listening({ session: 'a' });
        let n = 0;
        const answer = () => {
          n += 1;
          const id = `search-${n}`;
          const asked = { type: 'tool-call', toolCallId: id, toolName: 'search', input: '{"q":"x"}' };
          return [
            { ...asked, providerExecuted: true },
            { type: 'tool-result', toolCallId: id, toolName: 'search', result: 'Nothing.' },
          ];
        };
        const end = {
          finishReason: { unified: 'stop', raw: undefined },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        };
        const model = sdk.mockModel({
          doGenerate: async () => ({ content: answer(), ...end, warnings: [] }),
          doStream: async () => ({
            stream: new ReadableStream({
              start(controller) {
                for (const part of [...answer(), { type: 'finish', ...end }]) controller.enqueue(part);
                controller.close();
              },
            }),
          }),
        });
        const search = { type: 'provider', id: 'mock.search', name: 'search', args: {}, inputSchema: schema };
        const tools = { search: { ...search, isProviderExecuted: true } };
        const messages = [{ role: 'assistant', content: 'I search.' }];
        for (const _ of [1, 2, 3]) await call(guard({ model, tools, messages, stopWhen: never }));
        expect(actions()).toEqual(['nudge 3']);
      }
    });

    it('what fails after an abort was cancelled, whatever the error', async () => {
      const { guard, heard } = listening({ session: 'a' });
      const { model } = script((n) => again(n));
      for (let n = 1; n <= 5; n++) {
        const stop = new AbortController();
        const tools = {
          look: {
            ...look,
            async execute() {
              stop.abort();
              throw new Error('The connection was closed.');
            },
          },
        };
        const messages = [{ role: 'assistant', content: 'I look.' }];
        const settings = { model, tools, messages, stopWhen: never, abortSignal: stop.signal };
        await sdk.generateText(guard(settings)).catch(() => {});
      }
      expect(heard).toEqual([]);
    });

    it('what a tool aborts by itself has failed', async () => {
      const { guard } = listening();
      const { model } = script((n) => again(n));
      const execute = async () => AbortSignal.abort().throwIfAborted();
      const settings = { model, tools: { look: { ...look, execute } }, prompt: 'x', stopWhen: late };
      const { steps } = await sdk.generateText(guard(settings));
      expect(steps[0]?.content.at(-1)?.error).toMatchObject({ name: 'AbortError' });
      expect(guard.stopped?.detector).toBe('no-progress');
    });

    it('ids that a provider uses again in every response tell calls apart all the same', async () => {
      for (const id of ['call_0', ''])
        for (const tool of ['lok', 'strict']) {
          const { guard, actions } = listening();
          const { model } = script(() => ({ calls: [{ id, tool, args: { query: 'x' } }] }));
          const strict = {
            ...look,
            inputSchema: {
              ...(schema as object),
              validate: () => ({ success: false, error: new Error('wrong') }),
            },
          };
          await sdk.generateText(guard({ model, tools: { strict }, prompt: 'x', stopWhen: late }));
          expect(actions()).toEqual(['nudge 3', 'nudge 4', 'block 5', 'block 6', 'halt 7']);
        }
    });

    it('a model and a tool that are frozen work', async () => {
      const { model } = script((n) => (n === 1 ? again(n) : { text: 'Done.' }));
      const { specificationVersion, doGenerate } = model as {
        specificationVersion: string;
        doGenerate: (options: unknown) => unknown;
      };
      const frozen = Object.freeze({
        specificationVersion,
        provider: 'mock',
        modelId: 'frozen',
        supportedUrls: {},
        doGenerate,
      });
      const tools = { look: Object.freeze(look) };
      const { text } = await sdk.generateText(
        deloop()({ model: frozen, tools, prompt: 'x', stopWhen: never }),
      );
      expect(text).toBe('Done.');
    });

    /** Tool sets that a tool changes while the agent runs, as users make them. */
    const sets: { readonly [name: string]: (first: object) => Record<string, object> } = {
      plain: (first) => ({ ...first }),
      'of a class': (first) =>
        Object.assign(
          new (class Toolbox {
            [name: string]: object;
          })(),
          first,
        ),
      'with getters': (first) =>
        Object.defineProperties(
          {},
          Object.fromEntries(
            Object.entries(first).map(([name, tool]) => [
              name,
              { get: () => ({ ...(tool as object) }), enumerable: true, configurable: true },
            ]),
          ),
        ),
    };
    const runs: { readonly [way: string]: (settings: object, guard: Guard) => Promise<Result> } = {
      generateText: (settings, guard) => sdk.generateText(guard({ ...settings, prompt: 'x' })),
      async streamText(settings, guard) {
        const result = sdk.streamText(guard({ ...settings, prompt: 'x' }));
        await result.consumeStream();
        return { text: await result.text, steps: await result.steps, response: await result.response };
      },
      'agent.generate': (settings, guard) =>
        new sdk.ToolLoopAgent({ ...settings, prepareCall: guard }).generate({ prompt: 'x' }),
      'agent of guarded settings': (settings, guard) =>
        new sdk.ToolLoopAgent(guard(settings)).generate({ prompt: 'x' }),
    };

    it('tools that are added to the set while the agent runs are there, and guarded; those that are deleted are gone', async () => {
      for (const [kind, make] of Object.entries(sets))
        for (const [way, run] of Object.entries(runs)) {
          const { guard, actions } = listening();
          const tools = make({
            load: {
              ...look,
              async execute() {
                tools['weather'] = { ...look, execute: async () => 'Sunny.' };
                delete tools['load'];
                return 'There is the tool weather now.';
              },
            },
          });
          const { model, requests } = script((n) => again(n, n === 1 || n === 3 ? 'load' : 'weather'));
          const { text, steps } = await run({ model, tools, stopWhen: late }, guard);
          const outputs = steps.map(({ content }) => content.at(-1));
          expect([kind, way, outputs[1]]).toMatchObject([kind, way, { output: 'Sunny.' }]);
          expect(outputs[2]?.error).toMatchObject(
            expect.stringContaining("unavailable tool 'load'. Available tools: weather"),
          );
          expect([text, actions().at(-1), requests.length]).toEqual(['Report.', 'halt 9', 10]);
        }
    });

    it('a tool set that is frozen, or has one tool under two names, works', async () => {
      const { guard, heard } = listening();
      const { model } = script((n) =>
        n <= 6 ? again(n, n % 2 === 0 ? 'look' : 'search') : { text: 'Done.' },
      );
      let ran = 0;
      const counting = { ...look, execute: async () => `${++ran}` };
      const tools = Object.freeze({ look: counting, search: counting });
      const { text } = await sdk.generateText(guard({ model, tools, prompt: 'x', stopWhen: late }));
      expect([text, ran, heard]).toEqual(['Done.', 6, []]);
      const { tools: shown } = guard({ model, tools, prompt: 'x' });
      expect(Object.keys(shown)).toEqual(['look', 'search']);
    });

    it('a tool that gives its result in parts goes on doing so', async () => {
      for (const execute of [
        async function* generator() {
          yield 'a';
          yield 'ab';
        },
        () =>
          (async function* returned() {
            yield 'a';
            yield 'ab';
          })(),
      ]) {
        const all: unknown[] = [];
        for (const guarded of [false, true]) {
          const { model } = script((n) => (n === 1 ? again(n) : { text: 'Done.' }));
          const settings = {
            model,
            tools: { look: { inputSchema: schema, execute } },
            prompt: 'x',
            stopWhen: never,
          };
          const { fullStream } = sdk.streamText(guarded ? deloop()(settings) : settings);
          const parts: unknown[] = [];
          for await (const { type, output, preliminary } of fullStream)
            if (type === 'tool-result') parts.push([output, preliminary ?? false]);
          all.push(parts);
        }
        expect(all[1]).toEqual(all[0]);
        expect(all[0]).toEqual([
          ['a', true],
          ['ab', true],
          ['ab', false],
        ]);
      }
    });

    it('a blocked call is a tool error of its own kind, and no result of another type', async () => {
      const { model, requests } = script((n) => (n <= 6 ? again(n) : { text: 'Done.' }));
      const tools = {
        look: {
          inputSchema: schema,
          execute: async () => ({ found: 0 }),
          toModelOutput: ({ output }: { output?: { found: number } }) => ({
            type: 'text',
            value: `found: ${(output ?? { found: -1 }).found}`,
          }),
        },
      };
      const { steps } = await sdk.generateText(deloop()({ model, tools, prompt: 'x', stopWhen: never }));
      const errors = steps.flatMap(({ content }) => content.flatMap(({ error }) => (error ? [error] : [])));
      expect(errors.map(isCallBlocked)).toEqual([true, true]);
      expect(requests.at(-1)?.sent).toContain('Not run:');
    });

    it('a result that the model has already may be told in a word', async () => {
      const { model, requests } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
      const big = 'warning: unused variable\n'.repeat(200);
      const tools = { look: { ...look, execute: async () => big } };
      await sdk.generateText(deloop({ preset: thrifty })({ model, tools, prompt: 'x', stopWhen: never }));
      expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
      expect(requests[2]?.sent).toContain('The same as before.');
    });

    it('a tool and a model of classes with private fields work', async () => {
      class Counter {
        #n = 0;
        readonly inputSchema = schema;
        execute() {
          this.#n += 1;
          return `${this.#n}`;
        }
      }
      class Model {
        readonly #inner = script((n) => (n <= 2 ? again(n) : { text: 'Done.' })).model as {
          readonly [name: string]: unknown;
        };
        get specificationVersion(): unknown {
          return this.#inner['specificationVersion'];
        }
        get provider(): string {
          return `mock ${this.#inner['provider']}`;
        }
        readonly modelId = 'private';
        get supportedUrls(): object {
          return this.#inner['supportedUrls'] as object;
        }
        doGenerate(options: unknown): unknown {
          return (this.#inner['doGenerate'] as (given: unknown) => unknown)(options);
        }
      }
      const settings = { model: new Model(), tools: { look: new Counter() }, prompt: 'x', stopWhen: never };
      const { text, steps } = await sdk.generateText(deloop()(settings));
      expect(text).toBe('Done.');
      expect(JSON.stringify(steps[1]?.content)).toContain('"output":"2"');
    });
  });

  describe(`${sdk.name}: text`, () => {
    for (const [type, channel] of [
      ['text', 'content'],
      ['reasoning', 'reasoning'],
    ] as const)
      it(`a stream of ${type} that repeats itself is cut`, async () => {
        const { guard, heard } = listening();
        const words = 'I should check the file again. '.repeat(200);
        const { model } = script(() => ({ [type]: words }));
        const result = sdk.streamText(guard({ model, tools: { look }, prompt: 'x' }));
        let length = 0;
        for await (const part of result.fullStream)
          if (part.type === `${type}-delta`) length += part.text?.length ?? 0;
        expect(length).toBeGreaterThan(200);
        expect(length).toBeLessThan(1000);
        expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
        expect(await result.steps).toHaveLength(1);
      });

    it('a model that is given by its name is heard as any other, in an agent, too', async () => {
      for (const isAgent of [false, true]) {
        const { guard, heard, actions } = listening({ preset: frugal });
        const { model } = script((n) => ({
          ...(n <= 4 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' }),
          usage: { input: 450, output: 0 },
        }));
        const tools = { look: { ...look, execute: async (args: unknown) => JSON.stringify(args) } };
        await named(model, (name) => {
          const settings = { model: name, tools, stopWhen: never };
          return isAgent
            ? new sdk.ToolLoopAgent({ ...settings, prepareCall: guard }).generate({ prompt: 'x' })
            : sdk.generateText(guard({ ...settings, prompt: 'x' }));
        });
        expect(heard[0]?.decision).toMatchObject({ action: 'nudge', finding: { detector: 'budget' } });
        expect(actions()).toEqual(['nudge 1', 'halt 2']);
      }
    });

    it('a model that a step names is heard a step later', async () => {
      const { guard, heard } = listening({ preset: frugal });
      const { model } = script((n) => ({
        ...(n <= 4 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' }),
        usage: { input: 450, output: 0 },
      }));
      const tools = { look: { ...look, execute: async (args: unknown) => JSON.stringify(args) } };
      await named(model, (name) =>
        sdk.generateText(
          guard({ ...giving('by its name in a step', model, name), tools, prompt: 'x', stopWhen: never }),
        ),
      );
      expect(heard[0]?.decision).toMatchObject({ action: 'nudge', call: 2, finding: { detector: 'budget' } });
    });

    it('a stream of a model that is given by its name is cut, too', async () => {
      const { guard, heard } = listening();
      const words = 'I should check the file again. '.repeat(200);
      const { model } = script((n) =>
        n === 1 ? { calls: [callOf(n, 'look', { query: 'y' })] } : { text: words },
      );
      const text = await named(model, async (name) => {
        const agent = new sdk.ToolLoopAgent({ model: name, tools: { look }, prepareCall: guard });
        const result = await agent.stream({ prompt: 'x' });
        await result.consumeStream();
        return result.text;
      });
      expect(text.length).toBeLessThan(1000);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat' });
    });

    it('the tokens of a response without calls count with it, in a stream, too', async () => {
      for (const call of Object.values(calling)) {
        const { guard, actions } = listening({ preset: { ...frugal, userBoundary: 'keep' }, session: 'a' });
        const { model } = script((n) => ({ text: `Answer ${n}.`, usage: { input: 450, output: 0 } }));
        for (const n of [1, 2, 3])
          await call(
            guard({ model, tools: { look }, messages: [{ role: 'user', content: `Question ${n}` }] }),
          );
        expect(actions()).toEqual(['nudge 0', 'halt 0']);
      }
    });

    it('of a model that is given by its name, the tokens of the last step count, too', async () => {
      for (const call of Object.values(calling))
        for (const how of GIVEN)
          for (const callback of ['onStepFinish', 'onStepEnd']) {
            const { guard, actions } = listening({
              preset: { ...frugal, userBoundary: 'keep' },
              session: 'a',
            });
            const { model } = script((n) => ({ text: `Answer ${n}.`, usage: { input: 450, output: 0 } }));
            let told = 0;
            const own = { [callback]: () => (told += 1) };
            for (const n of [1, 2, 3])
              await named(model, (name) =>
                call(
                  guard({
                    ...own,
                    ...giving(how, model, name),
                    tools: { look },
                    messages: [{ role: 'user', content: `Question ${n}` }],
                    stopWhen: never,
                  }),
                ),
              );
            expect(actions()).toEqual(['nudge 0', 'halt 0']);
            // Major 6 knows only the first of them.
            if (callback === 'onStepFinish') expect(told).toBe(3);
          }
    });
  });

  describe(`${sdk.name}: structured output`, () => {
    const element = sdk.jsonSchema({ type: 'object', properties: { label: { type: 'string' } } });
    const outputs = {
      generateText: async (settings: object) => (await sdk.generateText(settings)).output,
      streamText(settings: object) {
        const result = sdk.streamText({ ...settings, onError() {} });
        return Promise.all([result.consumeStream(), result.output]).then(([, output]) => output);
      },
    };

    it('may be a list of many equal rows, as often as it is asked for', async () => {
      for (const output of Object.values(outputs)) {
        const { guard, heard } = listening({ session: 'a' });
        const elements = Array.from({ length: 300 }, () => ({ label: 'Not spam, \\ "as far as I see".' }));
        const model = scriptedModel(sdk, () => ({ text: JSON.stringify({ elements }) }));
        for (const _ of [1, 2, 3])
          expect(await output(guard({ model, prompt: 'x', output: sdk.listOf(element) }))).toEqual(elements);
        expect(heard).toEqual([]);
      }
    });

    it('of one answer is no step of an agent: the same to many questions is no loop', async () => {
      const objects = {
        generateObject: async (settings: object) => (await sdk.generateObject(settings)).object,
        async streamObject(settings: object) {
          const { object, partialObjectStream } = sdk.streamObject(settings);
          for await (const _ of partialObjectStream);
          return object;
        },
      };
      for (const object of Object.values(objects)) {
        const { guard, heard } = listening({ session: 'a', preset: frugal });
        const label = { label: 'Not spam, as far as I see, and nothing to worry about.' };
        const model = scriptedModel(sdk, () => ({
          text: JSON.stringify(label),
          usage: { input: 30, output: 0 },
        }));
        for (let n = 0; n < 30; n++)
          expect(await object(guard({ model, prompt: `Mail ${n}.`, schema: element }))).toEqual(label);
        await sdk.generateText(guard({ model, prompt: 'Report.' }));
        // What they cost counts.
        expect(heard.map(({ decision }) => decision.finding.detector)).toEqual(['budget']);
      }
    });

    it('is cut where it says the same within a string, or nothing but white space', async () => {
      for (const lap of ['court, court ', '\n']) {
        const { guard, heard } = listening();
        const model = scriptedModel(sdk, () => ({
          text: `{"elements": [${lap === '\n' ? '' : '{"label": "'}${lap.repeat(20_000)}`,
        }));
        const settings = guard({ model, prompt: 'x', output: sdk.listOf(element) });
        const result = sdk.streamText({ ...settings, onError() {} });
        await result.consumeStream();
        expect((await result.text).length).toBeLessThan(9000);
        expect(heard.map(({ decision }) => decision.finding.detector)).toEqual(['stream-repeat']);
      }
    });
  });

  describe(`${sdk.name}: an abort while a person is asked`, () => {
    type Asked = { readonly settings: object; readonly guard: ReturnType<typeof deloop> };
    const ways = {
      generateText: ({ settings, guard }: Asked, abortSignal: AbortSignal) =>
        sdk.generateText(guard({ ...settings, prompt: 'x', abortSignal })),
      streamText: ({ settings, guard }: Asked, abortSignal: AbortSignal) =>
        sdk.streamText(guard({ ...settings, prompt: 'x', abortSignal })).consumeStream(),
      'agent.generate': ({ settings, guard }: Asked, abortSignal: AbortSignal) =>
        new sdk.ToolLoopAgent({ ...settings, prepareCall: guard }).generate({ prompt: 'x', abortSignal }),
    };

    it('ends the call, and no tool runs after a late yes', async () => {
      for (const run of Object.values(ways))
        for (const inParts of [false, true]) {
          const abort = new AbortController();
          let sayYes = (_: boolean) => {};
          let isAsked = () => {};
          const asked = new Promise<void>((resolve) => {
            isAsked = resolve;
          });
          const guard = deloop({
            onAsk() {
              isAsked();
              return new Promise<boolean>((resolve) => {
                sayYes = resolve;
              });
            },
          });
          let ran = 0;
          const answer = () => {
            ran += 1;
            return 'Nothing was found.';
          };
          const execute = inParts
            ? async function* () {
                yield answer();
              }
            : async () => answer();
          // As models do.
          const unlessAborted =
            (call: (options: object) => unknown) => async (options: { abortSignal?: AbortSignal }) => {
              options.abortSignal?.throwIfAborted();
              return call(options);
            };
          let calls = 0;
          const numbered = scriptedModel(sdk, () => {
            calls += 1;
            return again(calls);
          }) as { [way in 'doGenerate' | 'doStream']: (options: object) => unknown };
          const model = sdk.mockModel({
            doGenerate: unlessAborted((options) => numbered.doGenerate(options)) as never,
            doStream: unlessAborted((options) => numbered.doStream(options)) as never,
          });
          const settings = { model, tools: { look: { ...look, execute } }, stopWhen: late, onError() {} };
          const ended = Promise.resolve(run({ settings, guard }, abort.signal)).then(
            () => 'ended',
            () => 'ended',
          );
          await asked;
          abort.abort();
          expect(await ended).toBe('ended');
          expect(ran).toBe(4);
          sayYes(true);
          await new Promise((resolve) => setTimeout(resolve, 5));
          expect(ran).toBe(4);
        }
    });

    it('ends the call when the question is about a result, or a tool that does not exist', async () => {
      const fail = async () => {
        throw new Error('The disk is full.');
      };
      for (const run of Object.values(ways))
        for (const tool of ['look', 'missing']) {
          const abort = new AbortController();
          const onAsk = () => {
            abort.abort();
            return new Promise<boolean>(() => {});
          };
          const { model } = script((n) => ({ calls: [callOf(n, tool, { path: `file-${n}` })] }));
          const tools = { look: { ...look, execute: fail } };
          const settings = { model, tools, stopWhen: late, onError() {} };
          await Promise.resolve(run({ settings, guard: deloop({ onAsk }) }, abort.signal)).catch(() => {});
          expect(abort.signal.aborted).toBe(true);
        }
    });

    it('leaves one listener on a signal, however many wait', async () => {
      const abort = new AbortController();
      const { signal } = abort;
      let mine = 0;
      let most = 0;
      const { addEventListener, removeEventListener } = signal;
      signal.addEventListener = (...given: unknown[]) => {
        mine += 1;
        most = Math.max(most, mine);
        addEventListener.apply(signal, given as never);
      };
      signal.removeEventListener = (...given: unknown[]) => {
        mine -= 1;
        removeEventListener.apply(signal, given as never);
      };
      const run = async (guard: (settings: object) => object) => {
        mine = 0;
        most = 0;
        const one = () => {
          const { model } = script((n) => (n <= 8 ? again(n) : { text: 'Done.' }));
          const given = { model, tools: { look }, prompt: 'x', stopWhen: late, abortSignal: signal };
          return sdk.generateText(guard(given));
        };
        await Promise.all(Array.from({ length: 12 }, one));
        return most;
      };
      const bare = await run((settings) => settings);
      const onAsk = () => new Promise<boolean>((resolve) => setTimeout(resolve, 5, true));
      expect(await run(deloop({ onAsk }))).toBeLessThanOrEqual(bare + 1);
    });
  });

  describe(`${sdk.name}: what the model reads of a result`, () => {
    /** A sub-agent as a tool: what it yields has new ids each time. */
    async function researching(findingOf: (n: number) => string, inParts: boolean, guarded = true) {
      const { guard, actions } = listening();
      const { model, requests } = script((n) => (n <= 12 ? again(n, 'research') : { text: 'Done.' }));
      let ran = 0;
      const read: unknown[] = [];
      const message = () => {
        ran += 1;
        const text = findingOf(ran);
        return { id: `${ran}`, parts: [{ toolCallId: `r${ran * 7919}aZ${ran}` }, { type: 'text', text }] };
      };
      const execute = inParts
        ? async function* () {
            yield { id: 'begun', parts: [] };
            yield message();
          }
        : async () => message();
      const toModelOutput = ({ output }: { output: ReturnType<typeof message> }) => {
        read.push(output.id);
        return { type: 'text', value: output.parts.at(-1)?.text };
      };
      const tools = { research: { inputSchema: schema, execute, toModelOutput } };
      const settings = { model, tools, prompt: 'x', stopWhen: late };
      await sdk.generateText(guarded ? guard(settings) : settings);
      return { actions: actions(), ran, read, last: requests.at(-1)?.sent };
    }

    it('is what counts', async () => {
      for (const inParts of [false, true]) {
        const { actions, ran } = await researching(() => 'Nothing was found.', inParts);
        expect([actions, ran]).toEqual([['nudge 3', 'block 5', 'block 6', 'halt 7'], 4]);
      }
    });

    it('is made as often as without a guard, and is the same', async () => {
      for (const inParts of [false, true]) {
        const bare = await researching((n) => `Found ${n * 31}.`, inParts, false);
        expect(await researching((n) => `Found ${n * 31}.`, inParts)).toEqual(bare);
      }
    });

    it('may be an error; and where it cannot be made, the SDK tells so as before', async () => {
      const toModelOutput = () => ({ type: 'error-text', value: 'The site is down.' });
      const { guard, heard } = listening();
      const { model } = script((n) => (n <= 5 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' }));
      const settings = { prompt: 'x', stopWhen: late };
      await sdk.generateText(guard({ ...settings, model, tools: { look: { ...look, toModelOutput } } }));
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'error' });
      let asked = 0;
      const broken = () => {
        asked += 1;
        throw new Error('No such output.');
      };
      const tools = { look: { ...look, toModelOutput: broken } };
      await expect(
        sdk.generateText(guard({ ...settings, model: script((n) => again(n)).model, tools })),
      ).rejects.toThrow('No such output.');
      expect(asked).toBe(1);
    });
  });

  describe(`${sdk.name}: tools of an MCP server`, () => {
    type McpResult = {
      readonly content: readonly { readonly type: 'text'; readonly text: string }[];
      readonly isError?: boolean;
    };
    const mcpResult = (text: string, isError?: boolean): McpResult => ({
      content: [{ type: 'text', text }],
      ...(isError !== undefined && { isError }),
    });
    const toModelOutput = ({ output }: { output: McpResult }) => ({ type: 'content', value: output.content });
    const settings = { prompt: 'x', stopWhen: ({ steps }: { steps: object[] }) => steps.length === 60 };

    /** A tool that is called for one thing after the other. */
    async function querying(execute: (n: number) => unknown, more: object) {
      const { guard, actions } = listening();
      const { model } = script((n) => (n <= 20 ? { calls: [callOf(n, 'query', { n })] } : { text: 'Done.' }));
      const query = { inputSchema: schema, execute: async ({ n }: { n: number }) => execute(n), ...more };
      await sdk.generateText(guard({ ...settings, model, tools: { query } }));
      return { actions: actions(), detector: guard.stopped?.detector };
    }

    it('fail as others do, although they throw nothing', async () => {
      const missing = (n: number) => `File not found: /src/${'abcdefg'[n % 7]}/module${n}.ts`;
      const thrown = await querying((n) => {
        throw new Error(missing(n));
      }, {});
      expect(thrown).toMatchObject({ detector: 'failure-family' });
      for (const more of [{}, { toModelOutput }])
        expect(await querying((n) => mcpResult(missing(n), true), more)).toEqual(thrown);
    });

    it('say what is in the texts of their results', async () => {
      for (const isError of [undefined, false])
        for (const more of [{}, { toModelOutput }]) {
          const { actions } = await querying(() => mcpResult('No issues found.', isError), more);
          expect(actions).toEqual([]);
        }
    });

    it('say the rest of their results, too, where it is more than text', async () => {
      const found = (n: number) => ({
        ...mcpResult('Found.'),
        structuredContent: { page: `page ${n * 31}` },
      });
      const { guard, heard } = listening();
      const { model } = script((n) => (n <= 12 ? again(n, 'query') : { text: 'Done.' }));
      let ran = 0;
      const execute = async () => {
        ran += 1;
        return found(ran);
      };
      const query = { inputSchema: schema, execute };
      await sdk.generateText(guard({ ...settings, model, tools: { query } }));
      expect([ran, heard]).toEqual([12, []]);
    });

    it('fail when they are run elsewhere, too', async () => {
      const { guard, heard } = listening();
      const tools = { query: { inputSchema: schema } };
      const messages: object[] = [{ role: 'user', content: 'x' }];
      for (let n = 1; n <= 3; n++) {
        const { model } = script(() => ({ calls: [callOf(n, 'query', { n })] }));
        messages.push(
          ...messagesOf(await sdk.generateText(guard({ model, tools, messages }, { session: 'one' }))),
        );
        const output = { type: 'json', value: mcpResult('The server is down.', true) };
        const result = {
          type: 'tool-result',
          toolCallId: callOf(n, 'query', { n }).id,
          toolName: 'query',
          output,
        };
        messages.push({ role: 'tool', content: [result] });
      }
      const { model } = script(() => ({ text: 'Done.' }));
      await sdk.generateText(guard({ model, tools, messages }, { session: 'one' }));
      expect(heard[0]?.event).toMatchObject({
        type: 'tool-result',
        status: 'error',
        output: 'The server is down.',
      });
    });
  });

  describe(`${sdk.name}: runs`, () => {
    it('two runs of one guard know nothing of each other', async () => {
      const { guard, heard } = listening();
      const one = async () => {
        const { model } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
        await sdk.generateText(guard({ model, tools: { look }, prompt: 'x', stopWhen: never }));
      };
      await Promise.all([one(), one(), one()]);
      await one();
      expect(heard).toEqual([]);
    });

    it('a sub-agent has a history of its own in the session', async () => {
      const { guard, heard } = listening();
      const one = async (agent: string | undefined, calls: number) => {
        const { model } = script((n) => (n <= calls ? again(n) : { text: 'Done.' }));
        const settings = { model, tools: { look }, prompt: 'x', stopWhen: never };
        await sdk.generateText(guard(settings, { session: 'one', agent }));
      };
      await one(undefined, 2);
      await one('researcher', 3);
      expect(heard.map(({ decision: { action, agent } }) => [action, agent])).toEqual([
        ['nudge', 'researcher'],
      ]);
    });

    it('tells why a sub-agent was stopped', async () => {
      const guard = deloop();
      const { model } = script((n) => again(n));
      const settings = { model, tools: { look }, prompt: 'x', stopWhen: never };
      await sdk.generateText(guard(settings, { agent: 'researcher' }));
      expect(guard.stopped).toMatchObject({ detector: 'no-progress', agent: 'researcher' });
      expect(guard.run().stopped).toBe(null);
    });

    it('two calls at once in one session end with a report each', async () => {
      const guard = deloop({ session: 'one' });
      const { model } = script((n) => again(n));
      const one = () => sdk.generateText(guard({ model, tools: { look }, prompt: 'x', stopWhen: never }));
      const results = await Promise.all([one(), one()]);
      expect(results.map(({ text }) => text)).toEqual(['Report.', 'Report.']);
    });

    it('agents at once under one name are not held against each other', async () => {
      for (const agent of ['researcher', undefined])
        for (const call of Object.values(calling)) {
          const { guard, heard } = listening();
          const read = async ({ file }: { file: string }) => {
            await new Promise((resolve) => setTimeout(resolve, 1));
            return `The content of ${file}.`;
          };
          const one = async () => {
            const { model } = script((n) =>
              n <= 6 ? { calls: [callOf(n, 'read', { file: `${n}.md` })] } : { text: 'Done.' },
            );
            const tools = { read: { ...look, execute: read } };
            const messages = [{ role: 'user', content: 'x' }];
            return call(guard({ model, tools, messages, stopWhen: never }, { session: 'one', agent }));
          };
          const results = await Promise.all(Array.from({ length: 8 }, one));
          expect([heard, results.every(({ text }) => text === 'Done.')]).toEqual([[], true]);
        }
    });

    it('of agents at once the first is the main one, with a model by its name and a slow prepareStep, too', async () => {
      const { guard } = listening({ session: 'a' });
      const one = async (turn: Turn) =>
        named(script(turn).model, (name) =>
          sdk.generateText(
            guard({
              model: name,
              tools: { look },
              prompt: 'x',
              stopWhen: late,
              prepareStep: () => new Promise((resolve) => setTimeout(resolve, 1)),
            }),
          ),
        );
      await Promise.all([one((n) => again(n)), one(() => ({ text: 'Done.' }))]);
      expect(guard.run('a').stoppedFor(undefined)?.detector).toBe('no-progress');
    });

    it('agents one after the other under one name are one, however the one before has ended', async () => {
      const messages = [{ role: 'user', content: 'x' }];
      const whose = { session: 'one', agent: 'researcher' };
      const failing = sdk.mockModel({
        doGenerate: () => Promise.reject(new Error('Overloaded.')),
        doStream: () => Promise.reject(new Error('Overloaded.')),
      });
      const abort = new AbortController();
      const stuck = {
        ...look,
        execute() {
          abort.abort();
          return new Promise(() => {});
        },
      };
      const settings = { tools: { look }, messages, stopWhen: never, maxRetries: 0, onError() {} };
      const endings: { readonly [name: string]: (guard: Guard) => unknown } = {
        done: (guard) =>
          sdk.generateText(guard({ ...settings, model: script(() => ({ text: 'Done.' })).model }, whose)),
        failed: (guard) =>
          sdk.generateText(guard({ ...settings, model: failing }, whose)).catch(() => 'failed'),
        'failed as a stream': (guard) =>
          sdk.streamText(guard({ ...settings, model: failing }, whose)).consumeStream(),
        'out of steps': (guard) =>
          sdk.generateText(
            guard({ ...settings, model: script((n) => again(n)).model, stopWhen: () => true }, whose),
          ),
        'own function threw': (guard) => {
          const prepareStep = () => {
            throw new Error('No.');
          };
          const { model } = script((n) => again(n));
          return sdk.generateText(guard({ ...settings, model, prepareStep }, whose)).catch(() => 'failed');
        },
        aborted(guard) {
          const { model } = script((n) => again(n));
          const given = { ...settings, model, tools: { look: stuck }, abortSignal: abort.signal };
          sdk.generateText(guard(given, whose)).catch(() => 'failed');
          return new Promise((resolve) => setTimeout(resolve, 20));
        },
        async 'left by its reader'(guard) {
          const { model } = script(() => ({ text: 'A long answer. And more of it. '.repeat(9) }));
          for await (const { type } of sdk.streamText(guard({ ...settings, model }, whose)).fullStream)
            if (type === 'text-delta') break;
          await new Promise((resolve) => setTimeout(resolve, 20));
        },
      };
      for (const [name, end] of Object.entries(endings)) {
        const { guard, heard } = listening();
        await end(guard);
        const { model } = script((n) => again(n));
        const { text } = await sdk.generateText(guard({ ...settings, model }, whose));
        const agents = new Set(heard.map(({ decision }) => decision.agent));
        expect([name, text, [...agents]]).toEqual([name, 'Report.', ['researcher']]);
      }
    });

    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const LATER_MS = 80;
    /** After this the SDK asks again. */
    const tooMany = () =>
      new sdk.APICallError({
        message: 'Too many requests.',
        url: '',
        requestBodyValues: {},
        statusCode: 429,
        isRetryable: true,
        responseHeaders: { 'retry-after-ms': `${LATER_MS}` },
      });

    /** A model whose provider refuses the requests that `refuses` names by their number. */
    function limited(turn: Turn, refuses: (request: number) => boolean, onRefused = () => {}): unknown {
      const { model } = script(turn);
      const { doGenerate, doStream } = model as Parameters<typeof sdk.mockModel>[0];
      let asked = 0;
      const unlessRefused = (answer: typeof doGenerate): typeof doGenerate =>
        async function answered(options) {
          asked += 1;
          if (!refuses(asked)) return answer(options);
          setTimeout(onRefused, 1);
          throw tooMany();
        };
      return sdk.mockModel({ doGenerate: unlessRefused(doGenerate), doStream: unlessRefused(doStream) });
    }

    it('agents whose provider refuses them for a while are not held against each other', async () => {
      const whose = { session: 'one', agent: 'researcher' };
      const says: { readonly [name: string]: (n: number, part: number) => ScriptedTurn } = {
        'the same before their calls': (n, part) =>
          n === 1
            ? {
                text: 'Let me look at the files of this part first.',
                calls: [callOf(part, 'list', { part })],
              }
            : { text: `The report on part ${part}.` },
        'the same': () => ({ text: 'No problem was found in this part.' }),
      };
      for (const [name, say] of Object.entries(says))
        for (const together of [8, 2])
          for (const call of Object.values(calling)) {
            const { guard, actions } = listening();
            /** Resolves when it was refused, with what will come of it. */
            const begun = (part: number) =>
              new Promise<{ readonly text: Promise<string> }>((resolve) => {
                const model = limited(
                  (n) => say(n, part),
                  (request) => request === 1,
                  () => resolve({ text: result.then(({ text }) => text) }),
                );
                const list = async () => {
                  await pause(LATER_MS);
                  return `The files of part ${part}.`;
                };
                const tools = { list: { ...look, execute: list } };
                const messages = [{ role: 'user', content: `Part ${part}` }];
                const result = call(guard({ model, tools, messages, stopWhen: never }, whose));
              });
            const said: string[] = [];
            while (said.length < 8) {
              const wave: Promise<string>[] = [];
              while (wave.length < together) wave.push((await begun(said.length + wave.length)).text);
              said.push(...(await Promise.all(wave)));
            }
            const last = said.map((_, part) => say(2, part).text);
            expect([name, together, actions(), said]).toEqual([name, together, [], last]);
          }
    });

    it('one that loops is stopped, although its provider refuses it now and then, and others begin meanwhile', async () => {
      const whose = { session: 'one', agent: 'researcher' };
      const messages = [{ role: 'user', content: 'x' }];
      for (const others of [0, 1])
        for (const call of Object.values(calling)) {
          const { guard } = listening();
          let isDone = false;
          const model = limited(
            (n) => again(n),
            (request) => request % 4 === 1,
          );
          const tools = { look };
          const looping = call(guard({ model, tools, messages, stopWhen: late }, whose)).finally(() => {
            isDone = true;
          });
          for (let n = 0; n < others && !isDone; n++) {
            await pause(LATER_MS / 2);
            const other = script(() => ({ text: 'Done.' }));
            await call(guard({ model: other.model, tools, messages }, whose));
          }
          expect((await looping).text).toBe('Report.');
        }
    });

    it('of agents at once, the one that asked gets the answer', async () => {
      const guard = deloop({ attended: true });
      const whose = { session: 'one', agent: 'researcher' };
      let finish = () => {};
      const slow = new Promise<string>((resolve) => {
        finish = () => resolve('Done.');
      });
      const other = script((n) => (n === 1 ? again(n, 'wait') : { text: 'Done.' }));
      const tools = { look, wait: { ...look, execute: () => slow } };
      const messages: object[] = [{ role: 'user', content: 'x' }];
      const first = sdk.generateText(guard({ model: other.model, tools, messages, stopWhen: late }, whose));
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { model, requests } = script((n) => again(n));
      const held = await sdk.generateText(guard({ model, tools, messages, stopWhen: late }, whose));
      finish();
      await first;
      const request = held.steps.at(-1)?.content.find(({ type }) => type === 'tool-approval-request');
      const answer = { type: 'tool-approval-response', approvalId: request?.approvalId, approved: false };
      const answered = [...messages, ...messagesOf(held), { role: 'tool', content: [answer] }];
      const before = requests.length;
      const { text } = await sdk.generateText(
        guard({ model, tools, messages: answered, stopWhen: late }, whose),
      );
      expect([guard.stopped?.agent, text, requests.length - before]).toEqual(['researcher#2', 'Report.', 1]);
    });

    it('a call that the SDK ends with an error before it asks the model leaves the agent what it is', async () => {
      for (const call of Object.values(calling)) {
        const { guard } = listening({ session: 'a' });
        const { model } = script((n) => again(n));
        const open = { type: 'tool-call', toolCallId: 'open', toolName: 'fill', input: {} };
        const asked = [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: [open] },
          { role: 'user', content: 'Never mind.' },
        ];
        const tools = { look, fill: { inputSchema: schema } };
        const settings = { model, tools, stopWhen: late, onError() {} };
        const tried = call(guard({ ...settings, messages: asked })).then(
          () => 'done',
          () => 'failed',
        );
        expect(await tried).toBe('failed');
        const messages = [{ role: 'user', content: 'Look it up.' }];
        await call(guard({ ...settings, messages }));
        expect(guard.run('a').stopped?.detector).toBe('no-progress');
        guard.run('a').resume();
        const next = [...messages, { role: 'assistant', content: 'Report.' }];
        expect((await call(guard({ ...settings, messages: next }))).text).toBe('Report.');
      }
    });

    it('a model by its name that prepareStep chooses does not make another agent of every call', async () => {
      for (const way of ['generateText', 'streamText'] as const) {
        const { guard, actions } = listening({ session: 'a' });
        const { model } = script((n) => again(n, 'fill'));
        const messages: object[] = [{ role: 'user', content: 'x' }];
        const tools = { fill: { inputSchema: schema } };
        let said = '';
        for (let n = 1; n <= 20 && said === ''; n++) {
          const settings = { model, tools, messages: [...messages], stopWhen: never };
          const result = await named(model, (name) =>
            calling[way](guard({ ...settings, prepareStep: () => ({ model: name }) })),
          );
          said = result.text;
          const output = { type: 'text', value: 'There is no such field.' };
          const id = `call-${n}-0`;
          const content = [{ type: 'tool-result', toolCallId: id, toolName: 'fill', output }];
          messages.push(...messagesOf(result), { role: 'tool', content });
        }
        expect([said, actions().at(-1)]).toEqual(['Report.', 'halt 7']);
        expect(guard.run('a').stopped?.detector).toBe('no-progress');
      }
    });

    it('nor does a stronger model by its name', async () => {
      const { guard } = listening({ session: 'a', strongerModel: 'mock/model' });
      const strong = script(() => ({ text: 'I give up for now.' }));
      const { model } = script((n) => ({ calls: [callOf(n, 'look', { query: `${n}` })] }));
      const tools = { look: { ...look, execute: () => Promise.reject(new TypeError('not valid')) } };
      await named(strong.model, async () => {
        for (const content of ['x', 'y']) {
          const messages = [{ role: 'user', content }];
          await sdk.generateText(guard({ model, tools, messages, stopWhen: late }));
        }
      });
      const { agents } = guard.run('a').state.guard as { agents: readonly { agent: string }[] };
      expect([strong.requests.length, agents.map(({ agent }) => agent)]).toEqual([2, ['']]);
    });

    it('what was done is saved when the call of the SDK is over', async () => {
      for (const call of Object.values(calling))
        for (const turns of [[again(1), { text: 'Done.' }], [again(1, 'ask')]]) {
          const memory = createMemoryStore();
          let saving = 0;
          const store: typeof memory = {
            ...memory,
            async update(key, change) {
              saving += 1;
              await new Promise((resolve) => setTimeout(resolve, 5));
              const result = await memory.update(key, change);
              saving -= 1;
              return result;
            },
          };
          const guard = deloop({ store, session: 'one' });
          const { model } = script((n) => turns[n - 1] as ScriptedTurn);
          const tools = { look, ask: { inputSchema: schema } };
          const messages = [{ role: 'user', content: 'x' }];
          await call(guard({ model, tools, messages, stopWhen: never }));
          expect([saving, guard.run().isIdle()]).toEqual([0, true]);
        }
    });

    it('what a program says as the system behind a message leaves it what it is: that of a person, or of the program', async () => {
      const common = { tools: { look }, allowSystemInMessages: true };
      const time = (n: number) => ({ role: 'system', content: `It is ${n} o'clock.` });
      const chat: object[] = [];
      const asked = listening({ session: 'chat' });
      const talking = script((n) => (n % 2 === 1 ? again(n) : { text: `Answer ${n}.` }));
      for (let n = 1; n <= 12; n++) {
        chat.push({ role: 'user', content: 'How is the weather?' });
        const settings = { ...common, model: talking.model, messages: [...chat, time(n)], stopWhen: late };
        chat.push(...messagesOf(await sdk.generateText(asked.guard(settings))));
      }
      expect(asked.heard).toEqual([]);

      const messages: object[] = [{ role: 'user', content: 'x' }];
      const { guard } = listening({ session: 'loop' });
      const { model, requests } = script((n) => again(n));
      for (let n = 1; n <= 30 && guard.stopped === null; n++) {
        const result = await sdk.generateText(guard({ ...common, model, messages: [...messages, time(n)] }));
        messages.push(...messagesOf(result), { role: 'user', content: 'Continue.' });
      }
      expect(requests).toHaveLength(8);
    });

    it('a loop of its own that says the same behind the results of every step is stopped', async () => {
      const others = ['Look here.', 'And there?', 'What of the logs?', 'Try once more.'];
      const says: { readonly [name: string]: (n: number) => string } = {
        same: () => 'Continue.',
        'with a number': (n) => `Step ${n} of 30.`,
        'a person': (n) => `${others[n % 4]}`,
      };
      const ended: unknown[] = [];
      for (const [name, say] of Object.entries(says)) {
        const { guard } = listening({ session: 'one' });
        const { model, requests } = script((n) => again(n));
        const messages: object[] = [{ role: 'user', content: 'x' }];
        for (let n = 1; n <= 30 && guard.stopped === null; n++) {
          const result = await sdk.generateText(guard({ model, tools: { look }, messages: [...messages] }));
          messages.push(...messagesOf(result), { role: 'user', content: say(n) });
        }
        const { text } = await sdk.generateText(guard({ model, tools: { look }, messages }));
        ended.push([name, requests.length, text]);
      }
      expect(ended).toEqual([
        ['same', 9, 'Report.'],
        ['with a number', 9, 'Report.'],
        ['a person', 31, ''],
      ]);
    });

    /** A program that goes on by messages of its own, until the agent is stopped: how many calls of the SDK it made, and how it ended. */
    async function goingOn(
      whose: Parameters<Guard>[1],
      turn: Turn,
      next: (n: number, messages: readonly object[]) => readonly object[],
    ) {
      const { guard } = listening({ session: 'one' });
      const { model } = script(turn);
      let messages: readonly object[] = [{ role: 'user', content: 'Find the cause.' }];
      let calls = 0;
      while (calls < 20 && guard.stopped === null) {
        calls += 1;
        const result = await sdk.generateText(guard({ model, tools: { look }, messages }, whose));
        messages = next(calls, [...messages, ...messagesOf(result)]);
      }
      const last = sdk.generateText(guard({ model, tools: { look }, messages, maxRetries: 0 }, whose));
      return [calls, (await last).text];
    }

    it('what a program says by itself is no word of a person, where it says so', async () => {
      const goOn = { role: 'user', content: 'Continue.' };
      const byHost = ({ content }: { content: unknown }) => content === 'Continue.' || undefined;
      const text = () => ({ text: 'I will now look at the logs and fix the problem.' });
      const words = (_: number, messages: readonly object[]) => [...messages, goOn];
      expect(await goingOn({ byHost }, text, words)).toEqual([6, 'Report.']);
      expect(await goingOn({}, text, words)).toEqual([20, text().text]);
      const notes = (n: number) => [{ role: 'user', content: `Find the cause. Notes: ${'x'.repeat(n)}` }];
      const all = { byHost: () => true };
      expect(await goingOn(all, (n) => again(n), notes)).toEqual([7, 'Report.']);
      expect(await goingOn({}, (n) => again(n), notes)).toEqual([20, '']);
      const other = (n: number) => ({ calls: [callOf(n, 'look', { query: `${n}` })] });
      expect(await goingOn({ byHost: () => false }, (n) => again(n), words)).toEqual([20, '']);
      expect(await goingOn(all, (n) => (n < 5 ? other(n) : { text: `Found: ${n}.` }), words)).toEqual([
        20,
        'Found: 21.',
      ]);
    });

    it('a function that throws when it is asked whose a message is leaves the agent what it is, and onError hears of it', async () => {
      const errors: unknown[] = [];
      const onError = (error: unknown, about: unknown) => errors.push([String(error), about]);
      const { guard, heard } = listening({ session: 'one', onError });
      const { model } = script((n) => again(n));
      const settings = { model, tools: { look }, prompt: 'x', stopWhen: late };
      const byHost = () => {
        throw new Error('No.');
      };
      const { text } = await sdk.generateText(guard(settings, { byHost }));
      expect([text, errors]).toEqual(['Report.', [['Error: No.', 'byHost']]]);
      expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set([undefined]));
    });

    it('a prepareStep that throws leaves the agent what it is', async () => {
      const { guard, heard } = listening({ session: 'one' });
      const { model } = script((n) => again(n));
      const settings = { model, tools: { look }, prompt: 'x', stopWhen: late };
      const prepareStep = () => {
        throw new Error('No.');
      };
      await expect(sdk.generateText(guard({ ...settings, prepareStep }))).rejects.toThrow('No.');
      await sdk.generateText(guard(settings));
      expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set([undefined]));
    });

    it('wrap does the same as the guard itself', async () => {
      const { guard, heard } = listening();
      const { model, requests } = script((n) => again(n));
      const settings = { model, tools: { look }, prompt: 'x', stopWhen: never };
      const { text } = await guard.wrap(sdk.generateText)(settings);
      expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
      expect([text, requests.length]).toEqual(['Report.', 8]);
    });
  });

  describe(`${sdk.name}: streams that break`, () => {
    const words =
      'In the meantime I looked at the heap dumps of three pods, and each of them shows the same index twice. Here is what I found so far: ' +
      'the worker restarts every five minutes because it runs out of memory while it loads the index.';
    const error = { type: 'error', error: new Error('overloaded') };
    const end = (unified: string) => ({
      type: 'finish',
      finishReason: { unified, raw: undefined },
      usage: { inputTokens: { total: 9 }, outputTokens: { total: 9 } },
    });
    const filling = (n: number) => ({
      type: 'tool-call',
      toolCallId: `call-${n}`,
      toolName: 'fill',
      input: '{}',
    });
    /** What comes after the words; null = the connection breaks. */
    const breaks: Record<string, (n: number) => readonly (object | null)[]> = {
      'the connection': () => [null],
      'an error': () => [error],
      'an error, and then its end': () => [error, end('error')],
      'calls, and then an error': (n) => [filling(n), error, end('error')],
      'an early end': () => [],
    };

    const breaking = (rest: (n: number) => readonly (object | null)[]) => {
      let n = 0;
      return sdk.mockModel({
        doGenerate: () => Promise.reject(new Error('not here')),
        async doStream() {
          n += 1;
          const parts: (object | null)[] = [
            { type: 'stream-start', warnings: [] },
            { type: 'text-start', id: '0' },
            ...(words.match(/.{1,9}/gs) ?? []).map((delta) => ({ type: 'text-delta', id: '0', delta })),
            { type: 'text-end', id: '0' },
            ...(n <= 9 ? rest(n) : [end('stop')]),
          ];
          return {
            stream: new ReadableStream({
              pull(controller) {
                const part = parts.shift();
                if (part === undefined) controller.close();
                else if (part === null) controller.error(new Error('socket hang up'));
                else controller.enqueue(part);
              },
            }),
          };
        },
      });
    };

    it.each(Object.entries(breaks))('are no responses when they are tried again: %s', async (_, rest) => {
      const { guard, heard } = listening({ session: 'a' });
      const model = breaking(rest);
      const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} };
      const output = { type: 'text', value: 'Nothing was found.' };
      const messages = [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [call] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }] },
      ];
      const tools = { look, fill: { inputSchema: schema } };
      const said: string[] = [];
      for (let n = 1; n <= 10; n++) {
        const onError = () => {};
        const settings = guard({ model, tools, messages, stopWhen: never, maxRetries: 0 });
        let text = '';
        try {
          for await (const part of sdk.streamText({ ...settings, onError }).fullStream)
            if (part.type === 'text-delta') text += part.text;
        } catch {}
        said.push(text);
      }
      expect([heard, said.at(-1), guard.stopped]).toEqual([[], words, null]);
    });

    it('words behind a call are part of their response, and no stream that broke', async () => {
      const { guard } = listening({ session: 'a' });
      let n = 0;
      const text = (id: string, delta: string) => [
        { type: 'text-start', id },
        { type: 'text-delta', id, delta },
        { type: 'text-end', id },
      ];
      const model = sdk.mockModel({
        doGenerate: () => Promise.reject(new Error('not here')),
        async doStream() {
          n += 1;
          const call = { type: 'tool-call', toolCallId: `${n}`, toolName: 'look', input: `{"n":${n}}` };
          const calling = [...text('0', 'I look.'), call, ...text('1', `That was ${n}.`), end('tool-calls')];
          const parts: object[] = n < 4 ? calling : [...text('0', 'Done.'), end('stop')];
          return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...parts]) };
        },
      });
      await sdk.streamText(guard({ model, tools: { look }, prompt: 'x', stopWhen: never })).consumeStream();
      expect(JSON.stringify(guard.run('a').state)).toContain('"turns":4');
    });

    it('nor are those that are aborted, or left by their reader, before they have said all', async () => {
      const messages = [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c',
              toolName: 'look',
              output: { type: 'text', value: 'Nothing was found.' },
            },
          ],
        },
      ];
      for (const isAborted of [false, true]) {
        const { guard, heard } = listening({ session: 'a' });
        const said: string[] = [];
        for (let n = 1; n <= 10; n++) {
          const abort = new AbortController();
          const parts: object[] = [
            { type: 'stream-start', warnings: [] },
            { type: 'text-start', id: '0' },
            ...(words.match(/.{1,9}/gs) ?? []).map((delta) => ({ type: 'text-delta', id: '0', delta })),
            ...(n === 10 ? [{ type: 'text-end', id: '0' }, end('stop')] : []),
          ];
          const model = sdk.mockModel({
            doGenerate: () => Promise.reject(new Error('not here')),
            doStream: async () => ({
              stream: new ReadableStream({
                start(controller) {
                  for (const part of parts) controller.enqueue(part);
                  if (n === 10) controller.close();
                  abort.signal.addEventListener('abort', () => controller.error(abort.signal.reason));
                },
              }),
            }),
          });
          const settings = { model, tools: { look }, messages, abortSignal: abort.signal, onError() {} };
          let text = '';
          for await (const part of sdk.streamText(guard(settings)).fullStream) {
            if (part.type === 'text-delta') text += part.text;
            if (n === 10 || text.length < 150) continue;
            if (!isAborted) break;
            abort.abort();
          }
          said.push(text);
        }
        expect([isAborted, heard, said.at(-1), guard.stopped]).toEqual([isAborted, [], words, null]);
      }
    });
  });

  describe(`${sdk.name}: tools that run elsewhere`, () => {
    const fill = { inputSchema: schema };
    const result = (n: number, value: string, type = 'text') => ({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: `call-${n}-0`, toolName: 'fill', output: { type, value } },
      ],
    });

    type Chat = {
      readonly options?: AiSdkOptions;
      readonly turn: Turn;
      readonly answer: (n: number) => object;
      readonly way?: keyof typeof calling;
      readonly how?: (typeof GIVEN)[number];
      readonly tools?: object;
    };
    /** A chat whose client runs the tool: every request is one step, until the model has said something. */
    async function chat({
      options,
      turn,
      answer,
      way = 'generateText',
      how = 'itself',
      tools = { fill },
    }: Chat) {
      const { guard, heard, actions } = listening({ session: 'chat', ...options });
      const { model, requests } = script(turn);
      const messages: object[] = [{ role: 'user', content: 'x' }];
      const asked: unknown[] = [];
      const ask = (name: string) => {
        const settings = { ...giving(how, model, name), tools, messages: [...messages] };
        return calling[way](guard({ ...settings, stopWhen: never, maxRetries: 0 }));
      };
      for (let n = 1; n <= 40; n++) {
        const response = await named(model, ask);
        messages.push(...messagesOf(response));
        asked.push(
          ...response.steps.flatMap(({ content }) => content.filter(({ approvalId }) => approvalId)),
        );
        if (response.text !== '' || asked.length > 0)
          return { text: response.text, guard, heard, actions, requests, asked };
        messages.push(answer(requests.length));
      }
      throw new Error('it goes on and on');
    }

    it('work that goes forward is left alone', async () => {
      for (const way of ['generateText', 'streamText'] as const)
        for (const attended of [false, true])
          for (const how of GIVEN) {
            const { text, heard } = await chat({
              options: { attended },
              turn: (n) => (n <= 30 ? { calls: [callOf(n, 'fill', { field: n })] } : { text: 'Done.' }),
              answer: (n) => result(n, `Filled in ${n}.`),
              way,
              how,
            });
            expect([text, heard]).toEqual(['Done.', []]);
          }
    });

    it('a loop of them is halted, by their results', async () => {
      for (const way of ['generateText', 'streamText'] as const)
        for (const how of GIVEN) {
          const { text, actions, guard } = await chat({
            turn: (n) => again(n, 'fill'),
            answer: (n) => result(n, 'There is no such field.'),
            way,
            how,
          });
          expect([text, actions()]).toEqual(['Report.', ['nudge 3', 'block 5', 'block 6', 'halt 7']]);
          expect(guard.run('chat').stopped?.detector).toBe('no-progress');
        }
    });

    it('results that are errors are seen as such', async () => {
      const { heard } = await chat({
        turn: (n) => (n <= 4 ? { calls: [callOf(n, 'fill', { n })] } : { text: 'Done.' }),
        answer: (n) => result(n, 'The form is closed.', 'error-text'),
      });
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'error' });
    });

    it('a question about them is asked with a call that the SDK runs, or is a stop', async () => {
      const options = { attended: true };
      const answer = (n: number) => result(n, 'There is no such field.');
      const alone = await chat({ options, turn: (n) => again(n, 'fill'), answer });
      expect([alone.text, alone.actions().at(-1), alone.asked]).toEqual(['Report.', 'ask 7', []]);
      expect(alone.guard.run('chat').stopped?.action).toBe('ask');
      expect(alone.requests.at(-1)?.sent).toContain('Stopped: fill was to run again');
      const turn = (n: number) => again(n, n <= 7 ? 'fill' : 'look');
      const mixed = await chat({ options, turn, answer, tools: { fill, look } });
      expect([mixed.actions().at(-1), mixed.asked.length]).toEqual(['ask 7', 1]);
      expect(mixed.guard.run('chat').stopped).toBe(null);
    });
  });

  describe(`${sdk.name}: approvals`, () => {
    it('a loop that no request for approval can stand for is stopped', async () => {
      for (const tool of ['lok', 'strict']) {
        const { guard, actions } = listening({ attended: true });
        const { model, requests } = script((n) => again(n, tool));
        const strict = {
          ...look,
          inputSchema: {
            ...(schema as object),
            validate: () => ({ success: false, error: new Error('wrong') }),
          },
        };
        const settings = { model, tools: { strict }, prompt: 'x', stopWhen: late };
        const { text } = await sdk.generateText(guard(settings));
        expect([text, actions().at(-1), requests.length]).toEqual(['Report.', 'ask 7', 9]);
        expect(guard.stopped?.action).toBe('ask');
        expect(requests.at(-1)?.sent).toContain(guard.stopped?.message);
      }
    });

    it('a question about a call that cannot be held is asked with the next one that can', async () => {
      const { guard, actions } = listening({ attended: true });
      const { model } = script((n) => again(n, n <= 7 ? 'lok' : 'look'));
      const { steps } = await sdk.generateText(
        guard({ model, tools: { look }, prompt: 'x', stopWhen: never }),
      );
      expect([actions().at(-1), steps.length]).toEqual(['ask 7', 8]);
      expect(steps.at(-1)?.content.map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
      expect(guard.stopped).toBe(null);
    });

    it('and stays open for that one, whatever else is in its step, and however the model is given', async () => {
      for (const how of GIVEN) {
        const { guard } = listening({ attended: true, session: 'a' });
        const { model } = script((n) =>
          n <= 7
            ? again(n, 'lok')
            : n === 8
              ? { calls: [callOf(n, 'lok', { query: 'x' }), callOf(n, 'look', { query: 'y' }, 1)] }
              : { text: 'Done.' },
        );
        let ran = 0;
        const tools = { look: { ...look, execute: async () => `${++ran}` } };
        const messages: object[] = [{ role: 'user', content: 'x' }];
        const call = () =>
          named(model, (name) =>
            sdk.generateText(
              guard({ ...giving(how, model, name), tools, messages: [...messages], stopWhen: late }),
            ),
          );
        const held = await call();
        const request = held.steps.at(-1)?.content.find(({ type }) => type === 'tool-approval-request');
        expect([guard.run('a').stopped, request === undefined, ran]).toEqual([null, false, 0]);
        const { approvalId } = request as unknown as { approvalId: string };
        const said = { type: 'tool-approval-response', approvalId, approved: true };
        messages.push(...messagesOf(held), { role: 'tool', content: [said] });
        expect([(await call()).text, ran, guard.run('a').stopped]).toEqual(['Done.', 1, null]);
      }
    });

    it('a model that only talks, with nobody to say something to it, is stopped', async () => {
      const guard = deloop({ attended: true, session: 'a' });
      const { model } = script((n) => ({ text: `Part ${n * 13}.` }));
      const messages: object[] = [{ role: 'user', content: 'x' }];
      let said = '';
      for (let n = 1; n <= 20 && said !== 'Report.'; n++) {
        const result = await sdk.generateText(guard({ model, tools: { look }, messages, stopWhen: never }));
        said = result.text;
        messages.push(...messagesOf(result));
      }
      expect([said, guard.stopped?.detector]).toEqual(['Report.', 'text-only']);
    });

    it("asks where the user's own rule asks, and where the guard does", async () => {
      for (const needsApproval of [true, async () => true]) {
        const { model } = script((n) => again(n));
        const guard = deloop({ attended: true });
        const tools = { look: { ...look, needsApproval } };
        const { steps } = await sdk.generateText(guard({ model, tools, prompt: 'x', stopWhen: never }));
        expect(steps).toHaveLength(1);
        expect(steps[0]?.content.map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
      }
    });

    /** A tool that finds nothing, and how often it has run. */
    function counting() {
      let ran = 0;
      const execute = async () => {
        ran += 1;
        return 'Nothing was found.';
      };
      return { tools: { look: { ...look, execute } }, runs: () => ran };
    }

    it('a call that was refused does not run because another one raises a question', async () => {
      const { guard, actions } = listening({ attended: true });
      const { model } = script((n) => ({
        calls: [callOf(n, 'look', { query: 'x' }), callOf(n, 'look', { query: 'y' }, 1)],
      }));
      const { tools, runs } = counting();
      const { steps } = await sdk.generateText(guard({ model, tools, prompt: 'x', stopWhen: late }));
      const last = steps.at(-1)?.content ?? [];
      expect([actions().at(-1), runs()]).toEqual(['ask 12', 8]);
      expect(last.filter(({ error }) => isCallBlocked(error))).toHaveLength(1);
      expect(last.filter(({ type }) => type === 'tool-approval-request')).toHaveLength(1);
    });

    /** Every call waits for a person, by the user's own rule. */
    async function asking(options: AiSdkOptions, turn: Turn, approved: (n: number) => boolean) {
      const { guard, heard } = listening({ session: 'a', ...options });
      const { model } = script(turn);
      const messages: object[] = [{ role: 'user', content: 'x' }];
      let ran = 0;
      const tools = { look: { ...look, needsApproval: true, execute: async () => `${++ran}` } };
      for (let n = 1; n <= 40; n++) {
        const result = await sdk.generateText(
          guard({ model, tools, messages: [...messages], stopWhen: late }),
        );
        messages.push(...messagesOf(result));
        const requests = (result.steps.at(-1)?.content ?? []).flatMap(({ approvalId }) => approvalId ?? []);
        if (requests.length === 0) return { text: result.text, ran, heard, guard };
        const content = requests.map((approvalId) => ({
          type: 'tool-approval-response',
          approvalId,
          approved: approved(n),
        }));
        messages.push({ role: 'tool', content });
      }
      throw new Error('it goes on and on');
    }

    it("what a person denies, asked by the user's own rule, is a call that was denied", async () => {
      for (const attended of [false, true])
        for (const text of [undefined, 'I will run this command for you now, if you let me.'])
          for (const approved of [never, (n: number) => n % 3 === 0, () => true]) {
            const turn = (n: number) =>
              n <= 20
                ? { ...(text && { text }), calls: [callOf(n, 'look', { query: `${n}` })] }
                : { text: 'Done.' };
            const { text: said, heard } = await asking({ attended }, turn, approved);
            const told = heard.map(({ decision: { action, call } }) => `${action} ${call}`);
            expect([said, told]).toEqual(['Done.', approved === never ? ['nudge 8'] : []]);
          }
    });

    it('and the same again and again is stopped', async () => {
      for (const attended of [false, true]) {
        const { text, ran, guard } = await asking({ attended }, (n) => again(n), never);
        expect([text, ran, guard.run('a').stopped?.detector]).toEqual(['Report.', 0, 'no-progress']);
      }
    });

    it('an answer is for the calls that waited, and not for later ones with the same ids', async () => {
      for (const queries of [['x'], ['x', 'y', 'z']]) {
        const answered = async (isAgain: boolean, later: boolean) => {
          const guard = deloop({ attended: true, session: 'a' });
          const { tools, runs } = counting();
          const { model } = script((n) => {
            const calls = queries.map((query, nth) => callOf(n, 'look', { query }, nth));
            return n <= 14
              ? { calls: isAgain ? calls.map((call, nth) => ({ ...call, id: `call_${nth}` })) : calls }
              : { text: 'Done.' };
          });
          const messages: object[] = [{ role: 'user', content: 'x' }];
          const asked: number[] = [];
          for (;;) {
            const settings = { model, tools, messages: [...messages], stopWhen: late };
            const result = await sdk.generateText(guard(settings));
            const requests = result.steps.at(-1)?.content.flatMap(({ approvalId }) => approvalId ?? []) ?? [];
            if (requests.length === 0) return [result.text, runs(), asked];
            const content = requests.map((approvalId) => ({
              type: 'tool-approval-response',
              approvalId,
              approved: asked.length === 0 || later,
            }));
            asked.push(requests.length);
            messages.push(...messagesOf(result), { role: 'tool', content });
          }
        };
        for (const later of [true, false])
          expect(await answered(true, later)).toEqual(await answered(false, later));
      }
    });

    it('a question that was asked in one process is answered in another', async () => {
      const store = createMemoryStore();
      const messages: object[] = [{ role: 'user', content: 'x' }];
      const { tools, runs } = counting();
      let turns = 0;
      const process = async () => {
        const { model } = script(() => {
          turns += 1;
          return turns <= 7 ? again(turns) : { text: 'Done.' };
        });
        const guard = deloop({ attended: true, store, session: 'chat' });
        const result = await sdk.generateText(guard({ model, tools, messages, stopWhen: never }));
        messages.push(...(result.responseMessages ?? result.response.messages));
        await guard.run().saved();
        return result;
      };
      const { steps } = await process();
      const request = steps.at(-1)?.content.find(({ type }) => type === 'tool-approval-request');
      expect([runs(), typeof request?.approvalId]).toEqual([4, 'string']);
      const content = [{ type: 'tool-approval-response', approvalId: request?.approvalId, approved: true }];
      messages.push({ role: 'tool', content });
      expect((await process()).text).toBe('Done.');
      expect(runs()).toBe(5);
    });
  });
}
