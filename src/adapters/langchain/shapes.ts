import { fieldOf } from '../../core/arguments.ts';
import type { Usage } from '../../core/types.ts';
import { type Fields, fieldsOf } from '../fields.ts';

/** The shapes of LangChain 1 that are used here; `unknown` = passed on as it is. */

export type ToolCall = { readonly id?: string | undefined; readonly name: string; readonly args?: unknown };
/** A message of any kind, as the classes of `@langchain/core` have it. */
export type Message = {
  readonly type: string;
  readonly id?: string | undefined;
  readonly content: unknown;
  readonly response_metadata?: Fields;
  /** What providers give beside it. */
  readonly additional_kwargs?: Fields | undefined;
  /** Of a model's response. */
  readonly tool_calls?: readonly ToolCall[] | undefined;
  readonly invalid_tool_calls?: readonly (Partial<ToolCall> & { readonly error?: unknown })[] | undefined;
  readonly usage_metadata?: unknown;
  /** Of a tool's result. */
  readonly tool_call_id?: string;
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly artifact?: unknown;
};

/** What `wrapModelCall` and `wrapToolCall` are told of the run; a node's config in a graph of your own. */
export type Runtime = {
  readonly configurable?: Fields | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly interrupt?: ((value: never) => unknown) | undefined;
  /** Writes to the stream of the invocation: each invocation has its own, and so is known by it. A `ToolNode` outside a graph has `null`. */
  readonly writer?: object | null | undefined;
};
export type ModelRequest = {
  readonly messages: readonly unknown[];
  readonly model?: unknown;
  readonly tools?: readonly unknown[];
  /** What `bindTools` is given beside the tools. */
  readonly modelSettings?: object | undefined;
  /** The schema of a structured response, or how it is to be got; undefined = none is due. */
  readonly responseFormat?: unknown;
  /** The messages as no other middleware has changed them. */
  readonly state?: unknown;
  readonly runtime?: Runtime | undefined;
};
export type ToolRequest = {
  readonly toolCall: ToolCall;
  readonly tool?: unknown;
  readonly state?: unknown;
  readonly runtime: Runtime;
};

/** Those of a state, or of an update to it, which may be a list of messages itself. */
export function messagesOf(state: unknown): readonly Message[] {
  const { messages = state } = fieldsOf(state);
  return Array.isArray(messages) ? (messages as readonly Message[]) : [];
}

/** The text of a message, whether it is one or a list of blocks. */
export function textOf(content: unknown): string {
  return typeof content === 'string' ? content : blocksOf(content, 'text', 'text');
}

/** Among the blocks, or beside them. */
export function reasoningOf({ content, additional_kwargs: beside }: Message): string {
  return (
    (beside !== undefined && reasoningIn(beside)) ||
    blocksOf(content, 'reasoning', 'reasoning') ||
    blocksOf(content, 'thinking', 'thinking')
  );
}

/** As DeepSeek has it, and many like it; or OpenAI's summary. */
function reasoningIn({ reasoning_content: text, reasoning }: Fields): string {
  if (typeof text === 'string') return text;
  return reasoning === undefined ? '' : blocksOf(fieldsOf(reasoning)['summary'], 'summary_text', 'text');
}

function blocksOf(content: unknown, type: string, field: string): string {
  if (!Array.isArray(content)) return '';
  return content
    .map(fieldsOf)
    .flatMap((block) => (block['type'] === type && typeof block[field] === 'string' ? [block[field]] : []))
    .join('\n');
}

/** LangChain counts tokens that were read from the cache among the input. */
export function usageOf(metadata: unknown): Usage | undefined {
  const { input_tokens: input, output_tokens: output, input_token_details: details } = fieldsOf(metadata);
  if (!isCount(input) || !isCount(output)) return undefined;
  const read = fieldOf(fieldsOf(details), 'cache_read');
  const cachedInput = isCount(read) ? Math.min(read, input) : 0;
  return { input: input - cachedInput, output, cachedInput };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
