import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { Type } from '@earendil-works/pi-ai';
import { expectTypeOf } from 'vitest';
import { deloop, type Run, type StopReason } from '../../../src/adapters/pi/index.ts';

/** Compiled, never called: an agent stays what it is, and tools keep their types. */
export function types(options: ConstructorParameters<typeof Agent>[0] & object): void {
  const guard = deloop({ tools: { weather: { volatile: ['at'] } } });
  const parameters = Type.Object({ city: Type.String() });
  const weather: AgentTool<typeof parameters, { degrees: number }> = {
    name: 'weather',
    label: 'Weather',
    description: 'Tells the weather.',
    parameters,
    async execute(_id, { city }) {
      expectTypeOf(city).toEqualTypeOf<string>();
      return { content: [{ type: 'text', text: city }], details: { degrees: 20 } };
    },
  };
  class Mine extends Agent {
    readonly mine = true;
  }
  const agent = guard(new Mine({ ...options, initialState: { tools: [weather] } }), { session: 'chat' });
  expectTypeOf(agent).toEqualTypeOf<Mine>();
  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  expectTypeOf(guard.run('chat')).toEqualTypeOf<Run>();

  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
  // @ts-expect-error this is no agent
  guard({});
}
