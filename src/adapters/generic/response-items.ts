import { type Fields, fieldsOf } from '../fields.ts';
import type { ChatMessage } from './message-events.ts';

/** An item of OpenAI's Responses API, as far as it is read here. */
type Item = ChatMessage & Fields;

/** Calls of functions that the host has named; all others are known by their type. */
const NAMED: readonly unknown[] = ['function_call', 'custom_tool_call', 'mcp_call'];
/** Where calls have their arguments, and where those that ran at the provider have what came of them. */
const ARGUMENTS = ['arguments', 'input', 'action', 'actions', 'operation', 'queries', 'code'];
const OUTCOMES = ['output', 'outputs', 'results', 'result'];
const CALL = '_call';
/** What stands in a response beside messages and calls: thoughts, and code that runs at the provider and makes calls, with what it gave. */
const BESIDE: readonly unknown[] = ['reasoning', 'program', 'program_output'];

/** The same conversation in messages of the Chat Completions API: the items of one response are one message. */
export function chatOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(isItem)) return messages;
  const chat: ChatMessage[] = [];
  let response: Item[] = [];
  for (const message of messages) {
    if (isOfResponse(message)) {
      response.push(message as Item);
      continue;
    }
    chat.push(...joined(response), isResult(message) ? resultOf(message as Item) : message);
    response = [];
  }
  chat.push(...joined(response));
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
  return type === 'message' ? role === 'assistant' : BESIDE.includes(type) || type?.endsWith(CALL) === true;
}

function isResult(message: ChatMessage): boolean {
  return isItem(message) && (message.type?.endsWith('_call_output') || message.type === 'tool_search_output');
}

/** The message of a response, and behind it the results that came with it. */
function joined(items: readonly Item[]): readonly ChatMessage[] {
  if (items.length === 0) return [];
  const calls = items.filter(({ type }) => type?.endsWith(CALL));
  const message = {
    role: 'assistant',
    content: items.flatMap(({ type, content }) => (type === 'message' ? listOf(content) : [])),
    reasoning: items
      .flatMap(({ type, summary, content }) =>
        type === 'reasoning' ? [...listOf(summary), ...listOf(content)] : [],
      )
      .map(({ text }) => text)
      .join('\n'),
    tool_calls: calls.map(callOf),
  };
  return [message, ...calls.flatMap(hostedResult)];
}

/** `hosted` = nobody is waiting for its result: the provider has run it. */
function callOf(item: Item): object {
  const { type, name } = item;
  const [, args] = first(item, ARGUMENTS);
  const tool = NAMED.includes(type) ? name : type?.slice(0, -CALL.length);
  return { id: idOf(item), hosted: isHosted(item), function: { name: tool, arguments: args } };
}

/** The provider's own calls have no id for a result to name. */
function isHosted({ type, call_id }: Item): boolean {
  return type !== 'function_call' && type !== 'custom_tool_call' && typeof call_id !== 'string';
}

function hostedResult(item: Item): readonly ChatMessage[] {
  const { error, status } = item;
  const [isKnown, output] = error == null ? first(item, OUTCOMES) : [true, error];
  if (!isKnown || !isHosted(item)) return [];
  const is_error = error != null || status === 'failed';
  const message = { role: 'tool', tool_call_id: idOf(item), content: output, is_error };
  return [message];
}

function resultOf(item: Item): ChatMessage {
  const message = { role: 'tool', tool_call_id: idOf(item), ...endingOf(item) };
  return message;
}

/** What came of a call, and whether it failed, where the item says so. */
function endingOf({ type, status, output, tools }: Item): {
  readonly content: unknown;
  readonly is_error?: boolean;
} {
  if (type === 'apply_patch_call_output') return { content: output ?? status, is_error: status === 'failed' };
  if (type !== 'shell_call_output' || !Array.isArray(output)) return { content: output ?? tools };
  const commands = output.map(fieldsOf);
  const texts = commands.flatMap(({ stdout, stderr }) => [stdout, stderr]);
  return {
    content: texts.filter((text) => typeof text === 'string' && text !== '').join('\n'),
    is_error: commands.some(({ outcome }) => fieldsOf(outcome)['exit_code'] !== 0),
  };
}

function idOf({ type, call_id, id }: Item): unknown {
  return type?.startsWith('function_call') ? call_id : (call_id ?? id);
}

function first(item: Item, names: readonly string[]): readonly [isKnown: boolean, value: unknown] {
  const name = names.find((field) => item[field] != null);
  return name === undefined ? [false, null] : [true, item[name]];
}

function listOf(value: unknown): readonly { readonly text?: unknown }[] {
  if (typeof value === 'string') return [{ text: value }];
  return Array.isArray(value) ? value.filter((part) => typeof part === 'object' && part !== null) : [];
}
