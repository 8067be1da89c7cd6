import type { Guard } from '../core/guard.ts';
import type { Intervention } from '../core/types.ts';
import { elicitation, elicitationCancelled, inputRequired, refusal } from './answers.ts';
import { type Approval, approvalIn, approvalKey, isApprovalKey } from './approval.ts';
import { approvalsIn, type CallRequest, isAskable, isModern, readCall } from './call-request.ts';
import { withoutInputResponses } from './edits.ts';
import { isBatch, type Message, readMessages } from './message.ts';
import { type Asking, askingOf, type Order, type Orders } from './orders.ts';
import { createRecent } from './recent.ts';
import { idKey } from './requests.ts';
import type { GuardedCall, Running } from './running.ts';
import type { Holder, Way } from './way.ts';

/** Lets calls through, refuses them, or holds them until a person has decided. */
export type Gate = {
  /** What goes on to the server; null = nothing, now. */
  admit(request: CallRequest, way: Way): Buffer | null;
  /** Whether the client has answered a question of ours. */
  answered(message: Message): boolean;
  /** Whether the client has taken back a call that is held here. */
  cancelled(id: unknown): boolean;
  /** Nobody waits any more for the calls that are held for this one. */
  left(holder: Holder): void;
  /** No call passes any more. */
  stop(reason: string): void;
  /** A person must decide before the next call. */
  holdNext(asking: Asking): void;
  readonly isStopped: boolean;
  /** The client has said what it can do. */
  begin(capabilities: unknown): void;
};

export type GateOptions = {
  readonly guard: Guard;
  readonly orders: Orders;
  /** What the guard calls a tool. */
  readonly nameOf?: ((tool: string) => string) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A text that nobody else can have, for the ids of questions. */
  readonly unique: string;
  /** Gives the bytes of a call that passes. */
  readonly pass: (request: CallRequest, running: Running, way: Way) => Buffer;
  /** Hears what a person said to a question. */
  readonly onApproval?: ((approval: Approval, call: number) => void) | undefined;
};

/** A call that waits for a person; `call` is null while the guard has not been asked about it. */
type Held = { readonly request: CallRequest; readonly call: GuardedCall | null; readonly way: Way };
type Question = { readonly key: string; readonly reason: string; held: readonly Held[] };
type Asked = { readonly call: GuardedCall | null; readonly reason: string };

/** Told with every refusal after a halt. */
export const STOPPED =
  'This session is stopped: no tool call is run any more until a person lets it go on or a new session begins.';

export function createGate(options: GateOptions): Gate {
  const { guard, orders, nameOf = (tool) => tool, now, unique, pass, onApproval } = options;
  let calls = 0;
  let questions = 0;
  let capabilities: unknown;
  /** The one question that is open in the wire before 2026-07-28; other calls wait for its answer, too. */
  let question: Question | null = null;
  /** Questions in the wire of 2026-07-28, whose answers come with the call. */
  const asked = createRecent<Asked>();

  function admit(request: CallRequest, way: Way): Buffer | null {
    const [approval] = approvalsIn(request);
    if (approval !== undefined) return admitAnswered(request, way, approval);
    const order = orders.read();
    if (order === null) return judge(request, way, false);
    if (order.do === 'stop') return admitStopped(request, way, order);
    orders.write(null);
    return ask({ request, call: null, way }, order, null);
  }

  /** `approved` = a person has just let the agent go on. */
  function judge(request: CallRequest, way: Way, approved: boolean): Buffer | null {
    const { tool, args } = request;
    calls += 1;
    const call: GuardedCall = { id: `${unique}-${calls}`, tool: nameOf(tool), args, at: now() };
    const decision = guard.before(call);
    switch (decision.action) {
      case 'allow':
      case 'observe':
        return pass(request, { call, nudge: null }, way);
      case 'nudge':
        return pass(request, { call, nudge: decision.message }, way);
      case 'block':
        return refuse(request, way, decision.message, decision);
      case 'halt':
        stop(decision.message);
        return refuse(request, way, `${decision.message}\n\n${STOPPED}`, decision);
      case 'ask':
        if (!approved) return ask({ request, call, way }, askingOf(decision), decision);
        guard.accept({ type: 'control', do: 'approve' });
        return pass(request, { call, nudge: null }, way);
    }
  }

  function refuse(request: CallRequest, way: Way, text: string, decision: Intervention | null): null {
    way.toClient(refusal(request, text, decision));
    return null;
  }

  function stop(reason: string): void {
    orders.write({ do: 'stop', reason, told: false });
  }

  /** Once for each stop a person is asked, where there is a way to. */
  function admitStopped(request: CallRequest, way: Way, order: Order & { do: 'stop' }): Buffer | null {
    const { reason, told } = order;
    if (told || !canAsk(request, way)) return refuse(request, way, `${reason}\n\n${STOPPED}`, null);
    orders.write({ ...order, told: true });
    return ask({ request, call: null, way }, { reason }, null);
  }

  function ask(
    held: Held,
    { reason, prompt = reason }: Asking,
    decision: Intervention | null,
  ): Buffer | null {
    const { request, call, way } = held;
    if (!canAsk(request, way)) {
      settle(call, 'unable', reason);
      return refuse(request, way, reason, decision);
    }
    questions += 1;
    const key = approvalKey(unique, questions);
    if (isModern(request)) {
      asked.add(key, { call, reason });
      way.toClient(inputRequired(request, key, prompt));
      return null;
    }
    way.holder?.hold();
    if (question === null) {
      question = { key, reason, held: [held] };
      way.toClient(elicitation(key, request.tool, prompt));
    } else question.held = [...question.held, held];
    return null;
  }

  function canAsk(request: CallRequest, { holder }: Way): boolean {
    return isAskable(request, capabilities) && (holder !== null || isModern(request));
  }

  /** The same call again, with what a person said: it goes on without that. */
  function admitAnswered(
    sent: CallRequest,
    way: Way,
    [key, answer]: readonly [key: string, answer: unknown],
  ): Buffer | null {
    const request = withoutAnswers(sent);
    const known = asked.take((one) => one.key === key);
    if (known === undefined) return admit(request, way);
    return decided({ request, call: known.call, way }, approvalIn(answer), known.reason);
  }

  function answered({ fields }: Message): boolean {
    const { id: key, result } = fields;
    if (!isApprovalKey(key)) return false;
    // An answer that comes too late is nobody's.
    if (question === null || question.key !== key) return true;
    const { held, reason } = question;
    question = null;
    const approval = result === undefined ? 'unable' : approvalIn(result);
    // A client that cannot answer is not asked again.
    if (approval === 'unable') capabilities = undefined;
    for (const one of held) {
      const released = decided(one, approval, reason);
      if (released !== null) one.way.toServer(released);
      one.way.holder?.release();
    }
    return true;
  }

  function decided({ request, call, way }: Held, approval: Approval, reason: string): Buffer | null {
    settle(call, approval, reason);
    if (approval === 'approved') {
      orders.write(null);
      guard.accept({ type: 'control', do: 'approve' });
      return call === null ? judge(request, way, true) : pass(request, { call, nudge: null }, way);
    }
    if (approval === 'declined')
      orders.write({ do: 'stop', reason: `A person has stopped this. ${reason}`, told: true });
    const order = orders.read();
    return refuse(request, way, order?.do === 'stop' ? `${order.reason}\n\n${STOPPED}` : reason, null);
  }

  /** Tells what became of a call that was held. */
  function settle(call: GuardedCall | null, approval: Approval, reason: string): void {
    onApproval?.(approval, guard.calls);
    if (call === null || approval === 'approved') return;
    guard.after(call, { output: reason, status: approval === 'declined' ? 'denied' : 'blocked', at: now() });
  }

  /** Whether there is such a call; nobody is asked about it any more. */
  function drop(wanted: (held: Held) => boolean): boolean {
    const held = question?.held.find(wanted);
    if (question === null || held === undefined) return false;
    question.held = question.held.filter((one) => one !== held);
    if (held.call !== null) guard.after(held.call, { output: '', status: 'cancelled', at: now() });
    if (question.held.length === 0) {
      held.way.toClient(elicitationCancelled(question.key));
      question = null;
    }
    held.way.holder?.release();
    return true;
  }

  return {
    admit,
    answered,
    cancelled(id) {
      return drop(({ request }) => idKey(request.id) === idKey(id));
    },
    left(holder) {
      while (drop(({ way }) => way.holder === holder));
    },
    stop,
    holdNext(asking) {
      if (orders.read() === null) orders.write({ do: 'ask', ...asking });
    },
    get isStopped() {
      return orders.read()?.do === 'stop';
    },
    begin(own) {
      while (drop(() => true));
      capabilities = own;
    },
  };
}

/** The call as the server may see it: it asked nothing, so it gets no answers. */
function withoutAnswers(request: CallRequest): CallRequest {
  const own = approvalsIn(request).map(([key]) => key);
  const read = readMessages(withoutInputResponses(request.message, own));
  return (read === null || isBatch(read) ? null : readCall(read)) ?? { ...request, params: {} };
}
