import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import type { ScriptedModel, ScriptedTurn } from '../../../src/testing/adapter-host.ts';

/** A chat model of LangChain that follows a script, in one piece or as a stream. */
export class ScriptedChatModel extends BaseChatModel {
  /** As models of providers have it: whether it streams of itself, and not only where somebody listens. */
  readonly streaming = false;
  readonly #script: ScriptedModel;
  readonly #tools: boolean;

  constructor(script: ScriptedModel, tools = false) {
    super({});
    this.#script = script;
    this.#tools = tools;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: readonly unknown[], settings: object = {}) {
    return new ScriptedChatModel(this.#script, tools.length > 0).withConfig(settings);
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const turn = this.#answer(messages);
    const message = Object.assign(new AIMessage(fieldsOf(turn)), usageOf(turn.usage));
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text = '', reasoning = '', calls = [], usage } = this.#answer(messages);
    const tool_call_chunks = calls.map(({ id, tool, args }, index) => ({
      type: 'tool_call_chunk' as const,
      id,
      name: tool,
      args: typeof args === 'string' ? args : JSON.stringify(args),
      index,
    }));
    const rest = Object.assign(new AIMessageChunk({ content: '', tool_call_chunks }), usageOf(usage));
    const pieces = [
      ...piecesOf(reasoning).map((piece) => [{ type: 'reasoning', reasoning: piece, index: 0 }]),
      ...piecesOf(text),
    ].map((content) => new AIMessageChunk({ content }));
    for (const message of pieces) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await manager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
    yield new ChatGenerationChunk({ text: '', message: rest });
  }

  #answer(messages: BaseMessage[]): ScriptedTurn {
    return this.#script({ sent: JSON.stringify(messages.map(sentOf)), tools: this.#tools });
  }
}

/** Tells its tokens without the chunks they came in, as the models of `@langchain/google-genai` and `@langchain/cohere` do. */
export class TerseChatModel extends ScriptedChatModel {
  override bindTools(_: readonly unknown[], settings: object = {}) {
    return this.withConfig(settings) as ReturnType<ScriptedChatModel['bindTools']>;
  }

  override _streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const told = { handleLLMNewToken: (token: string) => manager?.handleLLMNewToken(token) };
    return super._streamResponseChunks(messages, options, told as CallbackManagerForLLMRun);
  }
}

function piecesOf(text: string): readonly string[] {
  return text.match(/.{1,7}/gs) ?? [];
}

/** What a provider gets of a message; ids are LangGraph's own, and random. */
function sentOf(message: BaseMessage): unknown {
  const { type, content, name } = message;
  const { tool_calls, tool_call_id, status } = message as {
    readonly tool_calls?: unknown;
    readonly tool_call_id?: string;
    readonly status?: string;
  };
  return { type, content, name, tool_calls, tool_call_id, status };
}

function fieldsOf({ text = '', reasoning, calls = [] }: ScriptedTurn): AIMessageFields {
  const asText = (args: unknown) => typeof args === 'string';
  return {
    content:
      reasoning === undefined
        ? text
        : [
            { type: 'reasoning', reasoning },
            { type: 'text', text },
          ],
    tool_calls: calls
      .filter(({ args }) => !asText(args))
      .map(({ id, tool, args }) => ({
        type: 'tool_call' as const,
        id,
        name: tool,
        args: args as { [name: string]: unknown },
      })),
    invalid_tool_calls: calls
      .filter(({ args }) => asText(args))
      .map(({ id, tool, args }) => ({
        type: 'invalid_tool_call' as const,
        id,
        name: tool,
        args: args as string,
        error: 'Malformed args.',
      })),
  };
}

function usageOf(usage: ScriptedTurn['usage']): { readonly usage_metadata?: UsageMetadata } {
  if (usage === undefined) return {};
  const { input, output, cachedInput = 0 } = usage;
  const input_tokens = input + cachedInput;
  return {
    usage_metadata: {
      input_tokens,
      output_tokens: output,
      total_tokens: input_tokens + output,
      input_token_details: { cache_read: cachedInput },
    },
  };
}
