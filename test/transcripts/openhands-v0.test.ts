import { describe, expect, it } from 'vitest';
import { openhandsV0 } from '../../src/transcripts/formats/openhands-v0.ts';
import { readText, tallied } from './read.ts';
import { readHostileRecords, readRecords } from './records.ts';

/** Built from what OpenHands 0.x says of its events (openhands/events/serialization): no recording of it is at hand. */

const stamp = (seconds: number) => `2026-09-21T10:00:0${seconds}.000000`;
const at = (seconds: number) => Date.parse(stamp(seconds));

function metrics(prompt_tokens: number, completion_tokens: number, cache_read_tokens = 0): object {
  return {
    accumulated_cost: 1,
    accumulated_token_usage: { prompt_tokens, completion_tokens, cache_read_tokens },
  };
}

function response(id: string, ...calls: readonly string[]): object {
  const tool_calls = calls.map((call) => ({
    id: call,
    function: { name: 'execute_bash', arguments: '{"command":"ls"}' },
  }));
  const message = { role: 'assistant', content: 'so', reasoning_content: 'hm', tool_calls };
  return { id, model: 'model-1', choices: [{ message }], usage: { prompt_tokens: 7, completion_tokens: 3 } };
}

function run(id: number, call: string, model_response: object, llm_metrics: object | undefined): object {
  return {
    id,
    timestamp: stamp(id),
    source: 'agent',
    message: 'Running command: ls',
    action: 'run',
    args: { command: 'ls', thought: 'so', blocking: false },
    tool_call_metadata: {
      function_name: 'execute_bash',
      tool_call_id: call,
      model_response,
      total_calls_in_response: 1,
    },
    llm_metrics,
  };
}

function observed(id: number, cause: number, observation: string, more: object = {}): object {
  return {
    id,
    timestamp: stamp(id),
    source: 'agent',
    cause,
    observation,
    content: 'a.txt',
    extras: {},
    ...more,
  };
}

const PROMPT = {
  id: 1,
  timestamp: stamp(1),
  source: 'user',
  action: 'message',
  args: { content: 'mend it' },
};
const R1 = response('r-1', 'one', 'two');
const SESSION = [
  { id: 0, timestamp: stamp(0), source: 'agent', action: 'system', args: { content: 'you are', tools: [] } },
  PROMPT,
  { id: 2, timestamp: stamp(2), source: 'user', action: 'recall', args: { query: 'mend it' } },
  observed(3, 2, 'recall', { source: 'environment' }),
  run(4, 'one', R1, metrics(500, 20, 400)),
  run(5, 'two', R1, metrics(500, 20, 400)),
  observed(6, 4, 'run', { extras: { metadata: { exit_code: 0 } }, success: true }),
  observed(7, 5, 'run', { extras: { metadata: { exit_code: 1 } }, success: false }),
  {
    id: 8,
    timestamp: stamp(8),
    source: 'agent',
    action: 'message',
    args: { content: 'done' },
    llm_metrics: metrics(600, 25, 450),
  },
];

describe('a trajectory of OpenHands before its SDK', () => {
  it('gives the person, the responses with what each of them cost, the calls and their ends', () => {
    const { format, events, facts, problems } = readText(JSON.stringify(SESSION));
    expect({ format, facts, problems }).toEqual({
      format: 'openhands-v0',
      facts: { model: 'model-1' },
      problems: [],
    });
    const call = { tool: 'execute_bash', args: { command: 'ls' } };
    const end = { tool: 'execute_bash', output: 'a.txt' };
    expect(events).toEqual([
      { type: 'user', text: 'mend it', at: at(1) },
      {
        type: 'turn',
        at: at(4),
        text: 'so',
        reasoning: 'hm',
        usage: { input: 100, output: 20, cachedInput: 400 },
      },
      { type: 'tool-call', id: 'one', ...call, at: at(4) },
      { type: 'tool-call', id: 'two', ...call, at: at(5) },
      { type: 'tool-result', id: 'one', status: 'ok', ...end, at: at(6) },
      { type: 'tool-result', id: 'two', status: 'error', ...end, at: at(7) },
      { type: 'turn', at: at(8), text: 'done', usage: { input: 50, output: 5, cachedInput: 50 } },
    ]);
  });

  it('is the same whatever the pieces it comes in, and in a folder', () => {
    const text = JSON.stringify(SESSION, null, 1);
    for (const size of [1, 7, 64]) expect(readText(text, { size })).toEqual(readText(text));
    const files = SESSION.map((value, index) => ({ line: index + 1, key: `${index}.json`, value }));
    expect(openhandsV0.recognises({ shape: 'folder', records: files.slice(0, 2) })).toBe(true);
    expect(readRecords(openhandsV0, files).events).toEqual(readText(text).events);
  });

  it('begins to count anew where the count falls, and takes the response where nothing is counted', () => {
    const { events } = readText(
      JSON.stringify([
        run(1, 'a', response('r-1', 'a'), metrics(500, 20)),
        run(2, 'b', response('r-2', 'b'), metrics(80, 4)),
        run(3, 'c', response('r-3', 'c'), undefined),
      ]),
    );
    const usages = events.flatMap((event) => (event.type === 'turn' ? [event.usage] : []));
    expect(usages).toEqual([
      { input: 500, output: 20, cachedInput: 0 },
      { input: 80, output: 4, cachedInput: 0 },
      { input: 7, output: 3 },
    ]);
  });

  it('tells how a call ended', () => {
    const statuses = [
      ['error', {}],
      ['user_rejected', {}],
      ['run', { extras: { metadata: { exit_code: -1 } } }],
      ['run', { extras: { exit_code: 2 } }],
      ['run', { success: true }],
      ['run', {}],
      ['run_ipython', {}],
      ['browse', { extras: { error: true } }],
      ['mcp', { content: '{"content":[],"isError": true}' }],
      ['mcp', { content: '{"content":[],"isError":false}' }],
      ['edit', {}],
      ['null', {}],
    ].map(([observation, more]) => {
      const { events } = readText(
        JSON.stringify([run(1, 'one', R1, undefined), observed(2, 1, observation as string, more as object)]),
      );
      return events.flatMap((event) => (event.type === 'tool-result' ? [event.status] : []))[0];
    });
    expect(statuses).toEqual([
      'error',
      'denied',
      'unknown',
      'error',
      'ok',
      'unknown',
      'unknown',
      'error',
      'error',
      'ok',
      'ok',
      undefined,
    ]);
  });

  it('takes the action where no response was kept, without the thought', () => {
    const { events } = readText(
      JSON.stringify([
        { id: 7, source: 'agent', action: 'read', args: { path: 'a', thought: 'look' } },
        observed(8, 7, 'read'),
      ]),
    );
    expect(events).toMatchObject([
      { type: 'turn', text: 'look' },
      { type: 'tool-call', id: '7', tool: 'read', args: { path: 'a' } },
      { type: 'tool-result', id: '7', tool: 'read', status: 'ok' },
    ]);
  });

  it('tells the agents apart that other agents called', () => {
    const delegate = {
      id: 1,
      source: 'agent',
      action: 'delegate',
      args: { agent: 'BrowsingAgent', inputs: {} },
    };
    const { events } = readText(
      JSON.stringify([
        delegate,
        run(2, 'one', R1, undefined),
        observed(3, 2, 'run'),
        observed(4, 1, 'delegate'),
      ]),
    );
    const agents = events.map(({ type, agent }) => `${type} ${agent}`);
    expect(agents).toEqual([
      'turn undefined',
      'tool-call undefined',
      'turn BrowsingAgent',
      'tool-call BrowsingAgent',
      'tool-result BrowsingAgent',
      'tool-result undefined',
    ]);
  });

  it('hears the controller and tells of a compaction', () => {
    const { events } = readText(
      JSON.stringify([
        PROMPT,
        { id: 2, source: 'agent', observation: 'error', content: 'no such function', extras: {} },
        { id: 3, source: 'agent', action: 'condensation', args: { summary: 'so far' } },
        { id: 4, source: 'environment', observation: 'agent_state_changed', content: '', extras: {} },
      ]),
    );
    expect(events.slice(1)).toEqual([
      { type: 'user', text: 'no such function', by: 'host' },
      { type: 'compaction' },
    ]);
  });

  it('keeps what came before a file that breaks off or is broken', () => {
    const text = JSON.stringify(SESSION);
    const { events, problems } = readText(text.slice(0, -30));
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 2, 'tool-result': 2 });
    expect(problems).toEqual(['9: the document is not finished']);
    expect(readText(text.replace('"id":6', '"id":nil')).problems).toEqual([
      '7: a part of the list is not JSON',
    ]);
  });

  it('does not take other lists for it', () => {
    const others = [
      [{ role: 'user', content: 'x' }],
      [{ action: 'ls', observation: 'a', response: 'x' }],
      [{ source: 'agent', action: 'x' }],
    ];
    for (const other of others)
      expect(readText(JSON.stringify(other), { formats: [openhandsV0] }).format).toBeNull();
    expect(readText(JSON.stringify([PROMPT])).format).toBe('openhands-v0');
  });

  it('never throws, whatever OpenHands wrote', () => {
    const records = SESSION.map((value, index) => ({ line: index + 1, key: '', value }));
    expect(readHostileRecords(openhandsV0, records)).toBeGreaterThan(1000);
  });
});
