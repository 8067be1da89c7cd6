import { HumanMessage, isAIMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { type BaseMessage, createAgent, createMiddleware } from 'langchain';
import { z } from 'zod';
import { deloop, type LangChainGuard, type WrapModelCall } from '../../../src/adapters/langchain/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedTool } from '../../../src/testing/adapter-host.ts';
import { ScriptedChatModel } from './scripted-model.ts';

export const WAYS = ['invoke', 'stream', 'graph'] as const;
export type Way = (typeof WAYS)[number];

type Result = { readonly messages: BaseMessage[]; readonly __interrupt__?: readonly unknown[] };
type Input = { readonly messages: readonly BaseMessage[] } | Command;
type Runnable = {
  invoke(input: unknown, config: object): Promise<unknown>;
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
};

export function toolsOf(tools: { readonly [name: string]: ScriptedTool }) {
  return Object.entries(tools).map(([name, execute]) =>
    tool(async (args) => execute(args), { name, description: name, schema: z.looseObject({}) }),
  );
}

/** The user's own middleware, with every hook there is. */
function ownMiddleware(onOwnHook: (name: string) => void) {
  return createMiddleware({
    name: 'own',
    beforeAgent: () => onOwnHook('beforeAgent'),
    beforeModel: () => onOwnHook('beforeModel'),
    wrapModelCall(request, handler) {
      onOwnHook(`wrapModelCall ${request.messages.length}`);
      return handler(request);
    },
    afterModel: () => onOwnHook('afterModel'),
    async wrapToolCall(request, handler) {
      onOwnHook(`wrapToolCall ${request.toolCall.name}`);
      try {
        return await handler(request);
      } catch (error) {
        const { id = '', name } = request.toolCall;
        return new ToolMessage({ content: `${error}`, tool_call_id: id, name, status: 'error' });
      }
    },
    afterAgent: () => onOwnHook('afterAgent'),
  });
}

/** A graph of one's own, as the page shows it. */
function graphOf({ model, tools, onOwnHook }: HostSetup, guard: LangChainGuard | null): Runnable {
  const chat = new ScriptedChatModel(model);
  const all = toolsOf(tools);
  const bare: WrapModelCall = async (request, handler) => handler({ ...request, modelSettings: {} });
  const agent = async ({ messages }: { messages: BaseMessage[] }, config: LangGraphRunnableConfig) => {
    onOwnHook?.('agent');
    const response = await (guard?.wrapModelCall ?? bare)(
      { messages, tools: all, runtime: config },
      (request) => chat.bindTools(request.tools, request.modelSettings).invoke(request.messages, config),
    );
    return { messages: [response] };
  };
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', agent)
    .addNode('tools', new ToolNode(guard ? guard.guarded(all) : all))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile({ checkpointer: new MemorySaver() });
}

function agentOf({ model, tools, onOwnHook }: HostSetup, guard: LangChainGuard | null): Runnable {
  return createAgent({
    model: new ScriptedChatModel(model),
    tools: toolsOf(tools),
    middleware: [...(guard ? [guard] : []), ...(onOwnHook ? [ownMiddleware(onOwnHook)] : [])],
    checkpointer: new MemorySaver(),
  }) as unknown as Runnable;
}

/** One way of running LangChain or LangGraph, as the contract suite drives it. */
export function langchainHost(way: Way): AdapterHost {
  return {
    name: `LangChain, ${way}`,
    ...(way === 'graph' && { cannot: { 'same-ids': 'ToolNode runs no call whose id has a result already' } }),
    open(setup) {
      const guard = setup.options && deloop(setup.options);
      const thread = setup.options?.session ?? 'one';
      const app = way === 'graph' ? graphOf(setup, guard) : agentOf(setup, guard);

      async function go(input: Input): Promise<Ending> {
        const toolErrors: unknown[] = [];
        const config = {
          configurable: { thread_id: thread },
          recursionLimit: 500,
          callbacks: [{ handleToolError: (error: unknown) => toolErrors.push(error) }],
        };
        const { messages, __interrupt__: asked = [] } =
          way === 'stream'
            ? await streamed(app, input, config)
            : ((await app.invoke(input, config)) as Result);
        const reason = guard?.run(thread).stopped ?? null;
        return {
          ended: asked.length > 0 ? 'held' : reason === null ? 'done' : 'stopped',
          text: messages.at(-1)?.text ?? '',
          reason,
          partial: messages.filter(isAIMessage).map(({ text }) => text),
          toolErrors,
        };
      }

      return {
        send: (prompt) => go({ messages: [new HumanMessage(prompt)] }),
        // LangGraph takes `resume: false` for no answer at all.
        answer: (yes) => go(new Command({ resume: yes || { decisions: [{ type: 'reject' }] } })),
        resume() {
          guard?.run(thread).resume();
          return go({ messages: [] });
        },
        state: () => guard?.run(thread).state,
      };
    },
  };
}

async function streamed(app: Runnable, input: Input, config: object): Promise<Result> {
  let last: Result = { messages: [] };
  for await (const part of await app.stream(input, { ...config, streamMode: ['messages', 'values'] })) {
    const [mode, value] = part as [string, Result];
    if (mode === 'values') last = { ...last, ...value };
  }
  return last;
}
