import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type ToolRunnableConfig, tool } from '@langchain/core/tools';
import {
  Command,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { toolsCondition } from '@langchain/langgraph/prebuilt';
import {
  type AgentMiddleware,
  type BaseMessage,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  modelRetryMiddleware,
  providerStrategy,
  toolRetryMiddleware,
  toolStrategy,
} from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deloop, type LangChainOptions, type StopReason } from '../../../src/adapters/langchain/index.ts';
import { type Preset, presets } from '../../../src/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import type { ModelRequest, ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, NOTHING, talking, thrifty, until } from '../driver.ts';
import { toolsOf } from './host.ts';
import { ScriptedChatModel, TerseChatModel } from './scripted-model.ts';
import { counted, inThread, listening, person, script } from './setting.ts';

class QuotaError extends Error {
  override readonly name = 'QuotaError';
}

/** What belongs to LangChain alone; the rest is the contract of all adapters. */
export function testLangChain(): void {
  describe('LangChain: tools', () => {
    const failing = () =>
      counted(() => {
        throw new QuotaError('too many requests');
      });

    it('an error ends the run as it is where it should', async () => {
      const { look } = failing();
      const { model } = script(until(1));
      const agent = createAgent({ model, tools: [look], middleware: [deloop({ toolErrors: 'throw' })] });
      const error: unknown = await agent.invoke(person()).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(QuotaError);
    });

    it('an error reaches a middleware around the guard, and one inside it', async () => {
      const seen: unknown[] = [];
      const own = createMiddleware({
        name: 'own',
        async wrapToolCall(request, handler) {
          try {
            return await handler(request);
          } catch (error) {
            seen.push(error);
            return new ToolMessage({ content: 'Mine.', tool_call_id: request.toolCall.id ?? '' });
          }
        },
      });
      for (const middleware of [
        [deloop(), own],
        [own, deloop({ toolErrors: 'throw' })],
      ]) {
        const { look } = failing();
        const { model, requests } = script(until(1));
        await createAgent({ model, tools: [look], middleware }).invoke(person());
        expect(seen.pop()).toBeInstanceOf(QuotaError);
        expect(requests[1]?.sent).toContain('Mine.');
      }
    });

    it('retries are one call', async () => {
      const { look, ran } = counted((n) => {
        if (n % 3 !== 0) throw new QuotaError('too many requests');
        return NOTHING;
      });
      const { guard, actions } = listening();
      const { model } = script(until(2));
      const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 0 });
      await createAgent({ model, tools: [look], middleware: [guard, retry] }).invoke(person());
      expect(ran).toHaveLength(6);
      expect(actions()).toEqual([]);
    });

    it('arguments that are malformed, and those that the schema refuses, are seen as such', async () => {
      const strict = tool(async () => 'never', {
        name: 'strict',
        description: 'strict',
        schema: z.object({ path: z.string() }),
      });
      for (const [args, last] of [
        [{ path: 1 }, 3],
        ['{"path": "a', 1],
      ] as const) {
        const { guard, heard } = listening({ preset: presets.recommended });
        const { model } = script((n) =>
          n <= 3
            ? { calls: [callOf(n, 'strict', typeof args === 'string' ? `${args}${n}` : { ...args, n })] }
            : { text: 'Done.' },
        );
        const agent = createAgent({
          model,
          tools: [strict],
          middleware: [guard],
          checkpointer: new MemorySaver(),
        });
        // LangChain ends the agent after a response that has only malformed calls.
        for (let runs = last; runs <= 3; runs++)
          await agent.invoke(runs === last ? person() : { messages: [] }, inThread('one'));
        expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'strict', status: 'invalid' });
        expect(heard[0]?.decision.call).toBe(3);
      }
    });

    it('a result that comes as a command is seen', async () => {
      const { guard, actions } = listening();
      const { model } = script(until(3));
      const look = tool(
        async (_args, { toolCall }: ToolRunnableConfig) =>
          new Command({
            update: { messages: [new ToolMessage({ content: NOTHING, tool_call_id: toolCall?.id ?? '' })] },
          }),
        { name: 'look', description: 'look', schema: z.looseObject({}) },
      );
      await createAgent({ model, tools: [look], middleware: [guard] }).invoke(person());
      expect(actions()).toEqual(['nudge 3']);
    });

    it('a result that the model has already may be told in a word', async () => {
      const { look } = counted(() => 'warning: unused variable\n'.repeat(200));
      const { model, requests } = script(until(2));
      await createAgent({ model, tools: [look], middleware: [deloop({ preset: thrifty })] }).invoke(person());
      expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
      expect(requests[2]?.sent).toContain('The same as before.');
    });

    it('a call may be blocked before any tool has run', async () => {
      const store = createMemoryStore();
      const strict: Preset = { ...presets.zagens, userBoundary: 'keep' };
      const { look, ran } = counted();
      for (const calls of [2, 1]) {
        const { model, requests } = script(until(calls));
        const middleware = [deloop({ preset: strict, store, session: 'kept' })];
        const { messages } = await createAgent({ model, tools: [look], middleware }).invoke(person());
        if (calls === 2) continue;
        expect(ran).toHaveLength(2);
        expect(messages[2]).toBeInstanceOf(ToolMessage);
        expect(messages[2]).toMatchObject({ status: 'error', tool_call_id: 'call-1-0', name: 'look' });
        expect(requests[1]?.sent).toContain(JSON.stringify(messages[2]?.content));
      }
    });

    it('that a middleware brings are there, also when they fail', async () => {
      const { guard, heard } = listening();
      const ran: number[] = [];
      const rows = tool(
        ({ n }) => {
          ran.push(n);
          throw new Error('The row is locked.');
        },
        { name: 'rows', description: 'rows', schema: z.object({ n: z.number() }) },
      );
      const bringing = createMiddleware({
        name: 'bringing',
        wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, rows] }),
        wrapToolCall: (request, handler) => handler({ ...request, tool: rows }),
      });
      const { model } = script((n) =>
        n <= 8 ? { calls: [callOf(n, 'rows', { n: n * n })] } : { text: 'Done.' },
      );
      const middleware = [guard, bringing, toolRetryMiddleware({ maxRetries: 0 })];
      const { messages } = await createAgent({ model, tools: [counted().look], middleware }).invoke(person());
      expect([messages.at(-1)?.text, ran.length]).toEqual(['Done.', 8]);
      expect(heard.map(({ decision }) => decision.finding.detector)).not.toContain('bad-call');
    });

    it('that nobody brings are missed', async () => {
      const { guard, heard } = listening();
      const { model } = script((n) => ({ calls: [callOf(n, 'rows', { n })] }));
      await createAgent({ model, tools: [counted().look], middleware: [guard] }).invoke(person());
      expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', finding: { detector: 'bad-call' } });
    });
  });

  describe('LangChain: a tool node of your own', () => {
    it('gets a message for a call that is blocked, although no tool has given one', async () => {
      for (const isModelWatched of [true, false]) {
        const { guard, actions } = listening();
        const { look, ran } = counted(() => {
          throw new TypeError('the config is not valid');
        });
        const [watched = look] = guard.guarded([look]);
        const { model } = script(until(5));
        const graph = new StateGraph(MessagesAnnotation)
          .addNode('agent', async ({ messages }, runtime) => {
            const ask = () => model.bindTools([look]).invoke(messages);
            return {
              messages: [await (isModelWatched ? guard.wrapModelCall({ messages, runtime }, ask) : ask())],
            };
          })
          .addNode('tools', async ({ messages }, config) => {
            const [call] = (messages.at(-1) as AIMessage).tool_calls ?? [];
            if (call?.id === undefined) return {};
            const failed = { tool_call_id: call.id, content: 'It has failed.' };
            const given: unknown = await watched
              .invoke({ ...call, type: 'tool_call' }, config)
              .catch(() => new ToolMessage(failed));
            return { messages: [given as BaseMessage] };
          })
          .addEdge(START, 'agent')
          .addConditionalEdges('agent', toolsCondition, ['tools', END])
          .addEdge('tools', 'agent')
          .compile({ checkpointer: new MemorySaver() });
        const { messages } = await graph.invoke(person(), inThread('one'));
        expect([ran.length, actions().at(-1)]).toEqual([4, 'block 5']);
        expect(messages.at(-2)).toBeInstanceOf(ToolMessage);
        expect(messages.at(-2)).toMatchObject({ status: 'error', tool_call_id: 'call-5-0', name: 'look' });
        expect(messages.at(-2)?.text).toContain('Not run');
      }
    });
  });

  describe('LangChain: reasoning', () => {
    it('is seen beside the content, too', async () => {
      const circles = 'Wait, I should think about the file again. '.repeat(60);
      for (const additional_kwargs of [
        { reasoning_content: circles },
        { reasoning: { type: 'reasoning', summary: [{ type: 'summary_text', text: circles }] } },
      ]) {
        const reasoning = createMiddleware({
          name: 'reasoning',
          async wrapModelCall(request, handler) {
            const response = await handler(request);
            return AIMessage.isInstance(response) ? Object.assign(response, { additional_kwargs }) : response;
          },
        });
        const { guard, heard } = listening();
        const { model } = script(until(1));
        const agent = createAgent({ model, tools: [counted().look], middleware: [guard, reasoning] });
        await agent.invoke(person());
        expect(heard[0]?.decision.finding.detector).toBe('stream-repeat');
      }
    });
  });

  describe('LangChain: streams', () => {
    const circles = 'I should look again. '.repeat(500);

    /** What a stream brings, and the last message of the agent. */
    async function streamedBy(
      text: string,
      options: LangChainOptions | null,
      others: readonly AgentMiddleware[] = [],
    ) {
      const middleware = [...(options === null ? [] : [listening(options).guard]), ...others];
      const { model, requests } = script(() => ({ text }));
      const agent = createAgent({ model, tools: [counted().look], middleware });
      const told: string[] = [];
      let last: BaseMessage | undefined;
      for await (const [mode, part] of await agent.stream(person(), { streamMode: ['messages', 'values'] })) {
        if (mode === 'messages') told.push(part[0].text);
        else last = part.messages.at(-1);
      }
      return { told, text: last?.text, metadata: last?.response_metadata, requests };
    }

    it('that run in circles are cut, and what there is of them stays', async () => {
      const { told, text = '', metadata } = await streamedBy(circles, {});
      expect(text.length).toBeLessThan(1000);
      expect(circles.startsWith(text)).toBe(true);
      expect(told.join('')).toBe(text);
      expect(metadata).toEqual({ deloop: { cut: 'content' } });
    });

    /** What a model has thought and said that thinks in circles so many times, and who has heard it. */
    async function thinking(times: number, options: LangChainOptions = {}) {
      const { model, requests } = script((n) => (n <= times ? { reasoning: circles } : { text: 'Done.' }));
      const { guard, actions } = listening(options);
      const agent = createAgent({ model, tools: [counted().look], middleware: [guard] });
      const told: BaseMessage[] = [];
      let all: BaseMessage[] = [];
      for await (const [mode, part] of await agent.stream(person(), { streamMode: ['messages', 'values'] }))
        if (mode === 'messages') told.push(part[0]);
        else all = part.messages;
      return { requests, told, all, actions: actions(), stopped: guard.stopped };
    }
    const saidIn = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text).join('');

    it('of thoughts that run in circles are cut, too, and the model is asked once more', async () => {
      const { requests, told, all, actions } = await thinking(1);
      expect(told.length).toBeLessThan(circles.length / 7 / 10);
      expect(saidIn(told)).toBe('Done.');
      expect(all.map(({ text }) => text)).toEqual(['Find it.', 'Done.']);
      const nudge = 'The text had begun to repeat itself.';
      expect(all[1]?.response_metadata).toMatchObject({ deloop: { nudge: expect.stringContaining(nudge) } });
      expect(requests.map(({ sent }) => sent.includes(nudge))).toEqual([false, true]);
      expect(actions).toEqual(['nudge 0']);
    });

    it('of thoughts that run in circles again end the run', async () => {
      const { requests, told, all, actions, stopped } = await thinking(99);
      expect([requests.length, actions]).toEqual([2, ['nudge 0', 'halt 0']]);
      expect(saidIn(told)).toBe(stopped?.message);
      expect(all.map(({ text }) => text)).toEqual(['Find it.', stopped?.message]);
      expect(all[1]?.response_metadata).toEqual({ deloop: { stopped } });
    });

    it('of thoughts leave words that providers take where nobody stops the run', async () => {
      const { recommended } = presets;
      const ladder = recommended.ladder.filter(
        ({ on, action }) => on !== 'stream-repeat' || action === 'nudge',
      );
      const { requests, told, all, stopped } = await thinking(99, { preset: { ...recommended, ladder } });
      expect([requests.length, stopped, all.length]).toEqual([2, null, 2]);
      expect(saidIn(told)).toMatch(/cut/);
      expect(all[1]?.text).toBe(saidIn(told));
      expect(all[1]?.response_metadata).toMatchObject({ deloop: { cut: 'reasoning' } });
    });

    it('that are cut stay so, although a middleware behind the guard makes a message of the abortion', async () => {
      const cut = await streamedBy(circles, {});
      expect(await streamedBy(circles, {}, [modelRetryMiddleware()])).toEqual(cut);
    });

    it('of models that a middleware behind the guard asks are no part of the response', async () => {
      const asking = createMiddleware({
        name: 'asking',
        async wrapModelCall(request, handler) {
          await script(() => ({ text: 'Which tools?' })).model.invoke('Which?');
          return handler(request);
        },
      });
      const { text = 'nothing' } = await streamedBy(circles, {}, [asking]);
      expect(text.length).toBeLessThan(1000);
      expect(circles.startsWith(text)).toBe(true);
    });

    it('that do not, and all of them in shadow mode, are as they are without the guard', async () => {
      const story = Array.from({ length: 200 }, (_, n) => `In room ${n} there are ${n * n} chairs. `).join(
        '',
      );
      expect(await streamedBy(story, {})).toEqual(await streamedBy(story, null));
      expect(await streamedBy(circles, { mode: 'shadow' })).toEqual(await streamedBy(circles, null));
    });

    /** As the models of OpenAI do it: what the call is configured with stands in the place of what the tools were bound with. */
    function overriding(model: ScriptedChatModel, onCall: (callbacks: unknown) => void = () => {}) {
      const bindTools = model.bindTools.bind(model);
      model.bindTools = (tools, settings = {}) => {
        const bound = bindTools(tools);
        const invoke = bound.invoke.bind(bound);
        bound.invoke = (input, config) => {
          onCall(config?.callbacks);
          return invoke(input, { ...settings, ...config });
        };
        return bound;
      };
      return model;
    }

    it('that run in circles are cut, although the model does not take the settings', async () => {
      const { model } = script(() => ({ text: circles }));
      const agent = createAgent({
        model: overriding(model),
        tools: [counted().look],
        middleware: [listening().guard],
      });
      let told = '';
      for await (const [part] of await agent.stream(person(), { streamMode: 'messages' })) told += part.text;
      expect(told.length).toBeLessThan(1000);
    });

    it('that run in circles are cut, although the model tells only their text, and are told once', async () => {
      const model = new TerseChatModel(() => ({ text: circles }), true);
      const { guard } = listening();
      const tools = [counted().look];
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('agent', async ({ messages }, runtime) => {
          const ask = () => model.bindTools(tools).invoke(messages, runtime);
          return { messages: [await guard.wrapModelCall({ messages, tools, runtime }, ask)] };
        })
        .addEdge(START, 'agent')
        .compile();
      for (const app of [createAgent({ model, tools, middleware: [guard] }), graph]) {
        let told = '';
        let last: BaseMessage | undefined;
        const config = { streamMode: ['messages' as const, 'values' as const] };
        for await (const [mode, part] of await app.stream(person(), config))
          if (mode === 'messages') told += part[0].text;
          else last = part.messages.at(-1);
        expect(AIMessage.isInstance(last)).toBe(true);
        expect(told.length).toBeLessThan(1000);
        expect(last?.text).toBe(told);
      }
    });

    it('that run in circles are cut where they are read as events of version 3', async () => {
      for (const channel of ['text', 'reasoning'] as const) {
        const { model, requests } = script((n) => (n === 1 ? { [channel]: circles } : { text: 'Done.' }));
        const { guard, actions } = listening();
        const agent = createAgent({ model, tools: [counted().look], middleware: [guard] });
        const run = await agent.streamEvents(person(), { version: 'v3' });
        const told: string[] = [];
        let thought = '';
        for await (const message of run.messages) {
          told.push(await message.text);
          thought += await message.reasoning;
        }
        const { messages } = await run.output;
        expect(thought.length).toBeLessThan(1000);
        expect(told[0]?.length).toBeLessThan(1000);
        expect(messages.at(-1)?.text).toBe(told.at(-1));
        if (channel === 'reasoning') expect(told).toEqual(['', 'Done.']);
        expect([requests.length, actions()]).toEqual([channel === 'text' ? 1 : 2, ['nudge 0']]);
      }
    });

    it('are listened to only where somebody else may', async () => {
      const listeners: unknown[] = [];
      const { model } = script(() => ({ text: 'Done.' }));
      overriding(model, (callbacks) => {
        const { handlers = [] } = (callbacks ?? {}) as { handlers?: readonly { name: string }[] };
        listeners.push(handlers.some(({ name }) => name === 'deloop'));
      });
      const agent = createAgent({ model, tools: [counted().look], middleware: [listening().guard] });
      await agent.invoke(person());
      await agent.invoke(person(), { callbacks: [{ handleLLMNewToken() {} }] });
      for await (const _ of await agent.stream(person(), { streamMode: 'messages' }));
      for await (const _ of await agent.stream(person(), { streamMode: 'values' }));
      expect(listeners).toEqual([false, true, true, false]);
    });

    it('are cut in a graph of your own that hands the settings on', async () => {
      const { guard } = listening();
      const { model } = script(() => ({ text: circles }));
      const { text } = await guard.wrapModelCall(
        { messages: person().messages, tools: [counted().look] as readonly object[], modelSettings: {} },
        async ({ messages, tools, modelSettings }) => {
          let all: AIMessageChunk | undefined;
          for await (const chunk of await model.bindTools(tools, modelSettings).stream([...messages]))
            all = all?.concat(chunk) ?? chunk;
          return all as AIMessageChunk;
        },
      );
      expect(text.length).toBeLessThan(1000);
    });

    it('of agents that one node asks at once are not taken for each other', async () => {
      const { guard, heard } = listening();
      const tools: readonly object[] = [counted().look];
      const asked = (name: string, text: string, runtime: LangGraphRunnableConfig, first?: unknown) => {
        const { model } = script(() => ({ text }));
        const { wrapModelCall } = guard.agent(name);
        return wrapModelCall({ messages: person().messages, tools, runtime }, async (request) => {
          await first;
          return model.bindTools(request.tools, request.modelSettings).invoke([...request.messages], runtime);
        });
      };
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('both', async (_, runtime: LangGraphRunnableConfig) => {
          const { callbacks, signal } = runtime;
          const other = await asked('other', 'All is well.', runtime, asked('one', circles, runtime));
          expect([runtime.callbacks === callbacks, runtime.signal === signal]).toEqual([true, true]);
          return { messages: [other] };
        })
        .addEdge(START, 'both')
        .addEdge('both', END)
        .compile();
      let last: BaseMessage | undefined;
      for await (const [mode, part] of await graph.stream(person(), { streamMode: ['messages', 'values'] }))
        if (mode === 'values') last = part.messages.at(-1);
      expect(last?.text).toBe('All is well.');
      expect(heard.map(({ decision }) => decision.agent)).not.toContain('other');
    });
  });

  describe('LangChain: structured output', () => {
    const format = z.object({ rows: z.array(z.object({ note: z.string() })) });
    /** What a model gives that is asked for a schema: of itself, or because it is known that it can. */
    const ways = {
      provider: { responseFormat: providerStrategy(format), profile: {} },
      known: { responseFormat: format, profile: { structuredOutput: true } },
    };

    function agentThatSays(text: string, { responseFormat, profile }: (typeof ways)['provider']) {
      const { guard, heard } = listening();
      const model = new ScriptedChatModel(() => ({ text }));
      Object.defineProperty(model, 'profile', { value: profile });
      const checkpointer = new MemorySaver();
      const agent = createAgent({ model, tools: [], middleware: [guard], responseFormat, checkpointer });
      return { agent, heard };
    }

    it('may be a list of many equal rows, as often as it is asked for', async () => {
      const rows = Array.from({ length: 200 }, () => ({ note: 'No defects, \\ "as far as I see".' }));
      for (const way of Object.values(ways) as (typeof ways)['provider'][]) {
        const { agent, heard } = agentThatSays(JSON.stringify({ rows }), way);
        for (const _ of [1, 2, 3]) {
          const { structuredResponse } = await agent.invoke(person(), inThread('whole'));
          expect(structuredResponse).toEqual({ rows });
          let streamed: unknown;
          const config = { ...inThread('streamed'), streamMode: ['messages' as const, 'values' as const] };
          for await (const [mode, part] of await agent.stream(person(), config))
            if (mode === 'values') streamed = part.structuredResponse;
          expect(streamed).toEqual({ rows });
        }
        expect(heard).toEqual([]);
      }
    });

    it('is cut where it says the same within a string, or nothing but white space, and where it is no JSON', async () => {
      for (const text of [
        `{"rows": [{"note": "${'court, court '.repeat(2000)}`,
        `{"rows": [${'\n'.repeat(20_000)}`,
        'I should look, again. '.repeat(2000),
      ]) {
        const { agent, heard } = agentThatSays(text, ways.provider);
        let told = '';
        const config = { ...inThread('one'), streamMode: 'messages' as const };
        for await (const [part] of await agent.stream(person(), config)) told += part.text;
        expect(told.length).toBeLessThan(9000);
        expect(heard.map(({ decision }) => decision.finding.detector)).toEqual(['stream-repeat']);
      }
    });
  });

  describe('LangChain: interrupts', () => {
    it('of a tool pass through, and the call that comes again counts once', async () => {
      const { guard, actions } = listening();
      const { model } = script(until(2));
      const { look, ran } = counted(() => interrupt('Which one?'));
      const agent = createAgent({
        model,
        tools: [look],
        middleware: [guard],
        checkpointer: new MemorySaver(),
      });
      let result = await agent.invoke(person(), inThread('one'));
      for (const n of [1, 2]) {
        expect(result).toMatchObject({ __interrupt__: [{ value: 'Which one?' }] });
        expect(ran).toHaveLength(2 * n - 1);
        result = await agent.invoke(new Command({ resume: 'This one.' }), inThread('one'));
      }
      expect(result.messages.at(-1)?.text).toBe('Done.');
      expect(ran).toHaveLength(4);
      expect(actions()).toEqual([]);
    });

    it('without a checkpointer nobody can be asked, and the run is stopped', async () => {
      const { guard, actions } = listening({ attended: true });
      const { model } = script(again);
      const { look, ran } = counted();
      const agent = createAgent({ model, tools: [look], middleware: [guard] });
      const { messages } = await agent.invoke(person(), { recursionLimit: 500 });
      expect(actions().at(-1)).toBe('ask 7');
      expect(ran).toHaveLength(4);
      expect(guard.stopped?.action).toBe('ask');
      expect(messages.at(-1)?.text).toBe('Report.');
    });

    it('one answer is enough for all calls that wait', async () => {
      for (const version of ['v1', 'v2'] as const) {
        const { guard, heard } = listening({ attended: true });
        const { look, ran } = counted();
        let isAnswered = false;
        const { model } = script((n) =>
          isAnswered
            ? { text: 'Done.' }
            : { calls: [0, 1].map((nth) => callOf(n, 'look', { query: 'x' }, nth)) },
        );
        const checkpointer = new MemorySaver();
        const agent = createAgent({ model, tools: [look], middleware: [guard], checkpointer, version });
        let result: { messages: BaseMessage[]; __interrupt__?: { id?: string }[] } = await agent.invoke(
          person(),
          inThread('one'),
        );
        const before = ran.length;
        expect(result.__interrupt__?.length).toBeGreaterThan(0);
        const resume = Object.fromEntries(
          (result.__interrupt__ ?? []).map(({ id }) => [id, { decisions: [{ type: 'approve' }] }]),
        );
        isAnswered = true;
        result = await agent.invoke(new Command({ resume }), inThread('one'));
        expect(result.messages.at(-1)?.text).toBe('Done.');
        expect(ran.length).toBe(before + 2);
        // Two of the same in one response are one round of seven: the first of the seventh is asked about.
        expect(before).toBe(8);
        const asked = heard.filter(({ decision }) => decision.action === 'ask');
        expect(asked.map(({ decision }) => decision.call)).toEqual([13]);
      }
    });

    it('of a tool get their own answer, not the one to a question before', async () => {
      for (const version of ['v1', 'v2'] as const) {
        const { guard } = listening({ attended: true });
        const told: unknown[] = [];
        const { look } = counted(() => {
          told.push(interrupt('Which one?'));
          return NOTHING;
        });
        const { model } = script(until(7));
        const agent = createAgent({
          model,
          tools: [look],
          middleware: [guard],
          checkpointer: new MemorySaver(),
          version,
        });
        let result: { messages: BaseMessage[]; __interrupt__?: { value?: unknown }[] } = await agent.invoke(
          person(),
          inThread('one'),
        );
        const asked: unknown[] = [];
        while (result.__interrupt__?.[0] !== undefined && asked.length < 10) {
          const isTool = result.__interrupt__[0].value === 'Which one?';
          asked.push(isTool ? 'tool' : 'deloop');
          const resume = isTool ? 'the first' : { decisions: [{ type: 'approve' }] };
          result = await agent.invoke(new Command({ resume }), inThread('one'));
        }
        expect(asked).toEqual(['tool', 'tool', 'tool', 'tool', 'deloop', 'tool']);
        expect(told).toEqual(Array(5).fill('the first'));
        expect(result.messages.at(-1)?.text).toBe('Done.');
      }
    });

    it('a question that was asked in one process is answered in another', async () => {
      const store = createMemoryStore();
      const checkpointer = new MemorySaver();
      const { look, ran } = counted();
      const { model } = script(until(7));
      const agent = () =>
        createAgent({
          model,
          tools: [look],
          middleware: [deloop({ attended: true, store })],
          checkpointer,
        });
      const held = await agent().invoke(person(), inThread('one'));
      expect(held).toMatchObject({
        __interrupt__: [
          {
            value: {
              actionRequests: [{ name: 'look', args: { query: 'x' } }],
              deloop: { action: 'ask', call: 7 },
            },
          },
        ],
      });
      expect(ran).toHaveLength(4);
      const { messages } = await agent().invoke(new Command({ resume: true }), inThread('one'));
      expect(messages.at(-1)?.text).toBe('Done.');
      expect(ran).toHaveLength(5);
    });

    it("what a person rejects in LangChain's own way is told as denied", async () => {
      const { guard, heard } = listening();
      const { model } = script(until(9));
      const { look, ran } = counted();
      const agent = createAgent({
        model,
        tools: [look],
        middleware: [guard, humanInTheLoopMiddleware({ interruptOn: { look: true } })],
        checkpointer: new MemorySaver(),
      });
      await agent.invoke(person(), inThread('one'));
      for (let n = 0; n < 4 && heard.length === 0; n++)
        await agent.invoke(
          new Command({ resume: { decisions: [{ type: 'reject', message: 'No.' }] } }),
          inThread('one'),
        );
      expect(ran).toEqual([]);
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'look', status: 'denied' });
    });

    it("a person who rejects the same call in LangChain's own way is asked the guard's question, too", async () => {
      for (const type of ['approve', 'reject'] as const) {
        const store = createMemoryStore();
        const checkpointer = new MemorySaver();
        const { model, requests } = script(until(9));
        const { look, ran } = counted();
        const { guard, actions } = listening({ attended: true, store });
        const agentOf = (own: AgentMiddleware) =>
          createAgent({
            model,
            tools: [look],
            middleware: [own, humanInTheLoopMiddleware({ interruptOn: { look: true } })],
            checkpointer,
          });
        let result: { messages: BaseMessage[]; __interrupt__?: { value?: unknown }[] } = await agentOf(
          guard,
        ).invoke(person(), inThread('one'));
        const asked: string[] = [];
        while (result.__interrupt__?.[0] !== undefined && asked.length < 20) {
          const { value } = result.__interrupt__[0];
          const isOurs = 'deloop' in (value as object);
          asked.push(isOurs ? 'deloop' : 'person');
          if (isOurs) {
            expect(value).toMatchObject({ actionRequests: [{ name: 'look', args: { query: 'x' } }] });
            expect([requests.length, actions().at(-1)]).toEqual([7, 'ask 7']);
          }
          const resume = { decisions: [isOurs ? { type } : { type: 'reject', message: 'No.' }] };
          // The answer to the guard's question may come to another process.
          const own = isOurs && type === 'reject' ? deloop({ attended: true, store }) : guard;
          result = await agentOf(own).invoke(new Command({ resume }), inThread('one'));
        }
        const others = Array(7).fill('person');
        expect(asked).toEqual(
          type === 'reject' ? [...others, 'deloop'] : [...others, 'deloop', 'person', 'person'],
        );
        expect(result.messages.at(-1)?.text).toBe(type === 'reject' ? 'Report.' : 'Done.');
        expect(ran).toEqual([]);
        if (type === 'approve') expect(guard.run('one').questionFor()).toBeNull();
      }
    });
  });

  describe('LangChain: the end', () => {
    it('leaves no call without a result, and says why', async () => {
      for (const lastTurn of [true, false]) {
        const { guard } = listening({ lastTurn });
        const { model } = script((n) => ({
          calls: [0, 1, 2].map((nth) => callOf(n, 'look', { query: 'x' }, nth)),
        }));
        const { look } = counted();
        const agent = createAgent({ model, tools: [look], middleware: [guard] });
        const { messages } = await agent.invoke(person(), { recursionLimit: 500 });
        const called = messages.filter(AIMessage.isInstance).flatMap(({ tool_calls = [] }) => tool_calls);
        const answered = messages.filter(ToolMessage.isInstance).map(({ tool_call_id }) => tool_call_id);
        expect(answered.toSorted()).toEqual(called.map(({ id }) => id).toSorted());
        const last = messages.at(-1);
        expect(last).toBeInstanceOf(AIMessage);
        expect(last?.text).toBe(lastTurn ? 'Report.' : guard.stopped?.message);
        if (!lastTurn) expect(last?.response_metadata).toMatchObject({ deloop: { stopped: guard.stopped } });
      }
    });

    it('comes, although the model calls tools that it was not given', async () => {
      const { guard, actions } = listening();
      const requests: ModelRequest[] = [];
      const model = new ScriptedChatModel((request) => {
        requests.push(request);
        return again(requests.length);
      });
      const { look, ran } = counted();
      const agent = createAgent({ model, tools: [look], middleware: [guard] });
      const { messages } = await agent.invoke(person(), { recursionLimit: 500 });
      expect([requests.length, ran.length]).toEqual([8, 4]);
      expect(actions().at(-1)).toBe('halt 7');
      expect(messages.at(-1)?.text).toBe(guard.stopped?.message);
    });

    it('comes, although the report is not the structured response that is due', async () => {
      const format = z.object({ count: z.number() }).meta({ title: 'found' });
      const own = createMiddleware({ name: 'own', wrapModelCall: (request, handler) => handler(request) });
      const strict = toolStrategy(format, { handleError: false });
      const wrong: ScriptedTurn = { calls: [callOf(8, 'found', { count: 'many' })] };
      for (const [responseFormat, report] of [
        [providerStrategy(format), { text: 'Report.' }],
        [strict, wrong],
        [toolStrategy(format), wrong],
      ] as const)
        for (const others of [[], [own]]) {
          const { guard, actions } = listening();
          let asked = 0;
          const model = new ScriptedChatModel(() => {
            asked += 1;
            return asked < 8 ? again(asked) : report;
          });
          const agent = createAgent({
            model,
            tools: [counted().look],
            middleware: [guard, ...others],
            responseFormat: responseFormat as typeof strict,
          });
          const { messages } = await agent.invoke(person(), { recursionLimit: 500 });
          expect([asked, actions().at(-1)]).toEqual([8, 'halt 7']);
          expect(messages.at(-1)?.text).toBe(guard.stopped?.message);
          expect(guard.run().isOver()).toBe(true);
        }
    });

    it('comes, although the provider refuses a request without tools', async () => {
      for (const refusal of [{ status: 400 }, { $metadata: { httpStatusCode: 400 } }]) {
        const { guard } = listening();
        const refusing = createMiddleware({
          name: 'refusing',
          wrapModelCall(request, handler) {
            if (request.tools.length === 0)
              throw Object.assign(new Error('The toolConfig field must be defined.'), refusal);
            return handler(request);
          },
        });
        const { model } = script(again);
        const agent = createAgent({ model, tools: [counted().look], middleware: [guard, refusing] });
        const { messages } = await agent.invoke(person(), { recursionLimit: 500 });
        expect(messages.at(-1)?.text).toBe(guard.stopped?.message);
        expect(guard.run().isOver()).toBe(true);
      }
    });

    it('leaves the last turn to a model that has failed in it', async () => {
      const { guard } = listening();
      let failures = 1;
      const failing = createMiddleware({
        name: 'failing',
        wrapModelCall(request, handler) {
          if (request.tools.length === 0 && failures-- > 0) throw new Error('overloaded');
          return handler(request);
        },
      });
      const { model, requests } = script(again);
      const agent = createAgent({
        model,
        tools: [counted().look],
        middleware: [guard, failing],
        checkpointer: new MemorySaver(),
      });
      await expect(agent.invoke(person(), inThread('one'))).rejects.toThrow('overloaded');
      const { messages } = await agent.invoke(null, inThread('one'));
      expect(messages.at(-1)?.text).toBe('Report.');
      const sent = requests.length;
      const ended = await agent.invoke({ messages: [] }, inThread('one'));
      expect(ended.messages.at(-1)?.text).toBe(guard.run('one').stopped?.message);
      expect(requests).toHaveLength(sent);
    });

    it('is in the stream of messages, once', async () => {
      const { guard } = listening({ lastTurn: false });
      const agent = createAgent({ model: script(again).model, tools: [counted().look], middleware: [guard] });
      const told: string[] = [];
      const config = { streamMode: 'messages' as const, recursionLimit: 500 };
      for await (const [message] of await agent.stream(person(), config))
        if (message.type === 'ai') told.push(message.text);
      expect(told.filter((text) => text !== '')).toEqual([guard.stopped?.message]);
    });

    it('is among the messages of events of version 3, once', async () => {
      const { guard } = listening({ lastTurn: false });
      const agent = createAgent({ model: script(again).model, tools: [counted().look], middleware: [guard] });
      const told: string[] = [];
      const run = await agent.streamEvents(person(), { version: 'v3', recursionLimit: 500 });
      for await (const message of run.messages) told.push(await message.text);
      expect(told.filter((text) => text !== '')).toEqual([guard.stopped?.message]);
    });

    it('tells its reason to onStop, with the thread', async () => {
      const reasons: StopReason[] = [];
      const guard = deloop({ onStop: (reason) => reasons.push(reason) });
      const { model } = script(again);
      const agent = createAgent({ model, tools: [counted().look], middleware: [guard] });
      await agent.invoke(person(), inThread('chat'));
      expect(reasons).toEqual([guard.run('chat').stopped]);
      expect(reasons[0]).toMatchObject({ by: 'deloop', session: 'chat', detector: 'no-progress' });
    });
  });

  describe('LangChain: nudges', () => {
    it('stay in the conversation in another process, too', async () => {
      const checkpointer = new MemorySaver();
      const { look } = counted();
      const sent: string[] = [];
      for (const turns of [5, 1]) {
        const { model, requests } = script(until(turns === 5 ? 4 : 0));
        const agent = createAgent({ model, tools: [look], middleware: [deloop()], checkpointer });
        await agent.invoke(person(), inThread('one'));
        sent.push(requests.at(-1)?.sent ?? '');
      }
      for (const text of sent) expect(text.split('has given the same result 3 times')).toHaveLength(2);
    });

    it('are said again when the model has failed', async () => {
      let failures = 1;
      const { model, requests } = script((n) => {
        if (n === 4 && failures-- > 0) throw new Error('overloaded');
        return n <= 4 ? again(n) : { text: 'Done.' };
      });
      const retry = modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 0 });
      const middleware = [retry, deloop()];
      await createAgent({ model, tools: [counted().look], middleware }).invoke(person());
      for (const n of [4, 5]) expect(requests[n - 1]?.sent).toContain('has given the same result 3 times');
    });

    it('reach a model of Mistral, which refuses what a user says right behind results', async () => {
      const checkpointer = new MemorySaver();
      const { guard, actions } = listening();
      const { model, requests } = script(again);
      const agent = createAgent({ model, tools: [counted().look], middleware: [guard], checkpointer });
      Object.assign(model, { model: 'mistral-large-latest' });
      const { messages } = await agent.invoke(person(), inThread('one'));
      await agent.invoke(person('And now?'), inThread('one'));
      expect([messages.at(-1)?.text, actions()[0]]).toEqual(['Report.', 'nudge 3']);
      expect(requests.length).toBeGreaterThan(8);
      for (const { sent } of requests) {
        const types = (JSON.parse(sent) as { type: string }[]).map(({ type }) => type).join(' ');
        expect(types).not.toContain('tool human');
      }
      expect(messages.filter(({ text }) => text.startsWith('I have read'))).toEqual([]);
    });

    it('give the next response to a stronger model where the guard says so', async () => {
      const strong = script((n) => again(100 + n));
      const { model, requests } = script((n) => ({ calls: [callOf(n, 'build', { target: `${n}` })] }));
      const tools = toolsOf({
        build() {
          throw new TypeError('the config is not valid');
        },
      });
      const middleware = [deloop({ strongerModel: strong.model, lastTurn: false })];
      await createAgent({ model, tools, middleware }).invoke(person(), { recursionLimit: 500 });
      expect(strong.requests).toHaveLength(1);
      expect(requests).toHaveLength(10);
    });
  });

  describe('LangChain: runs', () => {
    it('without a thread every invocation is one, however many there are at once', async () => {
      const { guard, heard } = listening();
      const input = person();
      const one = async () => {
        const { model } = script(until(2));
        await createAgent({ model, tools: [counted().look], middleware: [guard] }).invoke(input);
      };
      await Promise.all([one(), one(), one()]);
      await one();
      expect(heard).toEqual([]);
    });

    it('without a thread each one is followed, however many there are at once', async () => {
      const { guard, actions } = listening();
      const one = () =>
        createAgent({ model: script(again).model, tools: [counted().look], middleware: [guard] }).invoke(
          person(),
          { recursionLimit: 500 },
        );
      await Promise.all([one(), one(), one()]);
      expect(actions().filter((action) => action === 'halt 7')).toHaveLength(3);
    });

    it('without a thread one is known by its responses, although a middleware puts copies in their place', async () => {
      const copyOf = ({ id, content, tool_calls = [] }: AIMessage, isSame: boolean) =>
        new AIMessage({ content, tool_calls, ...(isSame && id !== undefined && { id }) });
      const copying: readonly AgentMiddleware[] = [
        createMiddleware({
          name: 'copying',
          afterModel: ({ messages }) => ({ messages: [copyOf(messages.at(-1) as AIMessage, true)] }),
        }),
        createMiddleware({
          name: 'copying anew',
          wrapModelCall: async (request, handler) => copyOf((await handler(request)) as AIMessage, false),
        }),
      ];
      for (const middleware of copying) {
        const { guard, heard } = listening();
        const { model } = script((n) => again(n));
        await createAgent({ model, tools: [counted().look], middleware: [middleware, guard] }).invoke(
          person(),
        );
        expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
      }
    });

    it('without a thread a stopped one goes on from its messages', async () => {
      const { guard, actions } = listening();
      const { look, ran } = counted();
      const { model } = script((n) => (ran.length > 4 ? { text: 'Done.' } : again(n)));
      const agent = createAgent({ model, tools: [look], middleware: [guard] });
      const { messages } = await agent.invoke(person(), { recursionLimit: 500 });
      expect(actions().at(-1)).toBe('halt 7');
      guard.run().resume();
      const result = await agent.invoke({ messages });
      expect([result.messages.at(-1)?.text, ran.length]).toEqual(['Done.', 5]);
    });

    it('keep nothing of the conversation when they have ended', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      for (const thread of [undefined, 'chat']) {
        const guard = deloop();
        const said: WeakRef<BaseMessage>[] = [];
        for (let n = 0; n < 8; n++) {
          const { model } = script(until(2));
          const agent = createAgent({ model, tools: [counted().look], middleware: [guard] });
          const { messages } = await agent.invoke(
            person(),
            thread === undefined ? {} : inThread(`${thread}-${n}`),
          );
          said.push(new WeakRef(messages[0] as BaseMessage));
        }
        await expect
          .poll(() => {
            collect();
            return said.filter((ref) => ref.deref() !== undefined).length;
          })
          .toBeLessThan(3);
      }
    });

    it('keep no long texts of people and no long results when they have ended', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const size = 2 ** 20;
      const rounds = 48;
      const held = async () => {
        // A weak reference holds on until the job has ended.
        await new Promise((resolve) => setTimeout(resolve, 20));
        collect();
        return process.memoryUsage().heapUsed;
      };
      const read = tool(async ({ n }) => 'r'.repeat(size) + String(n), {
        name: 'read',
        description: 'Reads a file.',
        schema: z.object({ n: z.number() }),
      });
      const guard = deloop();
      const before = await held();
      for (let n = 0; n < rounds; n++) {
        const { model } = script((turn) =>
          turn === 1 ? { calls: [callOf(n, 'read', { n })] } : { text: 'Done.' },
        );
        const agent = createAgent({ model, tools: [read], middleware: [guard] });
        await agent.invoke({ messages: 'q'.repeat(size) + String(n) }, inThread(`long-${n}`));
      }
      expect(((await held()) - before) / size).toBeLessThan(rounds / 2);
      expect(guard.run('long-0').stopped).toBeNull();
    });

    it('of threads know nothing of each other', async () => {
      const { guard, heard } = listening();
      const checkpointer = new MemorySaver();
      for (const thread of ['a', 'b', 'c']) {
        const { model } = script(until(2));
        const agent = createAgent({ model, tools: [counted().look], middleware: [guard], checkpointer });
        await agent.invoke(person(), inThread(thread));
      }
      expect(heard).toEqual([]);
    });

    it('a sub-agent has a history and a stop of its own', async () => {
      const { guard, heard } = listening();
      const { look, ran } = counted();
      const inner = script(again);
      const researcher = createAgent({
        model: inner.model,
        tools: [look],
        middleware: [guard.agent('researcher')],
      });
      const research = tool(
        async () => (await researcher.invoke(person('Research.'))).messages.at(-1)?.text ?? '',
        { name: 'research', description: 'research', schema: z.looseObject({}) },
      );
      const { model, requests } = script((n) =>
        n === 1 ? { calls: [callOf(n, 'research', {})] } : { text: 'Done.' },
      );
      const agent = createAgent({ model, tools: [research], middleware: [guard] });
      const { messages } = await agent.invoke(person(), inThread('one'));
      expect(heard.map(({ decision: { action, agent: who } }) => [action, who])).toEqual(
        ['nudge', 'block', 'block', 'halt'].map((action) => [action, 'researcher']),
      );
      expect(ran).toHaveLength(4);
      expect(guard.run('one').stopped).toBeNull();
      expect(guard.run('one').stoppedFor('researcher')?.agent).toBe('researcher');
      expect(requests[1]?.sent).toContain('Report.');
      expect(messages.at(-1)?.text).toBe('Done.');
    });

    it('agents without tools may talk for as long as they have something to say', async () => {
      const { guard, heard } = listening();
      const says = (name: string) => {
        const { model, said } = talking((answer) => new ScriptedChatModel(answer));
        const agent = createAgent({ model, tools: [], middleware: [guard.agent(name)] });
        return { said, agent: async (state: typeof MessagesAnnotation.State) => agent.invoke(state) };
      };
      const [writer, critic] = [says('writer'), says('critic')];
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('writer', writer.agent)
        .addNode('critic', critic.agent)
        .addEdge(START, 'writer')
        .addEdge('writer', 'critic')
        .addConditionalEdges('critic', () => (critic.said.length < 20 ? 'writer' : END))
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke(person(), { ...inThread('one'), recursionLimit: 100 });
      expect([writer.said.length, heard]).toEqual([20, []]);
    });

    it('nodes that name no tools may, too', async () => {
      const { guard, heard } = listening();
      const { model, said } = talking((answer) => new ScriptedChatModel(answer));
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('writer', async ({ messages }, runtime) => {
          const ask = () => model.invoke(messages);
          return { messages: [await guard.wrapModelCall({ messages, runtime }, ask)] };
        })
        .addEdge(START, 'writer')
        .addConditionalEdges('writer', () => (said.length < 20 ? 'writer' : END))
        .compile();
      await graph.invoke(person(), { ...inThread('one'), recursionLimit: 40 }).catch(() => {});
      expect([said.length, heard]).toEqual([20, []]);
    });

    /** A router without tools sends the work to the same worker for so many rounds; how often it was asked, and what was decided. */
    async function routed(form: 'text' | 'structured', finding: (n: number) => BaseMessage) {
      const { guard, heard } = listening();
      let [asked, handed] = [0, 0];
      const model = new ScriptedChatModel(() => ({
        text: asked++ < 12 ? '{"next":"worker"}' : '{"next":"end"}',
      }));
      Object.defineProperty(model, 'profile', { value: {} });
      const responseFormat = providerStrategy(z.object({ next: z.string() }).meta({ title: 'route' }));
      const router = createAgent({ model, tools: [], middleware: [guard], responseFormat });
      const graph = new StateGraph(MessagesAnnotation)
        .addNode(
          'router',
          async ({ messages }, runtime) => {
            if (form === 'text') {
              const ask = () => model.invoke(messages, runtime);
              const said = await guard.wrapModelCall({ messages, runtime }, ask);
              return new Command({
                update: { messages: [said] },
                goto: said.text.includes('worker') ? 'worker' : END,
              });
            }
            const { structuredResponse } = await router.invoke({ messages });
            return new Command({ goto: structuredResponse?.next === 'worker' ? 'worker' : END });
          },
          { ends: ['worker', END] },
        )
        .addNode('worker', () => ({ messages: [finding(++handed)] }))
        .addEdge(START, 'router')
        .addEdge('worker', 'router')
        .compile();
      await graph.invoke(person(), inThread('one'));
      return { handed, heard };
    }

    it('a router may give the same answer as long as it is shown something else', async () => {
      for (const form of ['text', 'structured'] as const)
        for (const Message of [AIMessage, HumanMessage]) {
          const finding = (n: number) => new Message({ content: `File ${n} is in order.`, name: 'worker' });
          expect(await routed(form, finding)).toEqual({ handed: 12, heard: [] });
        }
    });

    it('a router is stopped that is shown the same again and again', async () => {
      for (const form of ['text', 'structured'] as const) {
        const { handed, heard } = await routed(form, () => new AIMessage('I could not find anything.'));
        expect(handed).toBeLessThan(8);
        expect(heard.at(-1)?.decision).toMatchObject({
          action: 'halt',
          finding: { detector: 'turn-repeat' },
        });
      }
    });

    it('questions that a node asks one after the other, each for itself, may have the same answer', async () => {
      const { guard, heard } = listening();
      const model = new ScriptedChatModel(() => ({ text: 'yes' }));
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('grade', async (_, runtime) => {
          for (let n = 1; n <= 12; n++) {
            const messages = [new HumanMessage(`Is document ${n} about the question?`)];
            await guard.wrapModelCall({ messages, runtime }, () => model.invoke(messages, runtime));
          }
          return {};
        })
        .addEdge(START, 'grade')
        .addEdge('grade', END)
        .compile();
      await graph.invoke(person(), inThread('one'));
      expect(heard).toEqual([]);
    });

    /** A node works through a list in one invocation: each task has a history of its own, and needs the same to be looked at. */
    async function listed(tasks: readonly string[], outcome: () => unknown) {
      const { guard, heard } = listening();
      const { look, ran } = counted(outcome);
      const [watched = look] = guard.guarded([look]);
      const { model } = script((n) => (n % 2 === 1 ? again(n) : { text: `Task ${n / 2} is in order.` }));
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('all', async (_, runtime) => {
          for (const task of tasks) {
            const messages: BaseMessage[] = [new HumanMessage(task)];
            const ask = () =>
              guard.wrapModelCall({ messages, tools: [look], runtime }, ({ messages, tools }) =>
                model.bindTools(tools).invoke(messages, runtime),
              );
            messages.push(await ask());
            for (const call of (messages.at(-1) as AIMessage).tool_calls ?? [])
              messages.push(await watched.invoke({ ...call, type: 'tool_call' }, runtime));
            await ask();
          }
          return {};
        })
        .addEdge(START, 'all')
        .addEdge('all', END)
        .compile();
      await graph.invoke(person(), inThread('one'));
      return { ran: ran.length, actions: heard.map(({ decision }) => decision.action) };
    }

    it('tasks of a list begin anew each', async () => {
      const tasks = Array.from({ length: 12 }, (_, n) => `Handle ticket ${n}.`);
      expect(await listed(tasks, () => 'Refunds within 30 days.')).toEqual({ ran: 12, actions: [] });
    });

    it('the same task again and again is a loop', async () => {
      const tasks = Array.from({ length: 12 }, () => 'Handle the ticket.');
      const { ran, actions } = await listed(tasks, () => 'Refunds within 30 days.');
      expect(ran).toBeLessThan(8);
      expect(actions.at(-1)).toBe('halt');
    });

    it('a structured response stays one', async () => {
      const { guard, heard } = listening();
      const { model } = script((n) =>
        n <= 2 ? { calls: [callOf(n, 'look', { n })] } : { calls: [callOf(n, 'found', { count: 2 })] },
      );
      const format = z.object({ count: z.number() }).meta({ title: 'found' });
      const agent = createAgent({
        model,
        tools: [counted((n) => `${n}`).look],
        middleware: [guard],
        responseFormat: toolStrategy(format),
      });
      const { structuredResponse } = await agent.invoke(person(), inThread('one'));
      expect(structuredResponse).toEqual({ count: 2 });
      expect(heard).toEqual([]);
    });

    it('streams come in the same pieces', async () => {
      const all: unknown[] = [];
      for (const middleware of [[], [deloop()]]) {
        const { model } = script((n) => ({ ...until(2)(n), text: `This is what I say in turn ${n}.` }));
        const agent = createAgent({ model, tools: [counted().look], middleware });
        const pieces: unknown[] = [];
        for await (const [piece] of await agent.stream(person(), { streamMode: 'messages' }))
          pieces.push([piece.type, piece.content]);
        all.push(pieces);
      }
      expect(all[1]).toEqual(all[0]);
      expect((all[0] as unknown[]).length).toBeGreaterThan(10);
    });
  });

  describe('LangChain: options', () => {
    it('that can never work throw', () => {
      expect(() => deloop({ toolErrors: 'swallow' as never })).toThrow(
        "toolErrors is \"swallow\"; it must be 'message' or 'throw'",
      );
      expect(() => deloop({ preset: 'kodda' as never })).toThrow('kodda');
      const mistyped = { toolError: 'throw' } as LangChainOptions;
      for (const known of ['toolErrors', 'strongerModel', 'session'])
        expect(() => deloop(mistyped)).toThrow(new RegExp(`no option "toolError".*\\b${known}\\b`));
    });
  });
}
