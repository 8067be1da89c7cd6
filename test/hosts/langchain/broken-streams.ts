import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs';
import { type AgentMiddleware, createAgent, modelFallbackMiddleware, modelRetryMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import type { ScriptedModel } from '../../../src/testing/adapter-host.ts';
import { again, UNFINISHED } from '../driver.ts';
import { ScriptedChatModel } from './scripted-model.ts';
import { counted, listening } from './setting.ts';

type Script = { readonly asked: string[]; readonly times: number; readonly afterWords: boolean };

/** Looks, then breaks so many times, and then says it all. */
class BreakingModel extends ScriptedChatModel {
  readonly #script: Script;

  constructor(script: Script, tools = false) {
    const answer: ScriptedModel = ({ sent }) =>
      script.asked.push(sent) === 1 ? again(1) : { text: UNFINISHED };
    super(answer, tools);
    this.#script = script;
  }

  override bindTools(tools: readonly unknown[], settings: object = {}) {
    return new BreakingModel(this.#script, tools.length > 0).withConfig(settings) as never;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const result = await super._generate(messages);
    if (this.#isBroken) throw new Error('overloaded');
    return result;
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of super._streamResponseChunks(messages, options, manager)) {
      if (this.#isBroken && (chunk.text === '' || !this.#script.afterWords))
        throw new Error('socket hang up');
      yield chunk;
    }
  }

  get #isBroken(): boolean {
    const { asked, times } = this.#script;
    return asked.length > 1 && asked.length <= times + 1;
  }
}

type Way = 'invoke' | 'stream';
type Retry = (script: Script, guards: readonly AgentMiddleware[], way: Way) => Promise<string>;

const patient = () =>
  modelRetryMiddleware({ maxRetries: 11, initialDelayMs: 0, jitter: false, onFailure: 'error' });

async function said(
  script: Script,
  middleware: readonly AgentMiddleware[],
  way: Way,
  messages: BaseMessage[] = [new HumanMessage('Find it.')],
): Promise<string> {
  const model = new BreakingModel(script);
  const agent = createAgent({ model, tools: [counted(() => 'Three pods.').look], middleware });
  let last: BaseMessage | undefined;
  const config = { recursionLimit: 500, configurable: { thread_id: 'one' } };
  if (way === 'invoke') last = (await agent.invoke({ messages }, config)).messages.at(-1);
  else
    for await (const [mode, part] of await agent.stream(
      { messages },
      { ...config, streamMode: ['messages', 'values'] },
    ))
      if (mode === 'values') last = part.messages.at(-1);
  return `${last?.text}`;
}

/** Who asks the model again. */
const RETRIES: Record<string, Retry> = {
  'a middleware behind the guard': (script, guards, way) => said(script, [...guards, patient()], way),
  'a middleware before the guard': (script, guards, way) => said(script, [patient(), ...guards], way),
  'a middleware with other models': (script, guards, way) => {
    const others = Array.from({ length: 11 }, () => new BreakingModel(script));
    return said(script, [...guards, modelFallbackMiddleware(...others)], way);
  },
  async 'the program'(script, guards, way) {
    const id = 'call-0';
    const call = new AIMessage({ content: '', tool_calls: [{ id, name: 'look', args: {} }] });
    const result = new ToolMessage({ content: 'Three pods.', tool_call_id: id });
    const messages = [new HumanMessage({ content: 'Find it.', id: 'person-1' }), call, result];
    for (let n = 1; ; n++)
      try {
        return await said(script, guards, way, messages);
      } catch (error) {
        if (n === 12) throw error;
      }
  },
};

export function testBrokenStreams(): void {
  describe('LangChain: streams that break', () => {
    for (const [who, retry] of Object.entries(RETRIES))
      for (const way of ['stream', 'invoke'] as const)
        it(`are no responses when ${who} asks again, ${way}`, async () => {
          for (const afterWords of [true, false])
            for (const times of [3, 9, 99]) {
              const { guard, heard } = listening();
              const bare: Script = { asked: [], times, afterWords };
              const own: Script = { asked: [], times, afterWords };
              const text = await retry(bare, [], way).catch(String);
              expect(await retry(own, [guard], way).catch(String)).toBe(text);
              expect(heard).toEqual([]);
              expect(own.asked).toEqual(bare.asked);
            }
        });
  });
}
