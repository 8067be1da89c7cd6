import { digestText } from '../../core/digest-text.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall } from '../run.ts';
import type { Conversation } from './conversations.ts';
import { placeOf } from './messages.ts';
import { type Message, messagesOf, textOf } from './shapes.ts';

/** Texts that are remembered. */
const MAX_TEXTS = 64;

/** Whether a result is a command that gives the work to another node. */
export function isHandover(given: unknown): boolean {
  const { goto } = fieldsOf(given);
  return Array.isArray(goto) && goto.length > 0;
}

/** The messages that a command sends along with the work. */
export function sentIn(given: unknown): readonly Message[] {
  const { goto } = fieldsOf(given);
  return Array.isArray(goto) ? goto.flatMap((to) => messagesOf(fieldsOf(to)['args'])) : [];
}

/** The work is others' now: what they add comes after what the agent had before this call. */
export function noteHandover(
  { handovers }: Conversation,
  { id, tool }: HostCall,
  history: readonly Message[],
): void {
  const before = history[responseIn(history, id) - 1];
  if (before !== undefined) handovers.set(tool, keyOf(before));
}

/** All handovers to one agent may look alike: what tells them apart is what others have found and answered since the last one. */
export function handoverOf(
  { handovers }: Conversation,
  call: HostCall,
  history: readonly Message[],
): HostCall {
  const before = handovers.get(call.tool);
  const begin = before === undefined ? -1 : history.findLastIndex((message) => keyOf(message) === before);
  if (begin === -1) return call;
  const since = history.slice(begin + 1, responseIn(history, call.id)).filter(isOutcome);
  if (since.length === 0) return call;
  return { ...call, args: [call.args, digestText(since.map(({ content }) => textOf(content)).join('\n'))] };
}

/**
 * Whether agents without names have given each other the task before. They are counted as one, so a task that comes round again
 * must not end what was counted.
 */
export function isOldTask({ name, handovers, tasks }: Conversation, task: Message | undefined): boolean {
  if (name !== undefined || handovers.size === 0) return false;
  return !isFirst(tasks, textOf(task?.content));
}

/**
 * Whether others have shown something new to an agent since its last response: then the same answer is one to something else. Of an agent
 * that calls tools, what comes of its calls tells whether it goes in circles.
 */
export function isShownNews(
  { last, hasCalled, shownTexts }: Conversation,
  history: readonly Message[],
): boolean {
  if (last === undefined || hasCalled) return false;
  const place = placeOf(history, last);
  // Where it has another history each time, the last message is what it is asked about.
  const shown = (
    place === -1 ? history.slice(-1) : history.slice(place + 1).filter((message) => !isProdding(message))
  ).filter(isOutcome);
  // Each is remembered, also behind one that is new.
  return shown.filter(({ content }) => isFirst(shownTexts, textOf(content))).length > 0;
}

/** Other agents have names; without one it is the program that sends the agent back. */
function isProdding({ type, name }: Message): boolean {
  return type === 'human' && name === undefined;
}

/**
 * Whether the program gives the agent another task, in a history of its own: what it has said so far is not there, as when a node works
 * through a list.
 */
export function isNewTask({ isDone, last, tasks }: Conversation, history: readonly Message[]): boolean {
  if (!isDone || last === undefined || history.some(({ type }) => type === 'ai')) return false;
  return isFirst(tasks, textOf(history.at(-1)?.content));
}

/** Whether a text comes for the first time, as far as texts are remembered. */
function isFirst(texts: Set<number>, text: string): boolean {
  const digest = digestText(text);
  if (texts.has(digest)) return false;
  texts.add(digest);
  if (texts.size > MAX_TEXTS) texts.delete(texts.values().next().value as number);
  return true;
}

/** Words beside calls are never twice the same, and nothing has come of them yet; a call that failed or was blocked, this one too, has brought nothing. */
function isOutcome({ type, status, tool_calls = [] }: Message): boolean {
  return type === 'ai' ? tool_calls.length === 0 : status !== 'error';
}

/** Where the response with the call stands. */
function responseIn(history: readonly Message[], id: string | undefined): number {
  return history.findLastIndex(({ tool_calls }) => tool_calls?.some((call) => call.id === id) === true);
}

function keyOf(message: Message): unknown {
  return message.id ?? message;
}
