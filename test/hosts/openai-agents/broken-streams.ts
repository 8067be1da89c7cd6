import { Agent, run as runAgent } from '@openai/agents';
import { assistantMessage, functionCall } from '@openai/agents/testing';
import { describe, expect, it } from 'vitest';
import { UNFINISHED } from '../driver.ts';
import { counted, listening, MANY } from './stage.ts';

type Model = Exclude<Agent['model'], string>;
type Request = Parameters<Model['getResponse']>[0];
type Event = ReturnType<Model['getStreamedResponse']> extends AsyncIterable<infer One> ? One : never;

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const pieces = UNFINISHED.match(/.{1,9}/gs) ?? [];

/** Looks, then breaks so many times, and then says it all. */
function breaking(times: number, afterWords: boolean) {
  const asked: string[] = [];
  const model: Model = {
    getResponse: () => Promise.reject(new Error('not here')),
    async *getStreamedResponse({ input }: Request): AsyncIterable<Event> {
      const n = asked.push(JSON.stringify(input));
      const isBroken = n > 1 && n <= times + 1;
      if (isBroken && !afterWords) throw new Error('overloaded');
      if (n > 1) for (const delta of pieces) yield { type: 'output_text_delta', delta };
      if (isBroken) throw new Error('socket hang up');
      const output =
        n === 1 ? functionCall('look', '{}', { callId: 'call-1' }) : assistantMessage(UNFINISHED);
      yield { type: 'response_done', response: { id: `${n}`, usage, output: [output] } } as Event;
    },
  };
  return { model, asked };
}

/** Asks another model again, as an app does it. */
function patient(model: Model): Model {
  return {
    getResponse: (request) => model.getResponse(request),
    async *getStreamedResponse(request) {
      for (let n = 1; ; n++)
        try {
          return yield* model.getStreamedResponse(request);
        } catch (error) {
          if (n === 12) throw error;
        }
    },
  };
}

type Watched = ReturnType<typeof listening>['guard'];

async function said(
  guard: Watched | null,
  model: Model,
  input: unknown,
  settings: object = {},
): Promise<string> {
  const tools = [counted(() => 'Three pods.').look];
  const agent = new Agent({ name: 'Finder', model, tools: guard ? guard.tools(tools) : tools, ...settings });
  const run = guard ? guard.wrap(runAgent) : runAgent;
  const stream = await run(agent, input as string, { stream: true, ...MANY });
  await stream.completed;
  return `${stream.finalOutput}`;
}

/** Who asks the model again. */
const RETRIES: Record<string, (guard: Watched | null, model: Model) => Promise<string>> = {
  'a model around it': (guard, model) => said(guard, patient(guard?.model(model) ?? model), 'Find it.'),
  'the SDK': (guard, model) =>
    said(guard, guard?.model(model) ?? model, 'Find it.', {
      modelSettings: { retry: { maxRetries: 11, policy: () => true, backoff: { initialDelayMs: 0 } } },
    }),
  'the program': (guard, model) => byProgram(guard, guard?.model(model) ?? model),
  'the program, without a watched model,': byProgram,
};

async function byProgram(guard: Watched | null, model: Model): Promise<string> {
  const call = { type: 'function_call', callId: 'call-0', name: 'look', arguments: '{}' };
  const output = { type: 'text', text: 'Three pods.' };
  const input = [
    { role: 'user', content: 'Find it.' },
    { ...call, status: 'completed' },
    { type: 'function_call_result', callId: 'call-0', name: 'look', status: 'completed', output },
  ];
  for (let n = 1; ; n++)
    try {
      return await said(guard, model, input);
    } catch (error) {
      if (n === 12) throw error;
    }
}

/** Runs with the guard and without are the same. */
export function testBrokenStreams(): void {
  describe('OpenAI Agents SDK: streams that break', () => {
    for (const [who, retry] of Object.entries(RETRIES))
      for (const afterWords of [true, false])
        it(`are no responses when ${who} asks again, ${afterWords ? 'after' : 'before'} the first words`, async () => {
          for (const times of [3, 9, 99]) {
            const { guard, heard } = listening({ session: 'one' });
            const bare = breaking(times, afterWords);
            const own = breaking(times, afterWords);
            const text = await retry(null, bare.model).catch(String);
            expect(await retry(guard, own.model).catch(String)).toBe(text);
            expect(heard).toEqual([]);
            expect(own.asked).toEqual(bare.asked);
          }
        });
  });
}
