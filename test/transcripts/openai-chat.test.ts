import { describe, expect, it } from 'vitest';
import { at, CHAT, CLAUDE, lines, MODEL, RESPONSES } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No program here writes these: the messages are made after OpenAI's reference of Chat Completions.

const [system, ask, answer, ...rest] = CHAT.records as [object, object, object, ...object[]];
const call = (id: string, path: string) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: JSON.stringify({ path }) },
});

describe('OpenAI chat', () => {
  it('has no sign of success or failure, and counts cached tokens within the input', () => {
    const { events } = readText(lines(...CHAT.records));
    expect(events.filter(({ type }) => type === 'tool-result')).toEqual([
      { type: 'tool-result', id: 'call-1', tool: undefined, status: 'unknown', output: 'hello', at },
      {
        type: 'tool-result',
        id: 'call-2',
        tool: undefined,
        status: 'unknown',
        output: 'no rule to make target',
        at,
      },
    ]);
    expect(events[2]).toMatchObject({ usage: { input: 60, output: 20, cachedInput: 40 }, at });
  });

  it('keeps arguments that are not JSON as they were sent', () => {
    const broken = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'x', function: { name: 'run', arguments: '{"a":' } }],
    };
    expect(readText(lines(ask, broken)).events.at(-1)).toMatchObject({ tool: 'run', args: '{"a":' });
  });

  it('reads custom tools, and the calls of before there were tools', () => {
    const custom = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'x', type: 'custom', custom: { name: 'sql', input: 'select 1' } }],
    };
    const old = { role: 'assistant', content: null, function_call: { name: 'add', arguments: '{"a":1}' } };
    const result = { role: 'function', name: 'add', content: '2' };
    const { events } = readText(lines(ask, custom, old, result));
    expect(events.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
      { id: 'x', tool: 'sql', args: 'select 1' },
      { tool: 'add', args: { a: 1 } },
      { tool: 'add', output: '2' },
    ]);
  });

  it('keeps an image apart from another', () => {
    const shot = (url: string) => ({
      role: 'tool',
      tool_call_id: url,
      content: [{ type: 'image_url', image_url: { url } }],
    });
    const outputs = readText(lines(ask, answer, shot('a'), shot('b'))).events.flatMap((event) =>
      event.type === 'tool-result' ? [JSON.stringify(event.output)] : [],
    );
    expect(new Set(outputs).size).toBe(2);
  });

  it('says what is wrong with a call that names no tool, and goes on', () => {
    const nameless = {
      role: 'assistant',
      content: 'x',
      tool_calls: [{ id: 'a', function: {} }, call('b', 'c')],
    };
    const { events, problems } = readText(lines(ask, nameless));
    expect(problems).toEqual(['2: a tool call without a name']);
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 1 });
  });

  it('takes the usage of a document for the whole of it, unless its messages tell theirs', () => {
    const usage = { prompt_tokens: 500, completion_tokens: 60, total_tokens: 560 };
    const { usage: _, ...silent } = answer as { usage: object };
    const document = (...messages: object[]) =>
      readText(JSON.stringify({ model: 'gpt-5', messages, usage }, null, 1));
    expect(document(ask, silent).facts).toEqual({ model: 'gpt-5', usage: { input: 500, output: 60 } });
    expect(document(ask, answer).facts).toEqual({ model: 'gpt-5' });
  });

  it('reads a request with its response as one document', () => {
    const { events } = readText(
      JSON.stringify({ messages: [ask], choices: [{ index: 0, message: answer }] }, null, 1),
    );
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 2 });
  });

  describe('a log of requests, each of which repeats the conversation', () => {
    const { usage: _, ...message } = answer as { usage: object };
    const usage = { prompt_tokens: 10, completion_tokens: 2 };
    const body = { model: 'gpt-5', choices: [{ message: { ...message, refusal: null } }], usage };
    const second = { choices: [{ message: rest[2] }], usage };

    it('tells each message once', () => {
      const first = { request: { model: 'gpt-5', messages: [system, ask] }, response: body };
      const next = {
        request: { messages: [system, ask, message, ...rest.slice(0, 2)] },
        response: { status_code: 200, body: second },
      };
      const { format, events, facts } = readText(lines(first, next));
      expect(format).toBe('openai-chat');
      expect(facts).toEqual({ model: 'gpt-5' });
      expect(tallied(events)).toEqual({ user: 2, turn: 2, 'tool-call': 2, 'tool-result': 2 });
      expect(events.filter(({ type }) => type === 'turn')).toMatchObject([
        { usage: { input: 10, output: 2 } },
        { usage: { input: 10, output: 2 } },
      ]);
    });

    it('tells of a conversation that was cut short only what is new', () => {
      const more = { role: 'user', content: 'And now?' };
      const { events } = readText(
        lines({ messages: [system, ask, message, ...rest] }, { messages: [system, ...rest.slice(1), more] }),
      );
      expect(tallied(events)).toEqual({ user: 3, turn: 2, 'tool-call': 2, 'tool-result': 2 });
    });

    it('is one document where there is one request only', () => {
      const { events } = readText(JSON.stringify({ messages: CHAT.records, model: 'gpt-5' }));
      expect(tallied(events)).toEqual({ user: 2, turn: 2, 'tool-call': 2, 'tool-result': 2 });
    });
  });

  it.each([
    ['anthropic', CLAUDE, 1],
    ['ai-sdk', MODEL, 2],
    ['openai-responses', RESPONSES, 0],
  ] as const)(
    'hands over where plain words turn out to be the beginning of %s',
    (_name, { records }, plain) => {
      const words = { role: 'user', content: 'x'.repeat(40_000) };
      const { format, events } = readText(lines(words, words, ...records.slice(plain)));
      expect(format).toBe('openai-chat');
      const alone = readText(lines(...records.slice(plain))).events;
      expect(events.slice(2)).toEqual(alone);
    },
  );
});
