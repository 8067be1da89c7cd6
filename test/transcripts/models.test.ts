import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/transcripts/formats.ts';
import { createTranscript } from '../../src/transcripts/transcript.ts';
import { createTurns } from '../../src/transcripts/turns.ts';
import { createTurnsOfAgents } from '../../src/transcripts/turns-of-agents.ts';

type Fields = { readonly [name: string]: unknown };

/** The model that was told last when each response came, as whoever counts its price has it. */
function listener() {
  const told: string[] = [];
  const sink = {
    model: 'nobody' as string,
    told,
    event({ type, agent }: { readonly type: string; readonly agent?: string | undefined }) {
      if (type === 'turn') told.push(agent === undefined ? sink.model : `${agent}: ${sink.model}`);
    },
    facts({ model }: { readonly model?: string | undefined }) {
      sink.model = model ?? sink.model;
    },
    problem() {},
  };
  return sink;
}

function read(text: string) {
  const sink = listener();
  const transcript = createTranscript(FORMATS, sink);
  transcript.push(new TextEncoder().encode(text));
  transcript.end();
  return { format: transcript.format?.name, told: sink.told, last: sink.model };
}

function lines(...records: readonly Fields[]): string {
  return records.map((record) => JSON.stringify(record)).join('\n');
}

const time = (second: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();

describe('the model of a response', () => {
  it('is told before it, and not before the one that is still open', () => {
    const sink = listener();
    const turns = createTurns(sink);
    turns.begin('a', { model: 'one' }, 1);
    turns.begin('b', { model: 'two' }, 2);
    turns.begin('c', {}, 3);
    turns.begin('c', { model: 'three' }, 4);
    turns.begin('c', { model: 'four' }, 5);
    turns.begin('d', {}, 6);
    turns.close();
    expect(sink.told).toEqual(['one', 'two', 'three', 'three']);
  });

  it('of a sub-agent counts for that response alone', () => {
    const sink = listener();
    const turns = createTurnsOfAgents(sink);
    turns.of(undefined).begin('m1', { model: 'large' }, 1);
    turns.of('a').begin('a1', { agent: 'a', model: 'small' }, 2);
    turns.of('b').begin('b1', { agent: 'b', model: 'tiny' }, 3);
    turns.of('c').begin('c1', { agent: 'c' }, 4);
    turns.of('d').begin('d1', { agent: 'd', model: 'large' }, 5);
    turns.of(undefined).begin('m2', {}, 6);
    turns.close();
    expect(sink.told).toEqual(['large', 'a: small', 'b: tiny', 'c: large', 'd: large', 'large']);
    expect(sink.model).toBe('large');
  });
});

const claude = (second: number, model: string, parent: string | null = null) => ({
  type: 'assistant',
  session_id: 's',
  parent_tool_use_id: parent,
  uuid: `u${second}`,
  message: { id: `m${second}`, role: 'assistant', model, content: [], usage: { input_tokens: 1 } },
});
const spent = { prompt_tokens: 10, completion_tokens: 2 };
const chat = (model: string, ...more: readonly object[]) => ({
  request: { model, messages: [{ role: 'user', content: 'x' }, ...more] },
  response: { choices: [{ message: { role: 'assistant', content: 'x' } }], usage: spent },
});
const codex = (type: string, payload: object) => ({ timestamp: time(1), type, payload });
const codexTurn = (model: string, call_id: string) => [
  codex('turn_context', { model }),
  codex('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id }),
  codex('response_item', { type: 'function_call_output', call_id, output: 'x' }),
];
const pi = (second: number, type: string, more: object) => ({
  type,
  id: `${type}${second}`,
  timestamp: time(second),
  ...more,
});
const copilot = (second: number, type: string, data: object, more: object = {}) => ({
  type,
  data,
  id: `e${second}`,
  timestamp: time(second),
  parentId: null,
  ...more,
});
const qwen = (second: number, model: string, more: object = {}) => ({
  uuid: `q${second}`,
  sessionId: 's',
  timestamp: time(second),
  type: 'assistant',
  cwd: '/x',
  version: '0.24.4',
  model,
  message: { role: 'model', parts: [{ text: 'x' }] },
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  ...more,
});
const openhands = (id: number, model: string) => ({
  id,
  source: 'agent',
  timestamp: time(id),
  action: 'run',
  args: { command: 'ls' },
  tool_call_metadata: { tool_call_id: `c${id}`, model_response: { id: `r${id}`, model, usage: spent } },
});

it.each([
  ['claude-code', lines(claude(1, 'claude-a'), claude(2, 'claude-b')), ['claude-a', 'claude-b']],
  [
    'claude-code',
    lines(claude(1, 'claude-a'), claude(2, 'claude-b', 'task'), claude(3, 'claude-c', 'task')),
    ['claude-a', 'task: claude-b', 'task: claude-c'],
  ],
  [
    'ai-sdk',
    lines(
      ...['a', 'b'].map((modelId) => ({
        finishReason: 'stop',
        usage: { inputTokens: 1, outputTokens: 1 },
        content: [],
        response: { modelId },
      })),
    ),
    ['a', 'b'],
  ],
  ['openai-chat', lines(chat('a'), chat('b', { role: 'tool', tool_call_id: 'c', content: 'x' })), ['a', 'b']],
  [
    'anthropic',
    lines(
      ...['a', 'b'].map((model) => ({
        request: { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: model }] }] },
        response: { type: 'message', role: 'assistant', id: model, model, content: [], stop_reason: 'x' },
      })),
    ),
    ['a', 'b'],
  ],
  [
    'openai-responses',
    lines(
      ...['a', 'b', 'c'].map((model) => ({
        request: { model, input: [{ role: 'user', content: [{ type: 'input_text', text: model }] }] },
        response: {
          output: model === 'c' ? [] : [{ type: 'reasoning', summary: [] }],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      })),
    ),
    ['a', 'b', 'c'],
  ],
  [
    'cline',
    JSON.stringify(
      ['a', 'b'].map((modelId) => ({ role: 'assistant', content: 'x', ts: 1, modelInfo: { modelId } })),
    ),
    ['a', 'b'],
  ],
  ['openhands-v0', JSON.stringify([openhands(1, 'a'), openhands(2, 'b')]), ['a', 'b']],
  [
    'continue',
    JSON.stringify({
      sessionId: 's',
      title: 't',
      workspaceDirectory: '/x',
      history: ['a', 'b'].map((model) => ({
        message: { role: 'assistant', content: 'x', usage: { model, ...spent } },
      })),
    }),
    ['a', 'b'],
  ],
  [
    'codex',
    lines(codex('session_meta', { id: 's' }), ...codexTurn('a', '1'), ...codexTurn('b', '2')),
    ['a', 'b'],
  ],
  [
    'pi',
    lines(
      { type: 'session', id: 's', cwd: '/x', timestamp: time(0), modelId: 'a' },
      pi(1, 'message', { message: { role: 'assistant', content: 'x' } }),
      pi(2, 'model_change', { modelId: 'b' }),
      pi(3, 'message', { message: { role: 'assistant', content: 'x' } }),
    ),
    ['a', 'b'],
  ],
  [
    'copilot-cli',
    lines(
      copilot(0, 'session.start', { sessionId: 's', selectedModel: 'a' }),
      copilot(1, 'assistant.message', { messageId: 'm1', content: 'x' }),
      copilot(2, 'session.model_change', { newModel: 'b' }),
      copilot(3, 'assistant.message', { messageId: 'm2', content: 'x', model: 'c' }, { agentId: 'sub' }),
      copilot(4, 'assistant.message', { messageId: 'm3', content: 'x' }),
      copilot(5, 'session.model_change', { newModel: 'd' }),
    ),
    ['a', 'sub: c', 'b'],
  ],
  [
    'qwen-code',
    lines(
      qwen(1, 'a', { isSidechain: false }),
      qwen(2, 'b', { isSidechain: true, agentId: 'sub' }),
      qwen(3, 'c'),
    ),
    ['a', 'sub: b', 'c'],
  ],
])('%s: is the one that gave it', (name, text, models) => {
  const { format, told } = read(text);
  expect(format).toBe(name);
  expect(told).toEqual(models);
});
