import { AIMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  MemorySaver,
  MessagesAnnotation,
  REMOVE_ALL_MESSAGES,
  type LangGraphRunnableConfig as Runtime,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import {
  type AgentMiddleware,
  type BaseMessage,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  summarizationMiddleware,
} from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LangChainGuard } from '../../../src/adapters/langchain/index.ts';
import { type Preset, presets } from '../../../src/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { toolsOf } from './host.ts';
import { ScriptedChatModel } from './scripted-model.ts';
import { inThread, listening, person, script } from './setting.ts';

const SUMMARY = 'All files were read.';
/** So many files, one after the other, and again from the first. */
const reading = (files: number, last: number) => (n: number) =>
  n <= last ? { calls: [callOf(n, 'look', { path: `src/${n % files}.ts` })] } : { text: 'Done.' };
const tools = toolsOf({
  look: (args) => `The code of ${JSON.stringify(args)}: ${JSON.stringify(args).repeat(20)}`,
});
const summaryOf = (rest: readonly BaseMessage[] = []) => ({
  messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), new HumanMessage(SUMMARY), ...rest],
});
/** Every compaction that is told is a decision. */
const telling: Preset = {
  ...presets.recommended,
  detectors: { compactions: { kind: 'compactions' } },
  ladder: [{ on: 'compactions', at: 1, action: 'nudge', message: 'It was compacted.' }],
};

/** More messages than these are summed up. */
const WAYS: { readonly [name: string]: (most: number) => AgentMiddleware } = {
  'by LangChain': (most) =>
    summarizationMiddleware({
      model: new ScriptedChatModel(() => ({ text: SUMMARY })),
      trigger: { messages: most + 1 },
      keep: { messages: 2 },
    }) as AgentMiddleware,
  'by a hook': (most) =>
    createMiddleware({
      name: 'own',
      beforeModel: ({ messages }) => (messages.length > most ? summaryOf() : undefined),
    }),
};

/** On the way to the model, so that the state has them all. */
function onTheWay(most: number): AgentMiddleware {
  let from = 0;
  return createMiddleware({
    name: 'own',
    wrapModelCall(request, handler) {
      const { messages } = request;
      if (messages.length - from > most) from = messages.length;
      return handler(
        from === 0 ? request : { ...request, messages: [new HumanMessage(SUMMARY), ...messages.slice(from)] },
      );
    },
  });
}

/** Only the oldest messages fall out. */
const sliding = createMiddleware({
  name: 'sliding',
  beforeModel: ({ messages: [first, ...rest] }) =>
    rest.length > 6
      ? {
          messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), first as BaseMessage, ...rest.slice(-6)],
        }
      : undefined,
});

/** What the model may have forgotten. */
export function testCompactions(): void {
  describe('LangChain: conversations that are compacted', () => {
    const behind = (guard: LangChainGuard, other: AgentMiddleware) => [guard, other] as const;
    const before = (guard: LangChainGuard, other: AgentMiddleware) => [other, guard] as const;
    const ways = [
      ...Object.entries(WAYS).flatMap(([name, compacting]) => [
        { name: `${name}, before the guard`, order: before, compacting },
        { name: `${name}, behind it`, order: behind, compacting },
      ]),
      { name: 'on the way to the model, before the guard', order: before, compacting: onTheWay },
    ];

    for (const { name, order, compacting } of ways) {
      it(`may be looked at again: ${name}`, async () => {
        const { guard, heard } = listening();
        const { model, requests } = script(reading(6, 12));
        const middleware = order(guard, compacting(12));
        const { messages } = await createAgent({ model, tools, middleware }).invoke(person(), {
          recursionLimit: 500,
        });
        expect(requests[6]?.sent).toContain(SUMMARY);
        expect(messages.at(-1)?.text).toBe('Done.');
        expect(heard).toEqual([]);
      });

      it(`again and again are no progress: ${name}`, async () => {
        const { guard } = listening();
        const { model, requests } = script(reading(3, 120));
        const middleware = order(guard, compacting(8));
        await createAgent({ model, tools, middleware }).invoke(person(), { recursionLimit: 500 });
        expect(guard.stopped?.detector).toBe('fruitless-compactions');
        expect(requests.length).toBeLessThan(30);
      });
    }

    it('may be looked at again in a graph of your own', async () => {
      const { guard, heard } = listening();
      const { model } = script(reading(6, 12));
      const { messages } = await new StateGraph(MessagesAnnotation)
        .addNode('compact', ({ messages }) => (messages.length > 12 ? summaryOf() : {}))
        .addNode('agent', async ({ messages }, runtime) => ({
          messages: [
            await guard.wrapModelCall({ messages, tools, runtime }, (request) =>
              model.bindTools(request.tools, request.modelSettings).invoke(request.messages, runtime),
            ),
          ],
        }))
        .addNode('tools', new ToolNode(guard.guarded(tools)))
        .addEdge(START, 'compact')
        .addEdge('compact', 'agent')
        .addConditionalEdges('agent', toolsCondition, ['tools', END])
        .addEdge('tools', 'compact')
        .compile()
        .invoke(person(), { recursionLimit: 500 });
      expect(messages.at(-1)?.text).toBe('Done.');
      expect(heard).toEqual([]);
    });

    it('may be looked at again where a person approves every call', async () => {
      const { guard, heard } = listening();
      const { model } = script(reading(6, 12));
      const approving = humanInTheLoopMiddleware({ interruptOn: { look: true } });
      const middleware = [guard, WAYS['by LangChain']?.(12) as AgentMiddleware, approving] as const;
      const agent = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
      let answer = await agent.invoke(person(), inThread('one'));
      while ('__interrupt__' in answer)
        answer = await agent.invoke(
          new Command({ resume: { decisions: [{ type: 'approve' }] } }),
          inThread('one'),
        );
      expect(answer.messages.at(-1)?.text).toBe('Done.');
      expect(heard).toEqual([]);
    });

    it('are not those of which only the oldest messages fall out', async () => {
      const told = listening({ preset: telling });
      const { guard, heard } = listening();
      for (const one of [told.guard, guard]) {
        const { model, requests } = script(reading(3, 60));
        await createAgent({ model, tools, middleware: [one, sliding] }).invoke(person(), {
          recursionLimit: 500,
        });
        if (one === guard) expect(requests.length).toBeLessThan(30);
      }
      expect(told.heard).toEqual([]);
      expect(heard.at(-1)?.decision.action).toBe('halt');
    });

    it('are told once', async () => {
      const { guard, actions } = listening({ preset: telling });
      const { model } = script(reading(6, 9));
      const middleware = [guard, WAYS['by LangChain']?.(12) as AgentMiddleware] as const;
      await createAgent({ model, tools, middleware }).invoke(person(), { recursionLimit: 500 });
      expect(actions()).toHaveLength(1);
    });

    it('are not requests whose words are all in the system prompt', async () => {
      const { guard, heard } = listening({ preset: telling });
      await new StateGraph(MessagesAnnotation)
        .addNode('agent', async (_, runtime) => {
          const ask = () =>
            guard.wrapModelCall({ messages: [], tools, runtime }, () => new AIMessage('Done.'));
          return { messages: [await ask(), await ask()] };
        })
        .addEdge(START, 'agent')
        .compile()
        .invoke(person());
      expect(heard).toEqual([]);
    });

    /** In every round of the graph the model is asked twice: what to do next, which one has in mind, and for the work. */
    const asides = {
      'for a plan in a node of its own': { isOwnNode: true, own: [] },
      'for a plan in the node of the agent': { isOwnNode: false, own: [] },
      'of another agent with tools, in a node of its own': { isOwnNode: true, own: tools },
    };
    for (const [name, { isOwnNode, own }] of Object.entries(asides))
      it(`are not short requests in between: ${name}`, async () => {
        const { guard, heard } = listening({ preset: telling });
        const { model, requests } = script(reading(6, 6));
        const plan = async (runtime: Runtime) => {
          const messages = [new HumanMessage('What comes next?')];
          const ask = () => new AIMessage(`Read file ${requests.length}.`);
          await guard.wrapModelCall({ messages, tools: own, runtime }, ask);
          return {};
        };
        await new StateGraph(MessagesAnnotation)
          .addNode('plan', (_, runtime) => (isOwnNode ? plan(runtime) : {}))
          .addNode('agent', async ({ messages }, runtime) => {
            if (!isOwnNode) await plan(runtime);
            const response = await guard.wrapModelCall({ messages, tools, runtime }, (request) =>
              model.bindTools(request.tools, request.modelSettings).invoke(request.messages, runtime),
            );
            return { messages: [response] };
          })
          .addNode('tools', new ToolNode(guard.guarded(tools)))
          .addEdge(START, 'plan')
          .addEdge('plan', 'agent')
          .addConditionalEdges('agent', toolsCondition, ['tools', END])
          .addEdge('tools', 'plan')
          .compile()
          .invoke(person(), { recursionLimit: 500 });
        expect(requests).toHaveLength(7);
        expect(heard).toEqual([]);
      });

    it('are not new tasks, whether of a person or of a sub-agent', async () => {
      const { guard, heard } = listening({ preset: telling });
      const research = tool(
        async () => {
          const { model } = script(reading(6, 6));
          const middleware = [guard.agent('researcher')] as const;
          const { messages } = await createAgent({ model, tools, middleware }).invoke(person());
          return messages.at(-1)?.text;
        },
        { name: 'research', description: 'research', schema: z.looseObject({}) },
      );
      for (const thread of ['one', 'two', 'one']) {
        const { model } = script((n) =>
          n <= 3 ? { calls: [callOf(n, 'research', { n })] } : { text: 'Done.' },
        );
        await createAgent({ model, tools: [research], middleware: [guard] }).invoke(
          person(),
          inThread(thread),
        );
      }
      expect(heard).toEqual([]);
    });
  });
}
