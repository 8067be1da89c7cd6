import { type CallRequest, readCall } from './call-request.ts';
import { withErrorText, withTextBlock } from './edits.ts';
import { fieldsOf } from './fields.ts';
import { createGate, type GateOptions, STOPPED } from './gate.ts';
import type { LearnedTools } from './learned-tools.ts';
import { idText, isBatch, type Message, parsedAt, readMessages } from './message.ts';
import { createRecent } from './recent.ts';
import { createRequests } from './requests.ts';
import type { Running } from './running.ts';
import { outcomeOfError, outcomeOfResult, type ToolOutcome } from './tool-result.ts';
import type { Way } from './way.ts';

/** A client and a server that talk, and the guard between them. */
export type Session = {
  /** What goes on to the server: the very same bytes, others, or null for nothing. */
  fromClient(message: Buffer, way: Way): Buffer | null;
  /** What goes on to the client. */
  fromServer(message: Buffer): Buffer;
  /** Requests of the client that the server has not answered. */
  readonly unanswered: number;
};

export type SessionOptions = Omit<GateOptions, 'pass'> & { readonly learned: LearnedTools };

/** What is done with the answer to a request. */
type Pending = { readonly running: Running } | 'tool-list';
/** A call that the server wants to know more about before it runs. */
type Awaiting = Running & { readonly args: string; readonly requestState: unknown };

/** Tells the model who speaks. */
const MARK = '[deloop]';

export function createSession({ learned, ...options }: SessionOptions): Session {
  const { guard, now } = options;
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
    const { bytes, method, id } = message;
    if (method === null) return gate.answered(message) ? null : bytes;
    if (id === null) return method === 'notifications/cancelled' ? onCancelled(message) : bytes;
    const request = method === 'tools/call' ? readCall(message) : null;
    if (request !== null) return onCall(request, way);
    unanswered += 1;
    if (method === 'initialize') begin(message);
    else if (method === 'tools/list') requests.add(idText(message), 'tool-list');
    else if (method === 'tasks/result') {
      const { taskId } = paramsOf(message);
      const running = tasks.take(({ key }) => key === taskId);
      if (running !== undefined) requests.add(idText(message), { running });
    }
    return bytes;
  }

  function begin(message: Message): void {
    if (guard.calls > 0) guard.reset();
    learned.forget();
    gate.begin(paramsOf(message)['capabilities']);
  }

  function onCall(request: CallRequest, way: Way): Buffer | null {
    const { continues, requestState, approvals } = request;
    const again = approvals.length === 0 && (continues || requestState !== undefined);
    if (!again || gate.isStopped) return gate.admit(request, way);
    const first = firstOf(request);
    if (first !== undefined) return pass(request, first);
    // Whoever brings an answer has been asked, even if nobody here remembers it.
    return continues ? pass(request, null) : gate.admit(request, way);
  }

  /** The call that this one completes. */
  function firstOf({ tool, args, requestState }: CallRequest): Running | undefined {
    const text = JSON.stringify(args);
    const same = ({ item }: { item: Awaiting }) => item.call.tool === tool && item.args === text;
    return awaiting.take((one) => same(one) && one.item.requestState === requestState) ?? awaiting.take(same);
  }

  function pass({ message, id }: CallRequest, running: Running | null): Buffer {
    unanswered += 1;
    if (running !== null) requests.add(id, { running });
    return message.bytes;
  }

  function onCancelled(message: Message): Buffer | null {
    const { requestId } = paramsOf(message);
    if (requestId === undefined) return message.bytes;
    const id = JSON.stringify(requestId);
    // The server has never heard of a call that was held.
    if (gate.cancelled(id)) return null;
    const pending = requests.take(id);
    unanswered = Math.max(0, unanswered - 1);
    if (typeof pending === 'object')
      guard.after(pending.running.call, { output: '', status: 'cancelled', at: now() });
    return message.bytes;
  }

  function fromServer(bytes: Buffer): Buffer {
    if (unanswered === 0 && requests.size === 0) return bytes;
    const read = readMessages(bytes);
    if (read === null) return bytes;
    if (!isBatch(read)) return serverMessage(read);
    const passed = read.map(serverMessage);
    return isSame(passed, read) ? bytes : batchOf(passed);
  }

  function serverMessage(message: Message): Buffer {
    const { bytes, method, id, result } = message;
    if (method !== null || id === null) return bytes;
    unanswered = Math.max(0, unanswered - 1);
    const pending = requests.take(idText(message));
    if (typeof pending === 'object') return onResult(message, pending.running);
    if (pending === 'tool-list' && result !== null) learned.learn(fieldsOf(parsedAt(bytes, result))['tools']);
    return bytes;
  }

  function onResult({ bytes, result, error }: Message, running: Running): Buffer {
    const span = result ?? error;
    const value = span === null ? undefined : parsedAt(bytes, span);
    if (span === null || value === undefined) return bytes;
    if (result === null)
      return told(running, outcomeOfError(value), (text) => withErrorText(bytes, span, text)) ?? bytes;
    const { resultType, requestState, task } = fieldsOf(value);
    const { taskId } = fieldsOf(task);
    if (resultType === 'input_required')
      awaiting.add(running.call.id, { ...running, args: JSON.stringify(running.call.args), requestState });
    else if (typeof taskId === 'string') tasks.add(taskId, running);
    else return told(running, outcomeOfResult(value), (text) => withTextBlock(bytes, span, text)) ?? bytes;
    return bytes;
  }

  /** The result with what the model is to be told; null = nothing, or there is no place for it. */
  function told(
    { call, nudge }: Running,
    outcome: ToolOutcome,
    place: (text: string) => Buffer | null,
  ): Buffer | null {
    if (nudge !== null && place(nudge) !== null) guard.delivered();
    const decision = guard.after(call, { ...outcome, at: now() });
    const texts = nudge === null ? [] : [nudge];
    if (decision.action !== 'allow' && decision.action !== 'observe') {
      texts.push(decision.message);
      if (decision.action === 'ask') gate.holdNext(decision.message);
      if (decision.action === 'halt') {
        gate.stop(decision.message);
        texts.push(STOPPED);
      }
    }
    if (texts.length === 0) return null;
    const changed = place(`${MARK} ${texts.join('\n\n')}`);
    if (changed !== null && decision.action === 'nudge') guard.delivered();
    return changed;
  }

  return {
    fromClient,
    fromServer,
    get unanswered() {
      return unanswered;
    },
  };
}

function paramsOf({ bytes, params }: Message): ReturnType<typeof fieldsOf> {
  return params === null ? {} : fieldsOf(parsedAt(bytes, params));
}

function isSame(passed: readonly Buffer[], read: readonly Message[]): boolean {
  return passed.length === read.length && passed.every((bytes, index) => bytes === read[index]?.bytes);
}

function batchOf(messages: readonly Buffer[]): Buffer {
  const pieces = messages.flatMap((message, index) => [Buffer.from(index === 0 ? '[' : ','), message]);
  return Buffer.concat([...pieces, Buffer.from(']')]);
}
