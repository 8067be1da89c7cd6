/** The parts of pi's objects that the adapter looks at. */
export type Block = {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly name?: string;
  readonly arguments?: unknown;
};
export type Message = {
  readonly role: string;
  readonly content: string | readonly Block[];
  readonly stopReason?: string;
  readonly usage?: Tokens;
};
export type Tokens = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};
export type Model = { readonly api: string; readonly provider: string; readonly id: string };
export type Context = { readonly messages: readonly Message[]; readonly tools?: readonly object[] };

/** A piece of a response; the last is `done` or `error`. */
export type Part = { readonly type: string; readonly delta?: string; readonly partial?: Message };
/** `push` = how its pieces come into it. */
export type Response = AsyncIterable<Part> & { result(): Promise<Message>; push?(part: Part): void };
/** `convertToLlm` = the agent's loop asks, which hands all on that it was made with; others ask for a summary of the conversation, or the like. */
type StreamOptions = { readonly signal?: AbortSignal | undefined; readonly convertToLlm?: unknown };
export type Stream = (
  model: Model,
  context: Context,
  options?: StreamOptions,
) => Response | Promise<Response>;

type ToolCall = { readonly id: string; readonly name: string; readonly arguments: unknown };
export type Result = {
  readonly content: readonly Block[];
  readonly details?: unknown;
  /** From 1.0 on: the same as data, for programs. */
  readonly structuredContent?: unknown;
  readonly terminate?: boolean;
};
type CallContext = { readonly toolCall: ToolCall; readonly args: unknown };
type Before = { block?: boolean; reason?: string } | undefined;
type After = { content?: unknown; structuredContent?: unknown; isError?: boolean } | undefined;
export type BeforeToolCall = (context: CallContext, signal?: AbortSignal) => Promise<Before>;
export type AfterToolCall = (
  context: CallContext & { readonly result: Result; readonly isError: boolean },
  signal?: AbortSignal,
) => Promise<After>;
/** From 0.87 on: a program may end a run after any turn, or have it go on. */
export type FinishTurn = (...given: unknown[]) => Promise<{ readonly action?: string } | undefined>;

export type Event =
  | { readonly type: 'message_end'; readonly message: Message }
  | {
      readonly type: 'tool_execution_start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: 'tool_execution_end';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: Result;
    }
  | { readonly type: 'agent_start' }
  | { readonly type: 'turn_start' }
  | { readonly type: 'turn_end'; readonly message: Message }
  | { readonly type: 'agent_end' };

/** pi's `Agent`, as the adapter uses it; `streamFn` is called `streamFunction` from 0.81 on. */
export type Agent = {
  readonly sessionId?: string;
  readonly state: { readonly tools: readonly { readonly name: string }[] };
  beforeToolCall?: BeforeToolCall | undefined;
  afterToolCall?: AfterToolCall | undefined;
  streamFn?: Stream;
  streamFunction?: Stream;
  subscribe(listener: (event: Event) => Promise<void>): () => void;
  steer(message: Message & { readonly timestamp: number }): void;
  hasQueuedMessages(): boolean;
};

/** What a message says, of one kind of its blocks; one of a program's own kind may have none. */
export function wordsIn(
  { content = '' }: Partial<Pick<Message, 'content'>>,
  kind: 'text' | 'thinking' = 'text',
): string {
  if (typeof content === 'string') return kind === 'text' ? content : '';
  let words = '';
  for (const block of content) if (block.type === kind) words += block[kind] ?? '';
  return words;
}
