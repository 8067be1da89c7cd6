import { digestText } from '../../core/digest-text.ts';
import { weakly } from '../weakly.ts';
import { type ChatMessage, eventsOf, idsOf, isText, textOf } from './message-events.ts';
import type { Place, ReadCall } from './message-telling.ts';
import { chatOf, lastResponse } from './response-items.ts';

/**
 * `fresh` = the messages that are new; `from` = what stands before it was read, apart from what the host has put there since;
 * `isCut` = what was read before it was cut or summarised.
 */
export type News = {
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
  readonly isCut: boolean;
  /** Whether the loop goes on behind a response without calls, though nobody has said anything. */
  readonly talksOn: boolean;
};

/** Where more of it is kept than this share, only the oldest messages fell out, as they do step by step where the newest are kept. */
const KEPT = 0.5;
/** Messages that are remembered behind the last response or result. */
const MAX_LOOSE = 16;
const WORK: readonly unknown[] = ['assistant', 'tool', 'function'];

export function newsIn(place: Place, messages: readonly ChatMessage[]): News {
  const { from, isCut } = endOfRead(place, messages);
  const fresh = unheard(place, messages.slice(from));
  const isSpokenTo = fresh.some((message) => isSaid(message) && !isNudge(place, message));
  const talksOn = fresh.length === 0 ? place.talksOn : hasNoCalls(place) && !isSpokenTo;
  return { fresh, from, isCut, talksOn };
}

/**
 * Where reading has come to: the last response or result. What the host or a person has put behind it may stand elsewhere
 * in the next list, or not at all.
 */
export function markOf(
  messages: readonly ChatMessage[],
): Pick<Place, 'read' | 'begun' | 'last' | 'loose' | 'tail'> {
  const at = Math.max(messages.findLastIndex(isOfWork), messages.length - 1 - MAX_LOOSE);
  return {
    read: messages.length,
    begun: lastResponse(messages),
    last: printOf(messages[at]),
    loose: messages.slice(at + 1).map(printOf),
    tail: [weakly(messages[at - 1]), weakly(messages[at])],
  };
}

/**
 * In a list that was rewritten, what stands behind the last response or result that was read; or the last response.
 * Where another process has read it, such a list is likely another conversation, so what a person has said counts, too; and
 * where the loop had ended, it is at work again only because somebody has spoken, if in the same words, for another answer.
 */
function endOfRead(place: Place, messages: readonly ChatMessage[]): Pick<News, 'from' | 'isCut'> {
  const { read, begun, loose, isTakenOver, open } = place;
  if (read === 0) return { from: 0, isCut: false };
  const known = knownIn(place, messages);
  if (known >= 0) return { from: known, isCut: known + loose.length <= read * KEPT };
  const response = lastResponse(messages);
  if (isContinued(place, messages)) {
    const answer = messages.findIndex((message) => isAnswer(message, open));
    return { from: answer < 0 ? response : Math.min(answer, response), isCut: false };
  }
  const said = isTakenOver || hasEnded(place) ? messages.findLastIndex(isSaid) : -1;
  const from = said < 0 ? response : Math.min(said, response);
  // One that was only dropped, and asked for again, has all before it that the last one had.
  return { from, isCut: from < begun };
}

/** Whether it was told to end, or did so by itself. */
function hasEnded(place: Place): boolean {
  return place.isOver || (hasNoCalls(place) && !place.talksOn);
}

/** Whether the last response had no calls, except of the provider's own tools. */
function hasNoCalls({ read, open, answered }: Place): boolean {
  return read > 0 && open.length === 0 && !answered;
}

/** How many of the messages were read, up to the last response or result; -1 = that is not among them. */
function knownIn(place: Place, messages: readonly ChatMessage[]): number {
  const { read, last, loose, tail } = place;
  const at = read - loose.length - 1;
  if (at < 0) return messages.some((message) => loose.includes(printOf(message))) ? 0 : -1;
  const [before, latest] = tail.map((held) => held?.deref());
  const isAt = (index: number) =>
    latest !== undefined && messages[index] === latest && messages[index - 1] === before;
  if (isAt(at)) return at + 1;
  // A list that slides over equal messages looks as it did: only the objects have moved.
  const held = messages.findLastIndex((_, index) => index > 0 && isAt(index));
  if (held >= 0) return held + 1;
  const isLast = (index: number) => printOf(messages[index]) === last;
  // Responses without ids may be equal: what was said behind them may not.
  const isFollowed = (index: number) => loose.every((print, n) => printOf(messages[index + 1 + n]) === print);
  const isHere = isLast(at);
  if (isHere && (hasIds(messages[at]) || isFollowed(at))) return at + 1;
  const followed = messages.findLastIndex((_, index) => isLast(index) && isFollowed(index));
  if (followed >= 0 || isHere) return (followed >= 0 ? followed : at) + 1;
  const found = messages.findLastIndex((_, index) => isLast(index));
  return found < 0 ? -1 : found + 1;
}

/** Without what was read before, wherever it stands now. An image has no words to be known by, unless it is where it was. */
function unheard({ loose }: Place, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (loose.length === 0) return messages;
  const left = [...loose];
  return messages.filter((message, index) => {
    const found = isOfWork(message) ? -1 : left.indexOf(printOf(message));
    if (found < 0 || (index > loose.length - left.length && !isText(message?.content))) return true;
    left.splice(found, 1);
    return false;
  });
}

/** Whether it is the model's, or holds a result: the host does not move it. */
function isOfWork(message: ChatMessage): boolean {
  return WORK.includes(chatOf([message])[0]?.role) || hasIds(message);
}

function hasIds(message: ChatMessage | undefined): boolean {
  return message !== undefined && chatOf([message]).some((same) => idsOf(same).length > 0);
}

/** Whether the list holds only what came since: it begins in the middle of the agent's work, and a summary does not. */
function isContinued(place: Place, [first]: readonly ChatMessage[]): boolean {
  if (typeof first !== 'object' || first === null) return false;
  return lastResponse([first]) === 0 || isAnswer(first) || (isSaid(first) && isNudge(place, first));
}

function isNudge({ nudges }: Place, { content }: ChatMessage): boolean {
  return nudges.some((nudge) => textOf(content).includes(nudge));
}

/** Whether it holds a result, of one of these calls. */
function isAnswer(message: ChatMessage, calls?: readonly ReadCall[]): boolean {
  return chatOf([message]).some((same) =>
    eventsOf(same, undefined).some(
      (event) => event.type === 'result' && (calls === undefined || calls.some(({ id }) => id === event.id)),
    ),
  );
}

function isSaid(message: ChatMessage): boolean {
  return message?.role === 'user' && idsOf(message).length === 0;
}

/** A digest of enough of a message to know it again, also when words were added to a result, or it was cut. */
function printOf(message: ChatMessage | undefined): number {
  if (typeof message !== 'object' || message === null) return 0;
  const [same = message] = chatOf([message]);
  const ids = idsOf(same);
  return digestText(JSON.stringify([same.role, ids.length > 0 ? ids : textOf(same.content)]));
}
