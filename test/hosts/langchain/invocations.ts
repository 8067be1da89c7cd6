import {
  AIMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  MemorySaver,
  MessagesAnnotation,
  REMOVE_ALL_MESSAGES,
  Send,
  START,
  StateGraph,
  type StateSnapshot,
} from '@langchain/langgraph';
import {
  type BaseMessage,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  summarizationMiddleware,
  toolStrategy,
} from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LangChainGuard } from '../../../src/adapters/langchain/index.ts';
import { type Preset, presets } from '../../../src/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, NOTHING, until } from '../driver.ts';
import { ScriptedChatModel } from './scripted-model.ts';
import { counted, inThread, listening, person, script } from './setting.ts';

const LOOP = ['nudge', 'block', 'block', 'halt'];

/** The first checkpoint whose last message is of that kind; they come from the last to the first. */
async function firstEnding(kind: string, states: AsyncIterable<StateSnapshot>): Promise<RunnableConfig> {
  let first: RunnableConfig = {};
  for await (const { config, values } of states)
    if ((values.messages as BaseMessage[] | undefined)?.at(-1)?.type === kind) first = config;
  return first;
}

/** Who speaks: people when they invoke an agent, the program while it runs. */
export function testInvocations(): void {
  describe('LangChain: people', () => {
    const inOne = inThread('one');

    it('write after a result, too, where the tool has answered them', async () => {
      const { guard, heard } = listening();
      const order = tool(async () => 'All green.', {
        name: 'find_order',
        description: 'find_order',
        schema: z.looseObject({}),
        returnDirect: true,
      });
      const { model } = script((n) => ({ calls: [callOf(n, 'find_order', {})] }));
      const agent = createAgent({
        model,
        tools: [order],
        middleware: [guard],
        checkpointer: new MemorySaver(),
      });
      for (let n = 0; n < 10; n++) {
        const { messages } = await agent.invoke(person('How is it?'), inOne);
        expect(messages.at(-1)?.text).toBe('All green.');
      }
      expect(heard).toEqual([]);
    });

    it('write after a result, too, where the run has failed there', async () => {
      const { guard, heard } = listening();
      const { look, ran } = counted();
      const { model } = script((n) => (n === 6 ? { text: 'Done.' } : again(n)));
      const agent = createAgent({
        model,
        tools: [look],
        middleware: [guard],
        checkpointer: new MemorySaver(),
      });
      const error: unknown = await agent
        .invoke(person(), { ...inOne, recursionLimit: 6 })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'GraphRecursionError' });
      const told = heard.length;
      await agent.invoke(person('Look again.'), inOne);
      expect([heard.length - told, ran.length]).toEqual([0, 5]);
    });

    it('let a stopped agent go on, although its last turn has failed', async () => {
      const { guard } = listening();
      const { model } = script((_n, { sent }) => {
        if (sent.includes('Go on.')) return { text: 'Done.' };
        return again(sent.length);
      });
      const failing = createMiddleware({
        name: 'failing',
        wrapModelCall(request, handler) {
          if (request.tools.length === 0) throw new Error('overloaded');
          return handler(request);
        },
      });
      const agent = createAgent({
        model,
        tools: [counted().look],
        middleware: [guard, failing],
        checkpointer: new MemorySaver(),
      });
      await expect(agent.invoke(person(), inOne)).rejects.toThrow('overloaded');
      expect(guard.run('one').stopped).not.toBeNull();
      const { messages } = await agent.invoke(person('Go on.'), inOne);
      expect(messages.at(-1)?.text).toBe('Done.');
      expect(guard.run('one').stopped).toBeNull();
    });

    it('go back to where they were, as often as they like', async () => {
      for (const kind of ['human', 'ai', 'tool']) {
        const { guard, heard } = listening();
        const { look } = counted();
        const { model } = script((n, { sent }) =>
          sent.split(NOTHING).length <= 2 ? again(n) : { text: 'Done.' },
        );
        const agent = createAgent({
          model,
          tools: [look],
          middleware: [guard],
          checkpointer: new MemorySaver(),
        });
        await agent.invoke(person(), inOne);
        const config = await firstEnding(kind, agent.graph.getStateHistory(inOne));
        for (let n = 0; n < 6; n++) {
          const { messages } = await agent.invoke(null, config);
          expect(messages.at(-1)?.text).toBe('Done.');
        }
        expect([kind, heard]).toEqual([kind, []]);
      }
    });

    it('go back in a thread that is stopped, and may say it in other words', async () => {
      for (const words of ['Find it.', 'Find the other one.']) {
        const { guard, heard } = listening();
        let isLooping = true;
        const { model } = script((n) => (isLooping ? again(n) : { text: 'Done.' }));
        const agent = createAgent({
          model,
          tools: [counted().look],
          middleware: [guard],
          checkpointer: new MemorySaver(),
        });
        const input = { messages: [new HumanMessage({ content: 'Find it.', id: 'first' })] };
        await agent.invoke(input, inOne);
        expect(heard.map(({ decision }) => decision.action)).toEqual(LOOP);
        const config = await firstEnding('human', agent.graph.getStateHistory(inOne));
        isLooping = false;
        const edited = { messages: [new HumanMessage({ content: words, id: 'first' })] };
        const { messages } = await agent.invoke(
          null,
          await agent.graph.updateState(config, edited, '__start__'),
        );
        expect(messages.map(({ text }) => text)).toEqual([words, 'Done.']);
        expect(guard.run('one').stopped).toBeNull();
      }
    });

    it('may change their words before there is a response', async () => {
      const { guard, heard } = listening();
      const said: unknown[] = [];
      const { model } = script((n) => {
        if (n <= 3) throw new Error('overloaded');
        return { text: 'Done.' };
      });
      const agent = createAgent({ model, tools: [counted().look], middleware: [guard] });
      const { user } = guard.run('one');
      Object.assign(guard.run('one'), {
        user(...told: Parameters<typeof user>) {
          said.push([told[0], told[1]?.by]);
          user(...told);
        },
      });
      for (const content of ['Find it.', 'Find it.', 'Find the other one.', 'Find the other one.'])
        await agent
          .invoke({ messages: [new HumanMessage({ content, id: 'first' })] }, inOne)
          .catch(() => null);
      expect(said).toEqual([
        ['Find it.', 'person'],
        ['Find the other one.', 'person'],
      ]);
      expect(heard).toEqual([]);
    });
  });

  describe('LangChain: messages of the program', () => {
    it('are no person, whoever adds them', async () => {
      for (const thread of [undefined, 'one']) {
        const reminding = [1, 2].map((n) =>
          createMiddleware({
            name: `reminding ${n}`,
            beforeModel: ({ messages }) =>
              messages.length > 1 ? { messages: [new HumanMessage(`Keep going (${n}).`)] } : undefined,
          }),
        );
        const { guard, heard } = listening();
        const { look, ran } = counted();
        const agent = createAgent({
          model: script(again).model,
          tools: [look],
          middleware: [guard, ...reminding],
        });
        await agent.invoke(person(), thread === undefined ? { recursionLimit: 500 } : inThread(thread));
        expect(heard.map(({ decision }) => decision.action)).toEqual(LOOP);
        expect(ran).toHaveLength(4);
      }
    });

    it('are known by their place where nobody says which invocation it is', async () => {
      const { guard, heard } = listening({ session: 'one' });
      const { look, ran } = counted();
      const [watched] = guard.guarded([look]);
      const messages: BaseMessage[] = [...person().messages];
      for (let n = 1; n <= 7; n++) {
        const id = `call-${n}`;
        const response = await guard.wrapModelCall(
          { messages },
          () =>
            new AIMessage({
              content: '',
              tool_calls: [{ type: 'tool_call', id, name: 'look', args: { query: 'x' } }],
            }),
        );
        const [call] = response.tool_calls ?? [];
        messages.push(response);
        const config = { state: { messages: [...messages] }, writer: () => {} };
        const result: unknown = await watched?.invoke(
          { ...call, type: 'tool_call' } as never,
          config as never,
        );
        messages.push(result as ToolMessage, new HumanMessage('Keep going.'));
      }
      expect(heard.map(({ decision }) => decision.action)).toEqual(LOOP);
      expect(ran).toHaveLength(4);
    });

    it('that stand for older ones are no person, wherever the answers of a person come from', async () => {
      const summary = new ScriptedChatModel(({ sent }) => ({ text: `Nothing in ${sent.length} letters.` }));
      const own = createMiddleware({
        name: 'own',
        beforeModel: ({ messages: [first, ...rest] }) => ({
          messages: [
            new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
            new HumanMessage({ id: first?.id ?? '', content: `So far: ${rest.length} more.` }),
            ...rest,
          ],
        }),
      });
      const langchains = summarizationMiddleware({
        model: summary,
        trigger: { messages: 3 },
        keep: { messages: 2 },
      });
      for (const { compacting, isElsewhere } of [
        { compacting: own, isElsewhere: false },
        { compacting: langchains, isElsewhere: false },
        { compacting: langchains, isElsewhere: true },
      ]) {
        const store = createMemoryStore();
        const checkpointer = new MemorySaver();
        const { model } = script(again);
        const { look, ran } = counted();
        const begin = () => {
          const { guard, heard } = listening({ store });
          const approving = humanInTheLoopMiddleware({ interruptOn: { look: true } });
          const middleware = [guard, compacting, approving] as const;
          return { heard, agent: createAgent({ model, tools: [look], middleware, checkpointer }) };
        };
        let { agent, heard } = begin();
        const actions: string[] = [];
        let answer = await agent.invoke(person(), inThread('one'));
        for (let n = 1; n <= 20 && '__interrupt__' in answer; n++) {
          if (isElsewhere) ({ agent, heard } = begin());
          const resume = { decisions: [{ type: 'approve' }] };
          answer = await agent.invoke(new Command({ resume }), inThread('one'));
          actions.push(...heard.splice(0).map(({ decision }) => decision.action));
        }
        expect(actions).toEqual(LOOP);
        expect(ran).toHaveLength(4);
      }
    });

    it('that send the model back are no person', async () => {
      for (const [thread, words] of [
        [undefined, () => 'That is no JSON.'],
        ['one', (n: number) => `That is no JSON (attempt ${n}).`],
      ] as const) {
        const { guard, heard } = listening();
        const { model, requests } = script((n) => ({ text: n > 60 ? 'Report.' : 'It is all finished now.' }));
        const validating = createMiddleware({
          name: 'validating',
          afterModel: {
            canJumpTo: ['model'],
            hook: ({ messages }) =>
              messages.at(-1)?.text === 'Report.'
                ? undefined
                : { jumpTo: 'model' as const, messages: [new HumanMessage(words(messages.length))] },
          },
        });
        const agent = createAgent({ model, tools: [counted().look], middleware: [guard, validating] });
        await agent.invoke(person(), thread === undefined ? { recursionLimit: 500 } : inThread(thread));
        expect(heard.at(-1)?.decision.action).toBe('halt');
        expect(requests.length).toBeLessThan(10);
      }
    });
  });

  describe('LangChain: sub-agents of one name', () => {
    const kept: Preset = { ...presets.zagens, userBoundary: 'keep' };

    /** An agent that calls researchers: so many in each of its responses. */
    function calling(
      guard: LangChainGuard,
      turns: readonly number[],
      each: () => Parameters<typeof script>[0],
      { version = 'v2' as 'v1' | 'v2', middleware = guard.agent('researcher') } = {},
    ) {
      const { look, ran } = counted();
      const research = tool(
        async () => {
          const researcher = createAgent({
            model: script(each()).model,
            tools: [look],
            middleware: [middleware],
          });
          const { messages } = await researcher.invoke(person('Research.'), { recursionLimit: 500 });
          return messages.at(-1)?.text ?? '';
        },
        { name: 'research', description: 'research', schema: z.looseObject({}) },
      );
      const { model } = script((n) => ({
        calls: Array.from({ length: turns[n - 1] ?? 0 }, (_, nth) =>
          callOf(n, 'research', { topic: `${n} ${nth}` }, nth),
        ),
      }));
      const agent = createAgent({
        model,
        tools: [research],
        middleware: [guard],
        checkpointer: new MemorySaver(),
        version,
      });
      return { agent, ran };
    }

    it('that run at the same time have a history each', async () => {
      for (const version of ['v1', 'v2'] as const) {
        const { guard, heard } = listening();
        let topics = 0;
        const { agent, ran } = calling(
          guard,
          [8],
          () => {
            const topic = ++topics;
            return (n) =>
              n <= 3
                ? { calls: [callOf(n + 10 * topic, 'look', n === 2 ? {} : { topic, n })] }
                : { text: 'Done.' };
          },
          { version },
        );
        await agent.invoke(person(), inThread('one'));
        expect(ran).toHaveLength(24);
        expect(heard).toEqual([]);
      }
    });

    it('that run at the same time, although they have none, have a history each', async () => {
      const { guard, heard } = listening();
      const { look, ran } = counted();
      const graph = new StateGraph(Annotation.Root({ topic: Annotation<string> }))
        .addNode('research', async ({ topic }) => {
          const { model } = script((n) => (n === 1 ? again(1) : { text: `${topic}: done.` }));
          const agent = createAgent({ model, tools: [look], middleware: [guard] });
          await agent.invoke(person(topic));
          return {};
        })
        .addConditionalEdges(START, () =>
          Array.from({ length: 9 }, (_, nth) => new Send('research', { topic: `Topic ${nth}` })),
        )
        .compile();
      await graph.invoke({ topic: '' }, inThread('one'));
      expect(heard).toEqual([]);
      expect(ran).toHaveLength(9);
    });

    it('do not stop the agent that calls them, although none of them has one', async () => {
      const { guard, heard } = listening();
      const { agent } = calling(guard, [1], () => again, { middleware: guard });
      await agent.invoke(person(), inThread('one'));
      expect(heard.map(({ decision }) => decision.action)).toEqual(LOOP);
      expect(guard.run('one').stoppedFor('#2')?.agent).toBe('#2');
      expect(guard.run('one').stopped).toBeNull();
    });

    it('that run at the same time are stopped each for itself', async () => {
      const { guard, heard } = listening();
      let topics = 0;
      const { agent } = calling(guard, [2], () => {
        const topic = ++topics;
        return (n) => again(n + 100 * topic);
      });
      await agent.invoke(person(), inThread('one'));
      for (const name of ['researcher', 'researcher#2']) {
        const own = heard.filter(({ decision }) => decision.agent === name);
        expect(own.map(({ decision }) => decision.action)).toEqual(LOOP);
        expect(guard.run('one').stoppedFor(name)?.agent).toBe(name);
      }
      expect(guard.run('one').stopped).toBeNull();
    });

    it('that run one after the other have one history', async () => {
      const { guard, heard } = listening({ preset: kept });
      let topics = 0;
      const { agent, ran } = calling(guard, [1, 1, 1], () => {
        const topic = ++topics;
        return (n) => (n === 1 ? again(100 * topic) : { text: 'Done.' });
      });
      await agent.invoke(person(), inThread('one'));
      expect(heard.map(({ decision: { action, agent: who } }) => [action, who])).toEqual([
        ['block', 'researcher'],
      ]);
      expect(ran).toHaveLength(2);
    });

    it('that run one after the other in one tool are the same, however they answer', async () => {
      const answer = tool(async () => 'Done.', {
        name: 'answer',
        description: 'answer',
        schema: z.looseObject({}),
        returnDirect: true,
      });
      const responseFormat = toolStrategy(z.looseObject({}).meta({ title: 'report' }));
      for (const last of ['text', 'answer', 'report']) {
        const { guard, heard } = listening();
        let calls = 0;
        const { model } = script((_, { sent }) => {
          const found = sent.split(NOTHING).length - 1;
          if (found < 3) return again(++calls);
          return last === 'text' ? { text: 'Done.' } : { calls: [callOf(++calls, last, {})] };
        });
        const researcher = createAgent({
          model,
          tools: [counted().look, answer],
          middleware: [guard.agent('researcher')],
          ...(last === 'report' && { responseFormat }),
        });
        const research = tool(
          async () => {
            for (const topic of ['one', 'two', 'three']) await researcher.invoke(person(topic));
            return 'All of them.';
          },
          { name: 'research', description: 'research', schema: z.looseObject({}) },
        );
        const main = script((n) => (n === 1 ? { calls: [callOf(1000, 'research', {})] } : { text: 'Done.' }));
        const agent = createAgent({ model: main.model, tools: [research], middleware: [guard] });
        await agent.invoke(person(), inThread('one'));
        expect(heard.map(({ decision }) => decision.agent)).toEqual(Array(3).fill('researcher'));
      }
    });
  });

  describe('LangChain: agents of a graph', () => {
    it('that hand the work to each other go on from where they were', async () => {
      const { guard, heard } = listening();
      const { look, ran } = counted();
      const handsTo = (name: string) =>
        tool(
          async (_args, { toolCallId }: { readonly toolCallId: string }) => {
            const result = new ToolMessage({ content: `${name}, please.`, tool_call_id: toolCallId });
            // The response that called it does not leave the agent.
            return new Command({ goto: name, graph: Command.PARENT, update: { messages: [result] } });
          },
          { name: `transfer_to_${name}`, description: 'Hands over.', schema: z.looseObject({}) },
        );
      const coder = script((n) =>
        n % 2 === 1 ? again(n) : { calls: [callOf(n, 'transfer_to_planner', {})] },
      );
      const planner = script((n) =>
        n <= 5 ? { calls: [callOf(n, 'transfer_to_coder', {})] } : { text: 'Done.' },
      );
      const graph = new StateGraph(MessagesAnnotation)
        .addNode(
          'planner',
          createAgent({ name: 'planner', model: planner.model, tools: [handsTo('coder')] }).graph,
          { ends: ['coder'] },
        )
        .addNode(
          'coder',
          createAgent({
            name: 'coder',
            model: coder.model,
            tools: [look, handsTo('planner')],
            middleware: [guard.agent('coder')],
          }).graph,
          { ends: ['planner'] },
        )
        .addEdge(START, 'planner')
        .compile();
      await graph.invoke(person(), inThread('one'));
      const [nudge, ...others] = heard.map(({ decision }) => decision);
      expect(nudge).toMatchObject({ action: 'nudge', agent: 'coder' });
      expect(coder.requests.some(({ sent }) => sent.includes(nudge?.message ?? 'no nudge'))).toBe(true);
      expect(others.map(({ action }) => action)).toContain('block');
      expect(ran.length).toBeLessThan(5);
    });
  });

  describe('LangChain: messages of the guard', () => {
    it("are LangChain's own, although none was seen yet", async () => {
      const { guard } = listening({ preset: presets.zagens });
      const { look, ran } = counted();
      const { model } = script((n) =>
        n === 1
          ? { calls: [0, 1, 2, 3].map((nth) => callOf(n, 'look', { query: 'x' }, nth)) }
          : { text: 'Done.' },
      );
      const bringing = createMiddleware({
        name: 'bringing',
        wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, look] }),
        wrapToolCall: (request, handler) => handler({ ...request, tool: look }),
      });
      const checkpointer = new MemorySaver();
      const agent = createAgent({ model, tools: [], middleware: [guard, bringing], checkpointer });
      const { messages } = await agent.invoke(person(), inThread('one'));
      // What is blocked does not run, although the tool comes from a middleware inside the guard.
      expect(ran).toHaveLength(2);
      const saved = (await agent.graph.getState(inThread('one'))).values.messages;
      for (const all of [messages, saved]) {
        const blocked = all.slice(4, 6);
        for (const [nth, message] of blocked.entries()) {
          expect(message).toBeInstanceOf(ToolMessage);
          expect(message.toDict()).toMatchObject({
            type: 'tool',
            data: { status: 'error', name: 'look', tool_call_id: `call-1-${nth + 2}` },
          });
          expect(message.text).toContain('Not run');
        }
      }
    });

    it('of errors run nothing: a call that fails runs once, and is seen once', async () => {
      for (const isStatic of [true, false]) {
        const { look, ran } = counted(() => {
          throw new TypeError('declined');
        });
        const seen: string[] = [];
        const inside = createMiddleware({
          name: 'inside',
          wrapModelCall: (request, handler) =>
            handler(isStatic ? request : { ...request, tools: [...request.tools, look] }),
          async wrapToolCall(request, handler) {
            try {
              const result = await handler(isStatic ? request : { ...request, tool: look });
              seen.push('result');
              return result;
            } catch (error) {
              seen.push(String(error));
              throw error;
            }
          },
        });
        const { model } = script(until(1));
        const agent = createAgent({
          model,
          tools: isStatic ? [look] : [],
          middleware: [listening().guard, inside],
        });
        const { messages } = await agent.invoke(person());
        expect([ran.length, seen]).toEqual([1, ['TypeError: declined']]);
        expect(messages[2]).toBeInstanceOf(ToolMessage);
        expect(messages[2]).toMatchObject({
          content: 'TypeError: declined\n Please fix your mistakes.',
          status: 'error',
          name: 'look',
          tool_call_id: 'call-1-0',
        });
      }
    });

    it('can be made of, where there are no messages at all', async () => {
      const { guard } = listening({ preset: presets.zagens, session: 'one' });
      const results: unknown[] = [];
      for (const id of ['a', 'b', 'c'])
        results.push(
          await guard.wrapToolCall({ toolCall: { id, name: 'look', args: {} }, runtime: {} }, () => 'ran'),
        );
      expect(results.slice(0, 2)).toEqual(['ran', 'ran']);
      expect(ToolMessage.isInstance(results[2])).toBe(true);
      const message = coerceMessageLikeToMessage(results[2] as BaseMessageLike);
      expect(message.toDict()).toMatchObject({
        type: 'tool',
        data: { status: 'error', name: 'look', tool_call_id: 'c' },
      });
    });

    it('end a run that has no response in its history', async () => {
      const { guard } = listening({ lastTurn: false, session: 'one' });
      const { messages } = person();
      const answers: AIMessage[] = [];
      for (let n = 0; n < 10 && guard.stopped === null; n++)
        answers.push(
          await guard.wrapModelCall({ messages }, () => new AIMessage('I will look at it once more.')),
        );
      expect(guard.stopped).not.toBeNull();
      const last = await guard.wrapModelCall({ messages }, () => new AIMessage('never'));
      expect(last).toBeInstanceOf(AIMessage);
      expect(last.text).toBe(guard.stopped?.message);
      expect(last.toDict()).toMatchObject({ type: 'ai', data: { tool_calls: [] } });
    });
  });
}
