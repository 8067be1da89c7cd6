import { fieldsOf } from '../fields.ts';

/** The parts of Mastra's objects that the adapter looks at. */
type Part = {
  readonly type: string;
  readonly text?: unknown;
  readonly toolInvocation?: Invocation | undefined;
  readonly providerMetadata?: unknown;
};
/** A call in a message, with what has come of it. */
export type Invocation = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly state: string;
  readonly result?: unknown;
  readonly errorText?: unknown;
  /** What a person said to it. */
  readonly approval?: { readonly reason?: unknown } | undefined;
};
export type Message = {
  readonly id?: string | undefined;
  readonly role: string;
  readonly type?: unknown;
  readonly content: { readonly parts?: readonly Part[] | undefined; readonly metadata?: unknown };
};
type Messages = { db(): readonly Message[] };
export type MessageList = {
  /** `input` = what the call was made with, and what processors have put in. */
  readonly get: { readonly all: Messages; readonly input: Messages };
  /** For what is sent while the agent works. */
  addSignal?(signal: unknown, options?: unknown): { toDBMessage(): Message };
  add(message: { role: 'user' | 'assistant'; content: string }, source: 'input' | 'response'): unknown;
};

export type ToolOptions = {
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly suspend?:
    | ((payload: unknown, options?: { readonly requireToolApproval?: boolean }) => unknown)
    | undefined;
};
export type Tool = {
  readonly execute?: (args: unknown, options: ToolOptions) => unknown;
  /** What the model reads of a result; nothing = the result. */
  readonly toModelOutput?: ((output: unknown) => unknown) | undefined;
};
export type Tools = { readonly [name: string]: Tool };

type RequestContext = {
  get(key: 'MastraMemory'): unknown;
  /** The loop of a durable agent ends with this step, whoever would have it go on. */
  set(key: '__mastra_delegationBailed', value: true): void;
};

/** What a processor is given before a step. */
export type StepArgs = {
  readonly stepNumber: number;
  /** One object for all steps of a call. */
  readonly state: object;
  readonly agent?: { readonly id: string } | undefined;
  readonly requestContext?: RequestContext | undefined;
  readonly messages: readonly Message[];
  readonly messageList: MessageList;
  readonly model: object;
  readonly tools?: Tools | undefined;
  readonly structuredOutput?: StructuredOutput | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** What comes next goes into a message of its own. */
  rotateResponseMessageId?: (() => string) | undefined;
};
/** What the step is made with; nothing = as it is. */
export type StepResult = {
  tools?: Tools;
  model?: unknown;
  activeTools?: string[];
  toolChoice?: 'auto';
  structuredOutput?: StructuredOutput;
};
/** `strict` = text that does not fit the schema is an error; so it is where nothing is said. */
type StructuredOutput = { readonly errorStrategy?: 'strict' | 'warn' | 'fallback' | undefined };
/** An input processor; a workflow may stand for several. */
export type Processor = {
  readonly id: string;
  readonly name?: string;
  readonly processInputStep?: ((args: StepArgs) => Promise<StepResult>) | undefined;
  readonly processLLMRequest?: (() => Promise<void>) | undefined;
};

/** Whether a call shall go on, in its user's words. */
export type Said = { readonly continue?: boolean; readonly feedback?: string } | undefined;

/** What a call of `generate` or `stream` is made of, once Mastra has resolved it. */
export type StreamOptions = {
  readonly runId?: string | undefined;
  readonly agentId?: string | undefined;
  /** That of the memory. */
  readonly threadId?: string | undefined;
  readonly messageList: MessageList;
  readonly tools?: Tools | undefined;
  /** For the steps, all in one workflow as a rule; the list is read before each step. */
  readonly inputProcessors?: readonly Processor[] | undefined;
  /** The same, one by one. */
  readonly llmRequestInputProcessors?: readonly Processor[] | undefined;
  readonly options?: { readonly prepareStep?: Processor['processInputStep'] } | undefined;
  /** What tells whether the work is done. */
  readonly isTaskComplete?: unknown;
  readonly goal?: unknown;
  /** The user's own, after each step. */
  readonly onIterationComplete?: ((context: unknown) => Said | Promise<Said>) | undefined;
  /** A suspended run goes on. */
  readonly resumeContext?: { readonly snapshot?: unknown; readonly resumeData?: unknown } | undefined;
  /** The call that a person has answered; without it, all that were suspended go on. */
  readonly toolCallId?: string | undefined;
};
export type Output = { readonly status?: unknown; _waitUntilFinished?(): Promise<void> };
export type Llm = { getModel(): Model; stream(options: StreamOptions): Output | Promise<Output> };

export type ModelContext = { readonly requestContext: unknown };
/** A model, its name, its settings, or several to fall back on; or what gives them. */
export type Dynamic = object | string | ((context: ModelContext) => unknown);
export type Fallback = { readonly model: unknown; readonly enabled?: boolean };
type Model = { readonly specificationVersion?: unknown };
export type Agent = {
  readonly id: string;
  readonly model: Dynamic;
  getLLM(options?: { readonly requestContext?: unknown; readonly model?: Dynamic }): Llm | Promise<Llm>;
  /** A copy, for Mastra to change. */
  __fork?(): Agent;
  listInputProcessors(requestContext?: unknown): Promise<readonly Processor[]>;
  getModel(options: {
    readonly requestContext: unknown;
    readonly modelConfig: unknown;
  }): Model | Promise<Model>;
};

export function wordsIn({ content }: Message): string {
  return (content.parts ?? [])
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}

export function invocationsIn(messages: readonly Message[]): readonly Invocation[] {
  const all: Invocation[] = [];
  for (const { content } of messages) {
    for (const { toolInvocation } of content.parts ?? []) if (toolInvocation) all.push(toolInvocation);
  }
  return all;
}

/** What a tool's `toModelOutput` has made of the result of a call. */
export function modelOutputIn(messages: readonly Message[], id: string): unknown {
  for (const { content } of messages)
    for (const { toolInvocation, providerMetadata } of content.parts ?? [])
      if (toolInvocation?.toolCallId === id)
        return fieldsOf(fieldsOf(providerMetadata)['mastra'])['modelOutput'];
  return undefined;
}

export function isDenied({ state }: Invocation): boolean {
  return state === 'output-denied';
}

export function hasEnded({ state }: Invocation): boolean {
  return state === 'result' || state.startsWith('output-');
}

/** Whether it has only been begun: its result is to come later, and may be seen in its place then. */
export function isInBackground({ result }: Invocation): boolean {
  return typeof result === 'string' && /^Background task (?:start|resum)ed\. Task ID: /.test(result);
}
