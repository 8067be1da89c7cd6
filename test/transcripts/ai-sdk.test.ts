import { describe, expect, it } from 'vitest';
import { at, lines, MODEL } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No recording: messages and steps are made after the types of the AI SDK, versions 4 to 7.

const [system, ask, answer] = MODEL.records as [object, object, object];
const usage = {
  inputTokens: 100,
  inputTokenDetails: { noCacheTokens: 60, cacheReadTokens: 40, cacheWriteTokens: 0 },
  outputTokens: 20,
  totalTokens: 120,
};
const step = (stepNumber: number, ...content: object[]) => ({
  stepNumber,
  model: { provider: 'openai', modelId: 'gpt-5' },
  content,
  finishReason: 'tool-calls',
  usage,
  response: { id: 'r', timestamp: new Date(at).toISOString(), modelId: 'gpt-5-2025' },
});
const call = (toolCallId: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'run',
  input: { n: toolCallId },
  ...more,
});
const endings = (...outputs: object[]) => {
  const content = outputs.map((output, index) => ({
    type: 'tool-result',
    toolCallId: `c${index}`,
    toolName: 'run',
    ...output,
  }));
  return readText(lines(ask, answer, { role: 'tool', content })).events.flatMap((event) =>
    event.type === 'tool-result' ? [[event.status, event.output]] : [],
  );
};

describe('AI SDK model messages', () => {
  it('knows every kind of ending', () => {
    expect(
      endings(
        { output: { type: 'text', value: 'hi' } },
        { output: { type: 'json', value: { a: 1 } } },
        { output: { type: 'json', value: { isError: true, content: [] } } },
        { output: { type: 'content', value: [{ type: 'text', text: 'hi' }] } },
        { output: { type: 'error-text', value: 'boom' } },
        { output: { type: 'error-json', value: { code: 7 } } },
        { output: { type: 'execution-denied', reason: 'not now' } },
        {
          output: {
            type: 'error-text',
            value: "Model tried to call unavailable tool 'x'. Available tools: run.",
          },
        },
        { output: { type: 'error-text', value: 'Invalid input for tool run: Type validation failed' } },
        { result: 'old' },
        { result: 'old', isError: true },
      ),
    ).toEqual([
      ['ok', 'hi'],
      ['ok', '{"a":1}'],
      ['error', '{"isError":true,"content":[]}'],
      ['ok', 'hi'],
      ['error', 'boom'],
      ['error', '{"code":7}'],
      ['denied', 'not now'],
      ['unknown-tool', "Model tried to call unavailable tool 'x'. Available tools: run."],
      ['invalid', 'Invalid input for tool run: Type validation failed'],
      ['ok', 'old'],
      ['error', 'old'],
    ]);
  });

  const steps = [
    step(0, { type: 'text', text: 'I look.' }, call('a'), {
      type: 'tool-result',
      toolCallId: 'a',
      toolName: 'run',
      output: { ok: true },
    }),
    step(1, call('b'), { type: 'tool-error', toolCallId: 'b', toolName: 'run', error: { message: 'boom' } }),
  ];
  const told = [
    { type: 'turn', text: 'I look.', usage: { input: 60, output: 20, cachedInput: 40 }, at },
    { type: 'tool-call', id: 'a', tool: 'run', args: { n: 'a' } },
    { type: 'tool-result', id: 'a', status: 'ok', output: '{"ok":true}' },
    { type: 'turn', usage: { input: 60, output: 20, cachedInput: 40 } },
    { type: 'tool-call', id: 'b', args: { n: 'b' } },
    { type: 'tool-result', id: 'b', status: 'error', output: 'boom' },
  ];

  it('reads the steps of a run, a line each or as a list', () => {
    for (const text of [lines(...steps), JSON.stringify(steps), JSON.stringify({ steps }, null, 1)]) {
      const { format, events, facts } = readText(text);
      expect(format).toBe('ai-sdk');
      expect(facts).toEqual({ model: 'gpt-5' });
      expect(events).toMatchObject(told);
    }
  });

  it('reads steps that were logged with what they have in a nutshell', () => {
    const brief = {
      text: 'I look.',
      toolCalls: [{ toolCallId: 'a', toolName: 'run', args: { n: 1 } }],
      toolResults: [{ toolCallId: 'a', toolName: 'run', args: { n: 1 }, result: 'hi' }],
      finishReason: 'tool-calls',
      usage: { promptTokens: 5, completionTokens: 2 },
    };
    expect(readText(lines(brief, brief)).events.slice(0, 3)).toMatchObject([
      { type: 'turn', text: 'I look.', usage: { input: 5, output: 2 } },
      { type: 'tool-call', args: { n: 1 } },
      { type: 'tool-result', output: 'hi', status: 'ok' },
    ]);
  });

  it('tells a run once that is there as messages and as steps', () => {
    const prompt = readText(JSON.stringify({ messages: [system, ask], steps }, null, 1));
    expect(prompt.events.slice(2)).toMatchObject(told);
    const both = readText(
      JSON.stringify({ messages: MODEL.records, steps, usage: { inputTokens: 1, outputTokens: 1 } }, null, 1),
    );
    expect(tallied(both.events)).toEqual({ user: 2, turn: 2, 'tool-call': 2, 'tool-result': 2 });
    expect(both.facts.usage).toEqual({ input: 120, output: 40, cachedInput: 80 });
    const turned = readText(JSON.stringify({ steps, messages: MODEL.records }, null, 1));
    expect(turned.events).toMatchObject(told);
  });

  it('says what is wrong with a call that names no tool', () => {
    const nameless = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', input: {} }] };
    expect(readText(lines(ask, nameless)).problems).toEqual(['2: a tool call without a name']);
  });
});
