import type { Json, Status } from '../../core/types.ts';
import {
  type Fields,
  fieldsOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  numberOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { outputOf } from '../output.ts';
import { createTurns } from '../turns.ts';

/** Calls whose results are to come. */
const MAX_CALLS = 1024;
const STATUSES: { readonly [status: string]: Status } = {
  completed: 'ok',
  failed: 'error',
  declined: 'denied',
};

/** A record of what `codex exec --json` prints. */
export function isCodexStream({ type, item, thread_id }: Fields): boolean {
  if (type === 'thread.started') return typeof thread_id === 'string';
  return (type === 'item.started' || type === 'item.completed') && isFields(item);
}

/**
 * Reads what `codex exec --json` prints. It tells neither prompts nor responses: a turn that starts is a prompt, and
 * a response begins with what the model does once all that it asked for is there.
 */
export function openCodexStream(sink: Sink): Reader {
  const turns = createTurns(sink);
  const calls = new Set<string>();
  let open = false;
  let answered = false;

  function respond(line: number): void {
    if (open && !(answered && calls.size === 0)) return;
    turns.begin(undefined, {}, line);
    open = true;
    answered = false;
  }

  function call(id: string | undefined, tool: string, item: Fields, line: number): void {
    respond(line);
    turns.add({ type: 'tool-call', id, tool, args: argumentsIn(item) }, line);
    if (id === undefined) return;
    calls.add(id);
    if (calls.size > MAX_CALLS) calls.delete(calls.values().next().value as string);
  }

  function readItem(item: Fields, done: boolean, line: number): void {
    const { type, id: itemId, text, status, exit_code } = item;
    const tool = toolOf(item);
    if (tool === undefined) {
      if (!done || (type !== 'agent_message' && type !== 'reasoning')) return;
      respond(line);
      turns.say(type === 'reasoning' ? 'reasoning' : 'text', textOf(text) ?? '');
      return;
    }
    const id = nameOf(itemId);
    if (id === undefined || !calls.has(id)) call(id, tool, item, line);
    if (!done) return;
    if (id !== undefined) calls.delete(id);
    const failed = (numberOf(exit_code) ?? 0) !== 0;
    const told = typeof status === 'string' && Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
    turns.add(
      {
        type: 'tool-result',
        id,
        tool,
        status: told ?? (failed ? 'error' : 'unknown'),
        output: outputIn(item),
      },
      line,
    );
    answered = true;
  }

  function end(): void {
    open = false;
    turns.close();
  }

  return {
    read({ line, value }) {
      const { type, item, usage, thread_id } = fieldsOf(value);
      if (type === 'thread.started') sink.facts({ session: nameOf(thread_id) });
      else if (type === 'turn.started') {
        end();
        turns.pass({ type: 'user' }, line);
      } else if (type === 'turn.completed') {
        end();
        const { input_tokens, output_tokens, cached_input_tokens } = fieldsOf(usage);
        // The thread's total so far.
        sink.facts({ usage: usageWithin(input_tokens, output_tokens, cached_input_tokens) });
      } else if (type === 'turn.failed') end();
      else if (type === 'item.started') readItem(fieldsOf(item), false, line);
      else if (type === 'item.completed') readItem(fieldsOf(item), true, line);
    },
    flush: turns.close,
  };
}

function toolOf({ type, server, tool }: Fields): string | undefined {
  if (type === 'command_execution') return 'shell';
  if (type === 'file_change') return 'apply_patch';
  if (type === 'web_search') return 'web_search';
  if (type === 'mcp_tool_call') return `mcp__${textOf(server) ?? ''}__${textOf(tool) ?? ''}`;
  return type === 'collab_tool_call' ? nameOf(tool) : undefined;
}

function argumentsIn({
  type,
  command,
  changes,
  query,
  arguments: given,
  prompt,
  receiver_thread_ids,
}: Fields) {
  if (type === 'command_execution') return { command: jsonOf(command) };
  if (type === 'file_change') return { changes: jsonOf(changes) };
  if (type === 'web_search') return { query: jsonOf(query) };
  if (type === 'mcp_tool_call') return jsonOf(given);
  return { prompt: jsonOf(prompt), receivers: jsonOf(receiver_thread_ids) };
}

function outputIn({ aggregated_output, result, error }: Fields): Json {
  const { message } = fieldsOf(error);
  return textOf(aggregated_output) ?? textOf(message) ?? outputOf(listOf(fieldsOf(result)['content']));
}
