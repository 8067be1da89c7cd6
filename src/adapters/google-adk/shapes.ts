/** The parts of ADK's objects that the adapter looks at. */
type Part = {
  readonly text?: string | undefined;
  /** Whether the text is a thought. */
  readonly thought?: boolean | undefined;
  readonly functionCall?: FunctionCall | undefined;
  readonly functionResponse?: FunctionResponse | undefined;
};
type FunctionCall = {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: object | undefined;
};
export type FunctionResponse = {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly response?: object | undefined;
};
export type Content = { readonly role?: string | undefined; readonly parts?: readonly Part[] | undefined };
export type Tokens = {
  readonly promptTokenCount?: number | undefined;
  readonly cachedContentTokenCount?: number | undefined;
  readonly candidatesTokenCount?: number | undefined;
  readonly thoughtsTokenCount?: number | undefined;
};
export type LlmRequest = {
  contents: Content[];
  readonly toolsDict?: object | undefined;
  config?: Config | undefined;
};
export type Config = {
  tools?: unknown;
  toolConfig?: unknown;
  readonly systemInstruction?: unknown;
  readonly responseMimeType?: unknown;
};
/** A group of tools, as a request has them. */
export type Tools = { readonly functionDeclarations?: readonly { readonly name?: string }[] };
export type LlmResponse = {
  readonly content?: Content | undefined;
  readonly partial?: boolean | undefined;
  readonly usageMetadata?: Tokens | undefined;
  readonly finishReason?: unknown;
  readonly errorCode?: string | undefined;
  readonly errorMessage?: string | undefined;
};

type Agent = {
  readonly name: string;
  readonly rootAgent?: { readonly name: string } | undefined;
  /** `none` = it does not read what was said before. */
  readonly includeContents?: unknown;
};
/** One run of a node of a workflow, as all agents have it that take part in it. */
export type Scope = { readonly input?: unknown };
export type SessionEvent = {
  readonly id: string;
  readonly invocationId: string;
  readonly author: string;
  readonly timestamp: number;
  readonly branch: string | undefined;
  readonly isolationScope: string | undefined;
  readonly content: object;
  readonly actions: object;
  readonly longRunningToolIds: readonly string[];
};
export type InvocationContext = {
  readonly invocationId: string;
  readonly branch?: string | undefined;
  /** Of a node of a workflow that others are not to read. */
  readonly isolationScope?: string | undefined;
  readonly agent?: Agent | undefined;
  readonly userContent?: Content | undefined;
  /** Absent outside of workflows. */
  readonly workflowInstructionScope?: Scope | undefined;
  readonly session: {
    readonly id: string;
    readonly appName: string;
    readonly userId: string;
    readonly events?: readonly { readonly timestamp: number }[] | undefined;
  };
  readonly sessionService?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly pluginManager?: object | undefined;
  /** Only in a live conversation. */
  readonly liveRequestQueue?: object | undefined;
};
/** An event of a run, as everybody has left it. */
export type SeenEvent = {
  readonly author?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly content?: Content | undefined;
  readonly usageMetadata?: Tokens | undefined;
  readonly actions: Actions;
};
/** What an event asks ADK to do; what has to be waited for is under the ids of calls. */
export type Actions = {
  /** `true` = the loop around the agent ends. */
  escalate?: boolean | undefined;
  /** The same object in the callbacks about a response and in the event that it becomes. */
  readonly stateDelta?: object | undefined;
  readonly requestedToolConfirmations?: object | undefined;
  readonly requestedAuthConfigs?: object | undefined;
};
export type Context = {
  readonly invocationContext: InvocationContext;
  readonly functionCallId?: string | undefined;
  readonly toolConfirmation?: { readonly confirmed: boolean } | undefined;
  readonly actions: Actions;
  requestConfirmation(request: { hint?: string; payload?: unknown }): void;
};
/** A node of a workflow begins or has ended. */
export type NodeParams = {
  readonly node: { readonly name: string };
  readonly nodeContext: { readonly invocationContext: InvocationContext };
};
export type ToolParams = {
  readonly tool: { readonly name: string; readonly isLongRunning?: boolean | undefined };
  readonly toolArgs: object;
  readonly toolContext: Context;
};

/** The words of a content, or its thoughts. */
export function wordsIn(content: Content | undefined, thought = false): string {
  let words = '';
  for (const part of content?.parts ?? [])
    if (part.text !== undefined && (part.thought === true) === thought) words += part.text;
  return words;
}

/** Whether a tool is ADK's own, by which a model gives its answer to an `outputSchema`, or ends its task. */
export function isReport(tool: string | undefined): boolean {
  return tool === 'set_model_response' || tool === 'finish_task';
}

/** ADK's own tool by which a model ends the loop around its agent. */
export const EXIT = 'exit_loop';

/** Text that stands where a person's would. */
export function said(text: string): { role: 'user'; parts: { text: string }[] } {
  return { role: 'user', parts: [{ text }] };
}

/** Something for the history of the session, as ADK's `createEvent` makes it. */
export function eventOf(
  { invocationId, branch, isolationScope, agent }: InvocationContext,
  content: object,
  actions: object = {},
  timestamp: number = Date.now(),
): SessionEvent {
  return {
    id: crypto.randomUUID(),
    invocationId,
    author: agent?.name ?? '',
    timestamp,
    branch,
    isolationScope,
    content,
    actions: {
      stateDelta: {},
      artifactDelta: {},
      requestedAuthConfigs: {},
      requestedToolConfirmations: {},
      ...actions,
    },
    longRunningToolIds: [],
  };
}

/**
 * Words for the response that is awaited. ADK gives that one the time at which it began to ask for it, so theirs is that of what came
 * before: a database keeps events in the order of their times.
 */
export function wordsOf(context: InvocationContext, text: string): SessionEvent {
  return eventOf(context, said(text), {}, context.session.events?.at(-1)?.timestamp);
}

/** Puts it into the session, wherever that is kept. */
export async function append(
  { sessionService, session }: InvocationContext,
  event: SessionEvent,
): Promise<void> {
  const service = sessionService as
    | { appendEvent?(request: { session: object; event: SessionEvent }): Promise<unknown> }
    | undefined;
  await service?.appendEvent?.({ session, event });
}
