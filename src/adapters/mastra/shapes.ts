/** The parts of Mastra's objects that the adapter looks at. */
type Part = {
  readonly type: string;
  readonly text?: unknown;
  readonly toolInvocation?: Invocation | undefined;
};
/** A call in a message, with what has come of it. */
export type Invocation = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly state: string;
  readonly result?: unknown;
  readonly errorText?: unknown;
};
export type Message = {
  readonly role: string;
  readonly content: { readonly parts?: readonly Part[] | undefined };
};

export type ToolOptions = {
  readonly toolCallId?: string | undefined;
  suspend?(payload: unknown, options?: { readonly requireToolApproval?: boolean }): unknown;
};
export type Tool = { readonly execute?: (args: unknown, options: ToolOptions) => unknown };

export type StepArgs = {
  readonly stepNumber: number;
  readonly messages: readonly Message[];
  readonly messageList: { add(message: { role: 'user'; content: string }, source: 'input'): unknown };
  /** One object for all steps of a run. */
  readonly state: object;
  readonly model: object;
  readonly tools?: object | undefined;
  readonly agent?: { readonly id: string } | undefined;
  readonly requestContext?: { get(key: 'MastraMemory'): unknown } | undefined;
  /** What comes next goes into a message of its own. */
  rotateResponseMessageId?: (() => string) | undefined;
};
/** What the next step is made with; nothing = as it is. */
export type StepResult = {
  tools?: Record<string, unknown>;
  /** A model of Mastra's own kind. */
  model?: never;
  activeTools?: string[];
};

/** The id of the thread, where the agent has a memory. */
export function threadOf({ requestContext }: StepArgs): string | undefined {
  const memory = requestContext?.get('MastraMemory') as { thread?: { id?: unknown } } | undefined;
  return typeof memory?.thread?.id === 'string' ? memory.thread.id : undefined;
}

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

/** A model that says this and nothing else. */
export function modelSaying(text: string, { provider, modelId }: ModelName): object {
  const finishReason = 'stop';
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const content = [{ type: 'text', text }];
  const id = '1';
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: async () => ({ content, finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id });
          controller.enqueue({ type: 'text-delta', id, delta: text });
          controller.enqueue({ type: 'text-end', id });
          controller.enqueue({ type: 'finish', finishReason, usage });
          controller.close();
        },
      }),
    }),
  };
}
export type ModelName = { readonly provider?: unknown; readonly modelId?: unknown };
