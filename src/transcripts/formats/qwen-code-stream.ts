import {
  blocksOf,
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { outputOf } from '../output.ts';
import { createTurns } from '../turns.ts';
import { geminiFailure } from './gemini-ending.ts';
import { qwenCall } from './qwen-call.ts';

/** Whether a line opens what `qwen --output-format stream-json` writes; but for the version it is Claude Code's. */
export function isQwenStream(value: unknown): boolean {
  const { type, subtype, session_id, qwen_code_version } = fieldsOf(value);
  return (
    type === 'system' &&
    subtype === 'init' &&
    typeof session_id === 'string' &&
    typeof qwen_code_version === 'string'
  );
}

/** How the host tells of what ran in the background. */
const NOTICE = /^(?:Background (?:agent|workflow|shell)|Monitor) "/;

/** Reads what Qwen Code writes to stdout, without times. A sub-agent's id is that of the call which started it. */
export function openQwenStream(sink: Sink): Reader {
  const turns = createTurns(sink);
  /** A response is told kind by kind, in messages of their own, of which the last has the usage. */
  let unpaid: { readonly agent: string | undefined } | null = null;

  function readResponse(message: Fields, agent: string | undefined, line: number): void {
    if (unpaid === null || unpaid.agent !== agent)
      turns.begin(nameOf(message['id']), { agent, model: nameOf(message['model']) }, line);
    const { input_tokens, output_tokens, cache_read_input_tokens } = fieldsOf(message['usage']);
    const usage = usageWithin(input_tokens, output_tokens, cache_read_input_tokens);
    const paid = usage !== undefined && usage.input + usage.output + (usage.cachedInput ?? 0) > 0;
    if (paid) turns.spend(usage);
    unpaid = paid ? null : { agent };
    for (const block of listOf(message['content'])) {
      const { type, text, thinking, id, name, input } = fieldsOf(block);
      if (type === 'text') turns.say('text', textOf(text) ?? '');
      else if (type === 'thinking') turns.say('reasoning', textOf(thinking) ?? '');
      else if (type === 'tool_use') {
        const call = qwenCall(name, jsonOf(input));
        if (call === null) sink.problem(line, 'a call without a tool');
        else turns.add({ type: 'tool-call', id: nameOf(id), ...call, agent }, line);
      }
    }
  }

  function readUser({ content }: Fields, agent: string | undefined, line: number): void {
    unpaid = null;
    for (const block of blocksOf(content)) {
      const { type, text, tool_use_id, is_error, content: given } = fieldsOf(block);
      if (type === 'tool_result') {
        const status = is_error === true ? geminiFailure(contentText(given)) : 'ok';
        const output = outputOf(given);
        turns.add({ type: 'tool-result', id: nameOf(tool_use_id), status, output, agent }, line);
      } else if (type === 'text' && typeof text === 'string') {
        const by = agent !== undefined || NOTICE.test(text) ? ('host' as const) : undefined;
        turns.pass({ type: 'user', text, by, agent }, line);
      }
    }
  }

  return {
    read({ line, value }) {
      const record = fieldsOf(value);
      const { type, subtype, message } = record;
      const agent = nameOf(record['parent_tool_use_id']);
      if (type === 'system' && subtype === 'init') {
        sink.facts({
          session: nameOf(record['session_id']),
          model: nameOf(record['model']),
          project: nameOf(record['cwd']),
          version: nameOf(record['qwen_code_version']),
        });
      } else if (type === 'system' && subtype === 'compact_boundary')
        turns.pass({ type: 'compaction' }, line);
      else if (type !== 'assistant' && type !== 'user') return;
      else if (!isFields(message)) sink.problem(line, 'a message without content');
      else if (type === 'assistant') readResponse(message, agent, line);
      else readUser(message, agent, line);
    },
    flush() {
      turns.close();
      unpaid = null;
    },
  };
}
