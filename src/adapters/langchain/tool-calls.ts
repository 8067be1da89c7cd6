import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import type { Answer } from '../stop-reason.ts';
import type { Verdict } from '../verdict.ts';
import type { Conversations } from './conversations.ts';
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
/** A tool call under the guard: asked for before it runs, told afterwards. */
export type WatchedCall = <Result>(request: ToolRequest, execution: Execution<Result>) => Promise<Result>;

export function watchedCalls(conversations: Conversations, agent: string | undefined): WatchedCall {
  let Known: ReturnType<typeof classOf>;

  async function result<Result>(
    { toolCall: { id, name }, state }: ToolRequest,
    { make }: Execution<Result>,
    content: string,
  ): Promise<Result> {
    Known ??= classOf(messagesOf(state), 'tool');
    if (Known === undefined) {
      const made = await make(content);
      Known = classOf([made as Message], 'tool');
      if (Known === undefined) return made;
    }
    return new Known({ content, tool_call_id: id, name, status: 'error' }) as Result;
  }

  return async (request, execution) => {
    const { toolCall, tool, state, runtime } = request;
    const { run, open } = conversations.of(messagesOf(state), runtime, agent);
    const call: HostCall = { id: toolCall.id, tool: toolCall.name, args: toolCall.args, agent };
    if (!run.isReady) await run.ready();
    if (call.id !== undefined) open.delete(call.id);
    let verdict = run.judge(call);
    if (verdict instanceof Promise) verdict = await verdict;
    if (verdict.do === 'hold') verdict = await asked(run, call, verdict, request);
    try {
      if (verdict.do !== 'run') return await result(request, execution, verdict.text);
      const given = await execution.execute();
      const message = messageIn(given, call.id);
      if (message !== undefined) Known ??= classOf([message], 'tool');
      const failure = tool === undefined ? 'unknown-tool' : 'error';
      const stub = run.after(
        call,
        { output: message?.content ?? given, status: message?.status === 'error' ? failure : 'ok' },
        { replaceable: message === given && typeof message?.content === 'string' },
      );
      return stub === null || Known === undefined
        ? given
        : (new Known({ ...message, content: stub }) as typeof given);
    } catch (error) {
      // An interrupt, or another way of LangGraph to leave a node: the call comes again.
      if (fieldsOf(error)['is_bubble_up'] === true) throw error;
      if (isRefusal(error)) run.after(call, { output: messageOf(error), status: 'invalid' });
      else run.failed(call, error);
      // What LangChain itself has made of an error, it knows how to handle.
      if (execution.toolErrors === 'throw' || '~brand' in fieldsOf(error)) throw error;
      return result(request, execution, `${error}\n Please fix your mistakes.`);
    } finally {
      if (!run.isIdle(agent)) await run.saved();
    }
  };
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
async function asked(
  run: Run,
  call: HostCall,
  { text, question }: Verdict & { readonly do: 'hold' },
  { runtime }: ToolRequest,
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
