import { createConversation, timeOf } from '../conversation.ts';
import { argumentsOf, contentText, fieldsOf, isFields, listOf, nameOf, textOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { createHistory, exchangeOf, isLog } from '../history.ts';
import { outputOf } from '../output.ts';
import { usageIn } from '../usage.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { openaiResponses } from './openai-responses.ts';

const ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
/** A conversation that begins with plain text looks the same in all of these. */
const DIALECTS: readonly Format[] = [aiSdk, openaiResponses, anthropic];

/** Messages of the OpenAI Chat Completions API, which many others speak: of a request, or of a log of requests and responses. */
export const openaiChat: Format = {
  name: 'openai-chat',
  title: 'OpenAI chat messages',
  recognises(sample: Sample): boolean {
    return sample.records.some(isOfChat) || (isLog(sample) && sample.records.some(isExchange));
  },
  open(sink: Sink): Reader {
    const chat = createChat(sink);
    let other: Reader | null = null;
    let sure = false;
    return {
      read(record) {
        sure ||= isOnlyChat(record.value);
        if (!sure && other === null) {
          const sample: Sample = { shape: 'lines', records: [record, record] };
          other = DIALECTS.find((dialect) => dialect.recognises(sample))?.open(sink) ?? null;
          if (other !== null) chat.flush();
        }
        (other ?? chat).read(record);
      },
      flush() {
        chat.flush();
        other?.flush();
      },
    };
  },
};

function createChat(sink: Sink): Reader {
  const talk = createConversation(sink);
  const history = createHistory();

  function call(id: unknown, name: unknown, args: unknown, at: number | undefined, line: number): void {
    const tool = nameOf(name);
    if (tool === undefined) sink.problem(line, 'a tool call without a name');
    else talk.add({ type: 'tool-call', id: nameOf(id), tool, args: argumentsOf(args), at }, line);
  }

  function tell(value: unknown, line: number, spent?: unknown, model?: string): void {
    const message = fieldsOf(value);
    const { role, id, content, tool_calls, function_call, tool_call_id, name } = message;
    const at = timeOf(message);
    if (role === 'tool' || role === 'function') {
      const output = outputOf(content);
      const tool = nameOf(name);
      talk.add({ type: 'tool-result', id: nameOf(tool_call_id), tool, status: 'unknown', output, at }, line);
    } else if (role === 'assistant') {
      talk.begin(nameOf(id), { at, model }, line);
      talk.spend(usageIn(spent ?? message['usage']));
      talk.say('text', contentText(content));
      // DeepSeek and those who follow it, OpenRouter.
      talk.say('reasoning', textOf(message['reasoning_content'] ?? message['reasoning']) ?? '');
      for (const part of listOf(tool_calls)) {
        const { id: callId, function: called, custom } = fieldsOf(part);
        if (isFields(custom)) call(callId, custom['name'], custom['input'], at, line);
        else call(callId, fieldsOf(called)['name'], fieldsOf(called)['arguments'], at, line);
      }
      if (isFields(function_call))
        call(undefined, function_call['name'], function_call['arguments'], at, line);
    } else if (ROLES.includes(role)) {
      const by = role === 'user' ? undefined : 'host';
      talk.pass({ type: 'user', by, text: contentText(content), at }, line);
    }
  }

  return {
    read({ line, key, value }) {
      if (key === 'choices') tell(fieldsOf(value)['message'], line);
      else if (key === 'messages' || (key === '' && fieldsOf(value)['role'] !== undefined)) tell(value, line);
      else if (key === '' || key === 'request' || key === 'response') {
        const { request, response } = exchangeOf(value);
        for (const message of history.fresh(listOf(request['messages']))) tell(message, line);
        const model = nameOf(response['model'] ?? request['model']);
        const { message } = fieldsOf(listOf(response['choices'])[0]);
        if (isFields(message)) {
          tell(message, line, response['usage'], model);
          history.answered();
        } else talk.beside('model', model);
      } else talk.beside(key, value);
    },
    flush: talk.flush,
  };
}

function isOfChat({ key, value }: TranscriptRecord): boolean {
  return (key === '' || key === 'messages') && isMessage(value);
}

function isExchange({ value }: TranscriptRecord): boolean {
  const { request, response } = exchangeOf(value);
  if (listOf(request['messages']).some(isMessage)) return true;
  return listOf(response['choices']).some((choice) => isMessage(fieldsOf(choice)['message']));
}

function isMessage(value: unknown): boolean {
  const { role, content, tool_calls, type } = fieldsOf(value);
  if (!ROLES.includes(role) || type !== undefined) return false;
  return typeof content === 'string' || Array.isArray(content) || Array.isArray(tool_calls);
}

/** It holds what no other dialect has. */
function isOnlyChat(value: unknown): boolean {
  const { role, tool_calls, tool_call_id } = fieldsOf(value);
  return (role === 'assistant' && Array.isArray(tool_calls)) || typeof tool_call_id === 'string';
}
