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
import { type AiSdk, scriptedModel } from './ai-sdk.ts';
import { listeningTo, scripted, thrifty } from './driver.ts';

/** What belongs to the AI SDK alone; the rest is the contract of all adapters. */
export function testAiSdk(sdk: AiSdk): void {
  const schema = sdk.jsonSchema({ type: 'object', additionalProperties: true });
  const never = () => false;
  const again = (n: number, tool = 'look'): ScriptedTurn => ({ calls: [callOf(n, tool, { query: 'x' })] });

  type Turn = Parameters<typeof scripted>[1];
  const script = (turn: Turn) => scripted((answer) => scriptedModel(sdk, answer), turn);
  const listening = (options: AiSdkOptions = {}) => listeningTo(deloop, options);

  const look = { inputSchema: schema, execute: async () => 'Nothing was found.' };

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

    it("keeps what the user's prepareStep changes, and listens to the model that it chooses", async () => {
      const frugal: Preset = {
        ...presets.recommended,
        detectors: { ...presets.recommended.detectors, budget: { kind: 'budget', tokens: 1000 } },
      };
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
      await sdk.generateText(guard({ model, tools: { strict }, prompt: 'x', stopWhen: never }));
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

    it('a model that is given by its name is heard a step later', async () => {
      const frugal: Preset = {
        ...presets.recommended,
        detectors: { ...presets.recommended.detectors, budget: { kind: 'budget', tokens: 1000 } },
      };
      const { guard, heard } = listening({ preset: frugal });
      const { model } = script((n) => ({
        ...(n <= 4 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' }),
        usage: { input: 450, output: 0 },
      }));
      const place = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };
      const { specificationVersion } = model as { specificationVersion: string };
      place.AI_SDK_DEFAULT_PROVIDER = { specificationVersion, languageModel: () => model };
      try {
        const tools = { look: { ...look, execute: async (args: unknown) => JSON.stringify(args) } };
        await sdk.generateText(guard({ model: 'mock/model', tools, prompt: 'x', stopWhen: never }));
      } finally {
        delete place.AI_SDK_DEFAULT_PROVIDER;
      }
      expect(heard[0]?.decision).toMatchObject({ action: 'nudge', call: 2, finding: { detector: 'budget' } });
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

    it('wrap does the same as the guard itself', async () => {
      const { guard, heard } = listening();
      const { model, requests } = script((n) => again(n));
      const settings = { model, tools: { look }, prompt: 'x', stopWhen: never };
      const { text } = await guard.wrap(sdk.generateText)(settings);
      expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
      expect([text, requests.length]).toEqual(['Report.', 8]);
    });
  });

  describe(`${sdk.name}: approvals`, () => {
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

    it('a question that was asked in one process is answered in another', async () => {
      const store = createMemoryStore();
      const messages: object[] = [{ role: 'user', content: 'x' }];
      let ran = 0;
      const tools = {
        look: {
          ...look,
          async execute() {
            ran += 1;
            return 'Nothing was found.';
          },
        },
      };
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
      expect([ran, typeof request?.approvalId]).toEqual([4, 'string']);
      const content = [{ type: 'tool-approval-response', approvalId: request?.approvalId, approved: true }];
      messages.push({ role: 'tool', content });
      expect((await process()).text).toBe('Done.');
      expect(ran).toBe(5);
    });
  });
}
