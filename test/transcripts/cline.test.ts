import { describe, expect, it } from 'vitest';
import { cline } from '../../src/transcripts/formats/cline.ts';
import { readText, tallied } from './read.ts';
import { readHostileRecords, recordsOf } from './records.ts';

const AT = 1_790_000_000_000;
const HEAD = {
  version: 1,
  updated_at: '2026-09-21T00:00:00.000Z',
  agent: 'lead',
  sessionId: '179_abc',
  origin: { source: 'cli', sessionId: '179_abc', version: '3.0.65', parentThreadId: '178_xyz' },
};
const METRICS = { inputTokens: 500, outputTokens: 20, cacheReadTokens: 400, cacheWriteTokens: 30 };

function kept(...messages: readonly object[]): string {
  return JSON.stringify(
    { ...HEAD, messages, system_prompt: '<env>\n4. Working Directory: /work/site\n</env>' },
    null,
    1,
  );
}

function said(text: string, more: object = {}): object {
  return { role: 'user', content: [{ type: 'text', text }], ts: AT, ...more };
}

function called(id: string, name: string, input: object = {}): object {
  const content = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'so' },
    { type: 'tool_use', id, name, input },
  ];
  return {
    role: 'assistant',
    content,
    ts: AT + 100,
    modelInfo: { id: 'model-1', provider: 'p' },
    metrics: METRICS,
  };
}

function answered(id: string, content: unknown, is_error?: boolean): object {
  const block = { type: 'tool_result', tool_use_id: id, name: 'run_commands', content, is_error };
  return { role: 'user', content: [block], ts: AT + 200 };
}

function endingOf(content: unknown, is_error?: boolean): object | undefined {
  const { events } = readText(kept(called('one', 'run_commands'), answered('one', content, is_error)));
  return events.flatMap((event) => (event.type === 'tool-result' ? [[event.status, event.output]] : []))[0];
}

it('takes a result of any depth', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const text = kept(called('one', 'run_commands'), answered('one', [{ result: 7, success: true }]));
  const { events } = readText(text.replace('"result": 7', `"result": ${deep}`));
  expect(events.at(-1)).toMatchObject({ type: 'tool-result', id: 'one', status: 'ok' });
});

describe('messages of Cline', () => {
  const SESSION = kept(
    said('<mode_notice>act</mode_notice><user_input mode="act">mend it</user_input>'),
    called('one', 'run_commands', { commands: ['ls'] }),
    answered('one', [{ query: 'ls', result: 'a.txt', success: true }]),
    { role: 'assistant', content: 'done', ts: AT + 300 },
  );

  it('gives the person, the responses with their tokens, the calls and their ends', () => {
    const { format, events, facts, problems } = readText(SESSION);
    expect({ format, problems }).toEqual({ format: 'cline', problems: [] });
    expect(events).toEqual([
      { type: 'user', text: 'mend it', at: AT },
      {
        type: 'turn',
        at: AT + 100,
        agent: undefined,
        reasoning: 'hm',
        text: 'so',
        usage: { input: 100, output: 20, cachedInput: 400 },
      },
      { type: 'tool-call', id: 'one', tool: 'run_commands', args: { commands: ['ls'] }, at: AT + 100 },
      { type: 'tool-result', id: 'one', tool: 'run_commands', status: 'ok', output: 'a.txt', at: AT + 200 },
      { type: 'turn', at: AT + 300, agent: undefined, text: 'done' },
    ]);
    expect(facts).toEqual({
      session: '179_abc',
      version: '3.0.65',
      parent: '178_xyz',
      model: 'model-1',
      project: '/work/site',
    });
  });

  it('is the same whatever the pieces it comes in', () => {
    for (const size of [1, 7, 64]) expect(readText(SESSION, { size })).toEqual(readText(SESSION));
  });

  it('tells how a call ended and what the model saw of it', () => {
    expect({
      text: endingOf('plain text'),
      blocks: endingOf([
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]),
      packed: endingOf('{"query":"edit:/a","result":"Edited /a","success":true}'),
      wrong: endingOf('{"query":"edit:/a","result":"","error":"not found","success":false}'),
      looksPacked: endingOf('{"query": 1'),
      half: endingOf([
        { query: 'a', result: 'fine', success: true },
        { query: 'b', result: '', error: 'missing', success: false },
      ]),
      stopped: endingOf([
        { query: 'a', result: '', error: 'Command failed: Command was aborted', success: false },
      ]),
      failed: endingOf('{"error":"it broke"}', true),
      invalid: endingOf('{"error":"✖ Invalid input"}', true),
      unknown: endingOf(
        '{"error":"Tool call x was rejected before execution: AI_NoSuchToolError: no"}',
        true,
      ),
      missing: endingOf('{"error":"Unknown tool: x"}', true),
      denied: endingOf('{"error":"Tool \\"x\\" was not approved"}', true),
      blocked: endingOf('{"error":"Tool x was blocked by a runtime hook"}', true),
      cut: endingOf('Tool execution was interrupted before a result was produced.', true),
    }).toEqual({
      text: ['ok', 'plain text'],
      blocks: ['ok', 'one\ntwo'],
      packed: ['ok', 'Edited /a'],
      wrong: ['error', 'not found'],
      looksPacked: ['ok', '{"query": 1'],
      half: ['error', 'fine\nmissing'],
      stopped: ['cancelled', 'Command failed: Command was aborted'],
      failed: ['error', 'it broke'],
      invalid: ['invalid', '✖ Invalid input'],
      unknown: ['unknown-tool', 'Tool call x was rejected before execution: AI_NoSuchToolError: no'],
      missing: ['unknown-tool', 'Unknown tool: x'],
      denied: ['denied', 'Tool "x" was not approved'],
      blocked: ['blocked', 'Tool x was blocked by a runtime hook'],
      cut: ['cancelled', 'Tool execution was interrupted before a result was produced.'],
    });
  });

  it('tells a person from the host', () => {
    const { events } = readText(
      kept(
        said('plain words'),
        said('<hook_context source="PreToolUse">mind it</hook_context>'),
        said('be quick', { metadata: { displayRole: 'system' } }),
        said('again', { metadata: { kind: 'recovery_notice' } }),
      ),
    );
    const by = events.map((event) => (event.type === 'user' ? (event.by ?? 'person') : ''));
    expect(by).toEqual(['person', 'host', 'host', 'host']);
  });

  it('tells of a compaction', () => {
    const { events } = readText(kept(said('so far', { metadata: { kind: 'compaction_summary' } })));
    expect(events).toEqual([
      { type: 'compaction', at: AT },
      { type: 'user', text: 'so far', by: 'host', at: AT },
    ]);
  });

  it('keeps what came before a file that breaks off', () => {
    const { events, problems } = readText(SESSION.slice(0, SESSION.indexOf('"done"')));
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(problems).toEqual(['9: the document is not finished']);
  });

  it('reports a call without a name and a message without a role', () => {
    const broken = { role: 'assistant', content: [{ type: 'tool_use', id: 'x' }] };
    expect(readText(kept(broken, { content: 'x' })).problems).toEqual([
      '6: a call without a name',
      '7: a message without a role',
    ]);
  });

  it('does not take the card of a session or other documents for one', () => {
    const card = {
      version: 1,
      session_id: 'x',
      source: 'cli',
      started_at: 'x',
      model: 'm',
      messages_path: '/x',
    };
    const chat = { messages: [{ role: 'user', content: 'x' }] };
    const session = { sessionId: 'x', title: 't', workspaceDirectory: '/x', history: [] };
    for (const other of [card, chat, session, [{ role: 'user', content: 'x' }]]) {
      expect(readText(JSON.stringify(other), { formats: [cline] }).format).toBeNull();
    }
    expect(readText(kept(said('hello'))).format).toBe('cline');
  });
});

/** Built from what the extension's source says of it: no recording of it is at hand. */
describe('api_conversation_history.json of Cline', () => {
  const details = { type: 'text', text: '<environment_details>\nfiles\n</environment_details>' };
  const task = {
    role: 'user',
    content: [{ type: 'text', text: '<task>\nmend it\n</task>' }, details],
    ts: AT,
  };

  function history(...messages: readonly object[]): string {
    return JSON.stringify([task, ...messages]);
  }

  function tagged(text: string, ...result: readonly string[]) {
    const answer = result.map((part) => ({ type: 'text', text: part }));
    return readText(
      history(
        { role: 'assistant', content: [{ type: 'text', text }] },
        { role: 'user', content: [...answer, details] },
      ),
    );
  }

  it('gives native calls and the tokens of each response', () => {
    const { format, events, facts } = readText(
      history(
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'one', name: 'read_file', input: { path: 'a' } }],
          modelInfo: { modelId: 'model-1', providerId: 'p', mode: 'act' },
          metrics: { tokens: { prompt: 500, completion: 20, cached: 400 } },
          ts: AT + 1,
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'one', content: [{ type: 'text', text: 'text of a' }] },
            details,
          ],
        },
      ),
    );
    expect({ format, facts }).toEqual({ format: 'cline', facts: { model: 'model-1' } });
    expect(events.map(({ type }) => type)).toEqual([
      'user',
      'user',
      'turn',
      'tool-call',
      'tool-result',
      'user',
    ]);
    expect(events[0]).toEqual({ type: 'user', text: 'mend it', at: AT });
    expect(events[2]).toMatchObject({ usage: { input: 100, output: 20, cachedInput: 400 } });
    expect(events[4]).toMatchObject({ id: 'one', status: 'ok', output: 'text of a' });
    expect(events[5]).toMatchObject({ by: 'host' });
  });

  it('gives calls that were written into the text, and their ends', () => {
    const text =
      'Let me see.\n<execute_command>\n<command>npm test</command>\n<requires_approval>false</requires_approval>\n</execute_command>';
    const { events } = tagged(
      text,
      "[execute_command for 'npm test'] Result:",
      'Command executed.\nOutput:\n1 failed',
    );
    expect(events.slice(3, 5)).toEqual([
      {
        type: 'tool-call',
        id: 'line-2',
        tool: 'execute_command',
        args: { command: 'npm test', requires_approval: 'false' },
        at: undefined,
      },
      {
        type: 'tool-result',
        id: 'line-2',
        tool: 'execute_command',
        status: 'unknown',
        output: 'Command executed.\nOutput:\n1 failed',
        at: undefined,
      },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'user', by: 'host' });
  });

  it('keeps a content that has tags of its own', () => {
    const content = 'a </content> in <b>a</b> file';
    const text = `<write_to_file>\n<path>a.html</path>\n<content>\n${content}\n</content>\n</write_to_file>`;
    const { events } = tagged(text, "[write_to_file for 'a.html'] Result:", 'The content was saved.');
    expect(events[3]).toMatchObject({ tool: 'write_to_file', args: { path: 'a.html', content } });
    expect(events[4]).toMatchObject({ status: 'ok' });
  });

  it('tells how a written call ended', () => {
    const read = '<read_file>\n<path>a</path>\n</read_file>';
    const statuses = [
      'text of a',
      'The user denied this operation.',
      'The tool execution failed with the following error:\n<error>\nno\n</error>',
      "Missing value for required parameter 'path'. Please retry",
    ].map((output) => {
      const { events } = tagged(read, `[read_file for 'a'] Result:\n${output}`);
      return events.flatMap((event) => (event.type === 'tool-result' ? [event.status] : []))[0];
    });
    expect(statuses).toEqual(['ok', 'denied', 'error', 'invalid']);
  });

  it('hears the person in an answer', () => {
    const asked = '<ask_followup_question>\n<question>which?</question>\n</ask_followup_question>';
    const { events } = tagged(
      asked,
      "[ask_followup_question for 'which?'] Result:\n<answer>\nthe red one\n</answer>",
    );
    expect(events.filter(({ type }) => type === 'user').at(-2)).toEqual({
      type: 'user',
      text: 'the red one',
      at: undefined,
    });
  });

  it('has no call where none was written', () => {
    const { events } = tagged(
      'I think <b>so</b>.',
      '[ERROR] You did not use a tool in your previous response!',
    );
    expect(tallied(events)).toEqual({ user: 3, turn: 1 });
    expect(events.at(-1)).toMatchObject({ by: 'host' });
  });

  it('is known by its first message', () => {
    expect(readText(JSON.stringify([task])).format).toBe('cline');
  });
});

describe('cline --json', () => {
  const stamp = (ms: number) => new Date(AT + ms).toISOString();
  const line = (ms: number, event: object) => JSON.stringify({ ts: stamp(ms), type: 'agent_event', event });
  const hook = {
    ts: stamp(0),
    type: 'hook_event',
    hookEventName: 'agent_start',
    agentId: 'a',
    taskId: 'conv_1',
    parentAgentId: null,
  };
  const toolEvent = { contentType: 'tool', toolName: 'run_commands', toolCallId: 'one' };
  const LINES = [
    JSON.stringify(hook),
    line(1, { type: 'iteration_start', iteration: 1 }),
    line(2, { type: 'content_start', contentType: 'text', text: 'so', accumulated: 'so' }),
    line(3, {
      type: 'usage',
      inputTokens: 500,
      outputTokens: 20,
      cacheReadTokens: 400,
      totalInputTokens: 500,
    }),
    line(4, { type: 'usage', inputTokens: 10, outputTokens: 1, totalInputTokens: 510 }),
    line(5, { type: 'content_end', contentType: 'text', text: 'so' }),
    line(6, { type: 'content_start', ...toolEvent, input: { commands: ['ls'] } }),
    line(7, { type: 'content_update', ...toolEvent, update: { chunk: 'a' } }),
    line(8, {
      type: 'content_end',
      ...toolEvent,
      output: [{ query: 'ls', result: '', error: 'no', success: false }],
    }),
    line(9, { type: 'iteration_end', iteration: 1 }),
    line(10, {
      type: 'notice',
      noticeType: 'status',
      reason: 'auto_compaction',
      metadata: { phase: 'started' },
    }),
    line(11, {
      type: 'notice',
      noticeType: 'status',
      reason: 'auto_compaction',
      metadata: { phase: 'completed' },
    }),
    JSON.stringify({
      ts: stamp(12),
      type: 'run_result',
      model: { id: 'model-1' },
      usage: { inputTokens: 510 },
    }),
  ];

  it('gives each response with the sum of its tokens, its call and its end', () => {
    const { format, events, facts, problems } = readText(`${LINES.join('\n')}\n`);
    expect({ format, problems }).toEqual({ format: 'cline', problems: [] });
    expect(facts).toEqual({ session: 'conv_1', model: 'model-1' });
    expect(events).toEqual([
      {
        type: 'turn',
        at: AT + 1,
        agent: undefined,
        text: 'so',
        usage: { input: 110, output: 21, cachedInput: 400 },
      },
      { type: 'tool-call', id: 'one', tool: 'run_commands', args: { commands: ['ls'] }, at: AT + 6 },
      { type: 'tool-result', id: 'one', tool: 'run_commands', status: 'error', output: 'no', at: AT + 8 },
      { type: 'compaction', at: AT + 11 },
    ]);
  });

  it('tells sub-agents apart, and a call that did not run', () => {
    const event = { ...toolEvent, agentId: 'sub', parentAgentId: 'a' };
    const { events } = readText(
      [
        line(1, { type: 'content_start', ...event, input: {} }),
        line(2, {
          type: 'content_end',
          ...event,
          output: { error: '✖ Invalid input' },
          error: '{"error":"✖ Invalid input"}',
        }),
      ].join('\n'),
    );
    expect(events).toMatchObject([
      { agent: 'sub' },
      { agent: 'sub', status: 'invalid', output: '✖ Invalid input' },
    ]);
  });

  it('goes on after a line that is not finished or not JSON', () => {
    const broken = [...LINES.slice(0, 2), '{"ts', ...LINES.slice(2, 7)].join('\n').slice(0, -4);
    const { events, problems } = readText(broken);
    expect(tallied(events)).toEqual({ turn: 1 });
    expect(problems).toEqual(['3: not JSON', '8: the last line is not finished']);
  });

  it('is known by its first line', () => {
    for (const first of LINES.slice(0, 2)) expect(readText(first).format).toBe('cline');
  });
});

it('never throws, whatever Cline wrote', () => {
  const read = readHostileRecords(cline, [
    ...recordsOf({
      ...HEAD,
      messages: [
        said('<user_input>x</user_input>', { metadata: { kind: 'x' } }),
        called('one', 'x'),
        answered('one', [{ result: 'x', error: 'y', success: true }], true),
      ],
      system_prompt: 'x',
    }),
    {
      line: 8,
      key: '',
      value: { role: 'assistant', content: '<read_file><path>a</path></read_file>', ts: AT },
    },
    { line: 9, key: '', value: { role: 'user', content: [{ type: 'text', text: '[read_file] Result: x' }] } },
    { line: 10, key: '', value: { ts: 'x', type: 'agent_event', event: { type: 'usage', inputTokens: 1 } } },
    {
      line: 11,
      key: '',
      value: {
        ts: 'x',
        type: 'agent_event',
        event: {
          type: 'content_end',
          contentType: 'tool',
          toolName: 'x',
          output: [{ result: 'x' }],
          error: 'x',
        },
      },
    },
  ]);
  expect(read).toBeGreaterThan(500);
});
