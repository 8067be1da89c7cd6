import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import {
  type AgentMiddleware,
  type BaseMessage,
  createAgent,
  createMiddleware,
  tool,
  toolStrategy,
} from 'langchain';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { deloop, type Run, type StopReason } from '../../../src/adapters/langchain/index.ts';
import { ScriptedChatModel } from './scripted-model.ts';

/** Never run: the compiler reads it. */
export async function types(): Promise<void> {
  const guard = deloop({ tools: { weather: { volatile: ['at'] } } });
  expectTypeOf(guard).toExtend<AgentMiddleware>();
  expectTypeOf(guard.agent('researcher')).toExtend<AgentMiddleware>();
  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  expectTypeOf(guard.run('thread')).toEqualTypeOf<Run>();

  const model = new ScriptedChatModel(() => ({}));
  const weather = tool(async ({ city }) => ({ city, degrees: 20 }), {
    name: 'weather',
    description: 'Tells the weather.',
    schema: z.object({ city: z.string() }),
  });
  const counting = createMiddleware({
    name: 'counting',
    stateSchema: z.object({ count: z.number().default(0) }),
  });
  const agent = createAgent({
    model,
    tools: [weather],
    middleware: [guard, counting],
    responseFormat: toolStrategy(z.object({ degrees: z.number() })),
  });
  const { structuredResponse, count, messages } = await agent.invoke({ messages: 'How warm is it?' });
  expectTypeOf(structuredResponse).toEqualTypeOf<{ degrees: number }>();
  expectTypeOf(count).toEqualTypeOf<number>();
  expectTypeOf(messages).toExtend<readonly BaseMessage[]>();

  const clock = tool(() => 12, { name: 'clock', description: 'Tells the hour.', schema: z.object({}) });
  const tools = guard.guarded([weather, clock]);
  expectTypeOf(tools).toEqualTypeOf<[typeof weather, typeof clock]>();
  const all: (typeof weather)[] = [weather];
  expectTypeOf(guard.guarded(all)).toEqualTypeOf<(typeof weather)[]>();
  new StateGraph(MessagesAnnotation)
    .addNode('agent', async (state, config) => {
      const response = await guard.wrapModelCall(
        { messages: state.messages, tools, runtime: config },
        (request) => model.bindTools(request.tools).invoke(request.messages, config),
      );
      expectTypeOf(response).toExtend<BaseMessage>();
      return { messages: [response] };
    })
    .addNode('tools', new ToolNode(tools));

  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
  // @ts-expect-error errors of tools are a message or thrown
  deloop({ toolErrors: 'swallow' });
}
