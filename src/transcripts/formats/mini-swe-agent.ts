import type { Json, Status, Usage } from '../../core/types.ts';
import {
  argumentsOf,
  contentText,
  type Fields,
  fieldsOf,
  instantOf,
  listOf,
  nameOf,
  numberOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';

/** mini-swe-agent's `.traj.json`: what the API was sent and answered, with notes in `extra`. */
export const miniSweAgent: Format = {
  name: 'mini-swe-agent',
  title: 'mini-swe-agent',
  recognises({ shape, records }: Sample): boolean {
    if (shape !== 'document') return false;
    return records.some(({ key, value }) => {
      if (key === 'trajectory_format') return textOf(value)?.startsWith('mini-swe-agent') === true;
      return key === 'info' && typeof fieldsOf(value)['mini_version'] === 'string';
    });
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    /** Calls of the last response that have no answer yet. */
    let open: (string | undefined)[] = [];
    let tasked = false;

    function call(
      id: string | undefined,
      tool: string,
      args: Json,
      at: number | undefined,
      line: number,
    ): void {
      const known = id ?? `line-${line}-${open.length}`;
      open.push(known);
      turns.add({ type: 'tool-call', id: known, tool, args, at }, line);
    }

    function answer(
      id: string | undefined,
      status: Status,
      output: string,
      at: number | undefined,
      line: number,
    ): void {
      open = open.filter((other) => other !== id);
      turns.add({ type: 'tool-result', id, status, output, at }, line);
    }

    function readResponse(message: Fields, extra: Fields, line: number): void {
      const { content, reasoning_content, output } = message;
      const { actions, response, timestamp } = extra;
      const at = instantOf(timestamp);
      open = [];
      turns.begin(undefined, { at }, line);
      const items = listOf(output);
      const text = items.length === 0 ? contentText(content) : textIn(items);
      turns.say('text', text);
      turns.say('reasoning', textOf(reasoning_content) ?? '');
      turns.spend(usageIn(message['usage'] ?? fieldsOf(response)['usage']));
      // The first versions noted no actions: the command is the only block of code.
      const asked = Array.isArray(actions) ? actions : commandIn(text);
      for (const action of asked) {
        const { command, tool_call_id } = fieldsOf(action);
        call(nameOf(tool_call_id), 'bash', { command: textOf(command) ?? '' }, at, line);
      }
    }

    /** A response that the host could not use, which it keeps in what it answers. */
    function readRefused(message: Fields, extra: Fields, line: number): void {
      const { choices, output, usage } = fieldsOf(extra['response']);
      const { content, tool_calls } = fieldsOf(fieldsOf(listOf(choices)[0])['message']);
      const items = listOf(output);
      turns.begin(undefined, {}, line);
      turns.say('text', nameOf(content) ?? textOf(extra['model_response']) ?? textIn(items));
      turns.spend(usageIn(usage));
      const why = contentText(message['content']);
      open = [];
      for (const item of [...listOf(tool_calls), ...items]) {
        const { id, call_id, function: called, name, arguments: sent } = fieldsOf(item);
        const tool = nameOf(fieldsOf(called)['name']) ?? nameOf(name);
        if (tool === undefined) continue;
        const args = argumentsOf(sent ?? fieldsOf(called)['arguments']);
        call(nameOf(call_id) ?? nameOf(id), tool, args, undefined, line);
      }
      const status = why.includes('Unknown tool') ? 'unknown-tool' : 'invalid';
      if (open.length === 0) turns.pass({ type: 'user', text: why, by: 'host' }, line);
      for (const id of open) answer(id, status, why, undefined, line);
    }

    function readAnswer(message: Fields, extra: Fields, line: number): void {
      const { role, content, tool_call_id, call_id, output } = message;
      const { returncode, timestamp, interrupt_type, exit_status, actions } = extra;
      const at = instantOf(timestamp);
      const text = output === undefined ? contentText(content) : contentText(output);
      if (interrupt_type === 'FormatError') readRefused(message, extra, line);
      else if (interrupt_type !== undefined) {
        const status = interrupt_type === 'UserRejection' ? 'denied' : 'cancelled';
        for (const id of open) answer(id, status, text, at, line);
        turns.pass({ type: 'user', text, at }, line);
      } else if (open.length > 0) {
        const id = nameOf(tool_call_id) ?? nameOf(call_id) ?? open[0];
        // It left with its work done, or because it had to; only in the one case did the command end.
        if (exit_status === undefined) answer(id, statusOf(returncode, text), text, at, line);
        else if (exit_status === 'Submitted') answer(id, 'ok', text, at, line);
      } else if (role === 'user' && exit_status === undefined) {
        // The task comes first. What follows is the host's, but for a command of the person's own.
        const by =
          !tasked || actions !== undefined || text.startsWith('Interrupted by user') ? undefined : 'host';
        tasked = true;
        turns.pass({ type: 'user', text, by, at }, line);
      }
    }

    return {
      read({ line, key, value }) {
        if (key === 'info') readInfo(fieldsOf(value), sink);
        if (key !== 'messages') return;
        const message = fieldsOf(value);
        const extra = fieldsOf(message['extra']);
        if (message['role'] === 'assistant' || message['object'] === 'response')
          readResponse(message, extra, line);
        else if (message['role'] !== 'system') readAnswer(message, extra, line);
      },
      flush: turns.close,
    };
  },
};

function readInfo({ mini_version, config }: Fields, sink: Sink): void {
  const { model, environment } = fieldsOf(config);
  sink.facts({
    version: nameOf(mini_version),
    model: nameOf(fieldsOf(model)['model_name']),
    project: nameOf(fieldsOf(environment)['cwd']),
  });
}

/** Both ways of the API count cached input as a part of the input. */
function usageIn(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  const details = fieldsOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  return usageWithin(
    usage['prompt_tokens'] ?? usage['input_tokens'],
    usage['completion_tokens'] ?? usage['output_tokens'],
    details['cached_tokens'],
  );
}

function textIn(items: readonly unknown[]): string {
  return items
    .map((item) => contentText(fieldsOf(item)['content']))
    .filter((text) => text !== '')
    .join('\n');
}

/** None where there is not exactly one, which the host refuses. */
function commandIn(text: string): readonly { readonly command: string }[] {
  const commands: string[] = [];
  let from = 0;
  for (const fence of text.matchAll(/```(?:bash|mswea_bash_command)[ \t\r]{0,20}\n/g)) {
    if (fence.index < from) continue;
    const end = text.indexOf('\n```', fence.index + fence[0].length - 1);
    if (end < 0) break;
    commands.push(text.slice(fence.index + fence[0].length, end).trim());
    from = end + 1;
  }
  return commands.length === 1 ? [{ command: commands[0] as string }] : [];
}

function statusOf(returncode: unknown, text: string): Status {
  const [, code] = /^<returncode>(-?\d{1,10})</.exec(text.slice(0, 40)) ?? [];
  const told = numberOf(returncode) ?? (code === undefined ? undefined : Number(code));
  if (told !== undefined) return told === 0 ? 'ok' : 'error';
  return 'unknown';
}
