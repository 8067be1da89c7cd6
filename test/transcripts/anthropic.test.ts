import { describe, expect, it } from 'vitest';
import { at, CLAUDE, lines } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No program here writes these: the messages are made after Anthropic's reference of the Messages API.

const [ask, answer, results, last] = CLAUDE.records as [object, object, object, object];

describe('Anthropic messages', () => {
  it('says which result is an error, and counts what the cache gave and took beside the input', () => {
    const { events, facts } = readText(lines(...CLAUDE.records));
    expect(facts).toEqual({ model: 'claude-sonnet-4-5' });
    expect(events[1]).toMatchObject({ usage: { input: 60, output: 20, cachedInput: 40 }, at });
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { status: 'ok' },
      { status: 'error' },
    ]);
  });

  it('takes the parts of one response, written a line each, for one', () => {
    const { content, ...envelope } = answer as { content: object[] };
    const { events } = readText(
      lines(ask, ...content.map((block) => ({ ...envelope, content: [block] })), results),
    );
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 2, 'tool-result': 2 });
    expect(events[1]).toMatchObject({ usage: { input: 60, output: 20, cachedInput: 40 }, text: 'I look.' });
  });

  it('takes words beside results for the host\u2019s', () => {
    const beside = {
      ...results,
      content: [...(results as { content: object[] }).content, { type: 'text', text: 'Mind the time.' }],
    };
    const { events } = readText(lines(ask, answer, beside));
    expect(events.at(-1)).toEqual({ type: 'user', by: 'host', text: 'Mind the time.', at });
    expect(events.at(-2)).toMatchObject({ type: 'tool-result', id: 'call-2' });
  });

  it('reads the tools that run at the provider, whose results are the model\u2019s own blocks', () => {
    const searched = {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 'a', name: 'web_search', input: { query: 'x' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'a',
          content: [{ type: 'web_search_result', url: 'https://x.test' }],
        },
        { type: 'server_tool_use', id: 'b', name: 'web_search', input: { query: 'y' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'b',
          content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
        },
        { type: 'mcp_tool_use', id: 'c', name: 'echo', server_name: 's', input: {} },
        {
          type: 'mcp_tool_result',
          tool_use_id: 'c',
          is_error: true,
          content: [{ type: 'text', text: 'gone' }],
        },
      ],
    };
    const { format, events } = readText(lines(ask, searched));
    expect(format).toBe('anthropic');
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { id: 'a', status: 'ok' },
      { id: 'b', status: 'error', output: 'max_uses_exceeded' },
      { id: 'c', status: 'error', output: 'gone' },
    ]);
  });

  it('tells each message of a log once, though the marks for the cache wander', () => {
    const marked = {
      role: 'user',
      content: [{ type: 'text', text: 'Fix it.', cache_control: { type: 'ephemeral' } }],
    };
    const unmarked = { role: 'user', content: [{ type: 'text', text: 'Fix it.' }] };
    const { usage: _, ...sent } = answer as { usage: object };
    const first = { request: { model: 'm', messages: [marked] }, response: answer };
    const next = {
      request: { model: 'm', messages: [unmarked, sent, results] },
      response: { ...last, type: 'message', id: 'msg-2' },
    };
    const { format, events } = readText(lines(first, next));
    expect(format).toBe('anthropic');
    expect(tallied(events)).toEqual({ user: 1, turn: 2, 'tool-call': 2, 'tool-result': 2 });
  });

  it('reads requests and responses that have a line each', () => {
    const { events } = readText(
      lines({ messages: [ask] }, answer, { messages: [ask, { ...answer, usage: undefined }, results] }),
    );
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 2, 'tool-result': 2 });
  });

  it('says what is wrong with a call that names no tool', () => {
    const nameless = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: {} }] };
    expect(readText(lines(ask, nameless)).problems).toEqual(['2: a tool call without a name']);
  });
});
