import { fieldOf } from '../../core/arguments.ts';
import { fieldsOf } from '../fields.ts';
import { READ } from '../needs-of-providers.ts';
import type { StopReason } from '../stop-reason.ts';
import { weakly } from '../weakly.ts';
import type { Conversation } from './conversations.ts';
import { type Message, type ToolCall, textOf } from './shapes.ts';

type MessageClass = new (fields: object) => Message;

/** LangChain's own class, found at a message of that kind: deloop imports no framework. */
function classOf(messages: readonly Message[], type: string): MessageClass | undefined {
  return messages.findLast((message) => message.type === type)?.constructor as MessageClass | undefined;
}

/** LangChain's own class where a message of that kind was seen; otherwise one that it takes for it, made of what all messages have in common. */
function knownOrMade(messages: readonly Message[], type: string, name: string): MessageClass | undefined {
  const Known = classOf(messages, type);
  if (Known !== undefined) return Known;
  const Base = baseOf(messages.at(-1));
  return (
    Base &&
    class extends Base {
      override readonly type = type;
      static lc_name(): string {
        return name;
      }
      constructor(fields: object) {
        super(fields);
        Object.assign(this, fields);
      }
    }
  );
}

/** The class that all messages have in common. */
function baseOf(message: Message | undefined): MessageClass | undefined {
  let found: unknown = message?.constructor;
  while (typeof found === 'function') {
    const { lc_name } = found as { lc_name?(): unknown };
    if (Object.hasOwn(found, 'lc_name') && lc_name?.call(found) === 'BaseMessage')
      return found as MessageClass;
    found = Object.getPrototypeOf(found);
  }
  return undefined;
}

/** The result of a call that no tool gave; `seen` = messages of LangChain. Where there are none, LangGraph makes a message of it. */
export function resultOf({ id, name }: ToolCall, content: string, seen: readonly Message[]): object {
  const fields = { content, tool_call_id: id, name, status: 'error' };
  const Result = knownOrMade(seen, 'tool', 'ToolMessage');
  return Result === undefined
    ? { ...fields, type: 'tool', [Symbol.for('langchain.message')]: true }
    : new Result(fields);
}

/** Whether an error says that there is no such tool, in the words of `createAgent` or of a `ToolNode`. */
export function isMissing({ content }: Message, tool: string): boolean {
  const text = textOf(content);
  return (
    text.startsWith(`Error: ${tool} is not a valid tool`) ||
    text.startsWith(`Error: Tool "${tool}" not found.`)
  );
}

/** The same message with another text. */
export function withContent(message: Message, content: string): Message {
  return new (message.constructor as MessageClass)({ ...message, content });
}

/** Whether a response is among the messages, or a copy of it. One that has nothing to be known by is not missed. */
export function isIn(messages: readonly Message[], response: Message): boolean {
  const { id, tool_calls = [] } = response;
  return (id === undefined && tool_calls[0]?.id === undefined) || placeOf(messages, response) >= 0;
}

/** Where a response stands among the messages, or a copy of it; -1 = nowhere. */
export function placeOf(messages: readonly Message[], response: Message): number {
  const { id, tool_calls = [] } = response;
  const call = tool_calls[0]?.id;
  return messages.findLastIndex(
    (message) =>
      message.type === 'ai' &&
      (message === response ||
        (id !== undefined && message.id === id) ||
        (call !== undefined && message.tool_calls?.some((other) => other.id === call) === true)),
  );
}

/** Whether nudges stand in the history; only what has come since the last time is looked at. */
export function hasNudges(conversation: Conversation, history: readonly Message[]): boolean {
  const seen = conversation.seen?.deref();
  for (let index = history.length - 1; index >= 0 && !conversation.isNudged; index--) {
    const message = history[index] as Message;
    if (message === seen) break;
    conversation.isNudged = nudgeBefore(message) !== undefined;
  }
  const last = history.at(-1);
  if (last !== seen) conversation.seen = weakly(last);
  return conversation.isNudged;
}

/** The messages with every nudge before the response that it led to, and the new one last; where the model takes nothing else right behind results, an answer comes first. */
export function withNudges(
  messages: readonly Message[],
  nudge: string | undefined,
  answerFirst: boolean,
): readonly Message[] {
  const Human = classOf(messages, 'human');
  const read = answerFirst ? responseOf(messages, { content: READ }) : undefined;
  const said = (content: string, behind: Message | undefined): readonly Message[] => {
    const own =
      Human === undefined ? ({ role: 'user', content } as unknown as Message) : new Human({ content });
    return read !== undefined && behind?.type === 'tool' ? [read, own] : [own];
  };
  const all = messages.flatMap((message, index) => {
    const before = nudgeBefore(message);
    return before === undefined ? [message] : [...said(before, messages[index - 1]), message];
  });
  return nudge === undefined ? all : [...all, ...said(nudge, messages.at(-1))];
}

/** Notes at a response what was said to the model before it: so it stays in the conversation, in checkpoints, too. */
export function keepNudge(response: Message, nudge: string): void {
  const { response_metadata } = response;
  if (response_metadata === undefined) return;
  Object.assign(response_metadata, { deloop: { ...fieldsOf(response_metadata['deloop']), nudge } });
}

function nudgeBefore({ type, response_metadata }: Message): string | undefined {
  if (type !== 'ai') return undefined;
  const { nudge } = fieldsOf(fieldOf(fieldsOf(response_metadata), 'deloop'));
  return typeof nudge === 'string' ? nudge : undefined;
}

/** A response that no model gave, or not to its end; `seen` = messages of the conversation; undefined = they are none of LangChain's own. */
export function responseOf(seen: readonly Message[], fields: object): Message | undefined {
  const Response = knownOrMade(seen, 'ai', 'AIMessage');
  return Response && new Response({ tool_calls: [], invalid_tool_calls: [], ...fields });
}

/** The last message of a run that is stopped, in the place of a response. */
export function ending(messages: readonly Message[], reason: StopReason): Message | undefined {
  return responseOf(messages, {
    content: reason.message,
    response_metadata: { deloop: { stopped: reason } },
  });
}
