import type { Status } from '../../core/types.ts';
import { type Fields, fieldsOf } from '../fields.ts';

/** A message of OpenAI's Chat Completions API or of Anthropic's Messages API, or an item of OpenAI's Responses API, as far as it is read here. */
export type ChatMessage = {
  readonly role?: string | undefined;
  readonly type?: string | null | undefined;
  readonly content?: unknown;
};

/** Whether a message holds the result of a call that failed; OpenAI's messages do not say so themselves. */
export type IsFailure = (message: ChatMessage) => boolean;

/** What one message says. */
export type MessageEvent =
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'turn'; readonly text: string; readonly reasoning: string }
  | { readonly type: 'call'; readonly id: string | undefined; readonly tool: string; readonly args: unknown }
  | {
      readonly type: 'result';
      readonly id: string | undefined;
      readonly output: string;
      readonly status: Status;
    };

/** The events of one message, in their order; what it does not know it passes over. */
export function eventsOf(message: ChatMessage, isFailure: IsFailure | undefined): readonly MessageEvent[] {
  const fields = fieldsOf(message);
  const { role, content } = fields;
  if (role === 'assistant') return [turnOf(fields), ...openaiCalls(fields), ...anthropicCalls(content)];
  if (role === 'tool' || role === 'function') {
    const status = isFailure === undefined ? 'unknown' : isFailure(message) ? 'error' : 'ok';
    return [{ type: 'result', id: idOf(fields['tool_call_id']), output: textOf(content), status }];
  }
  if (role !== 'user') return [];
  const results = anthropicResults(content);
  // What stands beside results was not typed by a person: the agent was still at work.
  return results.length > 0 ? results : [{ type: 'user', text: textOf(content) }];
}

function turnOf(fields: Fields): MessageEvent {
  const { content, reasoning_content, reasoning } = fields;
  const thoughts = partsOf(content).flatMap(({ type, thinking }) => (type === 'thinking' ? [thinking] : []));
  const said = reasoning_content ?? reasoning ?? thoughts.join('\n');
  return { type: 'turn', text: textOf(content), reasoning: typeof said === 'string' ? said : '' };
}

function openaiCalls({ tool_calls, function_call }: Fields): readonly MessageEvent[] {
  const calls = function_call == null ? partsOf(tool_calls) : [{ id: undefined, function: function_call }];
  return calls.flatMap(({ id, function: called, custom }) => {
    const { name, arguments: args, input } = fieldsOf(called ?? custom);
    return typeof name === 'string' ? [{ type: 'call', id: idOf(id), tool: name, args: args ?? input }] : [];
  });
}

function anthropicCalls(content: unknown): readonly MessageEvent[] {
  return partsOf(content).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof name === 'string'
      ? [{ type: 'call', id: idOf(id), tool: name, args: input }]
      : [],
  );
}

function anthropicResults(content: unknown): readonly MessageEvent[] {
  return partsOf(content).flatMap(({ type, tool_use_id, content: output, is_error }) =>
    type === 'tool_result'
      ? [
          {
            type: 'result',
            id: idOf(tool_use_id),
            output: textOf(output),
            status: is_error === true ? 'error' : 'ok',
          },
        ]
      : [],
  );
}

/** The text of a content, whether it is one or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

function partsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
