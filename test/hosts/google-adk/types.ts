import { type BasePlugin, FunctionTool, InMemoryRunner, LlmAgent } from '@google/adk';
import {
  type BasePlugin as BasePlugin1,
  InMemoryRunner as InMemoryRunner1,
  LlmAgent as LlmAgent1,
} from 'adk-1';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { deloop, type Run, type StopReason } from '../../../src/adapters/google-adk/index.ts';

/** Compiled, never called: a guard is a plugin, and nothing else changes its type. */
export function types(): void {
  const guard = deloop({ tools: { weather: { volatile: ['at'] } } });
  expectTypeOf(guard).toExtend<BasePlugin>();
  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  expectTypeOf(guard.run('app/user/chat')).toEqualTypeOf<Run>();

  const weather = new FunctionTool({
    name: 'weather',
    description: 'Tells the weather.',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => {
      expectTypeOf(city).toEqualTypeOf<string>();
      return { city, degrees: 20 };
    },
  });
  const agent = new LlmAgent({ name: 'main', model: 'gemini-2.5-flash', tools: [weather] });
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
  expectTypeOf(runner).toEqualTypeOf<InMemoryRunner>();

  expectTypeOf(guard).toExtend<BasePlugin1>();
  const agent1 = new LlmAgent1({ name: 'main', model: 'gemini-2.5-flash' });
  new InMemoryRunner1({ agent: agent1, appName: 'app', plugins: [guard] });

  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
}
