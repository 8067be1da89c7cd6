import { describe, expect, it } from 'vitest';
import { opencode } from '../../src/transcripts/formats/opencode.ts';
import { readText, tallied } from './read.ts';
import { readHostileRecords, readRecords, recordsOf } from './records.ts';

const AT = 1_790_000_000_000;
const TOKENS = { input: 90, output: 10, reasoning: 5, cache: { read: 40, write: 8 } };
const INFO = {
  id: 'ses_1',
  directory: '/work/site',
  version: '1.18.0',
  parentID: 'ses_0',
  time: { created: AT, updated: AT + 9000 },
};

function tool(callID: string, name: string, state: object): object {
  return { type: 'tool', callID, tool: name, state };
}

function ran(callID: string, from: number, to: number, more: object = {}): object {
  const time = { start: AT + from, end: AT + to };
  return tool(callID, 'bash', {
    status: 'completed',
    input: { command: callID },
    output: 'done',
    time,
    ...more,
  });
}

function prompt(...parts: readonly object[]): object {
  return { info: { role: 'user', sessionID: 'ses_1', time: { created: AT } }, parts };
}

function reply(parts: readonly object[], more: object = {}): object {
  const info = {
    role: 'assistant',
    sessionID: 'ses_1',
    modelID: 'model-1',
    time: { created: AT + 100 },
    tokens: TOKENS,
  };
  return { info: { ...info, ...more }, parts };
}

const FINISH = { type: 'step-finish', tokens: TOKENS };

function exported(...messages: readonly object[]): string {
  return JSON.stringify({ info: INFO, messages });
}

function statusOf(part: object): string | undefined {
  const { events } = readText(exported(reply([{ type: 'step-start' }, part, FINISH])));
  return events.flatMap((event) => (event.type === 'tool-result' ? [event.status] : []))[0];
}

describe('opencode export', () => {
  const SESSION = exported(
    prompt({ type: 'text', text: 'mend it' }, { type: 'text', text: 'the file says', synthetic: true }),
    reply([
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'looking' },
      ran('one', 200, 230),
      FINISH,
      { type: 'patch', hash: 'x' },
    ]),
  );

  it('gives the person, the host, the response with its tokens, its call and its end', () => {
    const { format, events, facts, problems } = readText(SESSION);
    expect({ format, problems }).toEqual({ format: 'opencode', problems: [] });
    expect(events).toEqual([
      { type: 'user', text: 'mend it', at: AT },
      { type: 'user', text: 'the file says', by: 'host', at: AT },
      {
        type: 'turn',
        at: AT + 100,
        agent: undefined,
        reasoning: 'hm',
        text: 'looking',
        usage: { input: 98, output: 15, cachedInput: 40 },
      },
      { type: 'tool-call', id: 'one', tool: 'bash', args: { command: 'one' }, at: AT + 200 },
      { type: 'tool-result', id: 'one', tool: 'bash', status: 'ok', output: 'done', at: AT + 230 },
    ]);
    expect(facts).toEqual({
      session: 'ses_1',
      project: '/work/site',
      version: '1.18.0',
      parent: 'ses_0',
      model: 'model-1',
      startedAt: AT,
    });
  });

  it('is the same whatever the pieces it comes in', () => {
    for (const size of [1, 7, 64]) expect(readText(SESSION, { size })).toEqual(readText(SESSION));
  });

  it('gives calls that ran side by side in the order of time', () => {
    const { events } = readText(
      exported(
        reply([
          { type: 'step-start' },
          ran('one', 200, 500),
          ran('two', 210, 300),
          ran('three', 400, 600),
          FINISH,
        ]),
      ),
    );
    const order = events.flatMap((event) => ('id' in event ? [`${event.type} ${event.id}`] : []));
    expect(order).toEqual([
      'tool-call one',
      'tool-call two',
      'tool-result two',
      'tool-call three',
      'tool-result one',
      'tool-result three',
    ]);
  });

  it('counts each step of a message as a response', () => {
    const { events } = readText(
      exported(reply([{ type: 'step-start' }, ran('one', 1, 2), FINISH, { type: 'step-start' }, FINISH])),
    );
    expect(tallied(events)).toEqual({ turn: 2, 'tool-call': 1, 'tool-result': 1 });
    const inputs = events.map((event) => (event.type === 'turn' ? event.usage?.input : undefined));
    expect(inputs).toEqual([98, undefined, undefined, 98]);
  });

  it('takes the tokens of the message where no step finished, and none where nothing was counted', () => {
    const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const usages = [TOKENS, none].map((tokens) => {
      const { events } = readText(exported(reply([{ type: 'step-start' }, ran('one', 1, 2)], { tokens })));
      return events.flatMap((event) => (event.type === 'turn' ? [event.usage] : []));
    });
    expect(usages).toEqual([[{ input: 98, output: 15, cachedInput: 40 }], [undefined]]);
  });

  it('leaves out what the person ran', () => {
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const { events } = readText(
      exported(
        prompt({ type: 'text', text: 'The following tool was executed by the user', synthetic: true }),
        reply([ran('own', 1, 2)], { tokens }),
      ),
    );
    expect(tallied(events)).toEqual({ user: 1 });
  });

  it('tells how a call ended', () => {
    const time = { start: AT, end: AT + 1 };
    const failed = (error: string, metadata?: object) =>
      tool('x', 'edit', { status: 'error', input: {}, error, metadata, time });
    const wrong = (error: string) =>
      tool('x', 'invalid', { status: 'completed', input: { tool: 'paint', error }, output: 'no', time });
    expect({
      zero: statusOf(ran('x', 1, 2, { metadata: { exit: 0 } })),
      three: statusOf(ran('x', 1, 2, { metadata: { exit: 3 } })),
      late: statusOf(ran('x', 1, 2, { metadata: { exit: null }, output: 'exceeded timeout 10 ms' })),
      stopped: statusOf(ran('x', 1, 2, { metadata: { exit: null }, output: 'User aborted the command' })),
      failed: statusOf(failed('no such text')),
      aborted: statusOf(failed('Tool execution aborted')),
      interrupted: statusOf(failed('gone', { interrupted: true })),
      rejected: statusOf(failed('The user rejected permission to use this specific tool call.')),
      ruled: statusOf(failed('The user has specified a rule which prevents you from using this')),
      arguments: statusOf(failed('The edit tool was called with invalid arguments: no')),
      unknown: statusOf(wrong("Model tried to call unavailable tool 'paint'.")),
      misused: statusOf(wrong('JSON parsing failed')),
      running: statusOf(tool('x', 'bash', { status: 'running', input: {}, time: { start: AT } })),
    }).toEqual({
      zero: 'ok',
      three: 'error',
      late: 'error',
      stopped: 'cancelled',
      failed: 'error',
      aborted: 'cancelled',
      interrupted: 'cancelled',
      rejected: 'denied',
      ruled: 'denied',
      arguments: 'invalid',
      unknown: 'unknown-tool',
      misused: 'invalid',
      running: undefined,
    });
  });

  it('names the tool that the model meant', () => {
    const input = { tool: 'paint', error: 'unavailable tool' };
    const part = tool('x', 'invalid', { status: 'completed', input, output: '', time: {} });
    const { events } = readText(exported(reply([{ type: 'step-start' }, part, FINISH])));
    expect(events[1]).toMatchObject({ type: 'tool-call', tool: 'paint', args: input });
  });

  it('tells of a compaction after the response that made it, unless it failed', () => {
    const parts = [{ type: 'step-start' }, { type: 'text', text: 'so far' }, FINISH];
    const told = [undefined, { name: 'APIError' }].map((error) => {
      const { events } = readText(
        exported(prompt({ type: 'compaction', auto: true }), reply(parts, { summary: true, error })),
      );
      return events.map(({ type }) => type);
    });
    expect(told).toEqual([['turn', 'compaction'], ['turn']]);
  });

  it('keeps what came before a file that breaks off', () => {
    const { events, problems } = readText(SESSION.slice(0, -40));
    expect(tallied(events)).toEqual({ user: 2 });
    expect(problems).toEqual(['3: the document is not finished']);
  });

  it('knows a session that has only begun', () => {
    expect(readText(exported(prompt({ type: 'text', text: 'hello' }))).format).toBe('opencode');
    expect(readText(exported()).format).toBe('opencode');
  });

  it('reads the same records from a source that is no file', () => {
    const { events, facts } = readRecords(opencode, recordsOf(JSON.parse(SESSION)));
    expect({ events, facts }).toEqual({ events: readText(SESSION).events, facts: readText(SESSION).facts });
  });
});

describe('opencode run --format json', () => {
  const line = (type: string, part: object | undefined, more: object = {}) =>
    JSON.stringify({
      type,
      timestamp: AT + 100,
      sessionID: 'ses_1',
      part: part && { sessionID: 'ses_1', messageID: 'msg_1', ...part },
      ...more,
    });
  const LINES = [
    line('step_start', { id: 'prt_1', type: 'step-start' }),
    line('text', { type: 'text', text: 'looking' }),
    line('tool_use', ran('two', 210, 300)),
    line('tool_use', ran('one', 200, 500, { metadata: { exit: 2 } })),
    line('step_finish', { type: 'step-finish', tokens: TOKENS }),
    line('step_start', { id: 'prt_2', type: 'step-start' }),
    line('error', undefined, { error: { name: 'UnknownError' } }),
  ];

  it('gives what an export would give', () => {
    const { format, events, facts, problems } = readText(`${LINES.join('\n')}\n`);
    expect({ format, facts, problems }).toEqual({
      format: 'opencode',
      facts: { session: 'ses_1' },
      problems: [],
    });
    expect(tallied(events)).toEqual({ turn: 2, 'tool-call': 2, 'tool-result': 2 });
    expect(events[0]).toMatchObject({ type: 'turn', text: 'looking', usage: { input: 98, output: 15 } });
    expect(events.slice(1, 5).map((event) => ('id' in event ? event.id : ''))).toEqual([
      'one',
      'two',
      'two',
      'one',
    ]);
    expect(events[4]).toMatchObject({ status: 'error' });
  });

  it('goes on after a line that is not finished or not JSON', () => {
    const broken = [...LINES.slice(0, 2), '{"type":', ...LINES.slice(2, 4)].join('\n').slice(0, -3);
    const { events, problems } = readText(broken);
    expect(tallied(events)).toEqual({ turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(problems).toEqual(['3: not JSON', '5: the last line is not finished']);
  });

  it('is known by its first line, and others are not taken for it', () => {
    for (const first of [LINES[0], LINES[6]]) expect(readText(first as string).format).toBe('opencode');
    const others = [
      { type: 'text', sessionId: 'x', text: 'hello' },
      { type: 'error', error: { name: 'x' } },
      { type: 'user', message: { role: 'user', content: 'x' }, sessionID: 'x' },
    ];
    for (const other of others)
      expect(readText(JSON.stringify(other), { formats: [opencode] }).format).toBeNull();
    const info = { info: { mini_version: '2', config: {} }, messages: [{ role: 'user', content: 'x' }] };
    expect(readText(JSON.stringify(info), { formats: [opencode] }).format).toBeNull();
  });
});

it('never throws, whatever opencode wrote', () => {
  const read = readHostileRecords(opencode, [
    ...recordsOf({
      info: INFO,
      messages: [
        prompt({ type: 'text', text: 'x', synthetic: true }),
        reply([{ type: 'step-start' }, ran('one', 1, 2, { metadata: { exit: 1 } }), FINISH], {
          summary: true,
        }),
      ],
    }),
    {
      line: 9,
      key: '',
      value: { type: 'tool_use', timestamp: AT, sessionID: 's', part: { ...ran('x', 1, 2), sessionID: 's' } },
    },
  ]);
  expect(read).toBeGreaterThan(500);
});
