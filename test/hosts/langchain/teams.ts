import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  END,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent, createMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type {
  LangChainGuard,
  LangChainMiddleware,
  LangChainOptions,
} from '../../../src/adapters/langchain/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, NOTHING, until } from '../driver.ts';
import type { ScriptedChatModel } from './scripted-model.ts';
import { counted, inThread, listening, person, script } from './setting.ts';

const inOne = inThread('one');
/** Looks once each time it is asked, and answers then. */
const lookingOnce = () => script((n, { sent }) => (isResult(sent) ? { text: 'Done.' } : again(n)));
const isResult = (sent: string) => JSON.parse(sent).at(-1).content === NOTHING;

type Given = {
  readonly toolCallId: string;
  readonly state: { readonly messages: readonly BaseMessage[] };
};

/** `whole` = with the messages of the agent that hands over. */
function handsTo(name: string, whole = false) {
  return tool(
    async (_args, given) => {
      const { toolCallId, state } = given as unknown as Given;
      const result = new ToolMessage({ content: `${name}, please.`, tool_call_id: toolCallId });
      const messages = whole ? [...state.messages, result] : [result];
      return new Command({ goto: name, graph: Command.PARENT, update: { messages } });
    },
    { name: `transfer_to_${name}`, description: 'Hands over.', schema: z.looseObject({}) },
  );
}

/** Messages without ids. */
const Kept = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: (all, more) => all.concat(more), default: () => [] }),
});

/** A graph of one's own: a planner, and behind it a worker that looks. */
function planned(
  guard: LangChainGuard,
  turn: Parameters<typeof script>[0],
  look: ReturnType<typeof counted>['look'],
  options: {
    readonly state?: typeof MessagesAnnotation | typeof Kept;
    readonly interruptBefore?: 'worker'[];
    readonly checkpointer: MemorySaver;
  },
) {
  const { state = MessagesAnnotation, ...compiled } = options;
  const worker = guard.agent('worker');
  const asking =
    (by: LangChainMiddleware, model: ScriptedChatModel, tools: (typeof look)[]) =>
    async ({ messages }: { messages: BaseMessage[] }, runtime: LangGraphRunnableConfig) => ({
      messages: [
        await by.wrapModelCall({ messages, tools, runtime }, (request) =>
          model.bindTools(request.tools, request.modelSettings).invoke(request.messages, runtime),
        ),
      ],
    });
  return new StateGraph(state)
    .addNode('planner', asking(guard, script((n) => ({ text: `Plan ${n}: look.` })).model, []))
    .addNode('worker', asking(worker, script(turn).model, [look]))
    .addNode('tools', new ToolNode(worker.guarded([look])))
    .addEdge(START, 'planner')
    .addEdge('planner', 'worker')
    .addConditionalEdges('worker', toolsCondition, ['tools', END])
    .addEdge('tools', 'worker')
    .compile(compiled);
}

/** Several agents, invocations and processes in one thread or session. */
export function testTeams(): void {
  describe('LangChain: invocations', () => {
    it('outside a graph run their tools', async () => {
      const { guard } = listening();
      const { look, ran } = counted();
      const node = new ToolNode(guard.guarded([look]));
      const { messages } = person();
      const response = await guard.wrapModelCall(
        { messages },
        () =>
          new AIMessage({
            content: '',
            tool_calls: [{ type: 'tool_call', id: 'a', name: 'look', args: {} }],
          }),
      );
      const given = (await node.invoke({
        messages: [...messages, response],
      })) as typeof MessagesAnnotation.State;
      expect([ran.length, given.messages[0]?.text]).toEqual([1, NOTHING]);
    });

    it('of one session at once do not take each other for a person', async () => {
      const { guard, heard } = listening({ session: 'one' });
      const { look, ran } = counted();
      const one = (nth: number) =>
        createAgent({
          model: script((n) => (n > 30 ? { text: 'Done.' } : again(n + 100 * nth))).model,
          tools: [look],
          middleware: [guard],
        }).invoke(person(), { recursionLimit: 500 });
      await Promise.all([one(1), one(2), one(3)]);
      expect(heard.at(-1)?.decision.action).toBe('halt');
      expect(ran.length).toBeLessThan(15);
    });
  });

  describe('LangChain: processes with one store', () => {
    function twoProcesses(options: LangChainOptions) {
      const checkpointer = new MemorySaver();
      const store = createMemoryStore();
      const { look, ran } = counted();
      const process = (first: number) => {
        const { guard } = listening({ ...options, store });
        const { model, requests } = script((n, { sent }) =>
          sent.includes('Find it.') ? again(first + n) : { text: 'Hello.' },
        );
        const agent = createAgent({ model, tools: [look], middleware: [guard], checkpointer });
        return { guard, agent, requests };
      };
      return { one: process(0), other: process(100), ran };
    }

    it('know in the one what was asked in the other, and answered no', async () => {
      const { one, other, ran } = twoProcesses({ attended: true });
      await one.agent.invoke(person('Hello.'), inOne);
      const { __interrupt__: asked } = await other.agent.invoke(person(), inOne);
      expect(asked).toHaveLength(1);
      const before = ran.length;
      await one.agent.invoke(new Command({ resume: { decisions: [{ type: 'reject' }] } }), inOne);
      expect(ran.length - before).toBe(0);
      expect(one.guard.run('one').stopped).not.toBeNull();
    });

    it('know in the one what was stopped in the other', async () => {
      const { one, other } = twoProcesses({});
      await one.agent.invoke(person('Hello.'), inOne);
      await other.agent.invoke(person(), inOne);
      const asked = one.requests.length;
      const { messages } = await one.agent.invoke({ messages: [] }, inOne);
      expect(one.requests).toHaveLength(asked);
      expect(messages.at(-1)?.text).toBe(other.guard.run('one').stopped?.message);
    });
  });

  /** So many processes take turns; without a number, each invocation has a new one. */
  const PROCESSES = [1, 2, 3, undefined];

  /** The process that takes the n-th message. */
  function takingTurns<App>(processes: number | undefined, open: (nth: number) => App): (n: number) => App {
    const opened: App[] = [];
    return (n) => {
      if (processes === undefined) return open(n);
      opened[n % processes] ??= open(n);
      return opened[n % processes] as App;
    };
  }

  /** What processes have in common, and what all their guards have decided. */
  function shared() {
    const store = createMemoryStore();
    const all: ReturnType<typeof listening>['heard'][] = [];
    return {
      guardOf() {
        const { guard, heard } = listening({ store });
        all.push(heard);
        return guard;
      },
      checkpointer: new MemorySaver(),
      ...counted(),
      actions: () => all.flat().map(({ decision }) => decision.action),
    };
  }

  describe('LangChain: a message of a person, with a store', () => {
    it('is heard by the agent behind another, in a graph of your own', async () => {
      for (const state of [MessagesAnnotation, Kept])
        for (const processes of PROCESSES) {
          const { guardOf, checkpointer, look, ran, actions } = shared();
          const graphOf = takingTurns(processes, (nth) => {
            const guard = guardOf();
            const turn: Parameters<typeof script>[0] = (n, { sent }) =>
              isResult(sent) ? { text: `Done ${n}.` } : again(n + 100 * nth);
            return planned(guard, turn, look, { state, checkpointer });
          });
          for (let n = 1; n <= 7; n++) await graphOf(n).invoke(person('How is it?'), inOne);
          expect([processes, actions(), ran.length]).toEqual([processes, [], 7]);
        }
    });

    it('is heard by the agent that gets the work from another, with names or without', async () => {
      for (const isNamed of [true, false])
        for (const processes of PROCESSES) {
          const { guardOf, checkpointer, look, ran, actions } = shared();
          const graphOf = takingTurns(processes, (nth) => {
            const guard = guardOf();
            const triage = script((n) => ({ calls: [callOf(n + 100 * nth, 'transfer_to_orders', {}, 1)] }));
            const orders = script((n, { sent }) =>
              isResult(sent) ? { text: `Done ${n}.` } : again(n + 100 * nth),
            );
            const hand = handsTo('orders', true);
            return new StateGraph(MessagesAnnotation)
              .addNode(
                'triage',
                createAgent({
                  ...(isNamed && { name: 'triage' }),
                  model: triage.model,
                  tools: [hand],
                  middleware: [guard],
                }).graph,
                { ends: ['orders'] },
              )
              .addNode(
                'orders',
                createAgent({
                  ...(isNamed && { name: 'orders' }),
                  model: orders.model,
                  tools: [look],
                  middleware: [guard.agent('orders')],
                }).graph,
              )
              .addEdge(START, 'triage')
              .compile({ checkpointer });
          });
          for (let n = 1; n <= 7; n++) await graphOf(n).invoke(person('How is it?'), inOne);
          expect([isNamed, processes, actions(), ran.length]).toEqual([isNamed, processes, [], 7]);
        }
    });

    it('is heard behind which a middleware has put a response', async () => {
      for (const processes of PROCESSES) {
        const { guardOf, checkpointer, look, ran, actions } = shared();
        const recalling = createMiddleware({
          name: 'recalling',
          beforeAgent: () => ({ messages: [new AIMessage('I remember: it is in the north.')] }),
        });
        const agentOf = takingTurns(processes, (nth) => {
          const guard = guardOf();
          const { model } = script((n, { sent }) =>
            isResult(sent) ? { text: 'Done.' } : again(n + 100 * nth),
          );
          return createAgent({ model, tools: [look], middleware: [guard, recalling], checkpointer });
        });
        for (let n = 1; n <= 7; n++) await agentOf(n).invoke(person('How is it?'), inOne);
        expect([processes, actions(), ran.length]).toEqual([processes, [], 7]);
      }
    });

    it('is heard where a node has made a call of it, before the model is asked', async () => {
      for (const processes of PROCESSES) {
        const { guardOf, checkpointer, look, ran, actions } = shared();
        let calls = 0;
        const calling = () => {
          const id = `made-${calls++}`;
          const tool_calls = [{ type: 'tool_call' as const, id, name: 'look', args: {} }];
          return { messages: [new AIMessage({ content: '', tool_calls })] };
        };
        const graphOf = takingTurns(processes, () => {
          const guard = guardOf();
          const { model } = script((n) => ({ text: `Done ${n}.` }));
          return new StateGraph(MessagesAnnotation)
            .addNode('calling', calling)
            .addNode('tools', new ToolNode(guard.guarded([look])))
            .addNode('agent', async ({ messages }, runtime) => ({
              messages: [
                await guard.wrapModelCall({ messages, runtime }, (request) =>
                  model.invoke(request.messages, runtime),
                ),
              ],
            }))
            .addEdge(START, 'calling')
            .addEdge('calling', 'tools')
            .addEdge('tools', 'agent')
            .compile({ checkpointer });
        });
        for (let n = 1; n <= 7; n++) await graphOf(n).invoke(person('How is it?'), inOne);
        expect([processes, actions(), ran.length]).toEqual([processes, [], 7]);
      }
    });

    it('lets a stopped agent behind another go on', async () => {
      const { guardOf, checkpointer, look, actions } = shared();
      const graphOf = takingTurns(undefined, (nth) => {
        const guard = guardOf();
        const turn: Parameters<typeof script>[0] = (n, { sent }) =>
          sent.includes('Go on.') ? { text: 'Done.' } : again(n + 100 * nth);
        return planned(guard, turn, look, { checkpointer });
      });
      await graphOf(1).invoke(person(), inOne);
      expect(actions().at(-1)).toBe('halt');
      const { messages } = await graphOf(2).invoke(person('Go on.'), inOne);
      expect(messages.at(-1)?.text).toBe('Done.');
    });

    it('is not new to a process that goes on after it, with an id or without', async () => {
      for (const state of [MessagesAnnotation, Kept])
        for (const processes of PROCESSES) {
          const { guardOf, checkpointer, look, ran, actions } = shared();
          const graphOf = takingTurns(processes, (nth) => {
            const guard = guardOf();
            const turn = (n: number) => again(n + 100 * nth);
            return planned(guard, turn, look, { state, checkpointer, interruptBefore: ['worker'] });
          });
          await graphOf(0).invoke(person(), inOne);
          for (let n = 1; n <= 9; n++) await graphOf(n).invoke(null, inOne);
          expect([processes, actions().includes('halt'), ran.length]).toEqual([processes, true, 4]);
        }
    });
  });

  describe('LangChain: a message of a person', () => {
    it('is heard by the agent that gets the work from another', async () => {
      for (const isNamed of [true, false]) {
        const { guard, heard } = listening();
        const coder = createAgent({
          ...(isNamed && { name: 'coder' }),
          model: lookingOnce().model,
          tools: [counted().look],
          middleware: [guard.agent('coder')],
        });
        let handed = 0;
        const router = () => {
          const id = `handed-${handed++}`;
          const calls = [{ type: 'tool_call' as const, id, name: 'transfer_to_coder', args: {} }];
          return {
            messages: [
              new AIMessage({ content: '', tool_calls: calls }),
              new ToolMessage({ content: 'Handed over.', tool_call_id: id }),
            ],
          };
        };
        const graph = new StateGraph(MessagesAnnotation)
          .addNode('router', router)
          .addNode('coder', coder.graph)
          .addEdge(START, 'router')
          .addEdge('router', 'coder')
          .compile({ checkpointer: new MemorySaver() });
        for (let n = 1; n <= 9; n++) {
          const { messages } = await graph.invoke(person('How is it?'), inOne);
          expect(messages.at(-1)?.text).toBe('Done.');
        }
        expect(heard).toEqual([]);
      }
    });

    it('is heard behind which a middleware has put another', async () => {
      const { guard } = listening();
      const adding = createMiddleware({
        name: 'adding',
        beforeAgent: () => ({ messages: [new SystemMessage('It is noon.')] }),
      });
      const { model } = script((n, { sent }) => (sent.includes('Go on.') ? { text: 'Done.' } : again(n)));
      const agent = createAgent({
        model,
        tools: [counted().look],
        middleware: [guard, adding],
        checkpointer: new MemorySaver(),
      });
      await agent.invoke(person(), inOne);
      expect(guard.run('one').stopped).not.toBeNull();
      const { messages } = await agent.invoke(person('Go on.'), inOne);
      expect(messages.at(-1)?.text).toBe('Done.');
      expect(guard.run('one').stopped).toBeNull();
    });

    it('is not new when the graph goes on after it, although it has no id', async () => {
      const { guard, heard } = listening();
      const { look, ran } = counted();
      const { model } = script(again);
      const graph = new StateGraph(Kept)
        .addNode('agent', async ({ messages }, runtime) => ({
          messages: [
            await guard.wrapModelCall({ messages, tools: [look], runtime }, (request) =>
              model.bindTools(request.tools).invoke(request.messages, runtime),
            ),
          ],
        }))
        .addNode('tools', new ToolNode(guard.guarded([look])))
        .addEdge(START, 'agent')
        .addConditionalEdges('agent', toolsCondition, ['tools', END])
        .addEdge('tools', 'agent')
        .compile({ checkpointer: new MemorySaver(), interruptBefore: ['agent'] });
      await graph.invoke(person(), inOne);
      for (let n = 0; n < 12; n++) await graph.invoke(null, inOne);
      expect(heard.at(-1)?.decision.action).toBe('halt');
      expect(ran).toHaveLength(4);
    });

    it('is none that a node of the graph has written', async () => {
      for (const name of ['writer', undefined]) {
        const { guard, heard } = listening();
        const { look, ran } = counted();
        const writer = createAgent({
          name: 'writer',
          model: lookingOnce().model,
          tools: [look],
          middleware: [name === undefined ? guard : guard.agent(name)],
        });
        let visits = 0;
        const critic = () =>
          new Command({
            update: { messages: [new HumanMessage('Not good enough.')] },
            goto: ++visits < 15 ? 'writer' : END,
          });
        const graph = new StateGraph(MessagesAnnotation)
          .addNode('writer', writer.graph)
          .addNode('critic', critic, { ends: ['writer', END] })
          .addEdge(START, 'writer')
          .addEdge('writer', 'critic')
          .compile();
        await graph.invoke(person(), inOne);
        expect(heard.at(-1)?.decision.action).toBe('halt');
        expect(ran.length).toBeLessThan(6);
      }
    });
  });

  describe('LangChain: a task of a sub-agent', () => {
    it('is new each time, whether a tool gives it or a node', async () => {
      for (const way of ['tool', 'node']) {
        const { guard, heard } = listening();
        const { look, ran } = counted();
        const { model } = lookingOnce();
        const researcher = createAgent({ model, tools: [look], middleware: [guard.agent('researcher')] });
        const research = tool(
          async ({ topic }) => (await researcher.invoke(person(`Topic ${topic}.`))).messages.at(-1)?.text,
          { name: 'research', description: 'research', schema: z.looseObject({}) },
        );
        const lead = script((n) =>
          n <= 9 ? { calls: [callOf(n, 'research', { topic: n })] } : { text: 'Done.' },
        );
        let topics = 0;
        const graph = new StateGraph(MessagesAnnotation)
          .addNode(
            'node',
            async () => {
              await researcher.invoke(person(`Topic ${++topics}.`));
              return new Command({ goto: topics < 9 ? 'node' : END });
            },
            { ends: ['node', END] },
          )
          .addEdge(START, 'node')
          .compile();
        if (way === 'node') await graph.invoke(person(), inOne);
        else
          await createAgent({ model: lead.model, tools: [research], middleware: [guard] }).invoke(
            person(),
            inOne,
          );
        expect(ran).toHaveLength(9);
        expect(heard).toEqual([]);
      }
    });
  });

  describe('LangChain: graphs inside graphs', () => {
    /** Two agents that hand the work to each other, in a node of a graph. */
    function nested(guard: LangChainGuard) {
      const { look, ran } = counted();
      const coder = script((n) =>
        n % 2 === 1 ? again(n) : { calls: [callOf(n, 'transfer_to_planner', {})] },
      );
      const planner = script((n) =>
        n <= 10 ? { calls: [callOf(n, 'transfer_to_coder', {})] } : { text: 'Done.' },
      );
      const middleware = [guard.agent('coder')];
      const team = new StateGraph(MessagesAnnotation)
        .addNode('planner', createAgent({ model: planner.model, tools: [handsTo('coder')] }).graph, {
          ends: ['coder'],
        })
        .addNode(
          'coder',
          createAgent({ model: coder.model, tools: [look, handsTo('planner')], middleware }).graph,
          { ends: ['planner'] },
        )
        .addEdge(START, 'planner')
        .compile();
      return { team, ran };
    }

    it('have agents that go on from where they were', async () => {
      const { guard, heard } = listening();
      const { team, ran } = nested(guard);
      const graph = new StateGraph(MessagesAnnotation).addNode('team', team).addEdge(START, 'team').compile();
      await graph.invoke(person(), inOne);
      expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set(['coder']));
      expect(heard.at(-1)?.decision.action).toBe('halt');
      expect(ran.length).toBeLessThan(5);
    });

    it('have agents of one name that run at the same time, and a history each', async () => {
      const { guard, heard } = listening();
      const { look, ran } = counted();
      const lead = (nth: number) => {
        const research = tool(
          async () => {
            const { model } = script(until(2));
            const middleware = [guard.agent('researcher')];
            await createAgent({ model, tools: [look], middleware }).invoke(person(`Research ${nth}.`));
            return `Found ${nth}.`;
          },
          { name: 'research', description: 'research', schema: z.looseObject({}) },
        );
        const { model } = script((n) =>
          n === 1 ? { calls: [callOf(n, 'research', { nth }, nth)] } : { text: 'Done.' },
        );
        return createAgent({ model, tools: [research], middleware: [guard.agent(`lead ${nth}`)] }).graph;
      };
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('one', lead(1))
        .addNode('two', lead(2))
        .addNode('three', lead(3))
        .addEdge(START, 'one')
        .addEdge(START, 'two')
        .addEdge(START, 'three')
        .compile();
      await graph.invoke(person(), inOne);
      expect(ran).toHaveLength(6);
      expect(heard).toEqual([]);
    });
  });
}
