import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';

/** The shapes of the OpenAI Agents SDK that are used here; `unknown` = passed on as it is. */

export type Agent = {
  readonly name: string;
  /** A function may say them, too. */
  readonly instructions?: unknown;
  readonly model?: string | object | undefined;
  /** Agents, or handoffs to them. */
  readonly handoffs?: readonly (Agent | Handoff)[] | undefined;
  readonly tools?: readonly object[] | undefined;
  /** `text`, or what the answer must look like. */
  readonly outputType?: unknown;
  readonly modelSettings?: { readonly toolChoice?: unknown } | undefined;
  /** Whether the model may do as it likes after its first call; unless it is false. */
  readonly resetToolChoice?: boolean | undefined;
  on?(event: 'agent_start' | 'agent_end', listener: (context: Context) => void): unknown;
  on?(
    event: 'agent_tool_start',
    listener: (context: Context, tool: object, details: { readonly toolCall?: Item }) => void,
  ): unknown;
};
type Handoff = { readonly agent: Agent; readonly toolName?: string };
/** What tools are told of a run; `usage` = all tokens until now. */
export type Context = {
  readonly usage?: unknown;
  /** What a person has said to a call; undefined = nothing. */
  isToolApproved?(call: {
    readonly toolName: string;
    readonly callId: string;
    readonly agent?: Agent;
  }): boolean | undefined;
};
export type ToolCall = {
  readonly type?: unknown;
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly arguments: string;
};
/** What a run is interrupted by: a call that waits for a person. */
type Interruption = { readonly agent: Agent; readonly rawItem: ToolCall };
/** Where a run was interrupted. */
export type State = {
  getInterruptions?(): readonly Interruption[];
  readonly _currentAgent?: Agent;
  readonly _originalInput?: unknown;
  /** What has happened until then, and by whom. */
  readonly _generatedItems?: readonly { readonly agent?: Agent; readonly sourceAgent?: Agent }[];
  /** What a person has said since then. */
  readonly _pendingInput?: readonly Item[];
  readonly _context?: Context;
  /** Runs inside of tools that wait, by the names of the tools and the ids of their calls. */
  readonly _pendingAgentToolRuns?: ReadonlyMap<string, string>;
  readonly _conversationId?: unknown;
  readonly _previousResponseId?: unknown;
};

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
/** What a guard has a say in. */
export type ToolFields = {
  readonly isEnabled?: boolean | ((context: Context, agent: Agent) => boolean | Promise<boolean>);
  readonly needsApproval?:
    | ((context: Context, input: unknown, callId?: string) => Promise<boolean>)
    | undefined;
  readonly inputGuardrails?: readonly InputGuardrail[];
  readonly outputGuardrails?: readonly OutputGuardrail[];
};
export type FunctionTool = ToolFields & {
  readonly type: 'function';
  readonly name: string;
  /** What its results must look like: then the SDK gives the model no other text, but only what the error function makes of it. */
  readonly outputSchema?: unknown;
  readonly errorFunction?: unknown;
};

/** A part of the conversation: a message, `function_call`, `function_call_result`, `reasoning`, ... */
export type Item = {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly rawContent?: unknown;
  readonly callId?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly status?: unknown;
  /** What a shell, a computer or an editor is to do, instead of arguments. */
  readonly action?: unknown;
  readonly actions?: unknown;
  readonly operation?: unknown;
  readonly providerData?: unknown;
};
export type ModelRequest = {
  readonly systemInstructions?: string | undefined;
  readonly input: string | readonly Item[];
  readonly conversationId?: unknown;
  readonly previousResponseId?: unknown;
  readonly tools?: readonly unknown[];
  readonly handoffs?: readonly unknown[];
  readonly modelSettings?: object;
  /** `text`, or what the answer must look like. */
  readonly outputType?: unknown;
};
/** Of a stream: `response_started`, `output_text_delta`, `response_done`, ... */
export type StreamEvent = {
  readonly type?: unknown;
  readonly delta?: unknown;
  readonly response?: unknown;
  /** What the provider itself has sent. */
  readonly providerData?: unknown;
  readonly event?: unknown;
};
export type Model = {
  getResponse(request: ModelRequest): Promise<unknown>;
  getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent>;
};
type ModelData = { readonly input: readonly Item[] };
export type FilterArgs<Data> = { readonly modelData: Data; readonly agent: Agent; readonly context: unknown };
export type InputFilter = (args: FilterArgs<ModelData>) => ModelData | Promise<ModelData>;

export type RunOptions = {
  readonly session?: { getSessionId(): Promise<string> } | undefined;
  readonly conversationId?: string | undefined;
  readonly previousResponseId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
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
    reasoning: items.map((item) => (item.type === 'reasoning' ? thoughtIn(item) : '')).join(''),
  };
}

/** What pieces of reasoning are called by the Responses API, and by models of the AI SDK. */
const THOUGHTS: readonly unknown[] = [
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
  'reasoning-delta',
];

/** A piece of reasoning: the SDK has no event of its own for it, but hands on what the provider has sent. */
export function thoughtOf({ type, event }: StreamEvent): unknown {
  if (type !== 'model') return undefined;
  const { type: kind, delta, choices } = fieldsOf(event);
  if (THOUGHTS.includes(kind)) return delta;
  // Chat Completions have no word for it, so there are two.
  const { reasoning, reasoning_content: content } = fieldsOf(
    Array.isArray(choices) ? fieldsOf(choices[0])['delta'] : undefined,
  );
  return reasoning ?? content;
}

/** A summary, or the thoughts themselves, where the provider tells them. */
function thoughtIn({ content, rawContent }: Item): string {
  return textOf(rawContent) || textOf(content);
}

/** Whether an agent hands over by calling the tool. */
export function isHandoff({ handoffs = [] }: Agent, tool: string): boolean {
  return handoffs.some((target) => {
    const { toolName = undefined, agent = target as Agent } = 'agent' in target ? target : {};
    return (toolName ?? `transfer_to_${agent.name.replace(/[^a-zA-Z0-9]/g, '_')}`) === tool;
  });
}

/** Whether the model must call a tool in every response. */
export function isForced({ modelSettings, resetToolChoice }: Agent): boolean {
  const { toolChoice = 'auto' } = modelSettings ?? {};
  return resetToolChoice === false && toolChoice !== 'auto' && toolChoice !== 'none';
}

/** What a person has said to a call. */
export function approvalOf(context: Context | undefined, agent: Agent, call: ToolCall): boolean | undefined {
  for (const toolName of keysOf(call)) {
    const said = context?.isToolApproved?.({ toolName, callId: call.callId, agent });
    if (said !== undefined) return said;
  }
  return undefined;
}

/** What the SDK may keep an answer under: a tool that is loaded only when it is searched for is its own namespace. */
function keysOf({ name, namespace = name }: ToolCall): readonly string[] {
  if (namespace !== name) return [JSON.stringify(['namespaced', namespace, name])];
  return [name, JSON.stringify(['deferred_top_level', name])];
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
