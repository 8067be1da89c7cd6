import { describe, expect, it } from 'vitest';
import { at, CHAIN, lines } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No recording: messages are made after the serialisations of LangChain for JavaScript and Python.

const human = { type: 'human', content: 'Fix the build.' };
const result = (content: string, status?: string) => ({
  type: 'tool',
  content,
  tool_call_id: 'a',
  name: 'run',
  status,
});

describe('LangChain messages', () => {
  it('tells usage, model and endings', () => {
    const { events, facts } = readText(lines(...CHAIN.records));
    expect(facts).toEqual({ model: 'gpt-5' });
    expect(events[2]).toMatchObject({ usage: { input: 60, output: 20, cachedInput: 40 }, at });
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { tool: 'read', status: 'ok', at },
      { tool: 'run', status: 'error' },
    ]);
  });

  it('knows the words for a tool that there is none of, and says nothing where the format does not', () => {
    const { events } = readText(
      lines(
        human,
        result('Error: fly is not a valid tool, try one of [run].', 'error'),
        result('hi'),
        result('hi', 'success'),
      ),
    );
    expect(events.slice(1)).toMatchObject([
      { status: 'unknown-tool' },
      { status: 'unknown' },
      { status: 'ok' },
    ]);
  });

  it('tells calls whose arguments were not JSON, and those that only the provider\u2019s words hold', () => {
    const { events } = readText(
      lines(
        human,
        {
          type: 'ai',
          content: '',
          tool_calls: [],
          invalid_tool_calls: [{ id: 'a', name: 'run', args: '{"x":', error: 'broken' }],
        },
        {
          type: 'ai',
          content: '',
          additional_kwargs: { tool_calls: [{ id: 'b', function: { name: 'read', arguments: '{"p":1}' } }] },
        },
      ),
    );
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([
      { id: 'a', tool: 'run', args: '{"x":' },
      { id: 'b', tool: 'read', args: { p: 1 } },
    ]);
  });

  it('reads older usage', () => {
    const spent = (response_metadata: object) =>
      readText(lines(human, { type: 'ai', content: 'x', response_metadata })).events.at(-1);
    expect(spent({ tokenUsage: { promptTokens: 5, completionTokens: 2 } })).toMatchObject({
      usage: { input: 5, output: 2 },
    });
    expect(spent({ token_usage: { prompt_tokens: 5, completion_tokens: 2 } })).toMatchObject({
      usage: { input: 5, output: 2 },
    });
  });

  it('reads the state of a thread', () => {
    const { format, events } = readText(
      JSON.stringify({ values: { messages: CHAIN.records }, next: [] }, null, 1),
    );
    expect(format).toBe('langchain');
    expect(tallied(events)).toEqual({ user: 2, turn: 2, 'tool-call': 2, 'tool-result': 2 });
  });

  it('reads chunks as what they become', () => {
    expect(tallied(readText(lines(human, { type: 'AIMessageChunk', content: 'Hi.' })).events)).toEqual({
      user: 1,
      turn: 1,
    });
  });

  it('says what is wrong with a call that names no tool', () => {
    expect(
      readText(lines(human, { type: 'ai', content: '', tool_calls: [{ id: 'a', args: {} }] })).problems,
    ).toEqual(['2: a tool call without a name']);
  });
});
