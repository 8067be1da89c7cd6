import type { ChatMessage } from './message-events.ts';

/** An item of OpenAI's Responses API, as far as it is read here. */
type Item = ChatMessage & {
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly summary?: unknown;
};

const CALLS: readonly unknown[] = ['function_call', 'custom_tool_call'];
const RESULTS: readonly unknown[] = ['function_call_output', 'custom_tool_call_output'];

/** The same conversation in messages of the Chat Completions API: the items of one response are one message. */
export function chatOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(isItem)) return messages;
  const chat: ChatMessage[] = [];
  let response: Item[] = [];
  for (const message of messages) {
    if (isOfResponse(message)) {
      response.push(message);
      continue;
    }
    if (response.length > 0) chat.push(joined(response));
    response = [];
    chat.push(RESULTS.includes(message?.type) ? resultOf(message) : message);
  }
  if (response.length > 0) chat.push(joined(response));
  return chat;
}

/** Where the last response begins; at the end of the list where there is none. */
export function lastResponse(messages: readonly ChatMessage[]): number {
  let index = messages.findLastIndex((message) => message?.role === 'assistant' || isOfResponse(message));
  if (index < 0) return messages.length;
  const isJoined = (place: number) => place >= 0 && isOfResponse(messages[place] as ChatMessage);
  while (isJoined(index) && isJoined(index - 1)) index -= 1;
  return index;
}

function isItem(message: ChatMessage): boolean {
  return typeof message?.type === 'string';
}

/** Whether the model wrote it: calls of all kinds, also of tools that the provider runs, and what stands beside them. */
function isOfResponse(message: ChatMessage): boolean {
  if (!isItem(message)) return false;
  const { type, role } = message;
  return type === 'message' ? role === 'assistant' : type === 'reasoning' || type?.endsWith('_call') === true;
}

function joined(items: readonly Item[]): ChatMessage {
  const message = {
    role: 'assistant',
    content: items.flatMap(({ type, content }) => (type === 'message' ? listOf(content) : [])),
    reasoning: items
      .flatMap(({ type, summary, content }) =>
        type === 'reasoning' ? [...listOf(summary), ...listOf(content)] : [],
      )
      .map(({ text }) => text)
      .join('\n'),
    tool_calls: items.flatMap(({ type, call_id: id, name, arguments: args, input }) =>
      CALLS.includes(type) ? [{ id, function: { name, arguments: args, input } }] : [],
    ),
  };
  return message;
}

function resultOf({ call_id: tool_call_id, output }: Item): ChatMessage {
  const message = { role: 'tool', tool_call_id, content: output };
  return message;
}

function listOf(value: unknown): readonly { readonly text?: unknown }[] {
  if (typeof value === 'string') return [{ text: value }];
  return Array.isArray(value) ? value.filter((part) => typeof part === 'object' && part !== null) : [];
}
