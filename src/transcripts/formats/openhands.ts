import type { Json, Status, Usage } from '../../core/types.ts';
import {
  argumentsOf,
  contentText,
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  jsonOf,
  listOf,
  nameOf,
  textOf,
  usageOf,
  usageWithin,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { outputOf } from '../output.ts';
import { createTurns } from '../turns.ts';
import { usageSum } from '../usage.ts';

/** OpenHands since its software agent SDK: a folder of events, one a file, and `base_state.json` before them. */
export const openhands: Format = {
  name: 'openhands',
  title: 'OpenHands',
  recognises({ records }: Sample): boolean {
    return records.some(({ value }) => {
      const { kind, source, timestamp } = fieldsOf(value);
      return KINDS.has(textOf(kind) ?? '') && typeof source === 'string' && typeof timestamp === 'string';
    });
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    /** Tokens of each response, which the state tells of before the responses come; dropped when they have come. */
    const usages = new Map<string, Spent>();

    function begin(response: unknown, at: number | undefined, line: number): void {
      const id = nameOf(response);
      const spent = id === undefined ? undefined : usages.get(id);
      turns.begin(id, { at, model: spent?.model }, line);
      if (id === undefined || spent === undefined) return;
      turns.spend(spent.usage);
      usages.delete(id);
    }

    function readAction(event: Fields, at: number | undefined, line: number): void {
      const { thought, reasoning_content, tool_name, tool_call_id, tool_call, llm_response_id } = event;
      begin(llm_response_id, at, line);
      turns.say('text', contentText(thought));
      turns.say('reasoning', textOf(reasoning_content) ?? '');
      const { arguments: sent } = fieldsOf(tool_call);
      const args = sent === undefined ? jsonOf(event['action']) : argumentsOf(sent);
      if (typeof tool_name !== 'string') sink.problem(line, 'a call without a name');
      else turns.add({ type: 'tool-call', id: nameOf(tool_call_id), tool: tool_name, args, at }, line);
    }

    function readEnding(event: Fields, status: Status, output: Json, line: number): void {
      const { tool_call_id, tool_name, timestamp } = event;
      const call = { id: nameOf(tool_call_id), tool: nameOf(tool_name), at: instantOf(timestamp) };
      turns.add({ type: 'tool-result', ...call, status, output }, line);
    }

    function readMessage(event: Fields, at: number | undefined, line: number): void {
      const { source, llm_message, llm_response_id, extended_content } = event;
      const { content, reasoning_content } = fieldsOf(llm_message);
      const text = contentText(content);
      if (source === 'agent') {
        begin(llm_response_id, at, line);
        turns.say('text', text);
        turns.say('reasoning', textOf(reasoning_content) ?? '');
        return;
      }
      const by = source === 'user' ? undefined : 'host';
      turns.pass({ type: 'user', text, by, at }, line);
      const added = contentText(extended_content);
      if (added !== '') turns.pass({ type: 'user', text: added, by: 'host', at }, line);
    }

    /** A call that another agent made, behind OpenHands; it is told of again while it runs. */
    function readForeign(event: Fields, at: number | undefined, line: number): void {
      const { tool_call_id, title, status, raw_input, raw_output, content, is_error } = event;
      if (status !== 'completed' && status !== 'failed') return;
      const call = { id: nameOf(tool_call_id), tool: nameOf(title) ?? 'tool', at };
      turns.add({ type: 'tool-call', ...call, args: jsonOf(raw_input) }, line);
      const output = textOf(raw_output) ?? outputOf(content);
      const failed = is_error === true || status === 'failed';
      turns.add({ type: 'tool-result', ...call, status: failed ? 'error' : 'ok', output }, line);
    }

    function readEvent(event: Fields, line: number): void {
      const { kind, timestamp, error, rejection_reason, rejection_source, llm_response_id } = event;
      const at = instantOf(timestamp);
      if (kind === 'ActionEvent') readAction(event, at, line);
      else if (kind === 'ObservationEvent') readEnding(event, endingOf(event), outputIn(event), line);
      else if (kind === 'AgentErrorEvent') {
        const why = textOf(error) ?? '';
        readEnding(event, failureOf(why), why, line);
      } else if (kind === 'UserRejectObservation') {
        const status = rejection_source === 'hook' ? 'blocked' : 'denied';
        readEnding(event, status, `Action rejected: ${textOf(rejection_reason) ?? ''}`, line);
      } else if (kind === 'MessageEvent') readMessage(event, at, line);
      else if (kind === 'ACPToolCallEvent') readForeign(event, at, line);
      else if (kind === 'Condensation') {
        begin(llm_response_id, at, line);
        turns.pass({ type: 'compaction', at }, line);
      }
    }

    return {
      read({ line, key, value }) {
        const fields = fieldsOf(value);
        if (key === 'base_state.json') readState(fields, usages, sink);
        else readEvent(fields, line);
      },
      flush: turns.close,
    };
  },
};

const KINDS: ReadonlySet<string> = new Set([
  'ActionEvent',
  'AgentErrorEvent',
  'MessageEvent',
  'ObservationEvent',
  'SystemPromptEvent',
  'UserRejectObservation',
]);
type Spent = { readonly usage: Usage; readonly model: string | undefined };

/** So many responses at most have their tokens remembered. */
const MAX_USAGES = 65_536;

function readState(state: Fields, usages: Map<string, Spent>, sink: Sink): void {
  const { id, agent, workspace, stats } = state;
  const { model } = fieldsOf(fieldsOf(agent)['llm']);
  const project = nameOf(fieldsOf(workspace)['working_dir']);
  let whole: Usage | undefined;
  for (const item of Object.values(fieldsOf(fieldsOf(stats)['usage_to_metrics']))) {
    const { token_usages, accumulated_token_usage } = fieldsOf(item);
    whole = usageSum(whole, usageIn(accumulated_token_usage));
    for (const usage of listOf(token_usages)) {
      const response = nameOf(fieldsOf(usage)['response_id']);
      const spent = usageIn(usage);
      if (response !== undefined && spent !== undefined && usages.size < MAX_USAGES)
        usages.set(response, { usage: spent, model: nameOf(fieldsOf(usage)['model']) });
    }
  }
  const counted = whole !== undefined && whole.input + whole.output > 0;
  const usage = usages.size === 0 && counted ? whole : undefined;
  sink.facts({ session: nameOf(id), model: nameOf(model), project, usage });
}

/** Cached input is a part of the input, but for agents behind OpenHands, who count it apart. */
function usageIn(value: unknown): Usage | undefined {
  const { prompt_tokens, completion_tokens, cache_read_tokens } = fieldsOf(value);
  const apart = (countOf(cache_read_tokens) ?? 0) > (countOf(prompt_tokens) ?? 0);
  return (apart ? usageOf : usageWithin)(prompt_tokens, completion_tokens, cache_read_tokens);
}

/** What the tool gave back, and what the host put behind it. */
function outputIn({ observation, extended_content }: Fields): Json {
  const { content } = fieldsOf(observation);
  if (contentText(extended_content) === '') return outputOf(content);
  return outputOf([...listed(content), ...listed(extended_content)]);
}

function listed(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content ?? ''];
}

/** A terminal tells its exit code, and -1 while the command still runs. */
function endingOf({ observation }: Fields): Status {
  const { is_error, exit_code } = fieldsOf(observation);
  if (is_error === true) return 'error';
  if (typeof exit_code !== 'number' || exit_code === 0) return 'ok';
  return exit_code === -1 ? 'unknown' : 'error';
}

function failureOf(error: string): Status {
  if (/^Tool '[^']{1,200}' not found/.test(error)) return 'unknown-tool';
  if (error.startsWith('Error validating ')) return 'invalid';
  return /^Tool call (?:interrupted|cancelled)/.test(error) ? 'cancelled' : 'error';
}
