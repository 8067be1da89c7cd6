import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';

/** The shapes of the OpenAI Agents SDK that are used here; `unknown` = passed on as it is. */

export type Agent = {
  readonly name: string;
  readonly model?: string | object | undefined;
  /** Agents, or handoffs to them. */
  readonly handoffs?: readonly (Agent | { readonly agent: Agent })[] | undefined;
  on?(event: 'agent_start', listener: (context: Context) => void): unknown;
};
/** What tools are told of a run; `usage` = all tokens until now. */
export type Context = { readonly usage?: unknown };
export type ToolCall = { readonly callId: string; readonly name: string; readonly arguments: string };

type Behavior = { readonly type: 'allow' } | { readonly type: 'rejectContent'; readonly message: string };
type GuardrailCall = { readonly context: Context; readonly agent: Agent; readonly toolCall: ToolCall };
export type InputGuardrail = {
  readonly type: 'tool_input';
  readonly name: string;
  run(call: GuardrailCall): Promise<{ readonly behavior: Behavior }>;
};
export type OutputGuardrail = {
  readonly type: 'tool_output';
  readonly name: string;
  run(call: GuardrailCall & { readonly output: unknown }): Promise<{ readonly behavior: Behavior }>;
};
export type FunctionTool = {
  readonly type: 'function';
  readonly name: string;
  readonly isEnabled?: boolean | ((context: Context, agent: Agent) => boolean | Promise<boolean>);
  readonly needsApproval?: (context: Context, input: unknown, callId?: string) => Promise<boolean>;
  readonly inputGuardrails?: readonly InputGuardrail[];
  readonly outputGuardrails?: readonly OutputGuardrail[];
};

/** A part of the conversation: a message, `function_call`, `function_call_result`, `reasoning`, ... */
export type Item = {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly callId?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
};
export type ModelRequest = {
  readonly input: string | readonly Item[];
  readonly modelSettings?: object;
};
/** Of a stream: `output_text_delta`, `response_done`, ... */
export type StreamEvent = { readonly type?: unknown; readonly delta?: unknown; readonly response?: unknown };
export type Model = {
  getResponse(request: ModelRequest): Promise<unknown>;
  getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent>;
};
type ModelData = { readonly input: readonly object[] };
export type FilterArgs<Data> = { readonly modelData: Data; readonly agent: Agent; readonly context: unknown };
export type InputFilter = (args: FilterArgs<ModelData>) => ModelData | Promise<ModelData>;

export type RunOptions = {
  readonly session?: { getSessionId(): Promise<string> } | undefined;
  readonly conversationId?: string | undefined;
  readonly callModelInputFilter?: (InputFilter & { readonly preserveInputIdentity?: boolean }) | undefined;
};
/** `run`, or the `run` of a `Runner`. */
export type RunAgent = (agent: Agent, input: unknown, options?: RunOptions) => Promise<unknown>;
export type Runner = {
  readonly run: RunAgent;
  readonly config: Pick<RunOptions, 'callModelInputFilter'>;
};

/** The text of a message, of a reasoning item or of a result, whether it is one or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** What the items of a response say. */
export function saidIn(items: readonly Item[]): { readonly text: string; readonly reasoning: string } {
  return {
    text: items.map(({ role, content }) => (role === 'assistant' ? textOf(content) : '')).join(''),
    reasoning: items.map(({ type, content }) => (type === 'reasoning' ? textOf(content) : '')).join(''),
  };
}

/** Arguments as JSON, or as the model has sent them. */
export function argumentsOf(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The SDK counts tokens that were read from the cache among the input. */
export function usageOf(value: unknown): Usage {
  const { inputTokens, outputTokens, inputTokensDetails } = fieldsOf(value);
  const details = Array.isArray(inputTokensDetails) ? inputTokensDetails : [inputTokensDetails];
  const input = countOf(inputTokens);
  const cached = details.reduce((sum: number, each) => sum + countOf(fieldsOf(each)['cached_tokens']), 0);
  const cachedInput = Math.min(cached, input);
  return { input: input - cachedInput, output: countOf(outputTokens), cachedInput };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
