import {
  BasePlugin,
  createEvent,
  InMemoryRunner,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  StreamingMode,
  stringifyContent,
} from '@google/adk';
import { describe, expect, it } from 'vitest';
import { deloop, type GoogleAdkGuard } from '../../../src/adapters/google-adk/index.ts';
import { again, listeningTo, UNFINISHED } from '../driver.ts';
import { PlainTool, StubModel } from './host.ts';

const BREAKS = [
  'an error after the words',
  'an error before them',
  'a response with an error',
  'an early end',
] as const;
type Break = (typeof BREAKS)[number];

/** Looks, then breaks so many times, and then says it all. */
class BreakingModel extends StubModel {
  readonly asked: string[] = [];
  readonly #times: number;
  readonly #how: Break;

  constructor(times: number, how: Break) {
    super(() => (this.asked.length === 1 ? again(1) : { text: UNFINISHED }));
    this.#times = times;
    this.#how = how;
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
  ): AsyncGenerator<LlmResponse, void> {
    const n = this.asked.push(JSON.stringify(request.contents));
    const isBroken = n > 1 && n <= this.#times + 1;
    if (isBroken && this.#how === 'an error before them') throw new Error('overloaded');
    for await (const response of super.generateContentAsync(request, stream)) {
      if (!isBroken || response.partial === true) yield response;
      else if (this.#how === 'a response with an error')
        yield { errorCode: '503', errorMessage: 'overloaded' };
      else if (this.#how === 'an error after the words') throw new Error('socket hang up');
    }
  }
}

const KEY = { userId: 'one', sessionId: 'chat' };
const runConfig = { streamingMode: StreamingMode.SSE };

function runnerOf(model: StubModel, plugins: (BasePlugin | GoogleAdkGuard)[]) {
  const look = new PlainTool('look', () => 'Three pods.');
  const agent = new LlmAgent({ name: 'main', model, tools: [look] });
  return new InMemoryRunner({ agent, appName: 'app', plugins });
}

async function said(runner: InMemoryRunner, part: object): Promise<readonly string[]> {
  const words: string[] = [];
  const newMessage = { role: 'user', parts: [part] };
  for await (const event of runner.runAsync({ ...KEY, newMessage, runConfig }))
    if (event.partial !== true) words.push(`${event.errorCode ?? ''}${stringifyContent(event)}`);
  return words;
}

/** Sends the answer to a call of the client's again, until there is a response. */
async function patient(
  model: StubModel,
  plugins: (BasePlugin | GoogleAdkGuard)[],
): Promise<readonly string[]> {
  const runner = runnerOf(model, plugins);
  await runner.sessionService.createSession({ appName: 'app', ...KEY });
  const words = [...(await said(runner, { text: 'Find it.' }))];
  const answer = { id: 'call-1-0', name: 'look', response: { result: 'Three pods.' } };
  for (let n = 1; n < 12 && words.at(-1) !== UNFINISHED; n++)
    words.push(...(await said(runner, { functionResponse: answer })));
  return words;
}

describe('Google ADK: streams that break', () => {
  it.each(BREAKS)('are no responses when the program asks again: %s', async (how) => {
    for (const times of [3, 9, 99]) {
      const { guard, heard } = listeningTo(deloop, {});
      const bare = new BreakingModel(times, how);
      const own = new BreakingModel(times, how);
      const words = await patient(bare, []);
      expect(await patient(own, [guard])).toEqual(words);
      expect([heard, own.asked]).toEqual([[], bare.asked]);
    }
  });

  it('are no responses either where another plugin answers in their place', async () => {
    class Answering extends BasePlugin {
      override onModelErrorCallback = async () =>
        createEvent({ author: 'main', content: { role: 'model', parts: [{ text: 'Later.' }] } });
    }
    const [how] = BREAKS;
    const bare = new BreakingModel(9, how);
    const own = new BreakingModel(9, how);
    const { guard, heard } = listeningTo(deloop, {});
    const words = await patient(bare, [new Answering('own')]);
    const mine = await patient(own, [new Answering('own'), guard]);
    expect([mine, heard]).toEqual([words, []]);
  });
});
