import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { deloop, type Run, type StopReason } from '../../../src/adapters/mastra/index.ts';

/** Compiled, never called: a guarded agent has the type that it had. */
export async function types(): Promise<void> {
  const guard = deloop({ tools: { weather: { volatile: ['at'] } } });
  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  expectTypeOf(guard.run('chat')).toEqualTypeOf<Run>();

  const weather = createTool({
    id: 'weather',
    description: 'Tells the weather.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      expectTypeOf(city).toEqualTypeOf<string>();
      return { city, degrees: 20 };
    },
  });
  const settings = { id: 'main', name: 'main', instructions: 'x', model: 'openai/gpt-5', tools: { weather } };
  const plain = new Agent(settings);
  const agent = guard(plain);
  expectTypeOf(agent).toEqualTypeOf(plain);
  const { id } = guard(new Agent({ ...settings, id: 'helper' }));
  expectTypeOf(id).toEqualTypeOf<'helper'>();
  const { object } = await agent.generate('x', { structuredOutput: { schema: z.object({ n: z.number() }) } });
  expectTypeOf(object).toEqualTypeOf<{ n: number }>();

  // @ts-expect-error these are settings, not an agent
  guard(settings);
  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
}
