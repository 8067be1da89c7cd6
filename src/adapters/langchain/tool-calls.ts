import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import type { Answer } from '../stop-reason.ts';
import type { Verdict } from '../verdict.ts';
import { whenSaved } from '../when-saved.ts';
import type { Conversation, Conversations } from './conversations.ts';
import { classOf } from './messages.ts';
import { type Message, messagesOf, type ToolRequest } from './shapes.ts';

/** `message` = the model gets them as a result, as LangChain has it where no middleware wraps tool calls; `throw` = they stay errors, as it has it otherwise. */
export type ToolErrors = 'message' | 'throw';

/** How the host runs a call. */
type Execution<Result> = {
  execute(): Result | Promise<Result>;
  /** A result that no tool gave, where none of a tool was seen yet, from which its class could be known. */
  make(content: string): Result | Promise<Result>;
  readonly toolErrors: ToolErrors;
};
/** A call of a run, and how it is run. */
type Asked<Result> = {
  readonly run: Run;
  readonly call: HostCall;
  readonly request: ToolRequest;
  readonly execution: Execution<Result>;
};
/** A tool call under the guard: asked for before it runs, told afterwards. */
export type WatchedCall = <Result>(request: ToolRequest, execution: Execution<Result>) => Promise<Result>;

export function watchedCalls(conversations: Conversations, agent: string | undefined): WatchedCall {
  let Known: ReturnType<typeof classOf>;

  async function result<Result>({ request, execution }: Asked<Result>, content: string): Promise<Result> {
    const {
      toolCall: { id, name },
      state,
    } = request;
    Known ??= classOf(messagesOf(state), 'tool');
    if (Known === undefined) {
      const made = await execution.make(content);
      Known = classOf([made as Message], 'tool');
      if (Known === undefined) return made;
    }
    return new Known({ content, tool_call_id: id, name, status: 'error' }) as Result;
  }

  function finished<Result>({ run, call, request }: Asked<Result>, given: Result): Result {
    const message = messageIn(given, call.id);
    if (message !== undefined) Known ??= classOf([message], 'tool');
    const failure = request.tool === undefined ? 'unknown-tool' : 'error';
    const stub = run.after(
      call,
      { output: message?.content ?? given, status: message?.status === 'error' ? failure : 'ok' },
      { replaceable: message === given && typeof message?.content === 'string' },
    );
    return stub === null || Known === undefined
      ? given
      : (new Known({ ...message, content: stub }) as Result);
  }

  async function failed<Result>(asked: Asked<Result>, error: unknown): Promise<Result> {
    const { run, call, execution } = asked;
    const fields = fieldsOf(error);
    // An interrupt, or another way of LangGraph to leave a node: the call comes again.
    const isLeaving = fields['is_bubble_up'] === true;
    if (!isLeaving) {
      if (isRefusal(error)) run.after(call, { output: messageOf(error), status: 'invalid' });
      else run.failed(call, error);
    }
    await run.saved();
    // What LangChain itself has made of an error, it knows how to handle.
    if (isLeaving || execution.toolErrors === 'throw' || '~brand' in fields) throw error;
    return result(asked, `${error}\n Please fix your mistakes.`);
  }

  /** No async function: that would be one more promise for LangChain to follow. */
  function executed<Result>(asked: Asked<Result>): Promise<Result> {
    const { run, call, execution } = asked;
    try {
      return Promise.resolve(execution.execute()).then(
        (given) => whenSaved(run, call.agent, finished(asked, given)),
        (error) => failed(asked, error),
      );
    } catch (error) {
      return failed(asked, error);
    }
  }

  async function judged<Result>(asked: Asked<Result>, own: Verdict | Promise<Verdict>): Promise<Result> {
    let verdict = await own;
    if (verdict.do === 'hold') verdict = await answered(asked, verdict);
    if (verdict.do === 'run') return executed(asked);
    await asked.run.saved();
    return result(asked, verdict.text);
  }

  return (request, execution) => {
    const { toolCall, state, runtime } = request;
    const conversation = conversations.of(messagesOf(state), runtime, agent);
    const { run } = conversation;
    const call: HostCall = { id: toolCall.id, tool: toolCall.name, args: toolCall.args, agent };
    const verdict = run.isReady
      ? judge(conversation, call)
      : run.ready().then(() => judge(conversation, call));
    const asked = { run, call, request, execution };
    return !(verdict instanceof Promise) && verdict.do === 'run' ? executed(asked) : judged(asked, verdict);
  };
}

function judge(conversation: Conversation, call: HostCall): Verdict | Promise<Verdict> {
  conversation.open = conversation.open.filter(({ id }) => id !== call.id);
  return conversation.run.judge(call);
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

/** Asks by LangGraph's own interrupt: it throws until there is an answer, and then the call comes again. */
async function answered(
  { run, call, request: { runtime } }: Asked<unknown>,
  { text, question }: Verdict & { readonly do: 'hold' },
): Promise<Verdict> {
  await run.saved();
  // Another call that waited has brought the answer meanwhile.
  if (run.questionFor(call.agent) === null) return run.check(call);
  let said: unknown = false;
  try {
    said = runtime.interrupt?.({
      actionRequests: [{ name: call.tool, args: call.args, description: text }],
      reviewConfigs: [{ actionName: call.tool, allowedDecisions: ['approve', 'reject'] }],
      deloop: question,
    } as never);
  } catch (error) {
    // Without a checkpointer nobody can come back with an answer.
    if (fieldsOf(error)['lc_error_code'] !== 'MISSING_CHECKPOINTER') throw error;
  }
  run.answer(answerOf(said), call.agent);
  return run.check(call);
}

/** `true`, a number, or what LangChain's middleware for people in the loop is answered with. */
function answerOf(said: unknown): Answer {
  if (typeof said === 'boolean' || typeof said === 'number') return said;
  const { decisions } = fieldsOf(said);
  if (!Array.isArray(decisions) || decisions.length === 0) return false;
  return decisions.every((decision) => fieldsOf(decision)['type'] === 'approve');
}

/** The result itself, or the one in a command. */
function messageIn(given: unknown, id: string | undefined): Message | undefined {
  const { type, update } = fieldsOf(given);
  if (type === 'tool') return given as Message;
  return messagesOf(update).find(({ tool_call_id }) => tool_call_id === id);
}
