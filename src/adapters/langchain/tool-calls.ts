import { fieldsOf } from '../fields.ts';
import type { HostCall } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { whenSaved } from '../when-saved.ts';
import type { Conversation, Conversations } from './conversations.ts';
import { handoverOf, isHandover, noteHandover, sentIn } from './handovers.ts';
import { enter, hear, isNewTo, type Speaker, speakerIn } from './invocations.ts';
import { isMissing, resultOf, withContent } from './messages.ts';
import { askPerson } from './questions.ts';
import { type Message, messagesOf, type ToolCall, type ToolRequest } from './shapes.ts';

/** `message` = the model gets them as a result, as LangChain has it where no middleware wraps tool calls; `throw` = they stay errors, as it has it otherwise. */
export type ToolErrors = 'message' | 'throw';

const NONE: readonly ToolCall[] = [];

/** How the host runs a call. */
type Execution<Result> = {
  execute(): Result | Promise<Result>;
  readonly toolErrors: ToolErrors;
};
/** A call of a run, and how it is run. */
type Asked<Result> = {
  readonly conversation: Conversation;
  readonly call: HostCall;
  readonly request: ToolRequest;
  readonly execution: Execution<Result>;
};
/** A tool call under the guard: asked for before it runs, told afterwards. */
export type WatchedCall = <Result>(request: ToolRequest, execution: Execution<Result>) => Promise<Result>;

export function watchedCalls(conversations: Conversations, name: string | undefined): WatchedCall {
  return (request, execution) => {
    const { toolCall, state, runtime } = request;
    const conversation = conversations.of(messagesOf(state), runtime, name);
    const { run, agent, asked: before, handovers } = conversation;
    const own: HostCall = { id: toolCall.id, tool: toolCall.name, args: toolCall.args, agent };
    const call = handovers.size === 0 ? own : handoverOf(conversation, own, messagesOf(state));
    const by = isNewTo(conversation, runtime) ? begin(conversation, request) : null;
    const verdict = run.isReady
      ? judge(conversation, call, by, request)
      : run.ready().then(() => judge(conversation, call, by, request));
    const asked = { conversation, call, request, execution };
    return !(verdict instanceof Promise) && verdict.do === 'run' && before.size === 0
      ? executed(asked)
      : judged(asked, verdict);
  };
}

async function judged<Result>(asked: Asked<Result>, own: Verdict | Promise<Verdict>): Promise<Result> {
  let verdict = await own;
  if (verdict.do === 'hold') verdict = await answered(asked, verdict);
  else if (verdict.do === 'run') askAgain(asked.conversation, asked.request);
  if (verdict.do === 'run') return executed(asked);
  asked.conversation.asked.delete(asked.call.id);
  await asked.conversation.run.saved();
  return result(asked, verdict.text);
}

/** No async function: that would be one more promise for LangChain to follow. */
function executed<Result>(asked: Asked<Result>): Promise<Result> {
  const { conversation, call, execution } = asked;
  try {
    return Promise.resolve(execution.execute()).then(
      (given) => whenSaved(conversation.run, call.agent, finished(asked, given)),
      (error) => failed(asked, error),
    );
  } catch (error) {
    return failed(asked, error);
  }
}

function finished<Result>({ conversation, call, request }: Asked<Result>, given: Result): Result {
  if (conversation.asked.size > 0) conversation.asked.delete(call.id);
  const message = messageIn(given, call.id);
  if (message?.status !== 'error' && isAnswer(conversation, request)) conversation.isDone = true;
  const isHanded = message !== given && isHandover(given);
  if (isHanded) noteHandover(conversation, call, messagesOf(request.state));
  const stub = conversation.run.after(
    call,
    {
      // What else a command holds is for the graph, and may grow with the conversation.
      output: message?.content ?? (isHanded ? '' : given),
      status: message?.status === 'error' ? failureOf(message, request) : 'ok',
    },
    { replaceable: message === given && typeof message?.content === 'string' },
  );
  return stub === null || message === undefined ? given : (withContent(message, stub) as Result);
}

/** What the tool gives is the answer of the agent, which is not asked again. */
function isAnswer({ last }: Conversation, { tool }: ToolRequest): boolean {
  return fieldsOf(tool)['returnDirect'] === true && last?.tool_calls?.length === 1;
}

/** A tool that LangChain does not know may be one that other middleware brings. */
function failureOf(message: Message, { tool, toolCall }: ToolRequest): 'unknown-tool' | 'error' {
  return tool === undefined && isMissing(message, toolCall.name) ? 'unknown-tool' : 'error';
}

async function failed<Result>(asked: Asked<Result>, error: unknown): Promise<Result> {
  const { conversation, call, request, execution } = asked;
  const { run } = conversation;
  const fields = fieldsOf(error);
  // An interrupt, or another way of LangGraph to leave a node: the call comes again.
  const isLeaving = fields['is_bubble_up'] === true;
  if (!isLeaving) {
    conversation.asked.delete(call.id);
    if (isRefusal(error)) run.after(call, { output: messageOf(error), status: 'invalid' });
    else run.failed(call, error, request.runtime.signal);
  }
  await run.saved();
  // What LangChain itself has made of an error, it knows how to handle.
  if (isLeaving || execution.toolErrors === 'throw' || '~brand' in fields) throw error;
  return result(asked, `${error}\n Please fix your mistakes.`);
}

/** A result that no tool gave. */
function result<Result>({ conversation, request }: Asked<Result>, content: string): Result {
  return resultOf(request.toolCall, content, seenBy(conversation, request)) as Result;
}

/** Messages of LangChain: a tool node of one's own hands on none. */
function seenBy({ seen, last }: Conversation, { state }: ToolRequest): readonly Message[] {
  const messages = messagesOf(state);
  return messages.length > 0 ? messages : [seen?.deref(), last].filter((message) => message !== undefined);
}

/** An invocation begins with a call: where another one was left, where a person has gone back to, or where a node has made it of what a person says. */
function begin(conversation: Conversation, { state, runtime }: ToolRequest): Speaker | null {
  const by = speakerIn(conversation, messagesOf(state), runtime);
  enter(conversation, runtime, by);
  // Another process may have gone on with the thread.
  conversation.run.begin();
  return by;
}

function judge(
  conversation: Conversation,
  call: HostCall,
  by: Speaker | null,
  { state }: ToolRequest,
): Verdict | Promise<Verdict> {
  if (by !== null) hear(conversation, messagesOf(state), by);
  conversation.open = without(conversation.open, call.id);
  return conversation.run.judge(call);
}

/** Most responses make one call. */
function without(open: readonly ToolCall[], id: string | undefined): readonly ToolCall[] {
  if (open.length === 1) return open[0]?.id === id ? NONE : open;
  return open.filter((call) => call.id !== id);
}

/** The arguments do not fit the tool. */
function isRefusal(error: unknown): boolean {
  if (fieldsOf(error)['~brand'] === 'ToolInvocationError') return true;
  return error instanceof Error && error.constructor.name === 'ToolInputParsingException';
}

function messageOf(error: unknown): string {
  const { toolError = error } = fieldsOf(error);
  return String(fieldsOf(toolError)['message']);
}

/** A person decides; then the call comes again. */
async function answered(
  { conversation, call, request }: Asked<unknown>,
  { question }: Verdict & { readonly do: 'hold' },
): Promise<Verdict> {
  const { run } = conversation;
  await run.saved();
  // Another call that waited has brought the answer meanwhile.
  if (run.questionFor(call.agent) === null) {
    askAgain(conversation, request);
    return run.check(call);
  }
  if (call.id !== undefined) conversation.asked.add(call.id);
  run.answer(askPerson(request.runtime, request.toolCall, question), call.agent);
  return run.check(call);
}

/** LangGraph gives answers in the order of the questions: ours is asked again when the call comes again, or the tool would get its answer. */
function askAgain({ asked }: Conversation, { toolCall, runtime }: ToolRequest): void {
  if (!asked.has(toolCall.id)) return;
  const { resume, interruptCounter, nullResume } = fieldsOf(runtime.configurable?.['__pregel_scratchpad']);
  const isAnswered =
    nullResume !== undefined || (Array.isArray(resume) && resume.length > Number(interruptCounter) + 1);
  if (isAnswered) runtime.interrupt?.({ deloop: null } as never);
  // It was answered together with another one, and has no place of its own.
  else asked.delete(toolCall.id);
}

/** The result itself, or the one in a command, which may send it along with the work. */
function messageIn(given: unknown, id: string | undefined): Message | undefined {
  if (fieldsOf(given)['type'] === 'tool') return given as Message;
  const isOurs = ({ tool_call_id }: Message) => tool_call_id === id;
  return messagesOf(fieldsOf(given)['update']).find(isOurs) ?? sentIn(given).find(isOurs);
}
