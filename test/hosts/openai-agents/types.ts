import { Agent, OpenAIProvider, Runner, run as runAgent, tool } from '@openai/agents';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import {
  deloop,
  findLoopHalted,
  type Run,
  type StopReason,
} from '../../../src/adapters/openai-agents/index.ts';

/** Never run: the compiler reads it. */
export async function types(): Promise<void> {
  const guard = deloop({ tools: { weather: { volatile: ['at'] } } });
  expectTypeOf(guard.stopped).toEqualTypeOf<StopReason | null>();
  expectTypeOf(guard.run('chat')).toEqualTypeOf<Run>();
  expectTypeOf(findLoopHalted(null)?.reason).toEqualTypeOf<StopReason | undefined>();

  const weather = tool({
    name: 'weather',
    description: 'Tells the weather.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `20 degrees in ${city}`,
    errorFunction: guard.errorFunction((_context, error) => {
      expectTypeOf(error).toBeUnknown();
      return 'Something went wrong.';
    }),
  });
  const tools = guard.tools([weather]);
  expectTypeOf(tools).toEqualTypeOf<(typeof weather)[]>();

  const agent = new Agent({ name: 'Finder', tools, outputType: z.object({ degrees: z.number() }) });
  const run = guard.wrap(runAgent, { session: 'chat' });
  expectTypeOf(run).toEqualTypeOf<typeof runAgent>();
  const { finalOutput } = await run(agent, 'How warm is it?');
  expectTypeOf(finalOutput).toEqualTypeOf<{ degrees: number } | undefined>();
  const stream = await run(agent, 'How warm is it?', { stream: true });
  expectTypeOf(stream.toTextStream).toBeFunction();

  const model = await new OpenAIProvider().getModel('gpt-5');
  expectTypeOf(guard.model(model)).toEqualTypeOf(model);

  const runner = new Runner();
  const result = await guard.wrap(runner)(agent, 'How warm is it?');
  expectTypeOf(result.finalOutput).toEqualTypeOf<{ degrees: number } | undefined>();

  const other = new Agent({ name: 'Researcher' });
  other.asTool({ toolName: 'research', toolDescription: 'Researches.', runOptions: guard.runOptions });

  // @ts-expect-error there is no such preset
  deloop({ preset: 'kodda' });
  // @ts-expect-error an agent is needed
  await run('How warm is it?');
}
