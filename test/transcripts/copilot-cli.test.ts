import { describe, expect, it } from 'vitest';
import { copilotCli } from '../../src/transcripts/formats/copilot-cli.ts';
import { readHostile } from './hostile.ts';
import { readText, tallied } from './read.ts';

type Fields = { readonly [name: string]: unknown };

const START = Date.parse('2026-03-01T10:00:00.000Z');

function event(second: number, type: string, data: unknown, more: Fields = {}): Fields {
  const timestamp = new Date(START + second * 1000).toISOString();
  return { type, data, id: `e${second}`, timestamp, parentId: null, ...more };
}

const HEADER = event(0, 'session.start', {
  sessionId: 'session-1',
  producer: 'copilot-agent',
  copilotVersion: '1.0.102',
  startTime: '2026-03-01T10:00:00.000Z',
  selectedModel: 'model-x',
  context: { cwd: '/home/me/shop' },
});

function counts(second: number, apiCallId: string | undefined, more: Fields = {}): Fields {
  const usage = { inputTokens: 100, cacheReadTokens: 40, outputTokens: 20, apiCallId };
  return event(second, 'session.usage_record', { usage }, more);
}

function responds(second: number, apiCallId: string, data: Fields, more: Fields = {}): Fields {
  return event(second, 'assistant.message', { apiCallId, content: '', toolRequests: [], ...data }, more);
}

function asks(...calls: readonly (readonly [id: string, command: string])[]): Fields {
  return {
    toolRequests: calls.map(([toolCallId, command]) => ({
      toolCallId,
      name: 'bash',
      arguments: { command },
    })),
  };
}

function starts(second: number, toolCallId: string, command: string, more: Fields = {}): Fields {
  return event(
    second,
    'tool.execution_start',
    { toolCallId, toolName: 'bash', arguments: { command } },
    more,
  );
}

function ends(second: number, toolCallId: string, data: Fields, more: Fields = {}): Fields {
  return event(second, 'tool.execution_complete', { toolCallId, ...data }, more);
}

function read(...records: readonly Fields[]) {
  return readText(records.map((value) => JSON.stringify(value)).join('\n'));
}

const SPENT = { input: 60, output: 20, cachedInput: 40 };

const RUN = [
  HEADER,
  event(1, 'user.message', { content: 'Why does it fail?', parentAgentTaskId: 'task' }),
  event(2, 'assistant.turn_start', { turnId: '0' }),
  counts(2, 'r1'),
  responds(3, 'r1', {
    reasoningText: 'Look first.',
    content: 'I look.',
    ...asks(['c1', 'make'], ['c2', 'ls']),
  }),
  starts(4, 'c1', 'make'),
  starts(4, 'c2', 'ls'),
  ends(5, 'c2', { success: true, result: { content: 'a\n<shellId: 1 completed with exit code 0>' } }),
  ends(6, 'c1', {
    success: true,
    result: { content: 'no rule' },
    shellExecution: { exitCode: 2 },
  }),
  event(6, 'assistant.turn_end', { turnId: '0' }),
  counts(7, 'r2'),
  responds(8, 'r2', { content: 'It is broken.' }),
];

describe('a session of Copilot CLI', () => {
  it('becomes one turn a response, with its calls and their results', () => {
    const { format, events, facts, problems } = read(...RUN);
    expect(format).toBe('copilot-cli');
    expect(problems).toEqual([]);
    expect(facts).toEqual({
      session: 'session-1',
      project: '/home/me/shop',
      version: '1.0.102',
      model: 'model-x',
      startedAt: START,
    });
    expect(events).toEqual([
      { type: 'user', text: 'Why does it fail?', at: START + 1000 },
      { type: 'turn', at: START + 3000, reasoning: 'Look first.', text: 'I look.', usage: SPENT },
      { type: 'tool-call', id: 'c1', tool: 'bash', args: { command: 'make' }, at: START + 3000 },
      { type: 'tool-call', id: 'c2', tool: 'bash', args: { command: 'ls' }, at: START + 3000 },
      {
        type: 'tool-result',
        id: 'c2',
        status: 'ok',
        output: 'a\n<shellId: 1 completed with exit code 0>',
        at: START + 5000,
      },
      { type: 'tool-result', id: 'c1', status: 'error', output: 'no rule', at: START + 6000 },
      { type: 'turn', at: START + 8000, text: 'It is broken.', usage: SPENT },
    ]);
  });

  it('counts a response once, however many messages it comes in', () => {
    const { events } = read(
      HEADER,
      counts(1, 'r1'),
      responds(2, 'r1', { content: 'One.', outputTokens: 20 }),
      responds(3, 'r1', { content: 'Two.', outputTokens: 20, ...asks(['c1', 'ls']) }),
      ends(4, 'c1', { success: true, result: { content: '' } }),
    );
    expect(tallied(events)).toEqual({ turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(events[0]).toMatchObject({ text: 'One.\nTwo.', usage: SPENT });
  });

  it('counts responses that never come, at its end', () => {
    const { events } = read(
      HEADER,
      counts(1, 'summary'),
      counts(2, 'r1'),
      responds(3, 'r1', { content: 'Hi.' }),
    );
    expect(events).toEqual([
      { type: 'turn', at: START + 3000, text: 'Hi.', usage: SPENT },
      { type: 'turn', at: START + 1000, usage: SPENT },
    ]);
  });

  it('does not wait for more than 64 of them', () => {
    const many = Array.from({ length: 70 }, (_, n) => counts(n, `r${n}`));
    const { events } = read(HEADER, ...many, event(80, 'user.message', { content: 'x' }));
    expect(events.findIndex(({ type }) => type === 'user')).toBe(6);
    expect(tallied(events)).toEqual({ user: 1, turn: 70 });
  });

  it('of earlier versions counts the output of each response, which is too little to tell, and all at the end', () => {
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 10 };
    const { events, facts } = read(
      HEADER,
      responds(1, 'r1', { content: 'Hi.', outputTokens: 20, model: 'model-y' }),
      event(2, 'session.shutdown', { modelMetrics: { x: { usage }, y: { usage }, z: {} } }),
    );
    expect(events).toEqual([{ type: 'turn', text: 'Hi.', at: START + 1000 }]);
    expect(facts).toMatchObject({ model: 'model-y', usage: { input: 120, output: 40, cachedInput: 80 } });
    expect(
      read(HEADER, ...RUN.slice(3, 5), event(9, 'session.shutdown', { modelMetrics: { x: { usage } } })).facts
        .usage,
    ).toBeUndefined();
  });

  it('tells the calls that were only run, and not those of a person', () => {
    const { events } = read(
      HEADER,
      starts(1, 'c1', 'ls'),
      ends(2, 'c1', { success: true, result: { content: '' } }),
      event(3, 'tool.user_requested', { toolCallId: 'p1', toolName: 'bash' }),
      starts(3, 'p1', 'date'),
      ends(4, 'p1', { success: true, result: { content: '' } }),
      ends(5, 'p2', { success: true, result: { content: '' }, isUserRequested: true }),
    );
    expect(events.map((one) => [one.type, 'id' in one && one.id])).toEqual([
      ['tool-call', 'c1'],
      ['tool-result', 'c1'],
    ]);
  });

  it.each([
    ['ok', { success: true, result: { content: 'done' } }],
    ['error', { success: true, result: { content: 'x\n<shellId: 7 completed with exit code 128>' } }],
    ['error', { success: true, result: { content: 'x\n<exited with exit code 1>\n' } }],
    ['error', { success: false, error: { message: 'Path does not exist', code: 'failure' } }],
    ['denied', { success: false, error: { message: 'No', code: 'denied' } }],
    ['denied', { success: false, error: { message: 'No', code: 'rejected' } }],
    ['blocked', { success: false, error: { message: 'Denied by preToolUse hook: again', code: 'denied' } }],
    ['unknown-tool', { success: false, error: { message: "Tool 'x' does not exist. Available tools: y" } }],
    ['unknown', {}],
  ])('reads as %s: %j', (status, data) => {
    expect(read(HEADER, ends(1, 'c1', data)).events).toMatchObject([{ type: 'tool-result', status }]);
  });

  it.each([
    [{ content: '<system_notification>done</system_notification>' }],
    [{ content: 'go on', source: 'autopilot' }],
    [{ content: 'go on', isAutopilotContinuation: true }],
    [{ content: 'the skill', source: 'skill-pdf' }],
  ])('does not take the host for a person: %j', (data) => {
    expect(read(HEADER, event(1, 'user.message', data)).events).toMatchObject([{ type: 'user', by: 'host' }]);
  });

  it('hears notices of the host', () => {
    const { events } = read(HEADER, event(1, 'system.notification', { content: 'done', kind: {} }));
    expect(events).toEqual([{ type: 'user', by: 'host', text: 'done', at: START + 1000 }]);
  });

  it('tells of compactions that succeeded', () => {
    const { events } = read(
      HEADER,
      event(1, 'session.compaction_start', {}),
      event(2, 'session.compaction_complete', { success: true }),
      event(3, 'session.compaction_complete', { success: false }),
    );
    expect(events).toEqual([{ type: 'compaction', at: START + 2000 }]);
  });

  it('carries the ids of sub-agents', () => {
    const { events, facts } = read(
      HEADER,
      responds(1, 'r1', asks(['t1', 'task'])),
      event(2, 'user.message', { content: 'look', source: 'agent-a1' }, { agentId: 'a1' }),
      counts(3, 'r2', { agentId: 'a1' }),
      responds(3, 'r2', { model: 'model-y', ...asks(['c1', 'ls']) }, { agentId: 'a1' }),
      ends(4, 'c1', { success: true, result: { content: '' }, parentToolCallId: 't1' }, { agentId: 'a1' }),
      responds(5, 'r3', { content: 'Hm.', parentToolCallId: 't2' }),
      ends(6, 't1', { success: true, result: { content: '' } }),
    );
    expect(facts.model).toBe('model-x');
    expect(events.map(({ type, agent }) => [type, agent])).toEqual([
      ['turn', undefined],
      ['tool-call', undefined],
      ['user', 'a1'],
      ['turn', 'a1'],
      ['tool-call', 'a1'],
      ['tool-result', 'a1'],
      ['turn', 't2'],
      ['tool-result', undefined],
    ]);
  });

  it('keeps arguments that are a text, and says which model it changed to', () => {
    const patch = { toolCallId: 'c1', name: 'apply_patch', arguments: '*** Begin Patch' };
    const { events, facts } = read(
      HEADER,
      event(1, 'session.model_change', { newModel: 'model-z' }),
      responds(2, 'r1', { toolRequests: [patch, { toolCallId: 'c2' }] }),
    );
    expect(facts.model).toBe('model-z');
    expect(events[1]).toMatchObject({ tool: 'apply_patch', args: '*** Begin Patch' });
  });
});

describe('what is broken', () => {
  const text = RUN.map((value) => JSON.stringify(value)).join('\n');

  it('is a last line that is half written: all else stays', () => {
    const half = readText(`${text}\n${JSON.stringify(starts(9, 'c3', 'ls')).slice(0, 50)}`);
    expect(half.problems).toEqual([`${RUN.length + 1}: the last line is not finished`]);
    expect(half.events).toEqual(readText(text).events);
  });

  it('is a line in the middle: all else stays', () => {
    const { events, problems } = readText(text.replace('"user.message"', '"user.message'));
    expect(problems).toEqual(['2: not JSON']);
    expect(events).toEqual(readText(text).events.slice(1));
  });

  it('is an event without data, or a call without its tool', () => {
    const { problems } = read(HEADER, event(1, 'user.message', 'x'), starts(2, 'c1', 'ls', { data: {} }));
    expect(problems).toEqual([
      '2: an event of the type user.message without data',
      '3: a call without the name of its tool',
    ]);
  });

  it('is any value of another type: nothing throws', () => {
    const more = [
      event(9, 'session.shutdown', { modelMetrics: { x: { usage: { inputTokens: 1 } } } }),
      event(9, 'tool.user_requested', { toolCallId: 'p1' }),
      event(9, 'system.notification', { content: 'x' }),
      event(9, 'assistant.usage', { inputTokens: 1, apiCallId: 'r9' }),
    ];
    for (const { format } of readHostile(copilotCli, [...RUN, ...more])) expect(format).toBe('copilot-cli');
  });
});

describe('recognition', () => {
  const recognises = (value: unknown, shape: 'lines' | 'document' = 'lines') =>
    copilotCli.recognises({ shape, records: [{ line: 1, key: '', value }] });

  it('needs no more than what a session begins with', () => {
    expect(recognises(HEADER)).toBe(true);
    expect(recognises(event(1, 'hook.start', {}))).toBe(true);
  });

  it.each([
    ['a stream of Codex', { type: 'turn.started' }],
    ['an event without a parent', event(1, 'user.message', {}, { parentId: undefined })],
    ['another event', event(1, 'message', {})],
    ['a record of pi', { type: 'message', id: '1', parentId: null, timestamp: '2026', message: {} }],
  ])('leaves %s to others', (_, value) => {
    expect(recognises(value)).toBe(false);
  });

  it('leaves documents to others', () => {
    expect(recognises(HEADER, 'document')).toBe(false);
  });
});

it.each([1, 7, 65_536])('reads pieces of %i bytes alike', (size) => {
  const text = RUN.map((value) => JSON.stringify(value)).join('\n');
  expect(readText(text, { size })).toEqual(readText(text));
});
