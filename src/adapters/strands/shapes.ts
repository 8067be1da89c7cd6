/** The parts of Strands' objects that the adapter looks at. */
export type Block = {
  readonly type: string;
  readonly text?: unknown;
  readonly json?: unknown;
};
export type Message = {
  readonly role: string;
  readonly content: readonly Block[];
  readonly metadata?: { readonly usage?: Tokens | undefined } | undefined;
};
export type Tokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cacheReadInputTokens?: number | undefined;
  readonly cacheWriteInputTokens?: number | undefined;
};
export type Agent = {
  readonly id: string;
  readonly name?: string | undefined;
  readonly sessionId: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly unknown[] | undefined;
  /** Another one for each invocation. */
  readonly cancelSignal?: AbortSignal | undefined;
  model?: object;
  readonly stream?: ((...args: never[]) => unknown) | undefined;
  readonly addHook?:
    | ((type: never, callback: never, options: { readonly order: number }) => unknown)
    | undefined;
};

type Event = { readonly agent: Agent };
export type InvocationEvent = Event & { readonly invocationState?: object | undefined };
export type ModelEvent = Event & { readonly model?: object | undefined; cancel: boolean | string };
export type ResponseEvent = Event & {
  readonly stopData?: { readonly message: Message } | undefined;
};
export type CallEvent = Event & {
  readonly toolUse: ToolUse;
  readonly tool?: object | undefined;
  cancel: boolean | string;
};
export type ToolUse = { readonly name: string; readonly toolUseId: string; readonly input: unknown };
export type ResultEvent = Event & {
  readonly toolUse: ToolUse;
  readonly tool?: object | undefined;
  result: ToolResult;
  readonly error?: Error | undefined;
  /** A hook wants the call tried again. */
  retry?: boolean;
};
export type ToolResult = {
  readonly toolUseId: string;
  readonly status: string;
  readonly content: readonly Block[];
};

export type Proceed = { readonly type: 'proceed' };
export type Guide = { readonly type: 'guide'; readonly feedback: string };
export type Confirm = {
  readonly type: 'confirm';
  readonly prompt: string;
  readonly evaluate: (response: unknown) => boolean;
};

/** The SDK's own tool, by which a model gives its answer where the user wants it structured. */
export const STRUCTURED_OUTPUT = 'strands_structured_output';

/** Shorter ids may stand in a text for something else. */
const MIN_ID = 6;

export const PROCEED = { type: 'proceed' } as const;

/** The words in a message, of one kind of its blocks. */
export function wordsIn(content: readonly Block[], type = 'textBlock'): string {
  let words = '';
  for (const block of content) if (block.type === type && typeof block.text === 'string') words += block.text;
  return words;
}

export function hasResults(message: Message | undefined): boolean {
  return message?.content.some(({ type }) => type === 'toolResultBlock') === true;
}

/** What the model sees of a result, in its simplest form. */
export function outputOf({ content, toolUseId }: ToolResult): unknown {
  const [first] = content;
  const plain = (block: Block) => plainOf(block, toolUseId);
  return first !== undefined && content.length === 1 ? plain(first) : content.map(plain);
}

function plainOf(block: Block, id: string): unknown {
  if (block.type === 'jsonBlock') return block.json;
  return block.type === 'textBlock' ? unnamed(block.text, id) : { ...block };
}

/** `ContextOffloader` names a result that it puts elsewhere by its call, and so no two would be the same. */
function unnamed(text: unknown, id: string): unknown {
  if (typeof text !== 'string' || id.length < MIN_ID || !text.includes(id)) return text;
  return text.replace(/[\w-]+/g, (word) => (word.includes(id) ? '¤' : word));
}

/** The same result with other words; the classes are those of the SDK that made it. */
export function withText(result: ToolResult, text: string): ToolResult {
  const { toolUseId, status, content } = result;
  const [block] = content;
  if (block === undefined) return result;
  const TextBlock = block.constructor as new (words: string) => Block;
  const Result = result.constructor as new (data: ToolResult) => ToolResult;
  return new Result({ toolUseId, status, content: [new TextBlock(text)] });
}
