import { describe, expect, it } from 'vitest';
import { at, lines, RESPONSES } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No program here writes these: the items are made after OpenAI's reference of Responses, and the Agents SDK's types.

const ask = { role: 'user', content: 'Fix the build.' };
const endings = (...items: object[]) =>
  readText(lines(RESPONSES.records[1] as object, ...items)).events.flatMap((event) =>
    event.type === 'tool-result' ? [[event.status, event.output]] : [],
  );

describe('OpenAI Responses', () => {
  it('has no sign of success or failure for a function', () => {
    const { events } = readText(lines(...RESPONSES.records));
    expect(events.at(-2)).toEqual({
      type: 'tool-result',
      id: 'call-2',
      status: 'unknown',
      output: 'no rule to make target',
      at,
    });
  });

  it('knows how a shell, a patch and the tools of the provider ended', () => {
    const shell = (...codes: number[]) => ({
      type: 'shell_call_output',
      call_id: 's',
      output: codes.map((exit_code) => ({
        stdout: `code ${exit_code}`,
        stderr: '',
        outcome: { type: 'exit', exit_code },
      })),
    });
    expect(
      endings(
        shell(0),
        shell(0, 2),
        {
          type: 'shell_call_output',
          call_id: 's',
          output: [{ stdout: '', stderr: 'slow', outcome: { type: 'timeout' } }],
        },
        { type: 'apply_patch_call_output', call_id: 'p', status: 'completed', output: 'done' },
        { type: 'apply_patch_call_output', call_id: 'p', status: 'failed', output: 'no such file' },
        { type: 'mcp_call', id: 'm', name: 'echo', arguments: '{}', output: 'hi', error: null },
        { type: 'mcp_call', id: 'm', name: 'echo', arguments: '{}', output: null, error: 'gone' },
        { type: 'web_search_call', id: 'w', status: 'completed', action: { query: 'x' } },
        {
          type: 'code_interpreter_call',
          id: 'c',
          status: 'failed',
          code: '1/0',
          outputs: [{ type: 'logs', text: 'zero' }],
        },
      ),
    ).toEqual([
      ['ok', 'code 0'],
      ['error', 'code 0\ncode 2'],
      ['error', 'slow'],
      ['ok', 'done'],
      ['error', 'no such file'],
      ['ok', 'hi'],
      ['error', 'gone'],
      ['ok', { unseen: 'w' }],
      ['error', 'zero'],
    ]);
  });

  it('names the calls that have no name after their kind', () => {
    const { events } = readText(
      lines(
        ask,
        { type: 'local_shell_call', call_id: 'a', action: { type: 'exec', command: ['ls'] } },
        { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** Begin' },
        { type: 'computer_call', call_id: 'c', action: { type: 'click', x: 1, y: 2 } },
      ),
    );
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([
      { id: 'a', tool: 'local_shell', args: { command: ['ls'] } },
      { id: 'b', tool: 'patch', args: '*** Begin' },
      { id: 'c', tool: 'computer', args: { type: 'click' } },
    ]);
  });

  it('reads what the Agents SDK keeps', () => {
    const { format, events } = readText(
      lines(
        ask,
        { type: 'function_call', callId: 'a', name: 'read', arguments: '{"path":"x"}', status: 'completed' },
        {
          type: 'function_call_result',
          callId: 'a',
          name: 'read',
          status: 'completed',
          output: { type: 'text', text: 'hi' },
        },
        { type: 'compaction', encrypted_content: 'xyz' },
      ),
    );
    expect(format).toBe('openai-responses');
    expect(events.slice(1)).toMatchObject([
      { type: 'turn' },
      { type: 'tool-call', id: 'a', args: { path: 'x' } },
      { type: 'tool-result', id: 'a', output: 'hi' },
      { type: 'compaction' },
    ]);
  });

  it('takes what the model says between two results for one response', () => {
    const { events } = readText(lines(...RESPONSES.records));
    expect(tallied(events)).toEqual({ user: 2, turn: 2, 'tool-call': 2, 'tool-result': 2 });
  });

  it('reads a request and its response as a document, with the usage of it', () => {
    const document = {
      model: 'gpt-5',
      input: 'Fix the build.',
      output: RESPONSES.records.slice(2, 6),
      usage: { input_tokens: 100, output_tokens: 20, input_tokens_details: { cached_tokens: 30 } },
    };
    const { format, events, facts } = readText(JSON.stringify(document, null, 1));
    expect(format).toBe('openai-responses');
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 2 });
    expect(facts).toEqual({ model: 'gpt-5', usage: { input: 70, output: 20, cachedInput: 30 } });
  });

  it('tells each item of a log once, and the usage of each response', () => {
    const output = RESPONSES.records.slice(2, 6);
    const usage = { input_tokens: 100, output_tokens: 20 };
    const first = {
      request: { input: [ask] },
      response: { object: 'response', model: 'gpt-5', output, usage },
    };
    const next = {
      request: { input: [ask, ...output, ...RESPONSES.records.slice(6, 8)] },
      response: { object: 'response', output: RESPONSES.records.slice(8), usage },
    };
    const { events } = readText(lines(first, next));
    expect(tallied(events)).toEqual({ user: 1, turn: 2, 'tool-call': 2, 'tool-result': 2 });
    expect(events.filter(({ type }) => type === 'turn')).toMatchObject([
      { usage: { input: 100, output: 20 } },
      { usage: { input: 100, output: 20 } },
    ]);
  });

  it('says what is wrong with a call that names no tool', () => {
    const { problems } = readText(
      lines(RESPONSES.records[1] as object, { type: 'function_call', call_id: 'a' }),
    );
    expect(problems).toEqual(['2: a tool call without a name']);
  });
});
