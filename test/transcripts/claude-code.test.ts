import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/transcripts/formats/claude-code.ts';
import { readHostile } from './hostile.ts';
import { readText, tallied } from './read.ts';

const SESSION = {
  isSidechain: false,
  userType: 'external',
  cwd: '/home/me/shop',
  sessionId: 'session-1',
  version: '2.1.300',
};
const START = Date.parse('2026-03-01T10:00:00.000Z');

type Fields = { readonly [name: string]: unknown };

function at(second: number): string {
  return new Date(START + second * 1000).toISOString();
}

function says(second: number, content: unknown, more: Fields = {}): Fields {
  return {
    ...SESSION,
    type: 'user',
    uuid: `u${second}`,
    timestamp: at(second),
    message: { role: 'user', content },
    ...more,
  };
}

function responds(second: number, id: string, block: Fields, output = 20, more: Fields = {}): Fields {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 5,
    cache_read_input_tokens: 100,
    output_tokens: output,
  };
  const message = { id, role: 'assistant', model: 'claude-x', content: [block], usage };
  return { ...SESSION, type: 'assistant', uuid: `a${second}`, timestamp: at(second), message, ...more };
}

function calls(id: string, command: string): Fields {
  return { type: 'tool_use', id, name: 'Bash', input: { command } };
}

function result(second: number, id: string, content: unknown, isError?: boolean, more: Fields = {}): Fields {
  return says(second, [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }], more);
}

function read(...records: readonly Fields[]) {
  return readText(records.map((record) => JSON.stringify(record)).join('\n'));
}

function statusOf(content: string, isError: boolean, more: Fields = {}) {
  const [answer] = read(result(1, 'c1', content, isError, more)).events;
  return answer?.type === 'tool-result' ? answer.status : answer;
}

it.each([1, 60])('does not read what progress says, and counts lines all the same (%i)', (often) => {
  const progress = Array.from({ length: often }, () => ({
    ...SESSION,
    type: 'progress',
    data: { type: 'x' },
  }));
  const text = [says(1, 'hello'), ...progress, responds(2, 'm1', calls('c1', 'ls'))]
    .map((record) => JSON.stringify(record))
    .join('\n');
  const { events, problems } = readText(`${text}\nnope\n`);
  expect(events.map(({ type }) => type)).toEqual(['user', 'turn', 'tool-call']);
  expect(problems).toEqual([`${often + 3}: not JSON`]);
});

const LONG = 'x'.repeat(4000);

it.each([
  ['is passed over', { toolUseResult: { stdout: LONG, originalFile: `"},"${LONG}` } }, 'ok'],
  ['is read where it was interrupted', { toolUseResult: { stdout: LONG, interrupted: true } }, 'cancelled'],
  [
    'hides nothing behind it',
    {
      toolUseResult: { stdout: LONG },
      toolDenialKind: 'permission-rule',
      permissionDecision: { source: 'hook' },
    },
    'blocked',
  ],
])('the long copy of a result %s', (_name, more, status) => {
  const records = [responds(1, 'm1', calls('c1', 'ls')), result(2, 'c1', 'out', false, more)];
  const { events, problems } = readText(`${records.map((record) => JSON.stringify(record)).join('\n')}\n`);
  expect(problems).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: 'tool-result', id: 'c1', status, output: 'out' });
});

it('a call whose arguments have a member of that name is read whole', () => {
  const args = { a: 1, toolUseResult: LONG, b: 2 };
  const record = responds(1, 'm1', { type: 'tool_use', id: 'c1', name: 'Store', input: args });
  const { events, problems } = readText(`${JSON.stringify(record)}\n`);
  expect(problems).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: 'tool-call', tool: 'Store', args });
});

const RUN = [
  { type: 'summary', summary: 'Shop', leafUuid: 'u0' },
  says(0, 'Why does the build fail?'),
  responds(1, 'm1', { type: 'thinking', thinking: 'Run it.' }, 1),
  responds(2, 'm1', { type: 'text', text: 'I run it.' }, 1),
  responds(3, 'm1', calls('c1', 'make'), 60),
  result(4, 'c1', 'Exit code 2\nmake: no rule', true, { toolUseResult: 'Error: Exit code 2' }),
  responds(5, 'm2', calls('c2', 'ls'), 30),
  result(6, 'c2', [{ type: 'text', text: 'Makefile' }]),
];

describe('a session of Claude Code', () => {
  it('becomes one turn a response, with its calls and their results', () => {
    const { format, events, facts, problems } = read(...RUN);
    expect(format).toBe('claude-code');
    expect(problems).toEqual([]);
    expect(facts).toEqual({
      session: 'session-1',
      project: '/home/me/shop',
      version: '2.1.300',
      model: 'claude-x',
      startedAt: START,
    });
    expect(events).toEqual([
      { type: 'user', text: 'Why does the build fail?', at: START },
      {
        type: 'turn',
        at: START + 1000,
        reasoning: 'Run it.',
        text: 'I run it.',
        usage: { input: 15, output: 60, cachedInput: 100 },
      },
      { type: 'tool-call', id: 'c1', tool: 'Bash', args: { command: 'make' }, at: START + 3000 },
      {
        type: 'tool-result',
        id: 'c1',
        status: 'error',
        output: 'Exit code 2\nmake: no rule',
        at: START + 4000,
      },
      { type: 'turn', at: START + 5000, usage: { input: 15, output: 30, cachedInput: 100 } },
      { type: 'tool-call', id: 'c2', tool: 'Bash', args: { command: 'ls' }, at: START + 5000 },
      { type: 'tool-result', id: 'c2', status: 'ok', output: 'Makefile', at: START + 6000 },
    ]);
  });

  it('keeps calls of one response together when a result comes between them', () => {
    const { events } = read(
      responds(1, 'm1', calls('c1', 'ls')),
      result(2, 'c1', 'a'),
      responds(3, 'm1', calls('c2', 'pwd'), 44),
      result(4, 'c2', 'b'),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'turn',
      'tool-call',
      'tool-result',
      'tool-call',
      'tool-result',
    ]);
    expect(events[0]).toMatchObject({ usage: { output: 44 } });
  });

  it('takes no response of the provider for what Claude Code puts in the place of one', () => {
    const synthetic = responds(1, 'x', { type: 'text', text: 'API Error: 529' });
    const { events } = read(says(0, 'go'), {
      ...synthetic,
      message: { ...(synthetic['message'] as Fields), model: '<synthetic>' },
    });
    expect(tallied(events)).toEqual({ user: 1 });
  });

  it.each([
    ['denied', "The user doesn't want to proceed with this tool use.", {}],
    ['denied', 'no', { toolDenialKind: 'user-rejected' }],
    [
      'denied',
      'not allowed',
      { toolDenialKind: 'permission-rule', permissionDecision: { source: 'config' } },
    ],
    ['blocked', 'no', { toolDenialKind: 'permission-rule', permissionDecision: { source: 'hook' } }],
    ['blocked', 'PreToolUse:Bash hook error: again', {}],
    ['blocked', 'no', { toolDenialKind: 'automode-blocked' }],
    ['cancelled', 'stopped', { toolDenialKind: 'interrupted' }],
    ['cancelled', '[Request interrupted by user for tool use]', {}],
    ['cancelled', '<tool_use_error>Sibling tool call errored</tool_use_error>', {}],
    ['invalid', '<tool_use_error>InputValidationError: Read failed</tool_use_error>', {}],
    ['unknown-tool', '<tool_use_error>Error: No such tool available: Foo</tool_use_error>', {}],
    ['error', '<tool_use_error>File has been modified since read.</tool_use_error>', {}],
  ])('reads as %s: %s', (status, output, more) => {
    expect(statusOf(output, true, more)).toBe(status);
  });

  it('knows a command that a person stopped from one that succeeded', () => {
    expect(statusOf('', false, { toolUseResult: { interrupted: true } })).toBe('cancelled');
    expect(statusOf("The user doesn't want to proceed", false)).toBe('ok');
  });

  it.each([
    'Fix the test',
    '<command-message>review is running</command-message>\n<command-name>/review</command-name>',
    '<div> is not closed',
  ])('hears a person: %s', (text) => {
    expect(read(says(1, text)).events).toEqual([{ type: 'user', text, at: START + 1000 }]);
  });

  it.each([
    ['<system-reminder>Remember.</system-reminder>', {}],
    ['[Request interrupted by user]', {}],
    ['<local-command-stdout>done</local-command-stdout>', {}],
    ['<command-name>/clear</command-name>', {}],
    ['Stop hook feedback:\nrun the tests', {}],
    ['<task-notification>done</task-notification>', {}],
    ['Continue from where you left off.', { isMeta: true }],
    ['Your turn', { origin: { kind: 'coordinator' } }],
    ['The skill', { sourceToolUseID: 'c1' }],
    ['Wake up', { promptSource: 'system' }],
  ])('does not take the host for a person: %s', (text, more) => {
    expect(read(says(1, text, more)).events).toEqual([{ type: 'user', by: 'host', text, at: START + 1000 }]);
  });

  it('tells what the host adds to a message from what the person says', () => {
    const texts = ['<ide_opened_file>a.ts</ide_opened_file>', 'Explain this'];
    const { events } = read(
      says(
        1,
        texts.map((text) => ({ type: 'text', text })),
      ),
    );
    expect(events).toEqual([
      { type: 'user', by: 'host', text: texts[0], at: START + 1000 },
      { type: 'user', text: texts[1], at: START + 1000 },
    ]);
  });

  it('takes what stands beside a result for the host’s', () => {
    const blocks = [
      { type: 'tool_result', tool_use_id: 'c1', content: 'a' },
      { type: 'text', text: 'and more' },
    ];
    expect(read(says(1, blocks)).events.at(-1)).toMatchObject({ type: 'user', by: 'host', text: 'and more' });
  });

  it('hears what a person says while the model works, and what hooks add', () => {
    const attachment = (second: number, value: Fields) => ({
      ...SESSION,
      type: 'attachment',
      timestamp: at(second),
      attachment: value,
    });
    const { events } = read(
      responds(1, 'm1', calls('c1', 'ls')),
      attachment(2, { type: 'hook_additional_context', content: ['mind the gap'] }),
      result(3, 'c1', 'a'),
      attachment(4, {
        type: 'queued_command',
        prompt: 'stop after that',
        commandMode: 'prompt',
        origin: { kind: 'human' },
      }),
      attachment(5, {
        type: 'queued_command',
        prompt: '<task-notification/>',
        commandMode: 'task-notification',
      }),
      attachment(6, { type: 'todo_reminder', content: [] }),
    );
    expect(events.slice(2)).toEqual([
      { type: 'user', by: 'host', text: 'mind the gap', at: START + 2000 },
      { type: 'tool-result', id: 'c1', status: 'ok', output: 'a', at: START + 3000 },
      { type: 'user', text: 'stop after that', at: START + 4000 },
      { type: 'user', by: 'host', text: '<task-notification/>', at: START + 5000 },
    ]);
  });

  it('tells of a compaction once', () => {
    const summary = says(3, 'This session is being continued', { isCompactSummary: true });
    const boundary = { ...SESSION, type: 'system', subtype: 'compact_boundary', timestamp: at(2) };
    expect(tallied(read(boundary, summary).events)).toEqual({ compaction: 1, user: 1 });
    expect(tallied(read(summary).events)).toEqual({ compaction: 1, user: 1 });
    expect(tallied(read(boundary, summary, boundary, { ...summary, uuid: 'later' }).events)).toEqual({
      compaction: 2,
      user: 2,
    });
  });

  it('tells an image from another, and not from itself', () => {
    const shot = (second: number, data: string) =>
      result(second, `c${second}`, [
        { type: 'text', text: 'a.png' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      ]);
    const outputs = read(shot(1, 'iVBORw0A'), shot(2, 'iVBORw0B'), shot(3, 'iVBORw0B')).events.map(
      (event) => event.type === 'tool-result' && JSON.stringify(event.output),
    );
    expect(outputs[0]).not.toBe(outputs[1]);
    expect(outputs[1]).toBe(outputs[2]);
    expect(statusOf('<tool_use_error>Error: No such tool available: X</tool_use_error>', true)).toBe(
      'unknown-tool',
    );
  });

  it('tells nothing of what a branch has copied', () => {
    const forkedFrom = { sessionId: 'session-0', messageUuid: 'x' };
    const boundary = { ...SESSION, type: 'system', subtype: 'compact_boundary', timestamp: at(7) };
    const { format, events, facts } = read(
      ...RUN.slice(1).map((record) => ({ ...record, forkedFrom })),
      { ...boundary, forkedFrom },
      says(9, 'And now?'),
    );
    expect(format).toBe('claude-code');
    expect(events).toEqual([{ type: 'user', text: 'And now?', at: START + 9000 }]);
    expect(facts).toMatchObject({ session: 'session-1', project: '/home/me/shop', startedAt: START + 9000 });
    expect(read(...RUN.slice(1).map((record) => ({ ...record, forkedFrom }))).facts.session).toBe(
      'session-1',
    );
  });

  it('tells each record once, though the file holds all of them twice', () => {
    expect(read(...RUN, ...RUN.slice(1)).events).toEqual(read(...RUN).events);
  });

  it('remembers the records of late, and no more', () => {
    const others = Array.from({ length: 4096 }, (_, n) => says(0, 'x', { uuid: `o${n}` }));
    const first = says(0, 'first');
    const told = (count: number) => read(first, ...others.slice(0, count), first).events.length;
    expect(told(4095)).toBe(4096);
    expect(told(4096)).toBe(4098);
  });

  it('reads a tool that ran at the provider’s', () => {
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
    const failed = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
    const { events } = read(
      responds(1, 'm1', search),
      responds(2, 'm1', { type: 'web_search_tool_result', tool_use_id: 's1', content: failed }),
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'tool-call', id: 's1', tool: 'web_search' },
      { type: 'tool-result', id: 's1', status: 'error' },
    ]);
  });
});

describe('sub-agents of Claude Code', () => {
  it('in the file of the main agent carry their id, and keep responses that overlap', () => {
    const of = (agentId: string) => ({ isSidechain: true, agentId });
    const { events, facts } = read(
      says(0, 'go'),
      responds(1, 'm1', calls('task', 'delegate')),
      says(2, 'look around', of('left')),
      says(2, 'look behind', { ...of('right'), uuid: 'r0' }),
      responds(3, 'l1', { type: 'text', text: 'I look.' }, 1, of('left')),
      responds(4, 'r1', calls('c2', 'ls'), 7, of('right')),
      responds(5, 'l1', calls('c1', 'pwd'), 50, of('left')),
      result(6, 'task', 'done'),
    );
    expect(facts.parent).toBeUndefined();
    expect(events.map(({ type, agent }) => [type, agent])).toEqual([
      ['user', undefined],
      ['turn', undefined],
      ['tool-call', undefined],
      ['user', 'left'],
      ['user', 'right'],
      ['turn', 'left'],
      ['tool-call', 'left'],
      ['turn', 'right'],
      ['tool-call', 'right'],
      ['tool-result', undefined],
    ]);
    expect(events[3]).toMatchObject({ by: 'host' });
    expect(events[5]).toMatchObject({ text: 'I look.', usage: { output: 50 } });
  });

  it('without ids are told apart by the first record of their chain', () => {
    const of = (uuid: string, parentUuid: string | null) => ({ isSidechain: true, uuid, parentUuid });
    const { events } = read(
      says(0, 'go'),
      says(1, 'a', of('x1', null)),
      says(1, 'b', of('y1', null)),
      responds(2, 'mx', calls('c1', 'ls'), 1, of('x2', 'x1')),
      responds(2, 'my', calls('c2', 'ls'), 1, of('y2', 'y1')),
      result(3, 'c1', 'ok', false, of('x3', 'x2')),
    );
    const agents = new Set(events.map(({ agent }) => agent));
    expect([...agents]).toEqual([undefined, 'x1', 'y1']);
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ agent: 'x1' });
  });

  it('with a file of their own are sessions with a parent', () => {
    const own = { isSidechain: true, agentId: 'left' };
    const { events, facts } = read(
      says(0, 'look around', own),
      responds(1, 'm1', calls('c1', 'ls'), 1, own),
      result(2, 'c1', 'a', false, own),
    );
    expect(facts).toMatchObject({ session: 'left', parent: 'session-1' });
    expect(events.every(({ agent }) => agent === undefined)).toBe(true);
    expect(events[0]).toMatchObject({ type: 'user', by: 'host' });
  });

  it('give their place up to a main agent that speaks after all', () => {
    const { events, facts } = read(
      says(0, 'Warmup', { isSidechain: true, agentId: 'warm' }),
      says(1, 'go'),
      says(2, 'more', { isSidechain: true, agentId: 'warm' }),
    );
    expect(facts.session).toBe('session-1');
    expect(events.map(({ agent }) => agent)).toEqual([undefined, undefined, 'warm']);
    expect(events[1]).toEqual({ type: 'user', text: 'go', at: START + 1000 });
  });
});

describe('the stream that Claude Code prints', () => {
  const INIT = {
    type: 'system',
    subtype: 'init',
    session_id: 's',
    cwd: '/home/me/shop',
    tools: ['Bash'],
    model: 'claude-x',
    permissionMode: 'default',
    claude_code_version: '2.1.300',
  };
  const part = (type: string, message: Fields, parent: string | null = null) => ({
    type,
    message,
    parent_tool_use_id: parent,
    session_id: 's',
  });
  const usage = { input_tokens: 3, output_tokens: 1 };

  it('is read like a session', () => {
    const { format, events, facts } = read(
      INIT,
      part('assistant', { id: 'm1', model: 'claude-x', content: [calls('c1', 'ls')], usage }),
      {
        type: 'stream_event',
        session_id: 's',
        parent_tool_use_id: null,
        event: { type: 'message_delta', usage: { input_tokens: 3, output_tokens: 40 } },
      },
      part('user', { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a' }] }),
      part('user', { content: [{ type: 'text', text: 'look' }] }, 'c1'),
      part('assistant', { id: 'm2', model: 'claude-y', content: 'Hm.', usage }, 'c1'),
      { type: 'result', subtype: 'success', usage: { input_tokens: 6, output_tokens: 99 } },
    );
    expect(format).toBe('claude-code');
    expect(facts).toEqual({ session: 's', project: '/home/me/shop', model: 'claude-x', version: '2.1.300' });
    expect(events).toEqual([
      { type: 'turn', usage: { input: 3, output: 40 } },
      { type: 'tool-call', id: 'c1', tool: 'Bash', args: { command: 'ls' } },
      { type: 'tool-result', id: 'c1', status: 'ok', output: 'a' },
      { type: 'user', by: 'host', text: 'look', agent: 'c1' },
      { type: 'turn', agent: 'c1', text: 'Hm.', usage: { input: 3, output: 1 } },
    ]);
  });

  it('is recognised by its first record, and by a response alone', () => {
    expect(read(INIT).format).toBe('claude-code');
    expect(read(part('assistant', { model: 'claude-x', content: [] })).format).toBe('claude-code');
    expect(read({ ...INIT, permissionMode: undefined, permission_mode: 'yolo' }).format).not.toBe(
      'claude-code',
    );
  });
});

describe('what is broken', () => {
  const text = RUN.map((record) => JSON.stringify(record)).join('\n');

  it('is a last line that is half written: all else stays', () => {
    const half = readText(text.slice(0, -30));
    expect(half.problems).toEqual([`${RUN.length}: the last line is not finished`]);
    expect(half.events).toEqual(readText(text).events.slice(0, -1));
  });

  it('is a line in the middle: all else stays', () => {
    const lines = text.split('\n');
    const { events, problems } = readText(lines.with(3, `${lines[3]}}`).join('\n'));
    expect(problems).toEqual(['4: not JSON']);
    expect(tallied(events)).toEqual(tallied(readText(text).events));
  });

  it('is a record without its message, or a call without its tool', () => {
    const { problems } = read(
      { ...SESSION, type: 'assistant', message: 'hello' },
      says(1, 'go'),
      responds(2, 'm1', { type: 'tool_use', id: 'c1' }),
    );
    expect(problems).toEqual([
      '1: a record of the type assistant without a message',
      '3: a call without the name of its tool',
    ]);
  });

  it('is any value of another type: nothing throws', () => {
    const boundary = { ...SESSION, type: 'system', subtype: 'compact_boundary' };
    const queued = {
      type: 'attachment',
      ...SESSION,
      attachment: { type: 'queued_command', prompt: 'x', origin: { kind: 'human' } },
    };
    const delta = { type: 'stream_event', event: { type: 'message_delta', usage: { input_tokens: 1 } } };
    const side = responds(7, 'm3', calls('c3', 'ls'), 1, { isSidechain: true, parentUuid: 'u1' });
    for (const { format } of readHostile(claudeCode, [...RUN.slice(1), boundary, queued, delta, side])) {
      expect(format).toBe('claude-code');
    }
  });
});

describe('recognition', () => {
  it('needs no more than what a session begins with', () => {
    expect(read(says(0, 'hello')).format).toBe('claude-code');
    expect(read({ type: 'file-history-snapshot', messageId: 'u', snapshot: {} }).format).toBe('claude-code');
    expect(read({ type: 'queue-operation', operation: 'enqueue', sessionId: 's' }).format).toBe(
      'claude-code',
    );
    expect(read({ ...SESSION, type: 'progress', data: {} }).format).toBe('claude-code');
  });

  it.each([
    [
      'Qwen Code',
      {
        ...SESSION,
        userType: undefined,
        type: 'user',
        uuid: 'u',
        message: { role: 'user', parts: [{ text: 'x' }] },
      },
    ],
    ['Qwen Code, a system record', { ...SESSION, userType: undefined, type: 'system', subtype: 'x' }],
    ['Gemini CLI', { sessionId: 's', projectHash: 'p', startTime: at(0), kind: 'main' }],
    ['pi', { type: 'message', id: '1', parentId: null, message: { role: 'user', content: [] } }],
    ['an Anthropic message', { role: 'assistant', content: [calls('c', 'ls')] }],
  ])('leaves %s to others', (_, record) => {
    expect(claudeCode.recognises({ shape: 'lines', records: [{ line: 1, key: '', value: record }] })).toBe(
      false,
    );
  });

  it('leaves documents to others', () => {
    const records = [{ line: 1, key: '', value: says(0, 'x') }];
    expect(claudeCode.recognises({ shape: 'document', records })).toBe(false);
  });
});

it.each([1, 7, 65_536])('reads pieces of %i bytes alike', (size) => {
  const text = RUN.map((record) => JSON.stringify(record)).join('\r\n');
  expect(readText(text, { size })).toEqual(readText(text));
});
