import type { Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { whenSaved } from '../when-saved.ts';
import type { Conversation, Conversations } from './conversations.ts';
import { enter, hear, isNewTo, note, speakerIn } from './invocations.ts';
import { ending, hasNudges, keepNudge, withNudges } from './messages.ts';
import { type Message, type ModelRequest, messagesOf, reasoningOf, textOf, usageOf } from './shapes.ts';
import { listenToStream, mayStream, type StreamListener, showInStream } from './stream-listener.ts';

export type WrapModelCall = <Request extends ModelRequest, Response>(
  request: Request,
  handler: (
    request: Request & { readonly modelSettings?: object | undefined },
  ) => Response | Promise<Response>,
) => Response | Promise<Response>;

/** A model call under the guard: what was said before is told, nudges are added, and a stopped agent ends here. */
export function watchedModelCalls(
  conversations: Conversations,
  name: string | undefined,
  strongerModel: unknown,
): WrapModelCall {
  function ended(conversation: Conversation, history: readonly Message[], reason: StopReason): Message {
    const last = ending(history, reason);
    if (last === undefined) throw new LoopHalted(reason, history);
    conversations.answered(conversation, last);
    showInStream(last);
    return last;
  }

  /** The request with what is due: words for the model, a stronger one, or its last turn. */
  function due(conversation: Conversation, request: ModelRequest, isLast: boolean): ModelRequest {
    const { run, agent } = conversation;
    const nudge = run.takeNudge(agent);
    if (nudge !== null) {
      const { unsaid } = conversation;
      conversation.unsaid = unsaid === undefined ? nudge.text : `${unsaid}\n\n${nudge.text}`;
    }
    const isStronger = nudge?.strongerModel === true && strongerModel !== undefined;
    return {
      ...request,
      ...(isStronger && { model: strongerModel }),
      ...(isLast && { tools: [], toolChoice: undefined }),
    };
  }

  /** Asks the model, with what was said to it before and with what is still to be said. */
  function sent<Response>(
    conversation: Conversation,
    history: readonly Message[],
    request: ModelRequest,
    handler: (request: never) => Response | Promise<Response>,
  ): Response | Promise<Response> {
    const { run, agent, unsaid } = conversation;
    const isNudged = hasNudges(conversation, history) || unsaid !== undefined;
    const given = fieldsOf(request.modelSettings);
    const stream = mayStream(request.model, given) ? listenToStream(run, agent, given) : null;
    const passed =
      !isNudged && stream === null
        ? request
        : {
            ...request,
            ...(isNudged && { messages: withNudges(messagesOf(request.messages), unsaid) }),
            ...(stream !== null && { modelSettings: stream.settings }),
          };
    const response =
      stream === null ? handler(passed as never) : answered(stream, () => handler(passed as never));
    return response instanceof Promise
      ? response.then((there) => heard(conversation, unsaid, there))
      : heard(conversation, unsaid, response);
  }

  function heard<Response>(
    conversation: Conversation,
    nudge: string | undefined,
    response: Response,
  ): Response | Promise<Response> {
    const said = messageIn(response);
    if (said === undefined) return response;
    const { run, agent } = conversation;
    if (nudge !== undefined) keepNudge(said, nudge);
    conversation.unsaid = undefined;
    conversations.answered(conversation, said);
    tell(run, said, agent);
    return whenSaved(run, agent, response);
  }

  /** The last turn is taken when there is a response: a model that has failed may be asked again. */
  async function lastTurn<Response>(
    conversation: Conversation,
    history: readonly Message[],
    request: ModelRequest,
    handler: (request: never) => Response | Promise<Response>,
  ): Promise<Response> {
    const response = await sent(conversation, history, due(conversation, request, true), handler);
    conversation.run.takeLastTurn(conversation.agent);
    return whenSaved(conversation.run, conversation.agent, response);
  }

  return (request, handler) => {
    const { runtime } = request;
    const history = messagesOf(request.state ?? request.messages);
    const conversation = conversations.of(history, runtime, name);
    const { run, agent, open } = conversation;
    const by = speakerIn(conversation, history, runtime);
    const isNew = isNewTo(conversation, runtime);
    enter(conversation, runtime);
    if (isNew && by === null) note(conversation, history);
    // What most requests find.
    if (by === null && !isNew && open.length === 0 && run.isQuiet(agent))
      return sent(conversation, history, request, handler);
    // Another process may have gone on with the thread.
    return (isNew || by === 'person' ? run.begin() : run.ready())
      .then(() => {
        hearAnswers(conversation, history);
        if (by !== null) hear(conversation, history, by);
        return run.settle(agent);
      })
      .then(() => {
        const reason = run.stoppedFor(agent);
        if (reason === null) return sent(conversation, history, due(conversation, request, false), handler);
        if (!run.isOver(agent)) return lastTurn(conversation, history, request, handler);
        return run.saved().then(() => ended(conversation, history, reason) as never);
      });
  };
}

/** The response, or what there is of it where it was cut. */
async function answered<Response>(
  stream: StreamListener,
  ask: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await ask();
  } catch (error) {
    if (stream.cut === undefined) throw error;
    return stream.cut as Response;
  }
}

/** A structured response comes with its messages. */
function messageIn(response: unknown): Message | undefined {
  if (fieldsOf(response)['type'] === 'ai') return response as Message;
  return messagesOf(response).find(({ type }) => type === 'ai');
}

/** Calls of the last response that nobody asked about were answered by others. */
function hearAnswers(conversation: Conversation, messages: readonly Message[]): void {
  const { run, agent, open } = conversation;
  if (open.length === 0) return;
  const response = messages.findLast(({ type }) => type === 'ai');
  for (const { id, name, args } of response?.tool_calls ?? []) {
    if (id === undefined || !open.some((call) => call.id === id)) continue;
    const answer = messages.findLast(({ tool_call_id }) => tool_call_id === id);
    const call = { id, tool: name, args, agent };
    if (answer === undefined || run.before(call).do !== 'run') continue;
    run.after(call, { output: answer.content, status: statusOf(answer, name) });
  }
  conversation.open = [];
}

/** Of a result that came by another way: by a middleware for people in the loop, as a structured response, by the `ToolNode` itself. */
function statusOf({ content, status }: Message, tool: string): Status {
  if (status !== 'error') return 'ok';
  return textOf(content).startsWith(`Error: Tool "${tool}" not found.`) ? 'unknown-tool' : 'denied';
}

function tell(
  run: Run,
  { content, usage_metadata, invalid_tool_calls }: Message,
  agent: string | undefined,
): void {
  run.turn({ text: textOf(content), reasoning: reasoningOf(content), usage: usageOf(usage_metadata), agent });
  for (const { id, name = '', args, error } of invalid_tool_calls ?? []) {
    const call = { id, tool: name, args, agent };
    if (run.before(call).do === 'run')
      run.after(call, { output: error ?? 'Malformed args.', status: 'invalid' });
  }
}
