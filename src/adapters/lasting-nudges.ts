import { fieldsOf } from './fields.ts';
import { READ } from './needs-of-providers.ts';

type Message = { readonly role: string; readonly content: unknown };

/** Nudges as user messages that stay where they were said, for hosts that forget what a hook adds to a request. */
export type LastingNudges = {
  /**
   * The messages with every nudge in its place, the new one last; the same list where there is nothing to add. `answerFirst` = the model takes
   * nothing right behind results but an answer: so the new one has one before it.
   */
  into<Item extends object>(
    messages: readonly Item[],
    nudge: string | undefined,
    answerFirst?: boolean,
  ): readonly Item[];
  /** The messages without them, for hosts that remember some; the same list where there are none. */
  without<Item extends object>(messages: readonly Item[]): readonly Item[];
};

/** `behind` = the host's own message that it was said after, and `after` = how many of them there were. */
type Said = { readonly message: Message; readonly behind: object | undefined; readonly after: number };

const ANSWER: Message = { role: 'assistant', content: READ };

const LEADING: readonly unknown[] = ['system', 'developer', 'user'];

export function createLastingNudges(): LastingNudges {
  const said: Said[] = [];
  return {
    into<Item extends object>(messages: readonly Item[], nudge: string | undefined, answerFirst = false) {
      if (nudge === undefined && said.length === 0) return messages;
      const own = ownOf(messages, said);
      const place = { behind: own.at(-1), after: own.length };
      if (nudge !== undefined) {
        if (answerFirst && callsIn(place.behind) !== '') said.push({ message: ANSWER, ...place });
        said.push({ message: { role: 'user', content: nudge }, ...place });
      }
      if (own.length + said.length === messages.length) return messages;
      return woven(own, said) as readonly Item[];
    },
    without<Item extends object>(messages: readonly Item[]) {
      if (said.length === 0) return messages;
      const own = ownOf(messages, said);
      return own.length === messages.length ? messages : own;
    },
  };
}

function ownOf<Item extends object>(messages: readonly Item[], said: readonly Said[]): readonly Item[] {
  return messages.filter((message) => !said.some((known) => isSame(known.message, message)));
}

function woven(own: readonly object[], said: readonly Said[]): readonly object[] {
  const places = said.map((nudge) => placeOf(nudge, own));
  const all: object[] = [];
  for (let index = 0; index <= own.length; index++) {
    for (const [which, place] of places.entries())
      if (place === index) all.push((said[which] as Said).message);
    const message = own[index];
    if (message !== undefined) all.push(message);
  }
  return all;
}

/** Never between a call and its result, however the host has cut the list short. */
function placeOf({ behind, after }: Said, own: readonly object[]): number {
  const found = own.lastIndexOf(behind as object);
  if (found >= 0) return found + 1;
  const calls = callsIn(behind);
  if (calls !== '') {
    const same = own.findLastIndex((message) => callsIn(message) === calls);
    if (same >= 0) return same + 1;
    // What it was said after is gone: so it is the oldest there is.
    const first = own.findIndex((message) => !LEADING.includes(fieldsOf(message)['role']));
    return first >= 0 ? first : own.length;
  }
  let place = Math.min(after, own.length);
  while (place < own.length && (callsIn(own[place]) !== '' || isCall(own[place - 1]))) place += 1;
  return place;
}

/** Which calls a message is the result of, as the AI SDK or the OpenAI Agents SDK tells it; empty = it is none. */
function callsIn(message: object | undefined): string {
  const { role, type, content, callId } = fieldsOf(message);
  if (type === 'function_call_result') return String(callId);
  if (role !== 'tool' || !Array.isArray(content)) return '';
  return content.map((part) => String(fieldsOf(part)['toolCallId'])).join(' ');
}

function isCall(item: object | undefined): boolean {
  return fieldsOf(item)['type'] === 'function_call';
}

function isSame(nudge: Message, message: object): boolean {
  if (nudge === message) return true;
  const { role, content } = fieldsOf(message);
  return role === nudge.role && content === nudge.content;
}
