import { digestText } from '../../core/digest-text.ts';
import { isCompacted } from '../compacted.ts';
import type { Conversation } from './conversations.ts';
import { isNewTask, isOldTask } from './handovers.ts';
import { isAnswered, keepHeard, lastHuman } from './heard.ts';
import { isIn, placeOf } from './messages.ts';
import { nodeOf } from './places.ts';
import { type Message, type ModelRequest, type Runtime, textOf } from './shapes.ts';

/** Undefined = nobody says which one it is. */
export function invocationOf(runtime: Runtime | undefined): object | undefined {
  return runtime?.writer ?? undefined;
}

/** Whether an invocation is seen for the first time. */
export function isNewTo({ invocations }: Conversation, runtime: Runtime | undefined): boolean {
  const own = invocationOf(runtime);
  return own !== undefined && !invocations.has(own);
}

/** Who has said what is new; `unclear` = a person, unless another process has heard it: what the store holds tells. */
export type Speaker = 'person' | 'host' | 'unclear';

/** How a request comes: who has said what is new, if anybody has, and whether its invocation is new. */
export type Arrival = { readonly by: Speaker | null; readonly isNew: boolean };

const AS_BEFORE: Arrival = { by: null, isNew: false };

export function arrive(
  conversation: Conversation,
  history: readonly Message[],
  runtime: Runtime | undefined,
): Arrival {
  const { invocations, isMoved } = conversation;
  const own = invocationOf(runtime);
  // What most requests find.
  const isSame = own !== undefined && !isMoved && invocations.has(own);
  if (isSame && !isUnheard(conversation, history.at(-1))) return AS_BEFORE;
  const by = speakerIn(conversation, history, runtime);
  const isNew = isNewTo(conversation, runtime);
  enter(conversation, runtime, by);
  if (isNew && by === null) note(conversation, history);
  return { by, isNew };
}

/**
 * Who has said what is new, if anybody has. People speak when they invoke the agent: with a new message, with another text in
 * the place of an old one, or by going back to where a response was not there yet. What comes later is the program's own, but for
 * another task.
 */
export function speakerIn(
  conversation: Conversation,
  history: readonly Message[],
  runtime: Runtime | undefined,
): Speaker | null {
  const last = history.at(-1);
  // After results people do not write, as long as all goes well.
  if (invocationOf(runtime) === undefined)
    return isUnheard(conversation, last) ? (history.at(-2)?.type === 'tool' ? 'host' : 'person') : null;
  const isNew = isNewTo(conversation, runtime);
  if (!isNew && !conversation.isMoved) {
    if (!isUnheard(conversation, last)) return null;
    return isNewTask(conversation, history) ? 'person' : 'host';
  }
  if (isNew && isRewound(conversation, history)) return 'person';
  // What stands before the agent's own response is no news, although middleware may have put a summary there.
  const from = isNew && conversation.last !== undefined ? placeOf(history, conversation.last) + 1 : 0;
  const message = lastHuman(from === 0 ? history : history.slice(from));
  // Without an id, a copy from a checkpoint is known by its text.
  const isKnowable = isNew || message === last || message?.id !== undefined;
  const isTold = (isKnowable && isUnheard(conversation, message)) || isEdited(conversation, message);
  if (!isTold) return null;
  if (isNew) return 'unclear';
  return isGoingOn(conversation, history, message) || isOldTask(conversation, message) ? 'host' : 'person';
}

function isUnheard({ heard }: Conversation, message: Message | undefined): boolean {
  return message?.type === 'human' && heard !== (message.id ?? message);
}

function isEdited({ shown }: Conversation, message: Message | undefined): boolean {
  return message !== undefined && shown !== digestText(textOf(message.content));
}

/** Whether it is the history that the agent had elsewhere in the graph. With a new task, what it heard and said before is not there. */
function isGoingOn(
  conversation: Conversation,
  history: readonly Message[],
  message: Message | undefined,
): boolean {
  const { heard, last } = conversation;
  if (last !== undefined && isIn(history, last)) return true;
  return isUnheard(conversation, message) && history.some((other) => (other.id ?? other) === heard);
}

/** Whether the invocation has gone back to where the last response was not there yet. */
function isRewound({ last, isMoved }: Conversation, history: readonly Message[]): boolean {
  return !isMoved && last !== undefined && history.length > 0 && !isIn(history, last);
}

/** What comes from now on belongs to this invocation. */
export function enter(conversation: Conversation, runtime: Runtime | undefined, by: Speaker | null): void {
  const own = invocationOf(runtime);
  const { invocations, isMoved, nodes } = conversation;
  // Where nobody has said anything, it goes on from an interrupt; elsewhere in the graph, and with another task, it has another history.
  if (own !== undefined && (isMoved || by === 'person' || !invocations.has(own)))
    invocations.set(own, by === null && !isMoved ? nodes : new Map());
  conversation.isMoved = false;
}

/**
 * Whether the model has lost what it had seen in this invocation, which must have been entered. What is asked without tools, such as for
 * a plan, is an aside: nothing can be looked at again for it.
 */
export function forgets(conversation: Conversation, { runtime, messages, tools }: ModelRequest): boolean {
  const own = invocationOf(runtime);
  const nodes = own && conversation.invocations.get(own);
  if (nodes === undefined || !tools?.length) return false;
  const node = nodeOf(runtime);
  const before = nodes.get(node) ?? { sent: 0 };
  conversation.nodes = nodes.set(node, before);
  return isCompacted(before, messages.length);
}

/** Tells what is new. */
export function hear(conversation: Conversation, history: readonly Message[], by: Speaker): void {
  const isOld = by === 'unclear' && isAnswered(conversation, history);
  note(conversation, history);
  keepHeard(conversation, history);
  if (isOld) return;
  // What they were asked before, they will not answer any more.
  if (by !== 'host') conversation.asked.clear();
  conversation.run.user(textOf(lastHuman(history)?.content), {
    by: by === 'host' ? by : 'person',
    agent: conversation.agent,
  });
}

/** What was said last is not new any more. */
function note(conversation: Conversation, history: readonly Message[]): void {
  const message = lastHuman(history);
  conversation.heard = message?.id ?? message;
  conversation.shown = digestText(textOf(message?.content));
}
