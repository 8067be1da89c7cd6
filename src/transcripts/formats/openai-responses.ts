import type { Json } from '../../core/types.ts';
import { createConversation, timeOf } from '../conversation.ts';
import { argumentsOf, contentText, type Fields, fieldsOf, jsonOf, listOf, nameOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { createHistory, exchangeOf, isLog } from '../history.ts';
import { usageIn } from '../usage.ts';
import { endingOf, hostedEnding } from './openai-responses-ending.ts';

/** Members of a document that list items; `data` = a page of a conversation's items. */
const LISTS: readonly string[] = ['', 'input', 'output', 'items', 'data', 'history'];
/** Calls of tools that have no name of their own, with the member that holds their arguments. */
const ARGUMENTS: { readonly [type: string]: string } = {
  local_shell_call: 'action',
  shell_call: 'action',
  computer_call: 'action',
  apply_patch_call: 'operation',
  web_search_call: 'action',
  file_search_call: 'queries',
  code_interpreter_call: 'code',
  image_generation_call: 'prompt',
};
const HOSTED: readonly unknown[] = [
  'mcp_call',
  'hosted_tool_call',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
];
const NAMED: readonly string[] = ['function_call', 'custom_tool_call', 'mcp_call', 'hosted_tool_call'];

/** Items of the OpenAI Responses API, and of the Agents SDK, which writes `callId` for `call_id`. */
export const openaiResponses: Format = {
  name: 'openai-responses',
  title: 'OpenAI Responses items',
  recognises(sample: Sample): boolean {
    return sample.records.some(isOfResponses) || (isLog(sample) && sample.records.some(isExchange));
  },
  open(sink: Sink): Reader {
    const talk = createConversation(sink);
    const history = createHistory();
    /** Whether the last item was the model's: its items, up to the next of somebody else, are one response. */
    let speaking = false;
    /** Of the response that is being told. */
    let model: string | undefined;

    function speak(item: Fields, line: number): void {
      if (!speaking) talk.begin(undefined, { at: timeOf(item), model }, line);
      speaking = true;
    }

    function call(item: Fields, tool: string, args: Json, line: number): void {
      speak(item, line);
      const [id, at] = [idOf(item), timeOf(item)];
      talk.add({ type: 'tool-call', id, tool, args, at }, line);
      // What ran at the provider tells of its end in the same item.
      if (HOSTED.includes(item['type']) && item['status'] !== 'in_progress') {
        talk.add({ type: 'tool-result', id, ...hostedEnding(item, line), at }, line);
      }
    }

    function tell(value: unknown, line: number): void {
      const item = fieldsOf(value);
      const { type, role, content, name } = item;
      if (role === 'assistant') {
        speak(item, line);
        talk.say('text', contentText(content));
      } else if (typeof role === 'string') {
        speaking = false;
        const by = role === 'user' ? undefined : 'host';
        talk.pass({ type: 'user', by, text: contentText(content), at: timeOf(item) }, line);
      } else if (typeof type !== 'string') return;
      else if (type === 'reasoning') {
        speak(item, line);
        talk.say('reasoning', contentText(item['content']) || contentText(item['summary']));
      } else if (type === 'compaction') {
        speaking = false;
        talk.pass({ type: 'compaction', at: timeOf(item) }, line);
      } else if (NAMED.includes(type)) {
        const tool = nameOf(name);
        if (tool === undefined) sink.problem(line, 'a tool call without a name');
        else call(item, tool, argumentsIn(item, type), line);
      } else if (Object.hasOwn(ARGUMENTS, type)) {
        call(item, type.slice(0, -'_call'.length), jsonOf(item[ARGUMENTS[type] as string]), line);
      } else if (isResult(type)) {
        speaking = false;
        const { status, output } = endingOf(item);
        talk.add({ type: 'tool-result', id: idOf(item), status, output, at: timeOf(item) }, line);
      }
    }

    function respond(response: Fields, asked: unknown, line: number): void {
      speaking = false;
      model = nameOf(response['model'] ?? asked);
      const output = listOf(response['output']);
      // A response that says nothing was paid for too.
      if (output.length === 0) speak({}, line);
      for (const item of output) tell(item, line);
      model = undefined;
      talk.spend(usageIn(response['usage']));
      speaking = false;
      history.answered();
    }

    return {
      read({ line, key, value }) {
        const { type, role } = fieldsOf(value);
        const isOne = typeof type === 'string' || typeof role === 'string';
        if (key === 'modelResponses') respond(fieldsOf(value), undefined, line);
        else if (LISTS.includes(key) && isOne) tell(value, line);
        else if (key === 'input' && typeof value === 'string') tell({ role: 'user', content: value }, line);
        else if (key === '' || key === 'request' || key === 'response') {
          const { request, response } = exchangeOf(value);
          for (const item of history.fresh(itemsOf(request['input']))) tell(item, line);
          if (Array.isArray(response['output'])) respond(response, request['model'], line);
          else talk.beside('model', response['model'] ?? request['model']);
        } else talk.beside(key, value);
      },
      flush: talk.flush,
    };
  },
};

function idOf({ call_id, callId, id }: Fields): string | undefined {
  return nameOf(call_id) ?? nameOf(callId) ?? nameOf(id);
}

/** The input of a request may be a plain text. */
function itemsOf(input: unknown): readonly unknown[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
}

function argumentsIn(item: Fields, type: string): Json {
  return type === 'custom_tool_call' ? jsonOf(item['input']) : argumentsOf(item['arguments']);
}

function isResult(type: string): boolean {
  return type.endsWith('_call_output') || type.endsWith('_call_result');
}

function isOfResponses({ key, value }: TranscriptRecord): boolean {
  if (key === 'modelResponses') return Array.isArray(fieldsOf(value)['output']);
  return LISTS.includes(key) && isItem(value);
}

function isExchange({ value }: TranscriptRecord): boolean {
  const { request, response } = exchangeOf(value);
  return listOf(request['input']).some(isItem) || listOf(response['output']).some(isItem);
}

function isItem(value: unknown): boolean {
  const item = fieldsOf(value);
  const { type, role, content, summary, name } = item;
  if (typeof role === 'string') {
    return listOf(content).some((part) => {
      const kind = fieldsOf(part)['type'];
      return kind === 'input_text' || kind === 'output_text';
    });
  }
  if (typeof type !== 'string') return false;
  if (type === 'reasoning') return Array.isArray(summary);
  if ((nameOf(item['call_id']) ?? nameOf(item['callId'])) === undefined) return false;
  if (NAMED.includes(type)) return typeof name === 'string';
  return Object.hasOwn(ARGUMENTS, type) || isResult(type);
}
