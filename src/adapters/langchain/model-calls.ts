import type { Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import { jsonStart, numbered } from '../json-laps.ts';
import { LoopHalted } from '../loop-halted.ts';
import { mustAnswerFirst } from '../needs-of-providers.ts';
import type { StopReason } from '../stop-reason.ts';
import { whenSaved } from '../when-saved.ts';
import type { Conversation, Conversations } from './conversations.ts';
import { isShownNews } from './handovers.ts';
import { arrive, forgets, hear } from './invocations.ts';
import { ending, hasNudges, isMissing, keepNudge, withNudges } from './messages.ts';
import { askPerson } from './questions.ts';
import {
  type Message,
  type ModelRequest,
  messagesOf,
  type Runtime,
  reasoningOf,
  type ToolCall,
  textOf,
  usageOf,
} from './shapes.ts';
import { listenToStream, mayStream, type StreamListener, showInStream } from './stream-listener.ts';

export type WrapModelCall = <Request extends ModelRequest, Response>(
  request: Request,
  handler: (
    request: Request & { readonly modelSettings?: object | undefined },
  ) => Response | Promise<Response>,
) => Response | Promise<Response>;

/** A request, and who answers it. */
type Asking<Response> = {
  readonly conversation: Conversation;
  readonly history: readonly Message[];
  readonly request: ModelRequest;
  readonly handler: (request: never) => Response | Promise<Response>;
  /** The model was asked already, and has only thought in circles. */
  readonly isAgain: boolean;
  /** It is about something that nobody has shown to the agent before. */
  readonly isNews: boolean;
};

/** A model call under the guard: what was said before is told, nudges are added, and a stopped agent ends here. */
export function watchedModelCalls(
  conversations: Conversations,
  name: string | undefined,
  strongerModel: unknown,
): WrapModelCall {
  function ended({ conversation, history }: Asking<unknown>, reason: StopReason): Message {
    const last = ending(history, reason);
    if (last === undefined) throw new LoopHalted(reason, history);
    conversations.answered(conversation, last);
    showInStream(last);
    return last;
  }

  /** The request with what is due: words for the model, a stronger one, or its last turn. */
  function due({ conversation, request }: Asking<unknown>, isLast: boolean): ModelRequest {
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
  function sent<Response>(asking: Asking<Response>, request: ModelRequest): Response | Promise<Response> {
    const { conversation, history, handler } = asking;
    const { run, agent, unsaid } = conversation;
    const isNudged = hasNudges(conversation, history) || unsaid !== undefined;
    const given = fieldsOf(request.modelSettings);
    const stream = mayStream(request.model, given)
      ? listenToStream({ run, agent, seen: history, given, isData: isData(request) })
      : null;
    const passed =
      !isNudged && stream === null
        ? request
        : {
            ...request,
            ...(isNudged && {
              messages: withNudges(messagesOf(request.messages), unsaid, mustAnswerFirst(request.model)),
            }),
            ...(stream !== null && { modelSettings: stream.settings }),
          };
    if (stream !== null)
      return answered(stream, () => handler(passed as never)).then((there) =>
        stream.isThought() ? askedAgain(asking, request, there) : heard(asking, request, unsaid, there),
      );
    const response = handler(passed as never);
    return response instanceof Promise
      ? response.then((there) => heard(asking, request, unsaid, there))
      : heard(asking, request, unsaid, response);
  }

  /** Cut thoughts are no response: the model hears why, and is asked once more. Where that brings nothing else, and nobody stops the run, `cut` is what there is. */
  function askedAgain<Response>(
    asking: Asking<Response>,
    request: ModelRequest,
    cut: Response,
  ): Response | Promise<Response> {
    const { conversation, isAgain } = asking;
    const { run, agent, unsaid } = conversation;
    if (isAgain && run.stoppedFor(agent) === null) {
      showInStream(cut as Message);
      return heard(asking, request, unsaid, cut);
    }
    run.turn({ tools: hasTools(request), agent });
    return judged({ ...asking, isAgain: true });
  }

  function heard<Response>(
    { conversation, isNews }: Asking<Response>,
    request: ModelRequest,
    nudge: string | undefined,
    response: Response,
  ): Response | Promise<Response> {
    const said = messageIn(response);
    if (said === undefined) return response;
    const { run, agent } = conversation;
    if (nudge !== undefined) keepNudge(said, nudge);
    conversation.unsaid = undefined;
    conversations.answered(conversation, said);
    // Its call is the answer itself.
    if (fieldsOf(response)['structuredResponse'] !== undefined) conversation.isDone = true;
    if (isNews) run.tell({ type: 'state-change', agent });
    tell(conversation, request, said);
    return whenSaved(run, agent, response);
  }

  /** The last turn is taken when there is a response: a model that has failed may be asked again. */
  async function lastTurn<Response>(asking: Asking<Response>, reason: StopReason): Promise<Response> {
    const { conversation } = asking;
    const { run, agent } = conversation;
    let response: Response;
    try {
      response = await sent(asking, due(asking, true));
    } catch (error) {
      if (!canNeverBe(error)) throw error;
      conversation.unsaid = undefined;
      response = ended(asking, reason) as Response;
    }
    run.takeLastTurn(agent);
    return whenSaved(run, agent, response);
  }

  /** Asks the model where nothing speaks against it. */
  async function judged<Response>(asking: Asking<Response>): Promise<Response> {
    const { conversation, history, request } = asking;
    const { run, agent } = conversation;
    await run.settle(agent);
    await askAboutAnswered(conversation, history, request.runtime);
    const reason = run.stoppedFor(agent);
    if (reason === null) return sent(asking, due(asking, false));
    if (!run.isOver(agent)) return lastTurn(asking, reason);
    await run.saved();
    return ended(asking, reason) as Response;
  }

  return (request, handler) => {
    const { runtime } = request;
    const history = messagesOf(request.state ?? request.messages);
    const conversation = conversations.of(history, runtime, name);
    const { run, agent, open } = conversation;
    const { by, isNew } = arrive(conversation, history, runtime);
    const isForgotten = forgets(conversation, request);
    // What a person says begins anew what is to begin anew then.
    const isNews = (by === null || by === 'host') && isShownNews(conversation, history);
    const asking = { conversation, history, request, handler, isAgain: false, isNews };
    // What most requests find.
    if (by === null && !isNew && !isForgotten && open.length === 0 && run.isQuiet(agent))
      return sent(asking, request);
    // Another process may have gone on with the thread.
    return (isNew || by === 'person' ? run.begin() : run.ready()).then(() => {
      hearAnswers(conversation, history);
      if (isForgotten) run.tell({ type: 'compaction', agent });
      if (by !== null) hear(conversation, history, by);
      return judged(asking);
    });
  };
}

/** Other middleware may have made a response of what the cut threw. */
async function answered<Response>(
  stream: StreamListener,
  ask: () => Response | Promise<Response>,
): Promise<Response> {
  const leave = stream.enter();
  try {
    const response = await ask();
    return (stream.cut() as Response | undefined) ?? response;
  } catch (error) {
    const cut = stream.cut();
    if (cut === undefined) throw error;
    return cut as Response;
  } finally {
    leave();
  }
}

/** Statuses of requests that fail however often they are sent: some providers take no history with calls where there are no tools. */
const REFUSED: readonly unknown[] = [400, 413, 422];

/** A report that asking again would not bring: the provider refuses the request, or LangChain could not read the response as the structured one that is due. */
function canNeverBe(error: unknown): boolean {
  const { toolName, errors, toolNames, status, $metadata, cause } = fieldsOf(error);
  if (toolName !== undefined ? Array.isArray(errors) : Array.isArray(toolNames)) return true;
  if (REFUSED.includes(status ?? fieldsOf($metadata)['httpStatusCode'])) return true;
  return cause !== undefined && canNeverBe(cause);
}

/** A structured response comes with its messages. */
function messageIn(response: unknown): Message | undefined {
  if (fieldsOf(response)['type'] === 'ai') return response as Message;
  return messagesOf(response).find(({ type }) => type === 'ai');
}

/** Calls of the last response that nobody asked about were answered by others. Those that a person must be asked about stay open. */
function hearAnswers(conversation: Conversation, messages: readonly Message[]): void {
  const { run, agent, open } = conversation;
  if (open.length === 0) return;
  const held: ToolCall[] = [];
  for (const own of callsIn(messages)) {
    const { id, name, args } = own;
    if (id === undefined || !open.some((call) => call.id === id)) continue;
    const answer = messages.findLast(({ tool_call_id }) => tool_call_id === id);
    if (answer === undefined) continue;
    const call = { id, tool: name, args, agent };
    const verdict = run.before(call);
    if (verdict.do === 'hold') held.push(own);
    if (verdict.do === 'run') run.after(call, { output: answer.content, status: statusOf(answer, name) });
  }
  conversation.open = held;
}

/** A call that waits for a person, and that others have answered meanwhile, comes to no tool: the person is asked here. */
async function askAboutAnswered(
  conversation: Conversation,
  messages: readonly Message[],
  runtime: Runtime = {},
): Promise<void> {
  const { run, agent } = conversation;
  const question = run.questionFor(agent);
  const held = callsIn(messages).find(({ id }) => id !== undefined && question?.held?.includes(id));
  if (question === null || held === undefined) return;
  await run.saved();
  run.answer(askPerson(runtime, held, question), agent);
  hearAnswers(conversation, messages);
}

function callsIn(messages: readonly Message[]): readonly ToolCall[] {
  return messages.findLast(({ type }) => type === 'ai')?.tool_calls ?? [];
}

/** Of a result that came by another way: by a middleware for people in the loop, as a structured response, by the `ToolNode` itself. */
function statusOf(message: Message, tool: string): Status {
  if (message.status !== 'error') return 'ok';
  return isMissing(message, tool) ? 'unknown-tool' : 'denied';
}

/** Whether the text of a response may be the structured one that is due. Where a tool takes that one, it is not, and hardly ever looks like JSON. */
function isData({ responseFormat }: ModelRequest): boolean {
  return Boolean(responseFormat);
}

function hasTools({ tools }: ModelRequest): boolean {
  return Boolean(tools?.length);
}

function tell({ run, agent }: Conversation, request: ModelRequest, response: Message): void {
  const { content, usage_metadata, invalid_tool_calls } = response;
  const text = textOf(content);
  run.turn({
    text: isData(request) ? numbered(jsonStart(), text) : text,
    reasoning: reasoningOf(response),
    usage: usageOf(usage_metadata),
    tools: hasTools(request),
    agent,
  });
  for (const { id, name = '', args, error } of invalid_tool_calls ?? []) {
    const call = { id, tool: name, args, agent };
    if (run.before(call).do === 'run')
      run.after(call, { output: error ?? 'Malformed args.', status: 'invalid' });
  }
}
