import { Agent, type AgentConfig, BedrockModel, type InterventionHandler, tool } from '@strands-agents/sdk';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { deloop, type Run, type StopReason } from '../../../src/adapters/strands/index.ts';

/** Compiled, never called: a guard is what the SDK takes, and nothing else changes its type. */
export async function types(): Promise<void> {
  const guard = deloop({ tools: { weather: { volatile: ['at'] } } });
  expectTypeOf(guard).toExtend<InterventionHandler>();
  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  expectTypeOf(guard.run('chat')).toEqualTypeOf<Run>();

  const weather = tool({
    name: 'weather',
    description: 'Tells the weather.',
    inputSchema: z.object({ city: z.string() }),
    callback: ({ city }) => ({ city, degrees: 20 }),
  });
  const config: AgentConfig = { model: new BedrockModel(), tools: [weather], interventions: [guard] };
  const agent = new Agent(config);
  expectTypeOf(await weather.invoke({ city: 'Bonn' })).toEqualTypeOf<{ city: string; degrees: number }>();
  expectTypeOf(agent.model).toEqualTypeOf<Agent['model']>();

  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
  // @ts-expect-error the input has a city
  await weather.invoke({ town: 'Bonn' });
}
