import { fieldsOf } from '../fields.ts';
import type { StopReason } from '../stop-reason.ts';
import type { Conversation } from './conversations.ts';
import type { Message } from './shapes.ts';

type MessageClass = new (fields: object) => Message;

/** LangChain's own class, found at a message of that kind: deloop imports no framework. */
export function classOf(messages: readonly Message[], type: string): MessageClass | undefined {
  return messages.findLast((message) => message.type === type)?.constructor as MessageClass | undefined;
}

/** Whether nudges stand in the history; only what has come since the last time is looked at. */
export function hasNudges(conversation: Conversation, history: readonly Message[]): boolean {
  for (let index = history.length - 1; index >= 0 && !conversation.isNudged; index--) {
    const message = history[index] as Message;
    if (message === conversation.seen) break;
    conversation.isNudged = nudgeBefore(message) !== undefined;
  }
  conversation.seen = history.at(-1);
  return conversation.isNudged;
}

/** The messages with every nudge before the response that it led to, and the new one last. */
export function withNudges(messages: readonly Message[], nudge: string | undefined): readonly Message[] {
  const Human = classOf(messages, 'human');
  const said = (content: string) =>
    Human === undefined ? ({ role: 'user', content } as unknown as Message) : new Human({ content });
  const all = messages.flatMap((message) => {
    const before = nudgeBefore(message);
    return before === undefined ? [message] : [said(before), message];
  });
  return nudge === undefined ? all : [...all, said(nudge)];
}

/** Notes at a response what was said to the model before it: so it stays in the conversation, in checkpoints, too. */
export function keepNudge(response: Message, nudge: string): void {
  const { response_metadata } = response;
  if (response_metadata !== undefined) Object.assign(response_metadata, { deloop: { nudge } });
}

function nudgeBefore({ type, response_metadata }: Message): string | undefined {
  if (type !== 'ai') return undefined;
  const { nudge } = fieldsOf(response_metadata?.['deloop']);
  return typeof nudge === 'string' ? nudge : undefined;
}

/** The last message of a run that is stopped, in the place of a response; undefined = there was no response yet. */
export function ending(messages: readonly Message[], reason: StopReason): Message | undefined {
  const Response = classOf(messages, 'ai');
  return (
    Response && new Response({ content: reason.message, response_metadata: { deloop: { stopped: reason } } })
  );
}
