import { fieldsOf } from '../fields.ts';
import type { Conversation } from './conversations.ts';
import { isIn } from './messages.ts';
import { type Message, type Runtime, textOf } from './shapes.ts';

/** Which agent inside an invocation it is: the nodes of the graphs around it; empty = the outermost. */
export function pathOf(runtime: Runtime | undefined): string {
  const place = runtime?.configurable?.['checkpoint_ns'];
  return typeof place === 'string' ? place.slice(0, Math.max(0, place.lastIndexOf('|'))) : '';
}

/** The step of the outermost graph: agents that run at the same time run in the same one. */
export function stepOf(runtime: Runtime | undefined): unknown {
  return fieldsOf(runtime?.configurable?.['checkpoint_map'])[''];
}

/**
 * Who has said what is new, if anybody has. People speak when they invoke the agent: with a new message, with another text in
 * the place of an old one, or by going back to where a response was not there yet. What comes later is the program's own.
 */
export function speakerIn(
  conversation: Conversation,
  history: readonly Message[],
  runtime: Runtime | undefined,
): 'person' | 'host' | null {
  const { heard, invocation, isMoved } = conversation;
  const last = history.at(-1);
  const isHuman = last?.type === 'human';
  const isUnheard = isHuman && heard !== (last.id ?? last);
  // Nobody says which invocation it is. After results people do not write, as long as all goes well.
  if (runtime?.writer === undefined)
    return isUnheard ? (history.at(-2)?.type === 'tool' ? 'host' : 'person') : null;
  if (runtime.writer === invocation && !isMoved) return isUnheard ? 'host' : null;
  const isEdited = isHuman && conversation.text !== textOf(last.content);
  return isUnheard || isEdited || isRewound(conversation, history) ? 'person' : null;
}

/** Whether the invocation has gone back to where the last response was not there yet. */
export function isRewound({ last, isMoved }: Conversation, history: readonly Message[]): boolean {
  return !isMoved && last !== undefined && history.length > 0 && !isIn(history, last);
}

/** What comes from now on belongs to this invocation. */
export function enter(conversation: Conversation, runtime: Runtime | undefined): void {
  conversation.invocation = runtime?.writer;
  conversation.isMoved = false;
}

/** Tells what is new. */
export function hear(conversation: Conversation, history: readonly Message[], by: 'person' | 'host'): void {
  const message = history.findLast(({ type }) => type === 'human');
  conversation.heard = message?.id ?? message;
  conversation.text = textOf(message?.content);
  conversation.run.user(conversation.text, { by, agent: conversation.agent });
}
