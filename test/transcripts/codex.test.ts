import { describe, expect, it } from 'vitest';
import { codex } from '../../src/transcripts/formats/codex.ts';
import { readHostile } from './hostile.ts';
import { readText, tallied } from './read.ts';

type Fields = { readonly [name: string]: unknown };

const START = Date.parse('2026-03-01T10:00:00.000Z');

function line(second: number, type: string, payload: unknown): Fields {
  return { timestamp: new Date(START + second * 1000).toISOString(), type, payload };
}

function item(second: number, payload: Fields): Fields {
  return line(second, 'response_item', payload);
}

function event(second: number, payload: Fields): Fields {
  return line(second, 'event_msg', payload);
}

const META = line(0, 'session_meta', {
  id: 'thread-1',
  timestamp: '2026-03-01T09:59:59.000Z',
  cwd: '/home/me/shop',
  cli_version: '0.166.0',
  source: 'exec',
});

function says(second: number, text: string, role = 'user', kinds?: readonly string[]): Fields {
  const about = kinds && { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } };
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return item(second, { type: 'message', role, content: [{ type, text }], ...about });
}

function calls(second: number, id: string, cmd: string, name = 'exec_command'): Fields {
  return item(second, { type: 'function_call', name, arguments: JSON.stringify({ cmd }), call_id: id });
}

function ends(second: number, id: string, output: unknown): Fields {
  return item(second, { type: 'function_call_output', call_id: id, output });
}

const USAGE = {
  input_tokens: 100,
  cached_input_tokens: 30,
  output_tokens: 20,
  reasoning_output_tokens: 5,
  total_tokens: 120,
};

/** A response is counted in a record of its own. */
function record(second: number): Fields {
  return line(second, 'token_usage_record', { response_id: `r${second}`, usage: USAGE });
}

/** The n-th response is counted in an event. */
function tokens(second: number, n: number): Fields {
  const total = { input_tokens: 100 * n, output_tokens: 20 * n, total_tokens: 120 * n };
  return event(second, { type: 'token_count', info: { last_token_usage: USAGE, total_token_usage: total } });
}

function read(...records: readonly Fields[]) {
  return readText(records.map((value) => JSON.stringify(value)).join('\n'));
}

function headed(code: number, text = 'done'): string {
  return `Chunk ID: 1a2b3c\nWall time: 0.1000 seconds\nProcess exited with code ${code}\nOutput:\n${text}`;
}

function statusOf(output: unknown, tool = 'exec_command', ...between: readonly Fields[]) {
  const { events } = read(META, calls(1, 'c1', 'x', tool), ...between, ends(2, 'c1', output));
  const answer = events.find(({ type }) => type === 'tool-result');
  return answer?.type === 'tool-result' ? answer.status : answer;
}

const SPENT = { input: 70, output: 20, cachedInput: 30 };

const RUN = [
  META,
  says(1, 'rules', 'developer'),
  says(1, '<environment_context>\n</environment_context>', 'user', ['environments.environment_context']),
  line(1, 'turn_context', { model: 'gpt-x' }),
  says(2, 'Why does it fail?', 'user', ['user.text']),
  item(3, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look first.' }] }),
  says(3, 'I look.', 'assistant'),
  calls(4, 'c1', 'make'),
  calls(4, 'c2', 'ls'),
  record(5),
  event(6, {
    type: 'item_completed',
    item: { type: 'CommandExecution', id: 'c1', status: 'failed', exit_code: 2 },
  }),
  ends(7, 'c1', headed(2)),
  ends(7, 'c2', headed(0)),
  tokens(7, 1),
  says(8, 'It is broken.', 'assistant'),
  record(9),
  tokens(9, 2),
];

describe('a rollout of Codex', () => {
  it('becomes one turn a response, with its calls and their results', () => {
    const { format, events, facts, problems } = read(...RUN);
    expect(format).toBe('codex');
    expect(problems).toEqual([]);
    expect(facts).toEqual({
      session: 'thread-1',
      project: '/home/me/shop',
      version: '0.166.0',
      model: 'gpt-x',
      startedAt: START - 1000,
    });
    expect(events).toEqual([
      { type: 'user', by: 'host', text: 'rules', at: START + 1000 },
      { type: 'user', by: 'host', text: '<environment_context>\n</environment_context>', at: START + 1000 },
      { type: 'user', text: 'Why does it fail?', at: START + 2000 },
      { type: 'turn', at: START + 3000, reasoning: 'Look first.', text: 'I look.', usage: SPENT },
      { type: 'tool-call', id: 'c1', tool: 'exec_command', args: { cmd: 'make' }, at: START + 4000 },
      { type: 'tool-call', id: 'c2', tool: 'exec_command', args: { cmd: 'ls' }, at: START + 4000 },
      {
        type: 'tool-result',
        id: 'c1',
        tool: 'exec_command',
        status: 'error',
        output: headed(2),
        at: START + 7000,
      },
      {
        type: 'tool-result',
        id: 'c2',
        tool: 'exec_command',
        status: 'ok',
        output: headed(0),
        at: START + 7000,
      },
      { type: 'turn', at: START + 8000, text: 'It is broken.', usage: SPENT },
    ]);
  });

  it('of 2026 counts a response behind its results', () => {
    const { events } = read(
      META,
      says(1, 'go'),
      calls(2, 'c1', 'ls'),
      ends(3, 'c1', headed(0)),
      tokens(4, 1),
      event(4, { type: 'token_count', info: null }),
      tokens(4, 1),
      calls(5, 'c2', 'ls'),
      ends(6, 'c2', headed(0)),
      tokens(7, 2),
      tokens(8, 3),
    );
    const turns = events.filter(({ type }) => type === 'turn');
    // The last one said nothing: a summary, or a title.
    expect(turns).toEqual([
      { type: 'turn', at: START + 2000, usage: SPENT },
      { type: 'turn', at: START + 5000, usage: SPENT },
      { type: 'turn', at: START + 8000, usage: SPENT },
    ]);
    expect(tallied(events)).toEqual({ user: 1, turn: 3, 'tool-call': 2, 'tool-result': 2 });
  });

  it('of 2025 counts a response before what it says', () => {
    const { events } = read(
      META,
      says(1, 'go'),
      tokens(2, 1),
      calls(2, 'c1', 'ls'),
      ends(2, 'c1', '{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
      calls(2, 'c2', 'make'),
      ends(2, 'c2', '{"output":"b","metadata":{"exit_code":2,"duration_seconds":0.1}}'),
      tokens(3, 2),
      says(3, 'Broken.', 'assistant'),
      tokens(4, 3),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'user',
      'turn',
      'tool-call',
      'tool-result',
      'tool-call',
      'tool-result',
      'turn',
      'turn',
    ]);
    expect(events.filter(({ type }) => type === 'turn').every((turn) => 'usage' in turn)).toBe(true);
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { status: 'ok' },
      { status: 'error' },
    ]);
  });

  it('of the first kind has no wrapper, no times and no tokens', () => {
    const { format, events, facts } = read(
      { id: 'old-1', timestamp: '2025-06-01T00:00:00.000Z', instructions: null, git: {} },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
      { record_type: 'state' },
      { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1', output: { content: 'a', success: true } },
      { type: 'local_shell_call', id: 'l1', status: 'completed', action: { type: 'exec', command: ['pwd'] } },
      { type: 'function_call_output', call_id: 'l1', output: { content: 'no', success: false } },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    );
    expect(format).toBe('codex');
    expect(facts).toEqual({ session: 'old-1', startedAt: Date.parse('2025-06-01T00:00:00.000Z') });
    expect(events).toEqual([
      { type: 'user', text: 'go' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c1', tool: 'shell', args: { command: ['ls'] } },
      { type: 'tool-result', id: 'c1', tool: 'shell', status: 'ok', output: 'a' },
      { type: 'turn' },
      { type: 'tool-call', id: 'l1', tool: 'local_shell', args: { type: 'exec', command: ['pwd'] } },
      { type: 'tool-result', id: 'l1', tool: 'local_shell', status: 'error', output: 'no' },
      { type: 'turn', text: 'Done.' },
    ]);
  });

  it('without tokens begins a response with what the model says after a result', () => {
    const { events } = read(
      META,
      calls(1, 'c1', 'ls'),
      ends(2, 'c1', headed(0)),
      says(3, 'Done.', 'assistant'),
    );
    expect(tallied(events)).toMatchObject({ turn: 2 });
  });

  const nothing = (second: number) => event(second, { type: 'token_count', info: null });
  const shape = (...records: readonly Fields[]) =>
    read(META, says(1, 'go'), ...records)
      .events.slice(1)
      .map((one) => ('id' in one && one.type === 'tool-call' ? one.id : one.type));

  it('without tokens begins a response with the call after a result, and not with the one beside it', () => {
    const run = [1, 2, 3].flatMap((n) => [
      calls(n, `a${n}`, 'ls'),
      calls(n, `b${n}`, 'ls'),
      ends(n, `a${n}`, headed(0)),
      ends(n, `b${n}`, headed(0)),
    ]);
    const rounds = [1, 2, 3].flatMap((n) => ['turn', `a${n}`, `b${n}`, 'tool-result', 'tool-result']);
    expect(shape(...run)).toEqual(rounds);
  });

  it('ends a response where the host has no tokens to tell, and so keeps its calls together', () => {
    const run = [1, 2, 3].flatMap((n) => [
      calls(n, `a${n}`, 'ls'),
      nothing(n),
      ends(n, `a${n}`, headed(0)),
      ...(n < 2 ? [] : [calls(n, `b${n}`, 'ls'), ends(n, `b${n}`, headed(0)), nothing(n)]),
    ]);
    expect(shape(...run)).toEqual([
      ...['turn', 'a1', 'tool-result'],
      ...['turn', 'a2', 'tool-result', 'turn', 'b2', 'tool-result'],
      ...['turn', 'a3', 'tool-result', 'turn', 'b3', 'tool-result'],
    ]);
    expect(
      shape(
        calls(1, 'a', 'ls'),
        ends(1, 'a', headed(0)),
        nothing(1),
        calls(2, 'b', 'ls'),
        ends(2, 'b', headed(0)),
        calls(2, 'c', 'ls'),
        nothing(2),
      ),
    ).toEqual(['turn', 'a', 'tool-result', 'turn', 'b', 'tool-result', 'c']);
  });

  it('counts the first response, though an empty count comes before its own', () => {
    const { events } = read(
      META,
      nothing(1),
      calls(1, 'a', 'ls'),
      ends(1, 'a', headed(0)),
      nothing(1),
      tokens(2, 1),
      calls(3, 'b', 'ls'),
      ends(3, 'b', headed(0)),
      tokens(4, 2),
    );
    expect(events.filter(({ type }) => type === 'turn')).toEqual([
      { type: 'turn', at: START + 1000, usage: SPENT },
      { type: 'turn', at: START + 3000, usage: SPENT },
    ]);
  });

  it('tells an image from another, and takes any list of tools', () => {
    const shot = (second: number, image_url: string) =>
      ends(second, `c${second}`, [{ type: 'input_image', image_url }]);
    const outputs = read(META, shot(1, 'data:A'), shot(2, 'data:B'), shot(3, 'data:B')).events.map(
      (one) => one.type === 'tool-result' && JSON.stringify(one.output),
    );
    expect(outputs[0]).not.toBe(outputs[1]);
    expect(outputs[1]).toBe(outputs[2]);
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const found = JSON.stringify(item(1, { type: 'tool_search_output', call_id: 't', tools: 7 }));
    const { events } = readText(`${JSON.stringify(META)}\n${found.replace('"tools":7', `"tools":${deep}`)}`);
    expect(events).toMatchObject([{ type: 'tool-result', id: 't' }]);
  });

  describe('that was forked', () => {
    const FORK = line(0, 'session_meta', {
      id: 'fork',
      timestamp: '2026-03-01T10:00:00.000Z',
      forked_from_id: 'thread-1',
    });
    const started = (second: number, at: number) =>
      event(second, { type: 'task_started', started_at: START / 1000 + at });
    const copy = [calls(1, 'old', 'ls'), ends(1, 'old', headed(0)), tokens(1, 1)];
    const own = [calls(9, 'new', 'ls'), ends(9, 'new', headed(0)), tokens(9, 2)];
    const calledIn = (...records: readonly Fields[]) =>
      read(...records).events.flatMap((one) => (one.type === 'tool-call' ? [one.id] : []));

    it('tells nothing of the turns that started before it', () => {
      expect(calledIn(FORK, META, started(1, -500), ...copy, started(9, 0), ...own)).toEqual(['new']);
      expect(read(FORK, META, started(1, -500), ...copy, started(9, 0), ...own).facts.session).toBe('fork');
    });

    it('tells nothing that was written before it, nor before it was introduced again', () => {
      const before = copy.map((record) => ({ ...record, timestamp: '2026-03-01T09:00:00.000Z' }));
      expect(calledIn(FORK, ...before, ...own)).toEqual(['new']);
      expect(calledIn(FORK, META, started(1, -500), ...copy, FORK, ...own)).toEqual(['new']);
    });

    it('tells everything where nothing marks a copy, and of what is no fork', () => {
      expect(calledIn(FORK, META, ...copy, ...own)).toEqual(['old', 'new']);
      const { forked_from_id: _, ...plain } = FORK['payload'] as Fields;
      const root = { ...FORK, payload: plain };
      expect(calledIn(root, started(1, -500), ...copy, ...own)).toEqual(['old', 'new']);
    });
  });

  it('names tools of MCP servers as hooks do, and keeps arguments that are not JSON', () => {
    const echo = { type: 'function_call', name: 'echo', call_id: 'c', arguments: '{"a":' };
    const named = (namespace: string) => read(META, item(1, { ...echo, namespace })).events[1];
    expect(named('mcp__ev')).toMatchObject({ tool: 'mcp__ev__echo', args: '{"a":' });
    expect(named('mcp__ev__')).toMatchObject({ tool: 'mcp__ev__echo' });
    expect(named('multi_agent_v1')).toMatchObject({ tool: 'echo' });
  });

  it('has calls without a result in sight: a search stays within its response', () => {
    const { events } = read(
      META,
      item(1, { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } }),
      item(2, { type: 'reasoning', summary: [], content: [{ type: 'text', text: 'Hm.' }] }),
      item(3, { type: 'tool_search_call', call_id: 't1', arguments: { query: 'mail' } }),
      record(4),
      item(5, { type: 'tool_search_output', call_id: 't1', tools: [] }),
    );
    expect(events).toMatchObject([
      { type: 'turn', reasoning: 'Hm.', usage: SPENT },
      { type: 'tool-call', tool: 'web_search', args: { query: 'x' } },
      { type: 'tool-result', tool: 'web_search', status: 'ok', output: '' },
      { type: 'tool-call', id: 't1', tool: 'tool_search', args: { query: 'mail' } },
      { type: 'tool-result', id: 't1', status: 'unknown', output: '[]' },
    ]);
  });

  it('tells of compactions', () => {
    const { events } = read(META, says(1, 'go'), tokens(2, 1), line(3, 'compacted', { message: '' }));
    expect(events.map(({ type }) => type)).toEqual(['user', 'turn', 'compaction']);
  });

  it('of a sub-agent has a parent, and nobody speaks in it but agents', () => {
    const meta = line(0, 'session_meta', {
      id: 'child',
      source: { subagent: { thread_spawn: { parent_thread_id: 'thread-1', depth: 1 } } },
    });
    const { events, facts } = read(meta, META, says(1, 'look around', 'user', ['user.text']));
    expect(facts).toMatchObject({ session: 'child', parent: 'thread-1' });
    expect(events).toMatchObject([{ type: 'user', by: 'host' }]);
  });

  it.each([
    '# AGENTS.md instructions for /home/me',
    '<user_instructions>\nrules\n</user_instructions>',
    '<turn_aborted>\nstopped\n</turn_aborted>',
    '<subagent_notification>{}</subagent_notification>',
    '<user_shell_command>ls</user_shell_command>',
  ])('does not take the host for a person: %s', (text) => {
    expect(read(META, says(1, text)).events).toMatchObject([{ type: 'user', by: 'host', text }]);
  });

  it('hears a person who writes in tags', () => {
    expect(read(META, says(1, '<div> is not closed')).events).toEqual([
      { type: 'user', text: '<div> is not closed', at: START + 1000 },
    ]);
  });
});

describe('how a call ended', () => {
  const done = (fields: Fields) => event(1, { type: 'item_completed', item: { id: 'c1', ...fields } });

  it.each([
    ['ok', headed(0, 'Process exited with code 3'), 'exec_command'],
    ['error', headed(-1), 'write_stdin'],
    [
      'ok',
      'Chunk ID: 1\nWall time: 1.0000 seconds\nProcess running with session ID 7\nOutput:\n',
      'exec_command',
    ],
    ['error', 'exec_command failed for `x`', 'exec_command'],
    ['cancelled', 'aborted by user after 3.1s', 'shell'],
    ['cancelled', 'Wall time: 3.1 seconds\naborted by user', 'exec_command'],
    ['error', 'Exit code: 1\nWall time: 0 seconds\nOutput:\n', 'shell'],
    ['ok', 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.', 'apply_patch'],
    ['ok', 'Success. Updated the following files:\nM a', 'apply_patch'],
    ['error', 'apply_patch verification failed: no such lines', 'apply_patch'],
    ['denied', 'patch rejected by user', 'apply_patch'],
    ['denied', 'exec command rejected by user', 'exec_command'],
    ['blocked', 'Command blocked by PreToolUse hook: again. Command: ls', 'exec_command'],
    ['blocked', 'Tool call blocked by PreToolUse hook: again. Tool: echo', 'mcp__ev__echo'],
    ['invalid', 'failed to parse function arguments: missing field `cmd`', 'exec_command'],
    ['unknown-tool', 'unsupported call: foo', 'foo'],
    ['ok', 'Plan updated', 'update_plan'],
    ['unknown', 'whatever', 'mcp__ev__echo'],
    ['unknown', '{"output":"cut', 'shell'],
    ['error', 'unable to locate image at `x.png`', 'view_image'],
    ['ok', [{ type: 'input_image', image_url: 'data:' }], 'view_image'],
  ])('is %s: %j', (status, output, tool) => {
    expect(statusOf(output, tool)).toBe(status);
  });

  it.each([
    ['error', done({ type: 'McpToolCall', status: 'failed' })],
    ['ok', done({ type: 'McpToolCall', status: 'completed' })],
    ['denied', done({ type: 'CommandExecution', status: 'declined' })],
    ['ok', event(1, { type: 'exec_command_end', call_id: 'c1', exit_code: 0 })],
    ['error', event(1, { type: 'exec_command_end', call_id: 'c1', exit_code: 1 })],
    ['error', event(1, { type: 'patch_apply_end', call_id: 'c1', success: false })],
    ['ok', event(1, { type: 'mcp_tool_call_end', call_id: 'c1', result: { Ok: { content: [] } } })],
    ['error', event(1, { type: 'mcp_tool_call_end', call_id: 'c1', result: { Ok: { isError: true } } })],
    ['error', event(1, { type: 'mcp_tool_call_end', call_id: 'c1', result: { Err: 'gone' } })],
    ['unknown', event(1, { type: 'mcp_tool_call_end', call_id: 'other', result: { Err: 'gone' } })],
  ])('is told by an event: %s', (status, told) => {
    expect(statusOf([{ type: 'input_text', text: 'Echo' }], 'mcp__ev__echo', told)).toBe(status);
  });
});

describe('the stream that `codex exec --json` prints', () => {
  const started = (id: string, fields: Fields) => ({ type: 'item.started', item: { id, ...fields } });
  const completed = (id: string, fields: Fields) => ({ type: 'item.completed', item: { id, ...fields } });
  const command = { type: 'command_execution', command: 'ls', aggregated_output: '', status: 'in_progress' };
  const echo = {
    type: 'mcp_tool_call',
    server: 'ev',
    tool: 'echo',
    arguments: { m: 1 },
    status: 'in_progress',
  };
  const STREAM: readonly Fields[] = [
    { type: 'thread.started', thread_id: 'thread-1' },
    completed('e0', { type: 'error', message: 'a notice' }),
    { type: 'turn.started' },
    completed('m0', { type: 'reasoning', text: 'Look first.' }),
    completed('m1', { type: 'agent_message', text: 'I look.' }),
    started('c1', command),
    started('c2', echo),
    completed('c1', { ...command, aggregated_output: 'a', exit_code: 2, status: 'failed' }),
    completed('c2', { ...echo, result: { content: [{ type: 'text', text: 'b' }] }, status: 'completed' }),
    completed('c3', { type: 'file_change', changes: [{ path: 'a', kind: 'add' }], status: 'completed' }),
    started('c4', { type: 'collab_tool_call', tool: 'spawn_agent', prompt: 'x', receiver_thread_ids: [] }),
    completed('c4', { ...echo, error: { message: 'gone' }, status: 'failed' }),
    completed('c5', { ...command, exit_code: null, status: 'declined' }),
    { type: 'turn.completed', usage: USAGE },
    { type: 'turn.started' },
    completed('c6', { type: 'web_search', query: 'x' }),
    { type: 'turn.failed', error: { message: 'gone' } },
  ];

  it('tells calls and results, and the tokens of the whole', () => {
    const { format, events, facts } = read(...STREAM);
    expect(format).toBe('codex');
    expect(facts).toEqual({ session: 'thread-1', usage: SPENT });
    expect(events).toEqual([
      { type: 'user' },
      { type: 'turn', reasoning: 'Look first.', text: 'I look.' },
      { type: 'tool-call', id: 'c1', tool: 'shell', args: { command: 'ls' } },
      { type: 'tool-call', id: 'c2', tool: 'mcp__ev__echo', args: { m: 1 } },
      { type: 'tool-result', id: 'c1', tool: 'shell', status: 'error', output: 'a' },
      { type: 'tool-result', id: 'c2', tool: 'mcp__ev__echo', status: 'ok', output: 'b' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c3', tool: 'apply_patch', args: { changes: [{ path: 'a', kind: 'add' }] } },
      { type: 'tool-result', id: 'c3', tool: 'apply_patch', status: 'ok', output: '' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c4', tool: 'spawn_agent', args: { prompt: 'x', receivers: [] } },
      { type: 'tool-result', id: 'c4', tool: 'mcp__ev__echo', status: 'error', output: 'gone' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c5', tool: 'shell', args: { command: 'ls' } },
      { type: 'tool-result', id: 'c5', tool: 'shell', status: 'denied', output: '' },
      { type: 'user' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c6', tool: 'web_search', args: { query: 'x' } },
      { type: 'tool-result', id: 'c6', tool: 'web_search', status: 'unknown', output: '' },
    ]);
  });

  it('is recognised by its first record, or by an item', () => {
    expect(read(STREAM[0] as Fields).format).toBe('codex');
    expect(read(STREAM[1] as Fields).format).toBe('codex');
  });

  it('never throws', () => {
    expect(readHostile(codex, STREAM).length).toBeGreaterThan(500);
  });
});

describe('what is broken', () => {
  const text = RUN.map((value) => JSON.stringify(value)).join('\n');

  it('is a last line that is half written: all else stays', () => {
    const half = readText(`${text}\n${JSON.stringify(calls(10, 'c3', 'ls')).slice(0, 60)}`);
    expect(half.problems).toEqual([`${RUN.length + 1}: the last line is not finished`]);
    expect(half.events).toEqual(readText(text).events);
  });

  it('is a line in the middle: all else stays', () => {
    const lines = text.split('\n');
    const { events, problems } = readText(lines.with(1, '{"timestamp":').join('\n'));
    expect(problems).toEqual(['2: not JSON']);
    expect(events).toEqual(readText(text).events.slice(1));
  });

  it('is a record without its payload, or a call without its tool', () => {
    const nameless = item(1, { type: 'function_call', arguments: '{}', call_id: 'c' });
    expect(read(META, line(1, 'response_item', 'x'), nameless).problems).toEqual([
      '2: a record of the type response_item without a payload',
      '3: a call without the name of its tool',
    ]);
  });

  it('is any value of another type: nothing throws', () => {
    const more = [
      tokens(9, 3),
      item(9, { type: 'web_search_call', status: 'failed' }),
      line(9, 'compacted', {}),
    ];
    for (const { format } of readHostile(codex, [...RUN, ...more])) expect(format).toBe('codex');
  });
});

describe('recognition', () => {
  const recognises = (value: unknown, shape: 'lines' | 'document' = 'lines') =>
    codex.recognises({ shape, records: [{ line: 1, key: '', value }] });

  it('needs no more than what a rollout begins with', () => {
    expect(recognises(META)).toBe(true);
    expect(recognises({ id: 'x', timestamp: '2025-06-01T00:00:00Z', instructions: null })).toBe(true);
    expect(recognises({ id: 'x', timestamp: '2025-06-01T00:00:00Z', git: {} })).toBe(true);
    expect(recognises({ id: 'x', timestamp: '2025-06-01T00:00:00Z' })).toBe(false);
    expect(recognises({ record_type: 'state' })).toBe(true);
  });

  it.each([
    ['items of the Responses API', { type: 'function_call', call_id: 'c', name: 'x', arguments: '{}' }],
    ['a header of pi', { type: 'session', version: 3, id: 'x', timestamp: '2026-01-01', cwd: '/' }],
    ['a header of Gemini CLI', { sessionId: 's', projectHash: 'p', startTime: '2026-01-01' }],
    ['an item that is none', { type: 'item.started', item: 'x' }],
    ['a list', []],
  ])('leaves %s to others', (_, value) => {
    expect(recognises(value)).toBe(false);
  });

  it('leaves documents to others', () => {
    expect(recognises(META, 'document')).toBe(false);
  });
});

it('forgets calls that are never answered', () => {
  const many = Array.from({ length: 1100 }, (_, n) => calls(1, `c${n}`, 'ls'));
  const { events } = read(META, ...many, ends(2, 'c0', 'x'), ends(2, 'c1099', 'x'));
  const [first, last] = events.filter(({ type }) => type === 'tool-result');
  expect(first).toMatchObject({ id: 'c0', status: 'unknown' });
  expect(last).toMatchObject({ id: 'c1099', tool: 'exec_command', status: 'error' });
});

it.each([1, 7, 65_536])('reads pieces of %i bytes alike', (size) => {
  const text = RUN.map((value) => JSON.stringify(value)).join('\n');
  expect(readText(text, { size })).toEqual(readText(text));
});
