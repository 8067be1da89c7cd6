import type { Status } from '../../core/types.ts';
import {
  argumentsOf,
  contentText,
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  nameOf,
  textOf,
  usageOf,
  usageWithin,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';

/** A session of Continue, of its command line and of its editor: `{sessionId, history: [{message, toolCallStates}]}`. */
export const continueDev: Format = {
  name: 'continue',
  title: 'Continue',
  recognises({ shape, records }: Sample): boolean {
    if (shape !== 'document' || records.some(({ key }) => key === '')) return false;
    const keys = new Set(records.map(({ key }) => key));
    if (!keys.has('sessionId') || !keys.has('workspaceDirectory')) return false;
    const first = records.find(({ key }) => key === 'history');
    return first === undefined ? keys.has('title') : isFields(fieldsOf(first.value)['message']);
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    /** Calls that their own state has answered, of the last response. */
    let answered = new Set<string>();
    let thoughts = '';

    function readResponse(message: Fields, states: readonly unknown[], line: number): void {
      const { content, toolCalls, usage } = message;
      answered = new Set();
      turns.begin(undefined, { model: nameOf(fieldsOf(usage)['model']) }, line);
      turns.say('reasoning', thoughts);
      thoughts = '';
      turns.say('text', contentText(content));
      turns.spend(usageIn(usage));
      const calls =
        states.length > 0 ? states.map((state) => fieldsOf(state)['toolCall']) : listOf(toolCalls);
      for (const call of calls) readCall(call, line);
      for (const state of states) readState(fieldsOf(state), line);
    }

    function readCall(value: unknown, line: number): void {
      const { id, function: called } = fieldsOf(value);
      const { name, arguments: sent } = fieldsOf(called);
      if (typeof name !== 'string') sink.problem(line, 'a call without a name');
      else turns.add({ type: 'tool-call', id: nameOf(id), tool: name, args: argumentsOf(sent) }, line);
    }

    function readState({ toolCallId, toolCall, status, output }: Fields, line: number): void {
      const { id: called, function: meant } = fieldsOf(toolCall);
      const id = nameOf(toolCallId) ?? nameOf(called);
      if (status !== 'done' && status !== 'errored' && status !== 'canceled') return;
      const said = outputOf(output);
      if (id !== undefined) answered.add(id);
      const tool = nameOf(fieldsOf(meant)['name']);
      turns.add({ type: 'tool-result', id, tool, status: statusOf(status, said), output: said }, line);
    }

    function readMessage(message: Fields, states: readonly unknown[], line: number): void {
      const { role, content, toolCallId } = message;
      if (role === 'assistant') readResponse(message, states, line);
      else if (role === 'user') turns.pass({ type: 'user', text: contentText(content) }, line);
      else if (role === 'thinking') thoughts = contentText(content);
      else if (role === 'tool') {
        const id = nameOf(toolCallId);
        if (id !== undefined && answered.has(id)) return;
        turns.add({ type: 'tool-result', id, status: 'unknown', output: contentText(content) }, line);
      } else if (role !== 'system') sink.problem(line, 'a message without a role');
    }

    return {
      read({ line, key, value }) {
        if (key === 'sessionId') sink.facts({ session: nameOf(value) });
        else if (key === 'workspaceDirectory') sink.facts({ project: folderOf(value) });
        else if (key === 'history') {
          const { message, toolCallStates, conversationSummary } = fieldsOf(value);
          readMessage(fieldsOf(message), listOf(toolCallStates), line);
          if (nameOf(conversationSummary) !== undefined) turns.pass({ type: 'compaction' }, line);
        }
      },
      flush: turns.close,
    };
  },
};

/** The editor writes a folder as an address. */
function folderOf(value: unknown): string | undefined {
  const folder = nameOf(value);
  if (folder?.startsWith('file://') !== true) return folder;
  try {
    return decodeURIComponent(new URL(folder).pathname);
  } catch {
    return folder;
  }
}

function outputOf(output: unknown): string {
  const texts = listOf(output).map((item) => textOf(fieldsOf(item)['content']) ?? '');
  return texts.length === 1 ? (texts[0] as string) : texts.join('\n');
}

function statusOf(status: 'done' | 'errored' | 'canceled', output: string): Status {
  if (status === 'done') return 'ok';
  const head = output.slice(0, 200);
  if (status === 'canceled') {
    if (head.startsWith('Permission denied by user')) return 'denied';
    return head.startsWith('Command blocked by security policy') ? 'blocked' : 'cancelled';
  }
  if (/^Tool \S{1,100} not found/.test(head)) return 'unknown-tool';
  return head.startsWith('Required parameter ') ? 'invalid' : 'error';
}

/**
 * The command line writes the provider's names, the editor its own. Where cache writes are told apart, it was Anthropic
 * who counted, and the cached input stands beside the rest; with the others it is a part of it.
 */
function usageIn(value: unknown): ReturnType<typeof usageOf> {
  const usage = fieldsOf(value);
  const details = fieldsOf(usage['prompt_tokens_details'] ?? usage['promptTokensDetails']);
  const input = usage['prompt_tokens'] ?? usage['promptTokens'];
  const output = usage['completion_tokens'] ?? usage['completionTokens'];
  const cached = details['cached_tokens'] ?? details['cachedTokens'];
  const [sent, written] = [
    countOf(input),
    countOf(details['cache_write_tokens'] ?? details['cacheWriteTokens']),
  ];
  if (sent === undefined || written === undefined) return usageWithin(input, output, cached);
  return usageOf(sent + written, output, cached);
}
