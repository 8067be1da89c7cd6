import type { Usage } from '../../core/types.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  textOf,
  usageOf,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTimeOrder } from '../time-order.ts';
import { createTurns } from '../turns.ts';
import { opencodeStatus } from './opencode-status.ts';

/**
 * `opencode export`, as a document, and `opencode run --format json`, as lines. The sessions of its database and of its
 * older folder come as the records of an export: `info`, then `messages` in order.
 */
export const opencode: Format = {
  name: 'opencode',
  title: 'opencode',
  recognises({ records }: Sample): boolean {
    return records.some(({ key, value }) => {
      if (key === 'info') return isSession(value);
      return key === 'messages' ? isMessage(value) : key === '' && isStreamed(value);
    });
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    const calls = createTimeOrder(turns);

    function begin(id: string | undefined, at: number | undefined, line: number): void {
      calls.settle();
      turns.begin(id, { at }, line);
    }

    function readPart(part: Fields, line: number): void {
      const { type, text } = part;
      if (type === 'text' || type === 'reasoning') turns.say(type, textOf(text) ?? '');
      else if (type === 'step-finish') turns.spend(usageIn(part['tokens']));
      else if (type === 'tool') readTool(part, line);
    }

    function readTool({ tool, callID, state }: Fields, line: number): void {
      const { status, input, output, error, metadata, time } = fieldsOf(state);
      const { start, end } = fieldsOf(time);
      // While it is pending, its arguments are still being written.
      if (typeof tool !== 'string' || status === 'pending') return;
      const id = nameOf(callID);
      // What the model called was not there, or was called the wrong way: its name stands in the arguments.
      const meant = tool === 'invalid' ? nameOf(fieldsOf(input)['tool']) : undefined;
      calls.call(
        { type: 'tool-call', id, tool: meant ?? tool, args: jsonOf(input), at: instantOf(start) },
        line,
      );
      if (status !== 'completed' && status !== 'error') return;
      const said = textOf(status === 'error' ? error : output) ?? '';
      const ended = opencodeStatus(tool, { input, metadata, failed: status === 'error' }, said);
      calls.result(
        { type: 'tool-result', id, tool: meant ?? tool, status: ended, output: said, at: instantOf(end) },
        line,
      );
    }

    function readResponse(info: Fields, parts: readonly unknown[], line: number): void {
      const { time, tokens, modelID, summary, error } = info;
      const { created, completed } = fieldsOf(time);
      sink.facts({ model: nameOf(modelID) });
      const spent = usageIn(tokens);
      const known = spent !== undefined && spent.input + spent.output > 0;
      const stepped = parts.some((part) => fieldsOf(part)['type'] === 'step-start');
      // Nobody but the person ran it: a command of their own, or a sub-agent they called by name.
      if (!stepped && !known) return;
      let at = instantOf(created);
      let counted = false;
      if (!stepped) begin(undefined, at, line);
      for (const item of parts) {
        const part = fieldsOf(item);
        if (part['type'] === 'step-start') {
          begin(undefined, at, line);
          at = undefined;
        } else readPart(part, line);
        counted ||= part['type'] === 'step-finish';
      }
      if (!counted && known) turns.spend(spent);
      calls.settle();
      if (summary === true && error === undefined) {
        turns.pass({ type: 'compaction', at: instantOf(completed) }, line);
      } else turns.close();
    }

    function readPrompt(info: Fields, parts: readonly unknown[], line: number): void {
      const at = instantOf(fieldsOf(info['time'])['created']);
      const said = { person: '', host: '' };
      for (const item of parts) {
        const { type, text, prompt, synthetic, ignored } = fieldsOf(item);
        const words = textOf(type === 'subtask' ? prompt : text);
        if ((type !== 'text' && type !== 'subtask') || words === undefined || ignored === true) continue;
        const by = synthetic === true ? 'host' : 'person';
        said[by] += said[by] === '' ? words : `\n${words}`;
      }
      if (said.person !== '') turns.pass({ type: 'user', text: said.person, at }, line);
      if (said.host !== '') turns.pass({ type: 'user', text: said.host, by: 'host', at }, line);
    }

    function readStreamed({ timestamp, sessionID, part }: Fields, line: number): void {
      sink.facts({ session: nameOf(sessionID) });
      const fields = fieldsOf(part);
      const { type, messageID } = fields;
      if (type === 'step-start') begin(nameOf(fields['id']), instantOf(timestamp), line);
      else readPart(fields, line);
      if (type === 'step-finish' || messageID === undefined) {
        calls.settle();
        turns.close();
      }
    }

    return {
      read({ line, key, value }) {
        if (key === 'info') readSession(value, sink);
        else if (key === 'messages') {
          const { info, parts } = fieldsOf(value);
          const told = fieldsOf(info);
          if (told['role'] === 'assistant') readResponse(told, listOf(parts), line);
          else if (told['role'] === 'user') readPrompt(told, listOf(parts), line);
          else sink.problem(line, 'a message without a role');
        } else if (key === '') readStreamed(fieldsOf(value), line);
      },
      flush() {
        calls.settle();
        turns.close();
      },
    };
  },
};

function readSession(value: unknown, sink: Sink): void {
  const { id, directory, version, parentID, model, time } = fieldsOf(value);
  sink.facts({
    session: nameOf(id),
    project: nameOf(directory),
    version: nameOf(version),
    parent: nameOf(parentID),
    model: nameOf(fieldsOf(model)['id']),
    startedAt: instantOf(fieldsOf(time)['created']),
  });
}

/** Input, output, thoughts and both kinds of cache are counted apart. */
export function usageIn(tokens: unknown): Usage | undefined {
  const { input, output, reasoning, cache } = fieldsOf(tokens);
  const { read, write } = fieldsOf(cache);
  if (countOf(input) === undefined) return undefined;
  return usageOf(sum(input, write), sum(output, reasoning), read);
}

function sum(one: unknown, other: unknown): number {
  return (countOf(one) ?? 0) + (countOf(other) ?? 0);
}

function isSession(value: unknown): boolean {
  const { id, directory, projectID, time } = fieldsOf(value);
  return typeof id === 'string' && (directory ?? projectID) !== undefined && isFields(time);
}

function isMessage(value: unknown): boolean {
  const { info, parts } = fieldsOf(value);
  return Array.isArray(parts) && typeof fieldsOf(info)['sessionID'] === 'string';
}

function isStreamed(value: unknown): boolean {
  const { type, sessionID, part, error } = fieldsOf(value);
  if (typeof sessionID !== 'string') return false;
  return type === 'error' ? isFields(error) : fieldsOf(part)['sessionID'] === sessionID;
}
