import type { Format } from '../../src/transcripts/format.ts';
import { aiSdk } from '../../src/transcripts/formats/ai-sdk.ts';
import { aiSdkUi } from '../../src/transcripts/formats/ai-sdk-ui.ts';
import { anthropic } from '../../src/transcripts/formats/anthropic.ts';
import { langchain } from '../../src/transcripts/formats/langchain.ts';
import { openaiChat } from '../../src/transcripts/formats/openai-chat.ts';
import { openaiResponses } from '../../src/transcripts/formats/openai-responses.ts';
import { otel } from '../../src/transcripts/formats/otel.ts';

/** One story in the words of one format: a person asks, the model calls two tools at once, then it answers. */
export type Sample = {
  readonly format: Format;
  /** One a line, or one an element. */
  readonly records: readonly object[];
  /** The member of a document that lists them. */
  readonly list: string;
};

// None of these could be recorded here: they are written after the documentation of each format.

const time = '2026-05-04T10:00:00.000Z';
export const at: number = Date.parse(time);

export const CHAT: Sample = {
  format: openaiChat,
  list: 'messages',
  records: [
    { role: 'system', content: 'You are careful.' },
    { role: 'user', content: [{ type: 'text', text: 'Fix the build.' }], timestamp: time },
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_content: 'First the file.',
      timestamp: time,
      tool_calls: [
        { id: 'call-1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } },
        { id: 'call-2', type: 'function', function: { name: 'run', arguments: '{"command":"make"}' } },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } },
    },
    { role: 'tool', tool_call_id: 'call-1', content: 'hello', timestamp: time },
    { role: 'tool', tool_call_id: 'call-2', content: 'no rule to make target', timestamp: time },
    { role: 'assistant', content: 'It cannot be built.', timestamp: time },
  ],
};

export const RESPONSES: Sample = {
  format: openaiResponses,
  list: 'items',
  records: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are careful.' }] },
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Fix the build.' }],
      created_at: time,
    },
    {
      type: 'reasoning',
      id: 'rs-1',
      summary: [{ type: 'summary_text', text: 'First the file.' }],
      created_at: time,
    },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I look.' }],
      created_at: time,
    },
    {
      type: 'function_call',
      call_id: 'call-1',
      name: 'read',
      arguments: '{"path":"a.txt"}',
      created_at: time,
    },
    {
      type: 'function_call',
      call_id: 'call-2',
      name: 'run',
      arguments: '{"command":"make"}',
      created_at: time,
    },
    { type: 'function_call_output', call_id: 'call-1', output: 'hello', created_at: time },
    { type: 'function_call_output', call_id: 'call-2', output: 'no rule to make target', created_at: time },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'It cannot be built.' }],
      created_at: time,
    },
  ],
};

export const CLAUDE: Sample = {
  format: anthropic,
  list: 'messages',
  records: [
    { role: 'user', content: 'Fix the build.', timestamp: time },
    {
      role: 'assistant',
      type: 'message',
      id: 'msg-1',
      model: 'claude-sonnet-4-5',
      stop_reason: 'tool_use',
      timestamp: time,
      content: [
        { type: 'thinking', thinking: 'First the file.', signature: 'sig' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call-1', name: 'read', input: { path: 'a.txt' } },
        { type: 'tool_use', id: 'call-2', name: 'run', input: { command: 'make' } },
      ],
      usage: {
        input_tokens: 50,
        output_tokens: 20,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 40,
      },
    },
    {
      role: 'user',
      timestamp: time,
      content: [
        { type: 'tool_result', tool_use_id: 'call-1', content: [{ type: 'text', text: 'hello' }] },
        { type: 'tool_result', tool_use_id: 'call-2', content: 'no rule to make target', is_error: true },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'It cannot be built.' }], timestamp: time },
  ],
};

export const MODEL: Sample = {
  format: aiSdk,
  list: 'messages',
  records: [
    { role: 'system', content: 'You are careful.' },
    { role: 'user', content: [{ type: 'text', text: 'Fix the build.' }], createdAt: time },
    {
      role: 'assistant',
      createdAt: time,
      content: [
        { type: 'reasoning', text: 'First the file.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'call-1', toolName: 'read', input: { path: 'a.txt' } },
        { type: 'tool-call', toolCallId: 'call-2', toolName: 'run', input: { command: 'make' } },
      ],
    },
    {
      role: 'tool',
      createdAt: time,
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call-1',
          toolName: 'read',
          output: { type: 'text', value: 'hello' },
        },
        {
          type: 'tool-result',
          toolCallId: 'call-2',
          toolName: 'run',
          output: { type: 'error-text', value: 'no rule to make target' },
        },
      ],
    },
    { role: 'assistant', content: 'It cannot be built.', createdAt: time },
  ],
};

export const UI: Sample = {
  format: aiSdkUi,
  list: 'messages',
  records: [
    { id: 'm-0', role: 'system', parts: [{ type: 'text', text: 'You are careful.' }] },
    {
      id: 'm-1',
      role: 'user',
      parts: [{ type: 'text', text: 'Fix the build.' }],
      metadata: { createdAt: time },
    },
    {
      id: 'm-2',
      role: 'assistant',
      metadata: {
        createdAt: time,
        model: 'gpt-5',
        usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40 },
      },
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'First the file.' },
        { type: 'text', text: 'I look.' },
        {
          type: 'tool-read',
          toolCallId: 'call-1',
          state: 'output-available',
          input: { path: 'a.txt' },
          output: 'hello',
        },
        {
          type: 'dynamic-tool',
          toolName: 'run',
          toolCallId: 'call-2',
          state: 'output-error',
          input: { command: 'make' },
          errorText: 'no rule to make target',
        },
        { type: 'step-start' },
        { type: 'text', text: 'It cannot be built.' },
      ],
    },
  ],
};

export const CHAIN: Sample = {
  format: langchain,
  list: 'messages',
  records: [
    { type: 'system', content: 'You are careful.' },
    { type: 'human', data: { content: 'Fix the build.', additional_kwargs: {}, created_at: time } },
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs: {
        content: [
          { type: 'reasoning', reasoning: 'First the file.' },
          { type: 'text', text: 'I look.' },
        ],
        created_at: time,
        tool_calls: [
          { id: 'call-1', name: 'read', args: { path: 'a.txt' }, type: 'tool_call' },
          { id: 'call-2', name: 'run', args: { command: 'make' }, type: 'tool_call' },
        ],
        usage_metadata: { input_tokens: 100, output_tokens: 20, input_token_details: { cache_read: 40 } },
        response_metadata: { model_name: 'gpt-5' },
      },
    },
    {
      type: 'tool',
      content: 'hello',
      tool_call_id: 'call-1',
      name: 'read',
      status: 'success',
      created_at: time,
    },
    {
      type: 'tool',
      data: {
        content: 'no rule to make target',
        tool_call_id: 'call-2',
        name: 'run',
        status: 'error',
        created_at: time,
      },
    },
    { type: 'ai', content: 'It cannot be built.', created_at: time },
  ],
};

const nanoseconds = (seconds: number) => `${at + seconds * 1000}000000`;
const attribute = (key: string, value: string | number | object) => {
  if (typeof value === 'number') return { key, value: { intValue: String(value) } };
  return { key, value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) } };
};

/** A span as OTLP writes it, from `start` to `end` seconds after `at`. */
export function span(
  operation: string,
  start: number,
  end: number,
  attributes: { readonly [name: string]: string | number | object },
  more: object = {},
): object {
  return {
    traceId: 'trace-1',
    spanId: `span-${operation}-${start}`,
    name: operation,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: [
      attribute('gen_ai.operation.name', operation),
      ...Object.entries(attributes).map(([name, value]) => attribute(`gen_ai.${name}`, value)),
    ],
    status: {},
    ...more,
  };
}

/** A line of OTLP. */
export function resourceSpans(...spans: readonly object[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
        scopeSpans: [{ scope: { name: 'agent' }, spans }],
      },
    ],
  };
}

const asked = [
  { role: 'system', parts: [{ type: 'text', content: 'You are careful.' }] },
  { role: 'user', parts: [{ type: 'text', content: 'Fix the build.' }] },
];
const said = {
  role: 'assistant',
  parts: [
    { type: 'reasoning', content: 'First the file.' },
    { type: 'text', content: 'I look.' },
    { type: 'tool_call', id: 'call-1', name: 'read', arguments: { path: 'a.txt' } },
    { type: 'tool_call', id: 'call-2', name: 'run', arguments: { command: 'make' } },
  ],
};
const given = {
  role: 'tool',
  parts: [
    { type: 'tool_call_response', id: 'call-1', response: 'hello' },
    { type: 'tool_call_response', id: 'call-2', result: 'no rule to make target' },
  ],
};

export const SPANS: Sample = {
  format: otel,
  list: '',
  records: [
    resourceSpans(
      span('chat', 0, 1, {
        'input.messages': asked,
        'output.messages': [said],
        'response.model': 'gpt-5',
        'usage.input_tokens': 100,
        'usage.output_tokens': 20,
        'usage.cache_read.input_tokens': 40,
      }),
    ),
    resourceSpans(
      span(
        'execute_tool',
        3,
        4,
        { 'tool.name': 'run', 'tool.call.id': 'call-2' },
        { status: { code: 2, message: 'no rule to make target' } },
      ),
      span('execute_tool', 2, 5, {
        'tool.name': 'read',
        'tool.call.id': 'call-1',
        'tool.call.result': 'hello',
      }),
    ),
    resourceSpans(
      span('chat', 6, 7, {
        'input.messages': [...asked, said, given],
        'output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'It cannot be built.' }] }],
      }),
    ),
  ],
};

export const SAMPLES: readonly Sample[] = [CHAT, RESPONSES, CLAUDE, MODEL, UI, CHAIN, SPANS];

export const lines = (...records: readonly object[]): string =>
  `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
