import { describe, expect, it } from 'vitest';
import { at, lines, UI } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No recording: messages are made after the types of the AI SDK, versions 4 to 7.

const [, ask, answer] = UI.records as [object, object, object];
const message = (...parts: object[]) => ({ id: 'm', role: 'assistant', parts });
const part = (state: string, more: object = {}) => ({
  type: 'tool-run',
  toolCallId: state,
  state,
  input: { a: 1 },
  ...more,
});

describe('AI SDK UI messages', () => {
  it('tells the usage of a message with its last step', () => {
    const { events, facts } = readText(lines(...UI.records));
    expect(facts).toEqual({ model: 'gpt-5' });
    expect(events.flatMap((event) => (event.type === 'turn' ? [[event.at, event.usage]] : []))).toEqual([
      [at, undefined],
      [at, { input: 60, output: 20, cachedInput: 40 }],
    ]);
  });

  it('knows every state of a call', () => {
    const { events } = readText(
      lines(
        ask,
        message(
          part('input-streaming'),
          part('input-available'),
          part('approval-requested', { approval: { id: 'x' } }),
          part('approval-responded', { approval: { id: 'x', approved: true } }),
          part('output-available', { output: { content: [] } }),
          part('output-error', { errorText: 'boom' }),
          {
            ...part('output-error', { errorText: 'not so', input: undefined, rawInput: '{"a"' }),
            toolCallId: 'refused',
          },
          {
            type: 'dynamic-tool',
            toolName: 'x',
            toolCallId: 'nobody',
            state: 'output-error',
            input: {},
            errorText: "Model tried to call unavailable tool 'x'.",
          },
          part('output-denied', { approval: { id: 'x', approved: false, reason: 'not now' } }),
          { ...part('output-available', { output: 'half', preliminary: true }), toolCallId: 'preliminary' },
        ),
      ),
    );
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.id] : []))).toEqual([
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-error',
      'refused',
      'nobody',
      'output-denied',
      'preliminary',
    ]);
    expect(
      events.flatMap((event) =>
        event.type === 'tool-result' ? [[event.id, event.status, event.output]] : [],
      ),
    ).toEqual([
      ['output-available', 'ok', '{"content":[]}'],
      ['output-error', 'error', 'boom'],
      ['refused', 'invalid', 'not so'],
      ['nobody', 'unknown-tool', "Model tried to call unavailable tool 'x'."],
      ['output-denied', 'denied', 'not now'],
    ]);
  });

  it('reads the invocations of version 4', () => {
    const invocation = (state: string, more: object = {}) => ({
      type: 'tool-invocation',
      toolInvocation: { state, toolCallId: state, toolName: 'run', args: { a: 1 }, ...more },
    });
    const { events } = readText(
      lines(
        ask,
        message(invocation('partial-call'), invocation('call'), invocation('result', { result: 'hi' })),
      ),
    );
    expect(events.slice(2)).toMatchObject([
      { type: 'tool-call', id: 'call', tool: 'run', args: { a: 1 } },
      { type: 'tool-call', id: 'result' },
      { type: 'tool-result', id: 'result', output: 'hi', status: 'ok' },
    ]);
  });

  it('tells a message once that was saved again with more in it', () => {
    const open = message(part('x', { state: 'input-available' }));
    const done = message(part('x', { state: 'output-available', output: 'hi' }));
    const { events } = readText(lines(ask, open, done, done));
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 1, 'tool-result': 1 });
  });

  it('begins a response where the message has no steps', () => {
    expect(tallied(readText(lines(ask, message({ type: 'text', text: 'Hi.' }))).events)).toEqual({
      user: 1,
      turn: 1,
    });
    expect(tallied(readText(lines(answer)).events)).toEqual({ turn: 2, 'tool-call': 2, 'tool-result': 2 });
  });

  it('says what is wrong with a call that names no tool', () => {
    const nameless = message({ type: 'dynamic-tool', toolCallId: 'a', state: 'input-available', input: {} });
    expect(readText(lines(ask, nameless)).problems).toEqual(['2: a tool call without a name']);
  });
});
