import type { Usage } from '../../core/types.ts';
import {
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  nameOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';
import { usageSum } from '../usage.ts';
import { clineResult } from './cline-result.ts';

/** A line of `cline --json`, which it writes while it runs. */
export function isClineStream(value: unknown): boolean {
  const { ts, type, event, hookEventName, agentId } = fieldsOf(value);
  if (typeof ts !== 'string') return false;
  if (type === 'hook_event') return typeof hookEventName === 'string' && typeof agentId === 'string';
  return type === 'agent_event' && isFields(event) && typeof event['type'] === 'string';
}

export function readClineStream(sink: Sink): Reader {
  const turns = createTurns(sink);
  let spent: Usage | undefined;

  function readEvent(event: Fields, at: number | undefined, line: number): void {
    const { type, contentType, toolName, agentId, parentAgentId, reason, metadata } = event;
    const agent = nameOf(parentAgentId) === undefined ? undefined : nameOf(agentId);
    if (type === 'iteration_start') {
      spent = undefined;
      turns.begin(undefined, { at, agent }, line);
    } else if (type === 'iteration_end' || type === 'done') turns.close();
    else if (type === 'usage') spend(event);
    else if (type === 'content_end' && (contentType === 'text' || contentType === 'reasoning')) {
      turns.say(contentType, textOf(event[contentType]) ?? '');
    } else if (contentType === 'tool' && typeof toolName === 'string') {
      readTool(event, { id: nameOf(event['toolCallId']), tool: toolName, at, agent }, line);
    } else if (type === 'notice' && fieldsOf(metadata)['phase'] === 'completed') {
      if (textOf(reason)?.endsWith('_compaction')) turns.pass({ type: 'compaction', at, agent }, line);
    }
  }

  /** Each event tells what came on top of the last one. */
  function spend({ inputTokens, outputTokens, cacheReadTokens }: Fields): void {
    spent = usageSum(spent, usageWithin(inputTokens, outputTokens, cacheReadTokens));
    turns.spend(spent);
  }

  function readTool(
    { type, input, output, error }: Fields,
    call: { id: string | undefined; tool: string; at: number | undefined; agent: string | undefined },
    line: number,
  ): void {
    if (type === 'content_start') turns.add({ type: 'tool-call', ...call, args: jsonOf(input) }, line);
    else if (type === 'content_end') {
      const ended = clineResult(output ?? error, error !== undefined);
      turns.add({ type: 'tool-result', ...call, ...ended }, line);
    }
  }

  return {
    read({ line, value }) {
      const { ts, type, event, taskId, parentAgentId, model } = fieldsOf(value);
      if (type === 'agent_event') readEvent(fieldsOf(event), instantOf(ts), line);
      else if (type === 'hook_event' && nameOf(parentAgentId) === undefined) {
        sink.facts({ session: nameOf(taskId) });
      } else if (type === 'run_result') sink.facts({ model: nameOf(fieldsOf(model)['id']) });
    },
    flush: turns.close,
  };
}
