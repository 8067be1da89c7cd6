import type { Status } from '../../core/types.ts';
import { createConversation, timeOf } from '../conversation.ts';
import {
  argumentsOf,
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  textOf,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { outputOf } from '../output.ts';
import { usageIn } from '../usage.ts';

/** The last word of a constructor's id, or the type of a chunk, to the type of a message. */
const CLASSES: { readonly [name: string]: string } = {
  HumanMessage: 'human',
  HumanMessageChunk: 'human',
  AIMessage: 'ai',
  AIMessageChunk: 'ai',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
  SystemMessage: 'system',
  SystemMessageChunk: 'system',
  FunctionMessage: 'function',
};
const TYPES: readonly string[] = ['human', 'ai', 'tool', 'system', 'function', 'developer'];

/**
 * Messages of LangChain and LangGraph in each of their three serialisations: `{type, data}` of a store,
 * `{lc, type: 'constructor', id, kwargs}` of `dumps`, and the plain fields of `model_dump`.
 */
export const langchain: Format = {
  name: 'langchain',
  title: 'LangChain messages',
  recognises({ records }: Sample): boolean {
    return records.some(isOfLangchain);
  },
  open(sink: Sink): Reader {
    const talk = createConversation(sink);

    function answer(message: Fields, line: number): void {
      const { id, content, tool_calls, invalid_tool_calls, usage_metadata } = message;
      const details = fieldsOf(message['response_metadata']);
      const more = fieldsOf(message['additional_kwargs']);
      const at = timeOf(message) ?? timeOf(details) ?? timeOf(more);
      const model = nameOf(details['model_name'] ?? details['model']);
      talk.begin(nameOf(id), { at, model }, line);
      const { token_usage, tokenUsage, usage } = details;
      talk.spend(usageIn(usage_metadata) ?? usageIn(token_usage ?? tokenUsage ?? usage));
      talk.say('text', contentText(content));
      talk.say('reasoning', textOf(more['reasoning_content']) ?? reasoningIn(content));
      const calls = [...listOf(tool_calls), ...listOf(invalid_tool_calls)];
      for (const value of calls.length > 0 ? calls : listOf(more['tool_calls'])) {
        const call = fieldsOf(value);
        const called = fieldsOf(call['function']);
        const tool = nameOf(call['name'] ?? called['name']);
        if (tool === undefined) sink.problem(line, 'a tool call without a name');
        else {
          const args = call['args'] === undefined ? argumentsOf(called['arguments']) : jsonOf(call['args']);
          talk.add({ type: 'tool-call', id: nameOf(call['id']), tool, args, at }, line);
        }
      }
    }

    function tell(value: unknown, line: number): void {
      const found = messageIn(value);
      if (found === null) return;
      const { type, message } = found;
      const { content, tool_call_id, name } = message;
      const at = timeOf(message);
      if (type === 'ai') answer(message, line);
      else if (type === 'tool' || type === 'function') {
        const output = outputOf(content);
        const status = statusOf(message['status'], output);
        const tool = nameOf(name);
        talk.add({ type: 'tool-result', id: nameOf(tool_call_id), tool, status, output, at }, line);
      } else {
        const by = type === 'human' ? undefined : 'host';
        talk.pass({ type: 'user', by, text: contentText(content), at }, line);
      }
    }

    return {
      read({ line, key, value }) {
        if (key === '' || key === 'messages') tell(value, line);
        // The state of a LangGraph thread.
        else if (key === 'values')
          for (const message of listOf(fieldsOf(value)['messages'])) tell(message, line);
        else talk.beside(key, value);
      },
      flush: talk.flush,
    };
  },
};

function messageIn(value: unknown): { readonly type: string; readonly message: Fields } | null {
  const whole = fieldsOf(value);
  const { lc, type, id, kwargs, data } = whole;
  if (lc !== undefined) {
    const name = listOf(id).at(-1);
    if (typeof name !== 'string' || !Object.hasOwn(CLASSES, name)) return null;
    return { type: CLASSES[name] as string, message: fieldsOf(kwargs) };
  }
  if (typeof type !== 'string') return null;
  const plain = Object.hasOwn(CLASSES, type) ? (CLASSES[type] as string) : type;
  if (!TYPES.includes(plain)) return null;
  return { type: plain, message: isFields(data) && whole['content'] === undefined ? data : whole };
}

function isOfLangchain({ key, value }: TranscriptRecord): boolean {
  if (key === 'values') return listOf(fieldsOf(value)['messages']).some(isMessage);
  return (key === '' || key === 'messages') && isMessage(value);
}

/** A system message alone could be anybody's. */
function isMessage(value: unknown): boolean {
  if (fieldsOf(value)['role'] !== undefined) return false;
  const found = messageIn(value);
  if (found === null) return false;
  const { content, tool_call_id } = found.message;
  if (typeof content !== 'string' && !Array.isArray(content)) return false;
  return (
    found.type === 'human' ||
    found.type === 'ai' ||
    (found.type === 'tool' && typeof tool_call_id === 'string')
  );
}

function reasoningIn(content: unknown): string {
  for (const part of listOf(content)) {
    const { type, thinking, reasoning } = fieldsOf(part);
    if (type === 'thinking' || type === 'reasoning') return textOf(thinking ?? reasoning) ?? '';
  }
  return '';
}

/** The tool node of LangGraph has fixed words for calls that never reached a tool. */
function statusOf(status: unknown, output: unknown): Status {
  const head = typeof output === 'string' ? output.slice(0, 400) : '';
  if (head.startsWith('Error: ') && head.includes(' is not a valid tool, try one of ['))
    return 'unknown-tool';
  if (status === 'success') return 'ok';
  return status === 'error' ? 'error' : 'unknown';
}
