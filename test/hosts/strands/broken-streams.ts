import {
  AfterModelCallEvent,
  Agent,
  ConstantBackoff,
  DefaultModelRetryStrategy,
  FunctionTool,
  InvokeModelStage,
  type Message,
  type ModelStreamEvent,
  ModelThrottledError,
  type StreamOptions,
} from '@strands-agents/sdk';
import { describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/strands/index.ts';
import { again, listeningTo, UNFINISHED } from '../driver.ts';
import { StubModel } from './host.ts';

/** Looks, then breaks so many times, and then says it all. */
class BreakingModel extends StubModel {
  readonly asked: string[] = [];
  readonly #times: number;
  readonly #afterWords: boolean;

  constructor(times: number, afterWords: boolean) {
    super(() => (this.asked.length === 1 ? again(1) : { text: UNFINISHED }));
    this.#times = times;
    this.#afterWords = afterWords;
  }

  override async *stream(messages: Message[], options: StreamOptions = {}): AsyncIterable<ModelStreamEvent> {
    const n = this.asked.push(JSON.stringify(messages.map(({ role, content }) => ({ role, content }))));
    const isBroken = n > 1 && n <= this.#times + 1;
    if (isBroken && !this.#afterWords) throw new ModelThrottledError('slow down');
    for await (const event of super.stream(messages, options)) {
      if (isBroken && event.type === 'modelContentBlockStopEvent') throw new ModelThrottledError('slow down');
      yield event;
    }
  }
}

const look = new FunctionTool({ name: 'look', description: 'Looks.', callback: () => 'Three pods.' });
const patient = (maxAttempts: number) =>
  new DefaultModelRetryStrategy({ maxAttempts, backoff: new ConstantBackoff({ delayMs: 0 }) });

/** Who asks the model again. */
const RETRIES: Record<string, (model: StubModel, settings: object) => Promise<string>> = {
  async 'a retry strategy'(model, settings) {
    return said(new Agent({ model, ...settings, retryStrategy: patient(12) }));
  },
  async 'a hook'(model, settings) {
    const agent = new Agent({ model, ...settings, retryStrategy: null });
    agent.addHook(AfterModelCallEvent, (event) => {
      if (event.error !== undefined && event.attemptCount < 12) event.retry = true;
    });
    return said(agent);
  },
  async 'a middleware'(model, settings) {
    const agent = new Agent({ model, ...settings, retryStrategy: null });
    agent.addMiddleware(InvokeModelStage, async function* (context, next) {
      for (let n = 1; ; n++)
        try {
          return yield* next(context);
        } catch (error) {
          if (n === 12) throw error;
        }
    });
    return said(agent);
  },
  async 'the program'(model, settings) {
    const agent = new Agent({ model, ...settings, retryStrategy: null });
    for (let n = 1; ; n++)
      try {
        return `${await agent.invoke(n === 1 ? 'Find it.' : [])}`;
      } catch (error) {
        if (n === 12) return `${error}`;
      }
  },
};

async function said(agent: Agent): Promise<string> {
  return agent.invoke('Find it.').then(String, String);
}

describe('Strands: streams that break', () => {
  for (const [who, retry] of Object.entries(RETRIES))
    for (const afterWords of [true, false])
      it(`are no responses when ${who} asks again, ${afterWords ? 'after' : 'before'} the first words`, async () => {
        for (const times of [3, 9, 99]) {
          const { guard, heard } = listeningTo(deloop, { session: 'one' });
          const bare = new BreakingModel(times, afterWords);
          const model = new BreakingModel(times, afterWords);
          const settings = { tools: [look], printer: false };
          const text = await retry(bare, settings);
          expect(await retry(model, { ...settings, interventions: [guard] })).toBe(text);
          expect(heard).toEqual([]);
          expect(model.asked).toEqual(bare.asked);
        }
      });
});
