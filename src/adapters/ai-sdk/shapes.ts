import { type Fields, fieldsOf } from '../fields.ts';

/** The shapes of the AI SDK that are used here, as far as majors 6 and 7 have them in common; `unknown` = passed on as it is. */

/** A part of a message or of a step: `tool-call`, `tool-result`, `tool-error`, `tool-approval-response`, ... */
export type Part = Fields & { readonly type?: unknown };
export type Message = { readonly role: string; readonly content: unknown };

export type ToolOptions = {
  readonly toolCallId: string;
  readonly messages: readonly Message[];
  readonly abortSignal?: AbortSignal | undefined;
};
export type ToolExecute = (input: unknown, options: ToolOptions) => unknown;
export type ToModelOutput = (result: {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}) => unknown;
export type Tool = Fields & {
  readonly execute?: ToolExecute;
  readonly needsApproval?: boolean | ((input: unknown, options: ToolOptions) => unknown);
  /** What the model reads of a result. */
  readonly toModelOutput?: ToModelOutput | undefined;
  /** It calls other tools: AI SDK 7 makes another tool of it for every step, where its `type` is `local`. */
  readonly experimental_toolCaller?: unknown;
};
export type Tools = { readonly [name: string]: Tool };

export type Step = {
  readonly content: readonly Part[];
  readonly text?: string;
  readonly reasoningText?: string | undefined;
  readonly usage?: unknown;
};
export type StepOptions = {
  /** That of the settings. */
  readonly model?: unknown;
  readonly steps: readonly Step[];
  readonly messages: readonly Message[];
  /** What a person has said since the step before; they are the last of the messages. */
  readonly experimental_steeringMessages?: readonly Message[];
};
/** What `prepareStep` may change. */
type StepSettings = {
  readonly model?: unknown;
  readonly messages?: readonly Message[];
  readonly activeTools?: readonly string[];
  readonly toolChoice?: unknown;
  readonly providerOptions?: unknown;
};
export type PrepareStep = (
  options: StepOptions,
) => StepSettings | undefined | Promise<StepSettings | undefined>;
/** Hears of a step that has ended. */
export type OnStep = (step: Step) => unknown;
export type StopCondition = (options: { readonly steps: readonly Step[] }) => boolean | PromiseLike<boolean>;

/** A status of AI SDK 7, such as `'denied'` or `{ type: 'user-approval', reason }`. */
export type Approval = undefined | string | { readonly type: string; readonly reason?: string };
export type ApproveCall = (options: {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly messages: readonly Message[];
}) => Approval | PromiseLike<Approval>;
export type ApproveInput = (
  input: unknown,
  options: ToolOptions & { readonly toolContext?: unknown },
) => Approval | PromiseLike<Approval>;
export type Approvals = ApproveCall | { readonly [tool: string]: Approval | ApproveInput };

/** The settings of `generateText`, `streamText` and `ToolLoopAgent`. */
export type Settings = {
  readonly model?: unknown;
  readonly tools?: Tools | undefined;
  readonly prepareStep?: PrepareStep | undefined;
  readonly experimental_prepareStep?: PrepareStep | undefined;
  readonly stopWhen?: StopCondition | readonly StopCondition[] | undefined;
  readonly toolApproval?: Approvals | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: unknown;
  readonly onStepEnd?: OnStep | undefined;
  readonly onStepFinish?: OnStep | undefined;
};

/** The mark of what `toolSearch` of AI SDK 7 gives. */
const TOOL_SEARCH = Symbol.for('vercel.ai.toolSearch');

/**
 * Whether AI SDK 7 puts a function of its own in the place of `execute`, in every step, but not after a person has approved a call: then
 * the call would fail.
 */
export function isBoundAnew(tool: Tool): boolean {
  return (
    fieldsOf(tool.experimental_toolCaller)['type'] === 'local' || Reflect.get(tool, TOOL_SEARCH) === true
  );
}

export function partsOf(content: unknown): readonly Part[] {
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

/** The text of a message's content, whether it is one or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}
