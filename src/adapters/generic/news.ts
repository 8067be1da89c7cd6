import { digestText } from '../../core/digest-text.ts';
import { type ChatMessage, eventsOf, idsOf, textOf } from './message-events.ts';
import type { Place, ReadCall } from './message-telling.ts';
import { chatOf, lastResponse } from './response-items.ts';

/** `from` = the first message that is new; `isCut` = what was read before it was cut or summarised. */
export type News = { readonly from: number; readonly isCut: boolean };

/** Where more of it is kept than this share, only the oldest messages fell out, as they do step by step where the newest are kept. */
const KEPT = 0.5;

/**
 * In a list that was rewritten, what stands behind the message read last; or the last response.
 * Where another process has read it, such a list is likely another conversation, so what a person has said counts, too.
 */
export function newsIn(place: Place, messages: readonly ChatMessage[]): News {
  const { read, isTakenOver, open } = place;
  if (read === 0) return { from: 0, isCut: false };
  const known = knownIn(place, messages);
  if (known > 0) return { from: known, isCut: known <= read * KEPT };
  const response = lastResponse(messages);
  if (isContinued(place, messages)) {
    const answer = messages.findIndex((message) => isAnswer(message, open));
    return { from: answer < 0 ? response : Math.min(answer, response), isCut: false };
  }
  const said = isTakenOver ? messages.findLastIndex(isSaid) : -1;
  const from = said < 0 ? response : Math.min(said, response);
  return { from, isCut: from < read };
}

/** How many of the messages were read; 0 = the one read last is not among them. */
function knownIn({ read, last, tail: [before, latest] }: Place, messages: readonly ChatMessage[]): number {
  const isAt = (index: number) =>
    latest !== undefined && messages[index] === latest && messages[index - 1] === before;
  if (isAt(read - 1)) return read;
  // A list that slides over equal messages looks as it did: only the objects have moved.
  const held = messages.findLastIndex((_, index) => index > 0 && isAt(index));
  if (held >= 0) return held + 1;
  if (printOf(messages[read - 1]) === last) return read;
  return messages.findLastIndex((message) => printOf(message) === last) + 1;
}

/** Whether the list holds only what came since: it begins in the middle of the agent's work, and a summary does not. */
function isContinued({ nudges }: Place, [first]: readonly ChatMessage[]): boolean {
  if (typeof first !== 'object' || first === null) return false;
  if (lastResponse([first]) === 0 || isAnswer(first)) return true;
  return isSaid(first) && nudges.some((nudge) => textOf(first.content).includes(nudge));
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
export function printOf(message: ChatMessage | undefined): number {
  if (typeof message !== 'object' || message === null) return 0;
  const [same = message] = chatOf([message]);
  const ids = idsOf(same);
  return digestText(JSON.stringify([same.role, ids.length > 0 ? ids : textOf(same.content)]));
}
