import { approvalsIn, type CallRequest, isContinued, readCall } from './call-request.ts';
import { withErrorText, withTextBlock } from './edits.ts';
import { fieldsOf } from './fields.ts';
import { createGate, type GateOptions, STOPPED } from './gate.ts';
import type { LearnedTools } from './learned-tools.ts';
import { batchOf, isBatch, type Message, readMessages } from './message.ts';
import { askingOf } from './orders.ts';
import { createRecent } from './recent.ts';
import { createRequests, type Requests } from './requests.ts';
import type { Pending, Running } from './running.ts';
import { outcomeOfError, outcomeOfResult, type ToolOutcome } from './tool-result.ts';
import type { Way } from './way.ts';

/** A client and a server that talk, and the guard between them. */
export type Session = {
  /** What goes on to the server: the very same bytes, others, or null for nothing. */
  fromClient(message: Buffer, way: Way): Buffer | null;
  /** What goes on to the client; `way` = it answers requests that went this way. */
  fromServer(message: Buffer, way?: Way): Buffer;
  /** Nothing more comes back this way; `resumable` = answers may still come another way. */
  over(way: Way, resumable: boolean): void;
  /** Requests of the client that the server has not answered. */
  readonly unanswered: number;
};

export type SessionOptions = Omit<GateOptions, 'pass'> & {
  readonly learned: LearnedTools;
  /** Others share the guard and the orders, so that one connection more is no new run. */
  readonly joined?: boolean | undefined;
};

/** A call that the server wants to know more about before it runs. */
type Awaiting = Running & { readonly args: string; readonly requestState: unknown };

/** Tells the model who speaks. */
const MARK = '[deloop]';

export function createSession({ learned, joined = false, ...options }: SessionOptions): Session {
  const { guard, orders, now } = options;
  const requests = createRequests<Pending>();
  const awaiting = createRecent<Awaiting>();
  const tasks = createRecent<Running>();
  const gate = createGate({ ...options, pass });
  let unanswered = 0;

  function fromClient(bytes: Buffer, way: Way): Buffer | null {
    const read = readMessages(bytes);
    if (read === null) return bytes;
    if (!isBatch(read)) return clientMessage(read, way);
    // What is refused at once is answered in a batch, too; what is held is answered alone.
    let answers: Buffer[] | null = [];
    const toClient = (message: Buffer) => {
      if (answers === null) way.toClient(message);
      else answers.push(message);
    };
    const kept = read.flatMap((message) => clientMessage(message, { ...way, toClient }) ?? []);
    if (answers.length > 0) way.toClient(batchOf(answers));
    answers = null;
    if (isSame(kept, read)) return bytes;
    return kept.length === 0 ? null : batchOf(kept);
  }

  function clientMessage(message: Message, way: Way): Buffer | null {
    const { bytes, fields } = message;
    const { method, id, params } = fields;
    if (method === undefined) return gate.answered(message) ? null : bytes;
    if (id === undefined) return method === 'notifications/cancelled' ? onCancelled(message) : bytes;
    const request = method === 'tools/call' ? readCall(message) : null;
    if (request !== null) return onCall(request, way);
    unanswered += 1;
    const open = way.requests ?? requests;
    if (method === 'initialize') begin(fieldsOf(params)['capabilities']);
    else if (method === 'tools/list') open.add(id, 'tool-list');
    else if (method === 'tasks/result') {
      const { taskId } = fieldsOf(params);
      const running = tasks.take(({ key }) => key === taskId);
      if (running !== undefined) open.add(id, running);
    }
    return bytes;
  }

  function begin(capabilities: unknown): void {
    if (!joined) {
      if (guard.calls > 0) guard.reset();
      orders.write(null);
    }
    learned.forget();
    gate.begin(capabilities);
  }

  function onCall(request: CallRequest, way: Way): Buffer | null {
    const { inputResponses, requestState } = request.params;
    if (inputResponses === undefined && requestState === undefined) return gate.admit(request, way);
    if (gate.isStopped || approvalsIn(request).length > 0) return gate.admit(request, way);
    const first = firstOf(request);
    if (first !== undefined) return pass(request, first, way);
    // Whoever brings an answer has been asked, even if nobody here remembers it.
    return isContinued(request) ? pass(request, null, way) : gate.admit(request, way);
  }

  /** The call that this one completes. */
  function firstOf({ tool, args, params }: CallRequest): Running | undefined {
    const { requestState } = params;
    const text = JSON.stringify(args);
    const same = ({ item }: { item: Awaiting }) => item.call.tool === tool && item.args === text;
    return awaiting.take((one) => same(one) && one.item.requestState === requestState) ?? awaiting.take(same);
  }

  function pass({ message, id }: CallRequest, running: Running | null, way: Way): Buffer {
    unanswered += 1;
    if (running !== null) (way.requests ?? requests).add(id, running);
    return message.bytes;
  }

  function onCancelled({ bytes, fields }: Message): Buffer | null {
    const { requestId } = fieldsOf(fields['params']);
    if (requestId === undefined) return bytes;
    // The server has never heard of a call that was held.
    if (gate.cancelled(requestId)) return null;
    const pending = requests.take(requestId);
    unanswered = Math.max(0, unanswered - 1);
    if (pending !== undefined) giveUp(pending);
    return bytes;
  }

  function giveUp(pending: Pending): void {
    if (typeof pending === 'object')
      guard.after(pending.call, { output: '', status: 'cancelled', at: now() });
  }

  function fromServer(bytes: Buffer, way?: Way): Buffer {
    const open = way?.requests ?? requests;
    if (unanswered === 0 && open.size === 0) return bytes;
    const read = readMessages(bytes);
    if (read === null) return bytes;
    if (!isBatch(read)) return serverMessage(read, open);
    const passed = read.map((message) => serverMessage(message, open));
    return isSame(passed, read) ? bytes : batchOf(passed);
  }

  function serverMessage(message: Message, open: Requests<Pending>): Buffer {
    const { method, id, result } = message.fields;
    if (method !== undefined || id === undefined) return message.bytes;
    unanswered = Math.max(0, unanswered - 1);
    const pending = open.take(id);
    if (typeof pending === 'object') return onResult(message, pending) ?? message.bytes;
    if (pending === 'tool-list') learned.learn(fieldsOf(result)['tools']);
    return message.bytes;
  }

  /** Null = the result as it is. */
  function onResult(message: Message, running: Running): Buffer | null {
    const { result, error } = message.fields;
    if (result === undefined)
      return error === undefined ? null : told(running, outcomeOfError(error), message, withErrorText);
    const { resultType, requestState, task } = fieldsOf(result);
    const { taskId } = fieldsOf(task);
    if (resultType === 'input_required')
      awaiting.add(running.call.id, { ...running, args: JSON.stringify(running.call.args), requestState });
    else if (typeof taskId === 'string') tasks.add(taskId, running);
    else return told(running, outcomeOfResult(result), message, withTextBlock);
    return null;
  }

  /** The message with what the model is to be told; null = nothing, or there is no place for it. */
  function told(
    { call, nudge }: Running,
    outcome: ToolOutcome,
    message: Message,
    place: (message: Message, text: string) => Buffer | null,
  ): Buffer | null {
    if (nudge !== null && place(message, nudge) !== null) guard.delivered();
    const { output, status } = outcome;
    const decision = guard.after(call, { output, status, at: now() });
    if (nudge === null && (decision.action === 'allow' || decision.action === 'observe')) return null;
    const texts = nudge === null ? [] : [nudge];
    if (decision.action !== 'allow' && decision.action !== 'observe') texts.push(decision.message);
    if (decision.action === 'ask') gate.holdNext(askingOf(decision));
    if (decision.action === 'halt') {
      gate.stop(decision.message);
      texts.push(STOPPED);
    }
    const changed = place(message, `${MARK} ${texts.join('\n\n')}`);
    if (changed !== null && decision.action === 'nudge') guard.delivered();
    return changed;
  }

  return {
    fromClient,
    fromServer,
    over(way, resumable) {
      if (way.holder) gate.left(way.holder);
      for (const [id, pending] of way.requests?.drain() ?? [])
        if (resumable) requests.add(id, pending);
        else giveUp(pending);
    },
    get unanswered() {
      return unanswered;
    },
  };
}

function isSame(passed: readonly Buffer[], read: readonly Message[]): boolean {
  return passed.length === read.length && passed.every((bytes, index) => bytes === read[index]?.bytes);
}
