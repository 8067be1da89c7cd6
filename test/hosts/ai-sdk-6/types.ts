import {
  generateText,
  type InferAgentUIMessage,
  Output,
  smoothStream,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
} from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { deloop, type StopReason } from '../../../src/adapters/ai-sdk/index.ts';

/** Never run: the compiler reads it. */
export async function types(): Promise<void> {
  const guard = deloop({ attended: true });
  const model = new MockLanguageModelV3();
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 20 }),
  });
  const tools = { weather };

  const simple = await generateText(guard({ model, tools, prompt: 'x', stopWhen: stepCountIs(5) }));
  for (const call of simple.staticToolCalls) expectTypeOf(call.input).toEqualTypeOf<{ city: string }>();

  const result = await guard.wrap(generateText)({
    model,
    tools,
    prompt: 'How warm is it?',
    stopWhen: stepCountIs(5),
    prepareStep({ steps, messages }) {
      expectTypeOf(steps[0]?.toolCalls[0]?.toolName).toEqualTypeOf<string | undefined>();
      return { messages };
    },
    onStepFinish({ text }) {
      expectTypeOf(text).toEqualTypeOf<string>();
    },
  });
  for (const call of result.staticToolCalls) expectTypeOf(call.input).toEqualTypeOf<{ city: string }>();
  for (const { output } of result.staticToolResults)
    expectTypeOf(output).toEqualTypeOf<{ city: string; degrees: number }>();

  const { output } = await generateText(
    guard({ model, tools, prompt: 'x', output: Output.object({ schema: z.object({ n: z.number() }) }) }),
  );
  expectTypeOf(output).toEqualTypeOf<{ n: number }>();

  await generateText(guard({ model, tools, prompt: 'x', activeTools: ['weather'], toolChoice: 'required' }));
  await generateText(
    guard({ model, tools, prompt: 'x', toolChoice: { type: 'tool', toolName: 'weather' } }, { session: 'a' }),
  );
  await generateText(
    guard({ model, tools, prompt: 'x', prepareStep: async () => ({ activeTools: ['weather'] }) }),
  );
  await generateText(
    guard({ model, tools, prompt: 'x' }, { session: 'a', byHost: ({ content }) => content === 'Go on.' }),
  );
  // @ts-expect-error there is no such tool
  await generateText(guard({ model, tools, prompt: 'x', activeTools: ['wether'] }));
  await guard.wrap(streamText)({ model, tools, prompt: 'x', activeTools: ['weather'] });
  guard.wrap(streamText)({ model, tools, prompt: 'x', experimental_transform: smoothStream() });
  const kept = guard({ model, tools, prompt: 'x', stopSequences: ['end'] });
  await generateText(kept);

  const stream = streamText(guard({ model, tools, messages: [] }, { session: 'chat' }));
  for await (const part of stream.fullStream)
    if (part.type === 'tool-result' && part.dynamic !== true)
      expectTypeOf(part.output).toEqualTypeOf<{ city: string; degrees: number }>();

  const agent = new ToolLoopAgent({ model, tools, activeTools: ['weather'], prepareCall: guard });
  expectTypeOf(new ToolLoopAgent(guard({ model, tools })).tools).toEqualTypeOf<typeof tools>();
  const answer = await agent.generate({ prompt: 'x' });
  for (const call of answer.staticToolCalls) expectTypeOf(call.input).toEqualTypeOf<{ city: string }>();

  const chatting = new ToolLoopAgent({
    model,
    tools,
    callOptionsSchema: z.object({ chat: z.string() }),
    prepareCall: ({ options, ...call }) => guard(call, { session: options.chat }),
  });
  const chat = await chatting.generate({ prompt: 'x', options: { chat: '1' } });
  for (const call of chat.staticToolCalls) expectTypeOf(call.input).toEqualTypeOf<{ city: string }>();
  expectTypeOf<InferAgentUIMessage<typeof agent>['role']>().toEqualTypeOf<'system' | 'user' | 'assistant'>();

  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
  // @ts-expect-error a model is needed
  await generateText(guard({ tools, prompt: 'x' }));
}
