import type { Conversation } from './conversations.ts';
import { isOldTask } from './handovers.ts';
import { isIn } from './messages.ts';
import { type Message, type Runtime, textOf } from './shapes.ts';

/** Undefined = nobody says which one it is. */
export function invocationOf(runtime: Runtime | undefined): object | undefined {
  return runtime?.writer ?? undefined;
}

/** Whether an invocation is seen for the first time. */
export function isNewTo({ invocation, invocations }: Conversation, runtime: Runtime | undefined): boolean {
  const own = invocationOf(runtime);
  return own !== undefined && own !== invocation && !invocations.has(own);
}

/** How a request comes: who has said what is new, if anybody has, and whether its invocation is new. */
export type Arrival = { readonly by: 'person' | 'host' | null; readonly isNew: boolean };

const AS_BEFORE: Arrival = { by: null, isNew: false };

export function arrive(
  conversation: Conversation,
  history: readonly Message[],
  runtime: Runtime | undefined,
): Arrival {
  const { invocation, isMoved } = conversation;
  // What most requests find.
  const isSame = invocation !== undefined && invocation === runtime?.writer && !isMoved;
  if (isSame && !isUnheard(conversation, history.at(-1))) return AS_BEFORE;
  const by = speakerIn(conversation, history, runtime);
  const isNew = isNewTo(conversation, runtime);
  enter(conversation, runtime);
  if (isNew && by === null) note(conversation, history);
  return { by, isNew };
}

/**
 * Who has said what is new, if anybody has. People speak when they invoke the agent: with a new message, with another text in
 * the place of an old one, or by going back to where a response was not there yet. What comes later is the program's own.
 */
function speakerIn(
  conversation: Conversation,
  history: readonly Message[],
  runtime: Runtime | undefined,
): Arrival['by'] {
  const last = history.at(-1);
  // After results people do not write, as long as all goes well.
  if (invocationOf(runtime) === undefined)
    return isUnheard(conversation, last) ? (history.at(-2)?.type === 'tool' ? 'host' : 'person') : null;
  const isNew = isNewTo(conversation, runtime);
  if (!isNew && !conversation.isMoved) return isUnheard(conversation, last) ? 'host' : null;
  const message = history.findLast(({ type }) => type === 'human');
  // Without an id, a copy from a checkpoint is known by its text.
  const isKnowable = message === last || message?.id !== undefined;
  const isTold = (isKnowable && isUnheard(conversation, message)) || isEdited(conversation, message);
  if (!isNew && !isTold) return null;
  if (!isNew)
    return isGoingOn(conversation, history, message) || isOldTask(conversation, message) ? 'host' : 'person';
  const isOpen = isTold && !isAnswered(conversation, history, message);
  return isOpen || isRewound(conversation, history) ? 'person' : null;
}

function isUnheard({ heard }: Conversation, message: Message | undefined): boolean {
  return message?.type === 'human' && heard !== (message.id ?? message);
}

function isEdited({ text }: Conversation, message: Message | undefined): boolean {
  return message !== undefined && text !== textOf(message.content);
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

/** Whether it was heard and answered in another process. Other agents answer under their own names. */
function isAnswered(
  { heard, last, isShared }: Conversation,
  history: readonly Message[],
  message: Message | undefined,
): boolean {
  const isFirst = heard === undefined;
  if (!isFirst && !isShared) return false;
  const since = message === undefined ? [] : history.slice(history.lastIndexOf(message));
  return since.some(({ type, name }) => type === 'ai' && (isFirst || name === last?.name));
}

/** Whether the invocation has gone back to where the last response was not there yet. */
export function isRewound({ last, isMoved }: Conversation, history: readonly Message[]): boolean {
  return !isMoved && last !== undefined && history.length > 0 && !isIn(history, last);
}

/** What comes from now on belongs to this invocation. */
export function enter(conversation: Conversation, runtime: Runtime | undefined): void {
  const own = invocationOf(runtime);
  if (own !== undefined && own !== conversation.invocation) conversation.invocations.add(own);
  conversation.invocation = own;
  conversation.isMoved = false;
}

/** Tells what is new. */
export function hear(conversation: Conversation, history: readonly Message[], by: 'person' | 'host'): void {
  note(conversation, history);
  // What they were asked before, they will not answer any more.
  if (by === 'person') conversation.asked.clear();
  conversation.run.user(conversation.text, { by, agent: conversation.agent });
}

/** What was said last is not new any more. */
function note(conversation: Conversation, history: readonly Message[]): void {
  const message = history.findLast(({ type }) => type === 'human');
  conversation.heard = message?.id ?? message;
  conversation.text = textOf(message?.content);
}
