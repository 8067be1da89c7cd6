import type { Status } from '../../core/types.ts';
import {
  contentText,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  nameOf,
  numberOf,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { jsonText, outputOf } from '../output.ts';
import { createCodexFork } from './codex-fork.ts';
import { callIn, endingIn, isPersons, usageIn } from './codex-items.ts';
import { createCodexResponses } from './codex-responses.ts';
import { codexStatus } from './codex-status.ts';

/** Calls whose results are to come. */
const MAX_CALLS = 1024;
const RECORDS: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'token_usage_record',
  'compacted',
]);

/** A record of a rollout; the first rollouts were items without a wrapper, under a header. */
export function isCodexRollout(record: Fields): boolean {
  const { type, payload, id, timestamp, instructions, git, record_type } = record;
  if (type !== undefined) return RECORDS.has(type) && isFields(payload);
  if (record_type === 'state') return true;
  const isHeader = instructions !== undefined || git !== undefined;
  return isHeader && typeof id === 'string' && typeof timestamp === 'string';
}

export function openCodexRollout(sink: Sink): Reader {
  const responses = createCodexResponses(sink);
  const calls = new Map<string, { readonly tool: string; status?: Status | undefined }>();
  const fork = createCodexFork();
  let introduced = false;
  let ofSubAgent = false;
  /** Newer versions count each response in a record of its own, and repeat it in an event. */
  let hasRecords = false;
  let total = '';

  function introduce({ id, cwd, cli_version, parent_thread_id, timestamp, source }: Fields): void {
    // A fork repeats the session that it comes from.
    if (introduced || typeof id !== 'string') return;
    introduced = true;
    const { subagent } = fieldsOf(source);
    const { thread_spawn } = fieldsOf(subagent);
    const parent = nameOf(parent_thread_id) ?? nameOf(fieldsOf(thread_spawn)['parent_thread_id']);
    ofSubAgent = subagent !== undefined || parent !== undefined;
    const [session, startedAt] = [nameOf(id), instantOf(timestamp)];
    sink.facts({ session, parent, project: nameOf(cwd), version: nameOf(cli_version), startedAt });
  }

  function hear(item: Fields, at: number | undefined, line: number): void {
    const text = contentText(item['content']);
    if (ofSubAgent || !isPersons(item)) responses.add({ type: 'user', by: 'host', text, at }, line);
    else responses.pass({ type: 'user', text, at }, line);
  }

  function answer(id: string | undefined, value: unknown, at: number | undefined, line: number): void {
    const { tool, status: known } = calls.get(id ?? '') ?? {};
    calls.delete(id ?? '');
    const { content } = fieldsOf(value);
    const given = isFields(value) ? content : value;
    const status = codexStatus(tool, contentText(given), known ?? endingIn(fieldsOf(value)));
    responses.answer({ type: 'tool-result', id, tool, status, output: outputOf(given), at }, line);
  }

  /** `bare` = without a wrapper. Those rollouts count no tokens; their models asked for one thing at a time. */
  function readItem(item: Fields, bare: boolean, at: number | undefined, line: number): void {
    const { type, role, content, summary, call_id, action, status, output, tools } = item;
    const call = callIn(item);
    if (call !== null) {
      if (call.tool === '') sink.problem(line, 'a call without the name of its tool');
      else ask(call, bare, at, line);
    } else if (type === 'message' && role !== 'assistant') hear(item, at, line);
    else if (type === 'message' || type === 'reasoning') {
      responses.respond(true, at, line);
      if (type === 'message') responses.say('text', contentText(content));
      else responses.say('reasoning', contentText(summary) || contentText(content));
    } else if (type === 'web_search_call') {
      // The provider searches within the response, and tells nobody what it found.
      const search = { id: `web search ${line}`, tool: 'web_search' };
      const ending = endingIn({ status }) ?? 'unknown';
      responses.respond(bare, at, line);
      responses.add({ type: 'tool-call', ...search, args: jsonOf(action), at }, line);
      responses.add({ type: 'tool-result', ...search, status: ending, output: '', at }, line);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      answer(nameOf(call_id), output, at, line);
    } else if (type === 'tool_search_output') answer(nameOf(call_id), jsonText(tools ?? null), at, line);
    else if (type === undefined) introduce(item);
  }

  function ask(
    call: NonNullable<ReturnType<typeof callIn>>,
    bare: boolean,
    at: number | undefined,
    line: number,
  ): void {
    responses.respond(bare, at, line);
    responses.add({ type: 'tool-call', ...call, at }, line);
    if (call.id === undefined) return;
    calls.set(call.id, { tool: call.tool });
    if (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value as string);
  }

  function readTokens(info: Fields, at: number | undefined, line: number): void {
    const { last_token_usage, total_token_usage } = info;
    const { input_tokens, output_tokens, total_tokens } = fieldsOf(total_token_usage);
    const now = [input_tokens, output_tokens, total_tokens].map(numberOf).join(' ');
    // Sent again when something else changes, such as a rate limit.
    if (hasRecords || !isFields(total_token_usage) || now === total) return;
    total = now;
    responses.count(usageIn(last_token_usage), at, line);
  }

  function readEvent(payload: Fields, at: number | undefined, line: number): void {
    const { type, item, call_id, info } = payload;
    if (type === 'token_count' && isFields(info)) readTokens(info, at, line);
    else if (type === 'token_count' && !hasRecords) responses.end();
    const ended = type === 'item_completed' ? fieldsOf(item) : payload;
    const call = calls.get(nameOf(type === 'item_completed' ? ended['id'] : call_id) ?? '');
    if (call !== undefined) call.status = endingIn(ended) ?? call.status;
  }

  function readModel(name: string | undefined): void {
    responses.model(name);
    sink.facts({ model: name });
  }

  return {
    read({ line, value }) {
      const record = fieldsOf(value);
      const { type, payload: given, timestamp } = record;
      const [payload, at] = [fieldsOf(given), instantOf(timestamp)];
      if (fork.isCopied(type, payload, at)) return;
      if (!RECORDS.has(type)) {
        if (given === undefined) readItem(record, true, at, line);
      } else if (!isFields(given)) sink.problem(line, `a record of the type ${type} without a payload`);
      else if (type === 'session_meta') introduce(payload);
      else if (type === 'turn_context') readModel(nameOf(payload['model']));
      else if (type === 'response_item') readItem(payload, false, at, line);
      else if (type === 'event_msg') readEvent(payload, at, line);
      else if (type === 'compacted') responses.pass({ type: 'compaction', at }, line);
      else {
        hasRecords = true;
        responses.count(usageIn(payload['usage']), at, line);
      }
    },
    flush: responses.flush,
  };
}
