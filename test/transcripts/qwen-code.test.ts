import { describe, expect, it } from 'vitest';
import { qwenCode } from '../../src/transcripts/formats/qwen-code.ts';
import { readHostile } from './hostile.ts';
import { readText, tallied } from './read.ts';

const at = (second: number) => `2026-03-01T09:00:${String(second).padStart(2, '0')}.000Z`;
const ms = (second: number) => Date.parse(at(second));
const lines = (...records: object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;

const record = (type: string, second: number, more: object) => ({
  uuid: `${type}-${second}`,
  parentUuid: null,
  sessionId: 'session-1',
  timestamp: at(second),
  type,
  cwd: '/work/shop',
  version: '0.24.4',
  ...more,
});
const says = (role: string, ...parts: object[]) => ({ message: { role, parts } });
const counted = {
  promptTokenCount: 100,
  candidatesTokenCount: 20,
  totalTokenCount: 120,
  cachedContentTokenCount: 40,
};
const usage = { input: 60, output: 20, cachedInput: 40 };
const user = (second: number, text: string, more: object = {}) =>
  record('user', second, { provenance: 'real_user', ...says('user', { text }), ...more });
const assistant = (second: number, ...parts: object[]) =>
  record('assistant', second, { model: 'qwen3', usageMetadata: counted, ...says('model', ...parts) });
const calls = (id: string, name: string, args: object = { of: id }) => ({ functionCall: { id, name, args } });
const result = (
  second: number,
  id: string,
  name: string,
  response: object,
  told: object = { status: 'success' },
) =>
  record('tool_result', second, {
    ...says('user', { functionResponse: { id, name, response } }),
    toolCallResult: { callId: id, resultDisplay: 'shown', ...told },
  });
const telemetry = (second: number, uiEvent: object) =>
  record('system', second, { subtype: 'ui_telemetry', systemPayload: { uiEvent } });

const session = [
  user(1, 'fix it'),
  telemetry(2, { 'event.name': 'qwen-code.api_response', input_token_count: 100, output_token_count: 20 }),
  assistant(
    2,
    { text: 'a plan', thought: true },
    { text: 'I look.' },
    calls('a', 'read_file'),
    calls('b', 'glob'),
  ),
  telemetry(3, {
    'event.name': 'qwen-code.tool_call',
    call_id: 'a',
    function_name: 'read_file',
    success: true,
  }),
  result(3, 'a', 'read_file', { output: 'text' }),
  result(4, 'b', 'glob', { error: 'broken' }, { status: 'error', errorType: 'glob_execution_error' }),
  assistant(5, { text: 'Done.' }),
];

describe('a session', () => {
  it('becomes one stream, without what telemetry says again', () => {
    const { format, events, facts, problems } = readText(lines(...session));
    expect(format).toBe('qwen-code');
    expect(problems).toEqual([]);
    expect(facts).toEqual({ session: 'session-1', project: '/work/shop', version: '0.24.4', model: 'qwen3' });
    expect(events).toEqual([
      { type: 'user', text: 'fix it', at: ms(1) },
      { type: 'turn', at: ms(2), text: 'I look.', reasoning: 'a plan', usage },
      { type: 'tool-call', id: 'a', tool: 'read_file', args: { of: 'a' }, at: ms(2) },
      { type: 'tool-call', id: 'b', tool: 'glob', args: { of: 'b' }, at: ms(2) },
      { type: 'tool-result', id: 'a', tool: 'read_file', status: 'ok', output: 'text', at: ms(3) },
      {
        type: 'tool-result',
        id: 'b',
        tool: 'glob',
        status: 'error',
        output: 'broken',
        errorType: 'glob_execution_error',
        at: ms(4),
      },
      { type: 'turn', at: ms(5), text: 'Done.', usage },
    ]);
  });

  it.each([1, 7, 65_536])('is the same in pieces of %i bytes', (size) => {
    expect(readText(lines(...session), { size })).toEqual(readText(lines(...session)));
  });

  it('is recognised when it has only begun', () => {
    expect(readText(lines(user(1, 'hello'))).format).toBe('qwen-code');
    expect(
      readText(lines(record('system', 1, { subtype: 'session_source', systemPayload: {} }))).format,
    ).toBe('qwen-code');
  });

  it('keeps what came before a line that is cut off, or broken', () => {
    const whole = readText(lines(...session));
    const cut = readText(`${lines(...session)}{"uuid":"x","par`);
    expect(cut.events).toEqual(whole.events);
    expect(cut.problems).toEqual(['8: the last line is not finished']);
    const broken = readText(lines(...session).replace('"subtype":"ui_telemetry"', '"subtype:"'));
    expect(broken.events).toEqual(whole.events);
    expect(broken.problems).toEqual(['2: not JSON']);
  });

  it('says which message it cannot read', () => {
    const { events, problems } = readText(lines(user(1, 'hello'), record('assistant', 2, { message: null })));
    expect(tallied(events)).toEqual({ user: 1 });
    expect(problems).toEqual(['2: a message without parts']);
  });

  it.each([
    [{ subtype: 'notification', provenance: 'system' }, 'host'],
    [{ subtype: 'cron', provenance: undefined }, 'host'],
    [{ provenance: 'goal_control' }, 'host'],
    [{ subtype: 'mid_turn_user_message' }, undefined],
    [{ provenance: undefined }, undefined],
  ])('tells a person from the host: %j', (more, by) => {
    const { events } = readText(lines(user(1, 'hello', more)));
    expect(events).toEqual([{ type: 'user', text: 'hello', by, at: ms(1) }]);
  });

  it('takes reminders for what they are', () => {
    const { events } = readText(lines(user(1, '<system-reminder>\nmind\n</system-reminder>\n\nfix it')));
    expect(events).toEqual([
      { type: 'user', text: '<system-reminder>\nmind\n</system-reminder>', by: 'host', at: ms(1) },
      { type: 'user', text: 'fix it', at: ms(1) },
    ]);
  });

  it('counts thoughts once, beside the answer or within it', () => {
    const thinking = (total: number) =>
      lines({
        ...assistant(1, { text: 'x' }),
        usageMetadata: { ...counted, thoughtsTokenCount: 15, totalTokenCount: total },
      });
    expect(readText(thinking(120)).events).toMatchObject([{ usage: { input: 60, output: 20 } }]);
    expect(readText(thinking(135)).events).toMatchObject([{ usage: { input: 60, output: 35 } }]);
  });

  it('tells nothing of what a branch has copied, but for the model', () => {
    const forkedFrom = { sessionId: 'session-0' };
    const { events, facts } = readText(
      lines(
        { ...user(1, 'fix it'), forkedFrom },
        { ...assistant(2, calls('a', 'glob')), forkedFrom },
        { ...result(3, 'a', 'glob', { output: 'x' }), forkedFrom },
        record('system', 4, { subtype: 'session_model', systemPayload: { modelId: 'qwen4' }, forkedFrom }),
        record('system', 5, { subtype: 'chat_compression', systemPayload: {}, forkedFrom }),
        user(6, 'again'),
      ),
    );
    expect(events).toEqual([{ type: 'user', text: 'again', at: ms(6) }]);
    expect(facts).toMatchObject({ session: 'session-1', model: 'qwen4' });
  });

  it('knows compactions, models and parents', () => {
    const system = (subtype: string, systemPayload: object) =>
      record('system', 3, { subtype, systemPayload });
    const { events, facts } = readText(
      lines(
        user(1, 'hello'),
        system('chat_compression', { compressedHistory: [] }),
        system('session_model', { modelId: 'qwen4' }),
        system('parent_session', { parentSessionId: 'session-0' }),
        system('rewind', { truncatedCount: 1 }),
      ),
    );
    expect(events.slice(1)).toEqual([{ type: 'compaction', at: ms(3) }]);
    expect(facts).toMatchObject({ model: 'qwen4', parent: 'session-0' });
  });

  it('names the tool that is called through another', () => {
    const { events } = readText(
      lines(
        assistant(1, calls('a', 'tool_call', { name: 'mcp__shop__find', arguments: { id: 7 } })),
        result(2, 'a', 'tool_call', { output: 'x' }),
      ),
    );
    expect(events[1]).toMatchObject({ tool: 'mcp__shop__find', args: { id: 7 } });
    expect(events[2]).not.toHaveProperty('tool', 'tool_call');
  });

  it.each([
    [{ error: 'no' }, { status: 'error', errorType: 'execution_denied' }, 'blocked'],
    [{ error: 'no' }, { status: 'error', errorType: 'invalid_tool_params' }, 'invalid'],
    [{ error: 'no' }, { status: 'error', errorType: 'tool_not_registered' }, 'unknown-tool'],
    [
      { error: '[Operation Cancelled] Reason: User did not allow tool call' },
      { status: 'cancelled' },
      'denied',
    ],
    [{ error: '[Operation Cancelled] Reason: stop' }, { status: 'cancelled' }, 'cancelled'],
    [
      { output: 'Output: x\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 5' },
      { status: 'success' },
      'error',
    ],
    [
      { output: 'Output: x\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)' },
      {},
      'ok',
    ],
    [{ error: 'Tool "x" not found in registry.' }, {}, 'unknown-tool'],
  ])('tells how a call ended: %j, %j', (response, told, status) => {
    const { events } = readText(
      lines(result(1, 'a', 'run_shell_command', response, { status: undefined, ...told })),
    );
    expect(events).toMatchObject([{ status }]);
  });

  it('reads a result that has no response', () => {
    const { events } = readText(
      lines(
        record('tool_result', 1, { ...says('user'), toolCallResult: { callId: 'a', status: 'cancelled' } }),
      ),
    );
    expect(events).toMatchObject([{ type: 'tool-result', id: 'a', status: 'cancelled' }]);
  });

  it('is read whatever its values are', () => {
    expect(readHostile(qwenCode, session).length).toBeGreaterThan(500);
  });
});

describe('a sub-agent', () => {
  const own = { agentId: 'scout-1', isSidechain: true };
  const part = (second: number, ...parts: object[]) =>
    record('assistant', second, { ...own, ...says('model', ...parts) });
  const file = [
    record('user', 1, { ...own, ...says('user', { text: 'look around' }) }),
    { ...part(2), usageMetadata: counted },
    part(3, calls('a', 'glob')),
    part(4, calls('b', 'glob')),
    { ...result(5, 'a', 'glob', { output: 'x' }, {}), ...own },
    { ...result(5, 'b', 'glob', { error: 'y' }, {}), ...own },
    part(6, calls('c', 'glob')),
  ];

  it('has a file of its own, in which a response takes several records', () => {
    const { events, facts } = readText(lines(...file));
    expect(facts).toMatchObject({ session: 'scout-1', parent: 'session-1' });
    expect(events.map(({ type }) => type)).toEqual([
      'user',
      'turn',
      'tool-call',
      'tool-call',
      'tool-result',
      'tool-result',
      'turn',
      'tool-call',
    ]);
    expect(events[0]).toMatchObject({ by: 'host' });
    expect(events[1]).toMatchObject({ usage });
    expect(events.some((event) => event.agent !== undefined)).toBe(false);
  });

  it('is named where its records stand among those of the session', () => {
    const { events } = readText(lines(user(0, 'hello'), ...file.slice(1, 5)));
    expect(events.slice(1).every((event) => event.agent === 'scout-1')).toBe(true);
  });

  it('has a note beside its file', () => {
    const note = {
      agentId: 'scout-1',
      agentType: 'scout',
      parentSessionId: 'session-1',
      createdAt: at(1),
      model: 'qwen3',
    };
    expect(readText(JSON.stringify(note, null, 2))).toMatchObject({
      format: 'qwen-code',
      events: [],
      facts: { session: 'scout-1', parent: 'session-1', startedAt: ms(1), model: 'qwen3' },
      problems: [],
    });
  });
});

describe('what is written to stdout', () => {
  const init = {
    type: 'system',
    subtype: 'init',
    session_id: 'session-2',
    cwd: '/work/shop',
    model: 'qwen3',
    qwen_code_version: '0.24.4',
  };
  const message = (id: string, input: number, content: object[], parent: string | null = null) => ({
    type: 'assistant',
    session_id: 'session-2',
    parent_tool_use_id: parent,
    message: {
      id,
      role: 'assistant',
      content,
      usage: { input_tokens: input, output_tokens: input / 5, cache_read_input_tokens: input / 2 },
    },
  });
  const reply = (content: unknown, parent: string | null = null) => ({
    type: 'user',
    session_id: 'session-2',
    parent_tool_use_id: parent,
    message: { role: 'user', content },
  });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'agent', input: { of: id } });
  const answer = (id: string, content: unknown, is_error = false) => ({
    type: 'tool_result',
    tool_use_id: id,
    is_error,
    content,
  });
  const stream = [
    init,
    { type: 'stream_event', event: { type: 'goal_state' } },
    message('1', 0, [{ type: 'thinking', thinking: 'a plan' }]),
    message('2', 0, [{ type: 'text', text: 'I look.' }]),
    message('3', 100, [use('a')]),
    reply([{ type: 'text', text: 'look around' }], 'a'),
    message('4', 0, [use('b')], 'a'),
    reply([answer('b', 'no such file', true)], 'a'),
    reply([answer('a', [{ type: 'text', text: 'seen' }])]),
    message('5', 100, [{ type: 'text', text: 'Done.' }]),
    reply('Background agent "x" completed.'),
    { type: 'system', subtype: 'compact_boundary' },
    reply('thanks'),
    { type: 'result', usage: { input_tokens: 900, output_tokens: 9 } },
  ];

  it('has the parts of a response in messages of their own', () => {
    const { format, events, facts } = readText(lines(...stream));
    expect(format).toBe('qwen-code');
    expect(facts).toEqual({ session: 'session-2', project: '/work/shop', model: 'qwen3', version: '0.24.4' });
    const paid = { input: 50, output: 20, cachedInput: 50 };
    expect(events).toEqual([
      { type: 'turn', reasoning: 'a plan', text: 'I look.', usage: paid },
      { type: 'tool-call', id: 'a', tool: 'agent', args: { of: 'a' } },
      { type: 'user', text: 'look around', by: 'host', agent: 'a' },
      { type: 'turn', agent: 'a' },
      { type: 'tool-call', id: 'b', tool: 'agent', args: { of: 'b' }, agent: 'a' },
      { type: 'tool-result', id: 'b', status: 'error', output: 'no such file', agent: 'a' },
      { type: 'tool-result', id: 'a', status: 'ok', output: 'seen' },
      { type: 'turn', text: 'Done.', usage: paid },
      { type: 'user', text: 'Background agent "x" completed.', by: 'host' },
      { type: 'compaction' },
      { type: 'user', text: 'thanks' },
    ]);
  });

  it('is not taken for the stream it resembles, whatever the model', () => {
    const [first, ...rest] = stream;
    const { format } = readText(
      lines({ ...first, model: 'claude-x', permissionMode: 'yolo', tools: [] }, ...rest),
    );
    expect(format).toBe('qwen-code');
  });

  it('is the same in pieces, and whatever its values are', () => {
    expect(readText(lines(...stream), { size: 7 })).toEqual(readText(lines(...stream)));
    expect(readHostile(qwenCode, stream).length).toBeGreaterThan(300);
  });
});

it.each([
  { type: 'user', uuid: 'u', sessionId: 's', timestamp: at(0), message: { role: 'user', content: 'hello' } },
  { type: 'system', subtype: 'compact_boundary', uuid: 'u', sessionId: 's', content: 'x' },
  { type: 'system', subtype: 'init', session_id: 's', cwd: '/work', model: 'm', claude_code_version: '2' },
  { sessionId: 's', projectHash: 'abc' },
])('leaves to others: %j', (value) => {
  expect(readText(lines(value), { formats: [qwenCode] }).format).toBeNull();
});
