import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/types.ts';
import { geminiCli } from '../../src/transcripts/formats/gemini-cli.ts';
import { createTranscript } from '../../src/transcripts/transcript.ts';
import { readHostile } from './hostile.ts';
import { readText, tallied } from './read.ts';

const at = (second: number) => `2026-03-01T09:00:${String(second).padStart(2, '0')}.000Z`;
const ms = (second: number) => Date.parse(at(second));

const header = (kind = 'main') => ({
  sessionId: 'session-1',
  projectHash: 'abc',
  startTime: at(0),
  lastUpdated: at(0),
  kind,
});
const user = (id: string, second: number, ...texts: string[]) => ({
  id,
  timestamp: at(second),
  type: 'user',
  content: texts.map((text) => ({ text })),
});
const response = (id: string, second: number, more: object = {}) => ({
  id,
  timestamp: at(second),
  type: 'gemini',
  content: '',
  thoughts: [],
  tokens: { input: 100, output: 20, cached: 40, thoughts: 5, tool: 2, total: 127 },
  model: 'gemini-2.5-flash',
  ...more,
});
const call = (id: string, name: string, second: number, told: object, status = 'success') => ({
  id,
  name,
  args: { of: id },
  status,
  timestamp: at(second),
  result: [{ functionResponse: { id, name, response: told } }],
});
const touched = (second: number) => ({ $set: { lastUpdated: at(second) } });
const lines = (...records: object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
const usage = { input: 62, output: 25, cachedInput: 40 };

const echo = call('echo-1', 'run_shell_command', 4, { output: 'Output: hi\nProcess Group PGID: 7' });
const session = [
  header(),
  {
    $set: {
      messages: [
        user(
          'context',
          0,
          '<session_context>\n- **Workspace Directories:**\n  - /work/shop\n</session_context>',
        ),
      ],
      lastUpdated: at(0),
    },
  },
  user('ask', 1, 'fix it', '<hook_context>mind the gap</hook_context>'),
  touched(1),
  response('first', 2, { content: 'I look.', thoughts: [{ subject: 'Plan', description: 'look first' }] }),
  touched(2),
  response('first', 2, { content: 'I look.', toolCalls: [echo] }),
  {
    id: 'answers',
    timestamp: at(5),
    type: 'user',
    content: echo.result,
  },
  response('second', 6, { content: 'Done.' }),
];

describe('a session', () => {
  it('becomes one stream, whose responses, calls and results are told once', () => {
    const { format, events, facts, problems } = readText(lines(...session));
    expect(format).toBe('gemini-cli');
    expect(problems).toEqual([]);
    expect(facts).toEqual({
      session: 'session-1',
      startedAt: ms(0),
      project: '/work/shop',
      model: 'gemini-2.5-flash',
    });
    expect(events).toEqual([
      { type: 'user', text: expect.stringContaining('/work/shop'), by: 'host', at: ms(0) },
      { type: 'user', text: 'fix it', at: ms(1) },
      { type: 'user', text: '<hook_context>mind the gap</hook_context>', by: 'host', at: ms(1) },
      { type: 'turn', at: ms(2), text: 'I look.', reasoning: 'Plan: look first', usage },
      { type: 'tool-call', id: 'echo-1', tool: 'run_shell_command', args: { of: 'echo-1' }, at: ms(2) },
      {
        type: 'tool-result',
        id: 'echo-1',
        tool: 'run_shell_command',
        status: 'ok',
        output: 'Output: hi\nProcess Group PGID: 7',
        at: ms(4),
      },
      { type: 'turn', at: ms(6), text: 'Done.', usage },
    ]);
  });

  it.each([1, 7, 65_536])('is the same in pieces of %i bytes', (size) => {
    expect(readText(lines(...session), { size })).toEqual(readText(lines(...session)));
  });

  it('is the same when it is followed line by line', () => {
    const events: AgentEvent[] = [];
    const live = createTranscript([geminiCli], {
      event: (event) => events.push(event),
      facts() {},
      problem() {},
    });
    for (const record of session) {
      live.push(new TextEncoder().encode(lines(record)));
      live.flush();
    }
    live.end();
    expect(events).toEqual(readText(lines(...session)).events);
  });

  it('is recognised when it has only begun', () => {
    expect(readText(lines(header(), user('ask', 1, 'hello'))).format).toBe('gemini-cli');
  });

  it('keeps what came before a line that is cut off, or broken', () => {
    const whole = readText(lines(...session));
    const cut = readText(`${lines(...session)}{"id":"third","timesta`);
    expect(cut.events).toEqual(whole.events);
    expect(cut.problems).toEqual(['10: the last line is not finished']);
    const broken = readText(lines(...session).replace('{"$set":{"lastUpdated"', '{"$set":{"lastUp'));
    expect(broken.events).toEqual(whole.events);
    expect(broken.problems).toEqual(['4: not JSON']);
  });

  it('tells an answer that comes only with the next message', () => {
    const pending = { id: 'c', name: 'read_file', args: {}, status: 'executing', timestamp: at(3) };
    const { events } = readText(
      lines(header(), response('r', 2, { toolCalls: [pending] }), {
        ...user('u', 4),
        content: [{ functionResponse: { id: 'c', name: 'read_file', response: { output: 'text' } } }],
      }),
    );
    expect(tallied(events)).toEqual({ turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(events.at(-1)).toMatchObject({ status: 'ok', output: 'text', at: ms(4) });
  });

  it('takes the last word on tokens', () => {
    const { events } = readText(
      lines(header(), response('r', 2, { tokens: null }), response('r', 2), response('r', 2)),
    );
    expect(events).toEqual([{ type: 'turn', at: ms(2), usage }]);
  });

  it('does not tell a conversation again that is written down again', () => {
    const again = { $set: { messages: session.slice(2).filter((record) => 'type' in record) } };
    expect(readText(lines(...session, again)).events).toEqual(readText(lines(...session)).events);
    expect(readText(lines(...session, { $rewindTo: 'first' })).events).toEqual(
      readText(lines(...session)).events,
    );
  });

  it('knows a compaction by the acknowledgement of its summary', () => {
    const summary = user('summary', 7, 'all that was');
    const acknowledged = {
      ...user('ok', 7, 'Got it. Thanks for the additional context!'),
      type: 'gemini',
    };
    const compacted = { $set: { messages: [summary, acknowledged, session.at(-1)] } };
    const { events } = readText(lines(...session, compacted, compacted, acknowledged));
    expect(events.at(-1)).toEqual({ type: 'compaction', at: ms(7) });
    expect(tallied(events)['compaction']).toBe(1);
  });

  it('has no person where a sub-agent is at work', () => {
    const { events } = readText(lines(header('subagent'), user('task', 1, 'look around')));
    expect(events).toEqual([{ type: 'user', text: 'look around', by: 'host', at: ms(1) }]);
  });

  it.each(['System: Potential loop detected. Details: x', 'Please continue.'])(
    'knows the words of the host: %s',
    (text) => {
      expect(readText(lines(header(), user('u', 1, text))).events).toMatchObject([{ by: 'host' }]);
    },
  );

  it.each([
    ['run_shell_command', { output: 'Output: x\nExit Code: 2\nProcess Group PGID: 7' }, 'success', 'error'],
    [
      'run_shell_command',
      {
        output:
          '<untrusted_context>\nOutput: x\nExit Code: 2\n</untrusted_context>\n\n<hook_context>y</hook_context>',
      },
      'success',
      'error',
    ],
    ['run_shell_command', { output: 'Stdout: x\nExit Code: 0\nSignal: (none)' }, 'success', 'ok'],
    ['run_shell_command', { output: 'Output: a\nExit Code: 9\nb\nProcess Group PGID: 7' }, 'success', 'ok'],
    ['read_file', { output: 'a log\nExit Code: 2\n' }, 'success', 'ok'],
    ['read_file', { error: 'File not found' }, 'error', 'error'],
    ['read_file', { error: "params must have required property 'file_path'" }, 'error', 'invalid'],
    [
      'raed_file',
      { error: 'Tool "raed_file" not found. Did you mean "read_file"?' },
      'error',
      'unknown-tool',
    ],
    ['read_file', { error: 'Tool execution blocked: no' }, 'error', 'blocked'],
    ['read_file', { error: 'Tool execution denied by policy.' }, 'error', 'blocked'],
    ['read_file', { error: '[Operation Cancelled] Reason: User denied execution.' }, 'cancelled', 'denied'],
    ['read_file', { error: '[Operation Cancelled] Reason: Operation cancelled' }, 'cancelled', 'cancelled'],
    ['mcp_x', { content: [{ type: 'text' }] }, 'success', 'ok'],
  ])('tells how %s ended: %j, %s', (name, told, status, expected) => {
    const { events } = readText(
      lines(header(), response('r', 2, { toolCalls: [call('c', name, 3, told, status)] })),
    );
    expect(events.at(-1)).toMatchObject({ type: 'tool-result', status: expected });
  });

  it('remembers no more than the latest messages', () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      response(`r${index}`, 2, { toolCalls: [call(`c${index}`, 'read_file', 3, { output: 'x' })] }),
    );
    const { events } = readText(lines(header(), ...many, { $set: { messages: many } }));
    expect(tallied(events)).toEqual({ turn: 3000, 'tool-call': 3000, 'tool-result': 3000 });
  });

  it('is read whatever its values are', () => {
    expect(readHostile(geminiCli, session).length).toBeGreaterThan(500);
  });
});

describe('the document of older versions', () => {
  const document = { ...header(), messages: session.slice(2, 9).filter((record) => 'type' in record) };

  it.each([undefined, 2])('gives the same events as the lines, indented by %s', (indent) => {
    const { format, events, facts } = readText(JSON.stringify(document, null, indent));
    expect(format).toBe('gemini-cli');
    expect(facts.session).toBe('session-1');
    expect(events).toEqual(readText(lines(...session)).events.slice(1));
  });

  it('keeps what stands before its end is missing', () => {
    const text = JSON.stringify(document, null, 2);
    const { events, problems } = readText(text.slice(0, text.lastIndexOf('Done.')));
    expect(tallied(events)).toMatchObject({ turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(problems).toEqual([expect.stringContaining('the document is not finished')]);
  });
});

describe('what is written to stdout', () => {
  const use = (second: number, id: string, tool = 'run_shell_command') => ({
    type: 'tool_use',
    timestamp: at(second),
    tool_name: tool,
    tool_id: id,
    parameters: { of: id },
  });
  const result = (second: number, id: string, more: object = {}) => ({
    type: 'tool_result',
    timestamp: at(second),
    tool_id: id,
    status: 'success',
    output: 'hi',
    ...more,
  });
  const stream = [
    { type: 'init', timestamp: at(0), session_id: 'session-2', model: 'gemini-2.5-pro' },
    { type: 'message', timestamp: at(1), role: 'user', content: 'fix it' },
    { type: 'message', timestamp: at(2), role: 'assistant', content: 'I ', delta: true },
    { type: 'message', timestamp: at(2), role: 'assistant', content: 'look.', delta: true },
    use(3, 'a'),
    use(3, 'b'),
    result(4, 'a'),
    result(4, 'b', { status: 'error', output: 'no', error: { type: 'invalid_tool_params', message: 'no' } }),
    use(5, 'c'),
    result(6, 'c', { output: 'Command exited with code: 3' }),
    { type: 'message', timestamp: at(7), role: 'assistant', content: 'Done.', delta: true },
    {
      type: 'result',
      timestamp: at(8),
      status: 'success',
      stats: { total_tokens: 330, input_tokens: 300, output_tokens: 20, cached: 100, input: 200 },
    },
  ];

  it('has its responses where the results of the one before end', () => {
    const { format, events, facts } = readText(lines(...stream));
    expect(format).toBe('gemini-cli');
    expect(facts).toEqual({
      session: 'session-2',
      model: 'gemini-2.5-pro',
      startedAt: ms(0),
      usage: { input: 200, output: 30, cachedInput: 100 },
    });
    expect(events.map((event) => [event.type, 'status' in event ? event.status : undefined])).toEqual([
      ['user', undefined],
      ['turn', undefined],
      ['tool-call', undefined],
      ['tool-call', undefined],
      ['tool-result', 'ok'],
      ['tool-result', 'invalid'],
      ['turn', undefined],
      ['tool-call', undefined],
      ['tool-result', 'error'],
      ['turn', undefined],
    ]);
    expect(events[1]).toEqual({ type: 'turn', at: ms(2), text: 'I look.' });
  });

  it('is the same in pieces, and whatever its values are', () => {
    expect(readText(lines(...stream), { size: 7 })).toEqual(readText(lines(...stream)));
    expect(readHostile(geminiCli, stream).length).toBeGreaterThan(200);
  });
});

it.each([
  { type: 'session', version: 3, id: 'x', timestamp: at(0), cwd: '/work' },
  { uuid: 'u', parentUuid: null, sessionId: 's', timestamp: at(0), type: 'user', message: { parts: [] } },
  { type: 'message', role: 'user', content: 'hello' },
  { type: 'tool_use', id: 'x', name: 'Bash', input: {} },
])('leaves to others: %j', (record) => {
  expect(readText(lines(record), { formats: [geminiCli] }).format).toBeNull();
});
