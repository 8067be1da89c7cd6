import type { Json, Status } from '../../core/types.ts';
import { type Fields, fieldsOf } from '../fields.ts';

/** A message of OpenAI's Chat Completions API or of Anthropic's Messages API, or an item of OpenAI's Responses API, as far as it is read here. */
export type ChatMessage = {
  readonly role?: string | undefined;
  readonly type?: string | null | undefined;
  readonly content?: unknown;
};

/** Whether a message holds the result of a call that failed; OpenAI's messages mostly do not say so themselves, and Anthropic's may leave it out. */
export type IsFailure = (message: ChatMessage) => boolean | undefined;

/** `shown` = what is in it beside text: images, files. */
export type UserMessage = { readonly type: 'user'; readonly text: string; readonly shown: readonly Json[] };
/** `hosted` = the provider has run it. */
export type CallMessage = {
  readonly type: 'call';
  readonly id: string | undefined;
  readonly tool: string;
  readonly args: unknown;
  readonly hosted: boolean;
};
/** `shown` = what stands beside it in the same message. */
export type ResultMessage = {
  readonly type: 'result';
  readonly id: string | undefined;
  readonly output: Json;
  readonly status: Status;
  readonly shown: readonly Json[];
};
/** What one message says. */
export type MessageEvent =
  | UserMessage
  | { readonly type: 'turn'; readonly text: string; readonly reasoning: string }
  | CallMessage
  | ResultMessage;

const NOTHING: readonly Json[] = [];
/** Calls in Anthropic's messages: of the host's tools, and of those that ran at Anthropic. */
const USES: readonly unknown[] = ['tool_use', 'server_tool_use', 'mcp_tool_use'];

/** The events of one message, in their order; what it does not know it passes over. */
export function eventsOf(message: ChatMessage, isFailure: IsFailure | undefined): readonly MessageEvent[] {
  const fields = fieldsOf(message);
  const { role, content } = fields;
  if (role === 'assistant')
    return [
      turnOf(fields),
      ...openaiCalls(fields),
      ...anthropicCalls(content),
      ...anthropicResults(content, isFailure),
    ];
  if (role === 'tool' || role === 'function') {
    const failed = (fields['is_error'] ?? isFailure?.(message)) === true;
    const status = failed ? 'error' : 'ok';
    const id = idOf(fields['tool_call_id']);
    return [{ type: 'result', id, output: outputOf(content), status, shown: NOTHING }];
  }
  if (role !== 'user') return [];
  const shown = shownIn(content);
  const results = anthropicResults(content, isFailure, shown);
  // What stands beside results was not typed by a person: the agent was still at work.
  return results.length > 0 ? results : [{ type: 'user', text: textOf(content), shown }];
}

/** The ids of the calls and results in a message. */
export function idsOf(message: ChatMessage): readonly string[] {
  const { tool_call_id, tool_calls, content } = fieldsOf(message);
  const ids = [
    tool_call_id,
    ...partsOf(tool_calls).map(({ id }) => id),
    ...partsOf(content).map((part) => (isResult(part) ? part['tool_use_id'] : isUse(part) && part['id'])),
  ];
  return ids.flatMap((id) => idOf(id) ?? []);
}

function turnOf(fields: Fields): MessageEvent {
  const { content, reasoning_content, reasoning } = fields;
  const thoughts = partsOf(content).flatMap(({ type, thinking }) => (type === 'thinking' ? [thinking] : []));
  const said = reasoning_content ?? reasoning ?? thoughts.join('\n');
  return { type: 'turn', text: textOf(content), reasoning: typeof said === 'string' ? said : '' };
}

function openaiCalls({ tool_calls, function_call }: Fields): readonly MessageEvent[] {
  const calls: readonly Fields[] =
    function_call == null ? partsOf(tool_calls) : [{ id: undefined, function: function_call }];
  return calls.flatMap(({ id, hosted, function: called, custom }) => {
    const { name, arguments: args, input } = fieldsOf(called ?? custom);
    return typeof name === 'string'
      ? [{ type: 'call', id: idOf(id), tool: name, args: args ?? input, hosted: hosted === true }]
      : [];
  });
}

function anthropicCalls(content: unknown): readonly MessageEvent[] {
  return partsOf(content).flatMap((part) => {
    const { type, id, name, input } = part;
    return isUse(part) && typeof name === 'string'
      ? [{ type: 'call', id: idOf(id), tool: name, args: input, hosted: type !== 'tool_use' }]
      : [];
  });
}

function isUse({ type }: Fields): boolean {
  return USES.includes(type);
}

function anthropicResults(
  content: unknown,
  isFailure: IsFailure | undefined,
  shown: readonly Json[] = NOTHING,
): readonly MessageEvent[] {
  return partsOf(content)
    .filter(isResult)
    .map(({ tool_use_id, content: output, is_error }) => {
      const failed =
        is_error === true ||
        String(fieldsOf(output)['type']).endsWith('_error') ||
        (is_error == null && isFailure?.({ role: 'tool', content: outputOf(output) }) === true);
      const status = failed ? 'error' : 'ok';
      return { type: 'result', id: idOf(tool_use_id), output: outputOf(output), status, shown };
    });
}

/** `tool_result`, `web_search_tool_result`, ... */
function isResult({ type }: Fields): boolean {
  return typeof type === 'string' && type.endsWith('tool_result');
}

/** What the user's side shows in a message beside texts and results. */
function shownIn(content: unknown): readonly Json[] {
  const shown = partsOf(content).filter((part) => typeof part['text'] !== 'string' && !isResult(part));
  return shown.length === 0 ? NOTHING : (shown as readonly Json[]);
}

/** What a call has given: its text, or all of it where there is more than text, so that no image is taken for another. */
export function outputOf(content: unknown): Json {
  if (content == null || typeof content === 'string') return content ?? '';
  return Array.isArray(content) && isText(content) ? textOf(content) : (content as Json);
}

/** Whether a content is a text, or a list of nothing else. */
export function isText(content: unknown): boolean {
  if (!Array.isArray(content)) return typeof content === 'string';
  return content.every((part) => typeof fieldsOf(part)['text'] === 'string');
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
