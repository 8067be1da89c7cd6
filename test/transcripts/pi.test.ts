import { describe, expect, it } from 'vitest';
import { pi } from '../../src/transcripts/formats/pi.ts';
import { readHostile } from './hostile.ts';
import { readText, tallied } from './read.ts';

const at = (second: number) => `2026-03-01T09:00:${String(second).padStart(2, '0')}.000Z`;
const ms = (second: number) => Date.parse(at(second));
const lines = (...records: object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;

const header = { type: 'session', version: 3, id: 'session-1', timestamp: at(0), cwd: '/work/shop' };
const entry = (type: string, second: number, more: object) => ({
  type,
  id: `${type}-${second}`,
  parentId: null,
  timestamp: at(second),
  ...more,
});
const message = (second: number, role: string, content: unknown, more: object = {}) =>
  entry('message', second, { message: { role, content, timestamp: ms(second) - 500, ...more } });
const assistant = (second: number, content: unknown, more: object = {}) =>
  message(second, 'assistant', content, {
    model: 'model-1',
    provider: 'mock',
    usage: { input: 100, output: 20, cacheRead: 40, cacheWrite: 10, totalTokens: 170 },
    stopReason: 'toolUse',
    ...more,
  });
const call = (id: string, name = 'bash') => ({ type: 'toolCall', id, name, arguments: { of: id } });
const result = (second: number, id: string, text: string, isError?: boolean, more: object = {}) =>
  message(second, 'toolResult', [{ type: 'text', text }], {
    toolCallId: id,
    toolName: 'bash',
    isError,
    ...more,
  });
const usage = { input: 110, output: 20, cachedInput: 40 };

const session = [
  header,
  entry('model_change', 0, { provider: 'mock', modelId: 'model-0' }),
  entry('thinking_level_change', 0, { thinkingLevel: 'off' }),
  message(1, 'user', [{ type: 'text', text: 'fix it' }]),
  assistant(2, [
    { type: 'thinking', thinking: 'a plan' },
    { type: 'text', text: 'I look.' },
    call('a'),
    call('b'),
  ]),
  result(3, 'a', 'hi', false),
  result(4, 'b', 'no\n\nCommand exited with code 2', true),
  assistant(5, [{ type: 'text', text: 'Done.' }], { stopReason: 'stop' }),
];

describe('a session', () => {
  it('becomes one stream', () => {
    const { format, events, facts, problems } = readText(lines(...session));
    expect(format).toBe('pi');
    expect(problems).toEqual([]);
    expect(facts).toEqual({
      session: 'session-1',
      project: '/work/shop',
      startedAt: ms(0),
      model: 'model-1',
    });
    expect(events).toEqual([
      { type: 'user', text: 'fix it', at: ms(1) },
      { type: 'turn', at: ms(2), text: 'I look.', reasoning: 'a plan', usage },
      { type: 'tool-call', id: 'a', tool: 'bash', args: { of: 'a' }, at: ms(2) },
      { type: 'tool-call', id: 'b', tool: 'bash', args: { of: 'b' }, at: ms(2) },
      { type: 'tool-result', id: 'a', tool: 'bash', status: 'ok', output: 'hi', at: ms(3) },
      {
        type: 'tool-result',
        id: 'b',
        tool: 'bash',
        status: 'error',
        output: 'no\n\nCommand exited with code 2',
        at: ms(4),
      },
      { type: 'turn', at: ms(5), text: 'Done.', usage },
    ]);
  });

  it.each([1, 7, 65_536])('is the same in pieces of %i bytes', (size) => {
    expect(readText(lines(...session), { size })).toEqual(readText(lines(...session)));
  });

  it('is recognised when it has only begun', () => {
    expect(readText(lines(header, message(1, 'user', 'hello'))).format).toBe('pi');
  });

  it('keeps what came before a line that is cut off, or broken', () => {
    const whole = readText(lines(...session));
    const cut = readText(`${lines(...session)}{"type":"mess`);
    expect(cut.events).toEqual(whole.events);
    expect(cut.problems).toEqual(['9: the last line is not finished']);
    const broken = readText(lines(...session).replace('"thinkingLevel":"off"', '"thinkingLevel:"'));
    expect(broken.events).toEqual(whole.events);
    expect(broken.problems).toEqual(['3: not JSON']);
    expect(readText(lines(header, entry('message', 1, { message: 'gone' }))).problems).toEqual([
      '2: a message without content',
    ]);
  });

  it('tells a person from an extension', () => {
    const { events } = readText(
      lines(
        header,
        entry('custom_message', 1, { customType: 'guard', content: 'mind', display: true }),
        message(2, 'custom', 'the gap'),
        message(3, 'bashExecution', undefined, { command: 'ls', output: 'x' }),
        message(4, 'bashExecution', undefined, { command: 'pwd', excludeFromContext: true }),
        entry('custom', 5, { customType: 'state', data: {} }),
        entry('branch_summary', 6, { summary: 'x', fromId: 'y' }),
      ),
    );
    expect(events).toEqual([
      { type: 'user', text: 'mind', by: 'host', at: ms(1) },
      { type: 'user', text: 'the gap', by: 'host', at: ms(2) },
      { type: 'user', text: 'ls', at: ms(3) },
    ]);
  });

  it('does not tell calls of a response that broke off', () => {
    const { events } = readText(
      lines(header, assistant(1, [call('a')], { stopReason: 'error' }), assistant(2, [call('b')])),
    );
    expect(tallied(events)).toEqual({ turn: 2, 'tool-call': 1 });
  });

  it('tells nothing of what a fork has copied', () => {
    const { events, facts } = readText(
      lines(
        { ...header, timestamp: at(9), parentSession: '/old.jsonl' },
        message(1, 'user', 'fix it'),
        assistant(2, [call('a')]),
        result(3, 'a', 'hi', false),
        entry('compaction', 4, { summary: 'x' }),
        entry('model_change', 5, { modelId: 'model-2' }),
        message(10, 'user', 'again'),
        assistant(11, [], { model: undefined }),
      ),
    );
    expect(events).toEqual([
      { type: 'user', text: 'again', at: ms(10) },
      { type: 'turn', usage, at: ms(11) },
    ]);
    expect(facts).toMatchObject({ model: 'model-2', startedAt: ms(9) });
  });

  it('knows a compaction', () => {
    const { events } = readText(lines(header, entry('compaction', 1, { summary: 'x', tokensBefore: 9 })));
    expect(events).toEqual([{ type: 'compaction', at: ms(1) }]);
  });

  it.each([
    ['Validation failed for tool "bash":\n  - x', true, 'invalid'],
    ['Tool bash not found', true, 'unknown-tool'],
    ['Tool execution was blocked', true, 'blocked'],
    ['Operation aborted', true, 'cancelled'],
    ['half\n\nCommand aborted', true, 'cancelled'],
    ['Tool bash not found', false, 'ok'],
    ['anything', undefined, 'unknown'],
  ])('tells how a call ended: %s, %s', (text, isError, status) => {
    expect(readText(lines(header, result(1, 'a', text, isError))).events).toMatchObject([{ status }]);
  });

  it('is read whatever its values are', () => {
    expect(readHostile(pi, session).length).toBeGreaterThan(500);
  });
});

describe('what is written to stdout', () => {
  const said = session.flatMap((record) => ('message' in record ? [record.message] : []));
  const stream = [
    header,
    { type: 'agent_start' },
    ...said.flatMap((whole) => [
      { type: 'message_start', message: { ...(whole as object), content: [] } },
      {
        type: 'message_update',
        message: whole,
        assistantMessageEvent: { type: 'text_delta', partial: whole },
      },
      { type: 'message_end', message: whole },
    ]),
    { type: 'turn_end', message: said.at(-1), toolResults: said.slice(2, 4) },
    { type: 'agent_end', messages: said },
  ];

  it('tells every message once', () => {
    const { format, events } = readText(lines(...stream));
    expect(format).toBe('pi');
    const timeless = (all: readonly object[]) => all.map((event) => ({ ...event, at: undefined }));
    expect(timeless(events)).toEqual(timeless(readText(lines(...session)).events));
    expect(events[0]).toMatchObject({ at: ms(1) - 500 });
  });

  it('knows a compaction that came to an end', () => {
    const { events } = readText(
      lines(
        header,
        { type: 'auto_compaction_end', aborted: true },
        { type: 'auto_compaction_end', aborted: false, result: { summary: 'x' } },
        { type: 'compaction_end', result: { summary: 'x' } },
      ),
    );
    expect(events).toEqual([{ type: 'compaction' }, { type: 'compaction' }]);
  });

  it('is the same in pieces', () => {
    expect(readText(lines(...stream), { size: 7 })).toEqual(readText(lines(...stream)));
  });
});

it.each([
  { type: 'session', session: 's', model: 'm', project: '/work' },
  { type: 'message', id: 'msg_1', role: 'user', content: [] },
  { type: 'message', role: 'user', content: 'hello', timestamp: at(0) },
  { type: 'session.start', id: 'x', timestamp: at(0), data: {} },
])('leaves to others: %j', (value) => {
  expect(readText(lines(value), { formats: [pi] }).format).toBeNull();
});
