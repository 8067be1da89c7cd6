import type { Json, Status } from '../../core/types.ts';
import { createConversation, timeOf } from '../conversation.ts';
import { contentText, fieldsOf, isFields, jsonOf, listOf, nameOf, textOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { createHistory, exchangeOf, isLog } from '../history.ts';
import { outputOf } from '../output.ts';
import { usageIn } from '../usage.ts';

const CALLS: readonly unknown[] = ['tool_use', 'server_tool_use', 'mcp_tool_use'];

/** Messages of the Anthropic API: of a request, of responses, or of a log of both. */
export const anthropic: Format = {
  name: 'anthropic',
  title: 'Anthropic messages',
  recognises(sample: Sample): boolean {
    return sample.records.some(isOfAnthropic) || (isLog(sample) && sample.records.some(isExchange));
  },
  open(sink: Sink): Reader {
    const talk = createConversation(sink);
    const history = createHistory();

    function tell(value: unknown, line: number, asked?: unknown): void {
      const message = fieldsOf(value);
      const { role, type, id, model, content, usage } = message;
      const at = timeOf(message);
      if (role === 'assistant') {
        talk.begin(type === 'message' ? nameOf(id) : undefined, { at, model: nameOf(model ?? asked) }, line);
        talk.spend(usageIn(usage));
        talk.say('text', contentText(content));
      }
      let results = 0;
      for (const part of listOf(content)) {
        const block = fieldsOf(part);
        if (block['type'] === 'thinking') talk.say('reasoning', textOf(block['thinking']) ?? '');
        else if (CALLS.includes(block['type'])) {
          const tool = nameOf(block['name']);
          if (tool === undefined) sink.problem(line, 'a tool call without a name');
          else {
            const args = jsonOf(block['input']);
            talk.add({ type: 'tool-call', id: nameOf(block['id']), tool, args, at }, line);
          }
        } else if (isResult(block['type'])) {
          results += 1;
          const { status, output } = endingOf(block['content'], block['is_error'] === true);
          talk.add({ type: 'tool-result', id: nameOf(block['tool_use_id']), status, output, at }, line);
        }
      }
      if (role === 'assistant') return;
      const text = contentText(content);
      // What stands beside results was not typed by a person: the agent was still at work.
      if (role === 'user' && results === 0) talk.pass({ type: 'user', text, at }, line);
      else if (text !== '') talk.pass({ type: 'user', by: 'host', text, at }, line);
    }

    return {
      read({ line, key, value }) {
        const { role, type, messages } = fieldsOf(value);
        if (key === 'messages' || (key === '' && role !== undefined && messages === undefined)) {
          tell(value, line);
          if (type === 'message') history.answered();
        } else if (key === '' || key === 'request' || key === 'response') {
          const { request, response } = exchangeOf(value);
          for (const message of history.fresh(listOf(request['messages']))) tell(message, line);
          if (response['role'] === 'assistant') {
            tell(response, line, request['model']);
            history.answered();
          } else talk.beside('model', response['model'] ?? request['model']);
        } else talk.beside(key, value);
      },
      flush: talk.flush,
    };
  },
};

function isOfAnthropic({ key, value }: TranscriptRecord): boolean {
  return (key === '' || key === 'messages') && isMessage(value);
}

function isExchange({ value }: TranscriptRecord): boolean {
  const { request, response } = exchangeOf(value);
  return listOf(request['messages']).some(isMessage) || isMessage(response);
}

function isMessage(value: unknown): boolean {
  const { role, type, content, stop_reason } = fieldsOf(value);
  if (role !== 'user' && role !== 'assistant') return false;
  if (type === 'message' && stop_reason !== undefined) return true;
  return listOf(content).some((part) => {
    const { type: kind, id, input, tool_use_id, thinking, signature } = fieldsOf(part);
    if (kind === 'thinking') return typeof thinking === 'string' && signature !== undefined;
    if (CALLS.includes(kind)) return typeof id === 'string' && input !== undefined;
    return isResult(kind) && typeof tool_use_id === 'string';
  });
}

/** `tool_result`, or that of a tool which ran at the provider: `web_search_tool_result`. */
function isResult(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('tool_result');
}

function endingOf(content: unknown, failed: boolean): { readonly status: Status; readonly output: Json } {
  const { type, error_code } = fieldsOf(content);
  const refused = isFields(content) && typeof type === 'string' && type.endsWith('_error');
  return {
    status: failed || refused ? 'error' : 'ok',
    output: refused ? (nameOf(error_code) ?? type) : outputOf(content),
  };
}
