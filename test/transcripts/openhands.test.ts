import { describe, expect, it } from 'vitest';
import type { TranscriptRecord } from '../../src/transcripts/format.ts';
import { openhands } from '../../src/transcripts/formats/openhands.ts';
import { readText } from './read.ts';
import { readHostileRecords, readRecords } from './records.ts';

/** Built from what OpenHands' SDK says of its events (openhands/sdk/event): no recording of it is at hand. */

const DAY = '2026-09-21T10:00:00';
const AT = Date.parse(`${DAY}.000000`);

function usage(response_id: string, prompt_tokens: number, cache_read_tokens = 0): object {
  return {
    model: 'model-1',
    prompt_tokens,
    completion_tokens: 20,
    cache_read_tokens,
    reasoning_tokens: 5,
    response_id,
  };
}

const STATE = {
  id: 'conv-1',
  agent: { kind: 'Agent', llm: { model: 'model-1' } },
  workspace: { kind: 'LocalWorkspace', working_dir: '/work/site' },
  stats: {
    usage_to_metrics: {
      agent: {
        accumulated_token_usage: usage('', 900),
        token_usages: [usage('r-1', 500, 400), usage('r-2', 100, 300)],
      },
      condenser: { token_usages: [usage('r-3', 70)] },
    },
  },
};

function event(seconds: number, kind: string, fields: object): object {
  return {
    id: `e-${seconds}`,
    timestamp: `${DAY.slice(0, -2)}0${seconds}.000000`,
    kind,
    source: 'agent',
    ...fields,
  };
}

function action(seconds: number, call: string, response: string, more: object = {}): object {
  return event(seconds, 'ActionEvent', {
    thought: [],
    action: { kind: 'TerminalAction', command: 'ls' },
    tool_name: 'terminal',
    tool_call_id: call,
    tool_call: {
      id: call,
      name: 'terminal',
      arguments: '{"command":"ls","security_risk":"LOW"}',
      origin: 'completion',
    },
    llm_response_id: response,
    ...more,
  });
}

function observed(seconds: number, call: string, observation: object): object {
  const content = [{ type: 'text', text: 'a.txt' }];
  return event(seconds, 'ObservationEvent', {
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: call,
    action_id: 'e-2',
    observation: { kind: 'TerminalObservation', content, is_error: false, ...observation },
  });
}

function folder(state: object | null, ...events: readonly object[]): readonly TranscriptRecord[] {
  const files = events.map((value, index) => ({ key: `event-0000${index}-0123abcd.json`, value }));
  const first = state === null ? [] : [{ key: 'base_state.json', value: state }];
  return [...first, ...files].map((record, index) => ({ line: index + 1, ...record }));
}

const SESSION = [
  event(0, 'SystemPromptEvent', { system_prompt: { type: 'text', text: 'you are' }, tools: [] }),
  event(1, 'MessageEvent', {
    source: 'user',
    llm_message: { role: 'user', content: [{ type: 'text', text: 'mend it' }] },
    extended_content: [{ type: 'text', text: 'of this place' }],
  }),
  action(2, 'one', 'r-1', { thought: [{ type: 'text', text: 'so' }], reasoning_content: 'hm' }),
  action(3, 'two', 'r-1'),
  observed(4, 'one', { exit_code: 0 }),
  observed(5, 'two', { exit_code: 2 }),
  event(6, 'Condensation', { source: 'environment', summary: 'so far', llm_response_id: 'r-3' }),
  event(7, 'MessageEvent', {
    llm_message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    llm_response_id: 'r-2',
  }),
];

describe('a conversation of OpenHands', () => {
  it('gives the person, the responses with their tokens, the calls and their ends', () => {
    const { events, facts, problems } = readRecords(openhands, folder(STATE, ...SESSION));
    expect(problems).toEqual([]);
    const args = { command: 'ls', security_risk: 'LOW' };
    const call = { tool: 'terminal', args };
    const end = { tool: 'terminal', output: 'a.txt' };
    expect(events).toEqual([
      { type: 'user', text: 'mend it', at: AT + 1000 },
      { type: 'user', text: 'of this place', by: 'host', at: AT + 1000 },
      {
        type: 'turn',
        at: AT + 2000,
        text: 'so',
        reasoning: 'hm',
        usage: { input: 100, output: 20, cachedInput: 400 },
      },
      { type: 'tool-call', id: 'one', ...call, at: AT + 2000 },
      { type: 'tool-call', id: 'two', ...call, at: AT + 3000 },
      { type: 'tool-result', id: 'one', status: 'ok', ...end, at: AT + 4000 },
      { type: 'tool-result', id: 'two', status: 'error', ...end, at: AT + 5000 },
      { type: 'turn', at: AT + 6000, usage: { input: 70, output: 20, cachedInput: 0 } },
      { type: 'compaction', at: AT + 6000 },
      // What was cached is more than the input: this one counts it apart.
      { type: 'turn', at: AT + 7000, text: 'done', usage: { input: 100, output: 20, cachedInput: 300 } },
    ]);
    expect(facts).toEqual({ session: 'conv-1', model: 'model-1', project: '/work/site' });
  });

  it('tells the sum of tokens where nothing smaller is counted', () => {
    const stats = {
      usage_to_metrics: { agent: { accumulated_token_usage: usage('', 500, 400) }, other: {} },
    };
    const { facts } = readRecords(openhands, folder({ ...STATE, stats }, ...SESSION));
    expect(facts.usage).toEqual({ input: 100, output: 20, cachedInput: 400 });
  });

  it('tells how a call ended', () => {
    const refused = (kind: string, fields: object) =>
      event(4, kind, { tool_name: 'terminal', tool_call_id: 'one', ...fields });
    const endings = [
      observed(4, 'one', { is_error: true }),
      observed(4, 'one', { exit_code: -1, timeout: true }),
      observed(4, 'one', { exit_code: null }),
      refused('AgentErrorEvent', { error: "Tool 'paint' not found. Available: ['terminal']" }),
      refused('AgentErrorEvent', { error: "Error validating tool 'terminal': no. Parameters provided: []" }),
      refused('AgentErrorEvent', { error: 'Tool call interrupted before completion.' }),
      refused('AgentErrorEvent', { error: 'Tool call cancelled by interrupt.' }),
      refused('AgentErrorEvent', { error: "Error executing tool 'terminal': no" }),
      refused('UserRejectObservation', { rejection_reason: 'not now', rejection_source: 'user' }),
      refused('UserRejectObservation', { rejection_reason: 'a loop', rejection_source: 'hook' }),
    ].map((ending) => {
      const { events } = readRecords(openhands, folder(null, action(2, 'one', 'r-1'), ending));
      return events.flatMap((each) =>
        each.type === 'tool-result' ? [`${each.status}: ${each.output}`] : [],
      )[0];
    });
    expect(endings).toEqual([
      'error: a.txt',
      'unknown: a.txt',
      'ok: a.txt',
      "unknown-tool: Tool 'paint' not found. Available: ['terminal']",
      "invalid: Error validating tool 'terminal': no. Parameters provided: []",
      'cancelled: Tool call interrupted before completion.',
      'cancelled: Tool call cancelled by interrupt.',
      "error: Error executing tool 'terminal': no",
      'denied: Action rejected: not now',
      'blocked: Action rejected: a loop',
    ]);
  });

  it('gives a call of an agent behind it once, when it has ended', () => {
    const foreign = (status: string, more: object = {}) =>
      event(3, 'ACPToolCallEvent', {
        tool_call_id: 'x',
        title: 'Edit',
        status,
        raw_input: { path: 'a' },
        ...more,
      });
    const { events } = readRecords(
      openhands,
      folder(
        null,
        foreign('pending'),
        foreign('completed', { raw_output: 'fine' }),
        foreign('failed', { is_error: true }),
      ),
    );
    expect(events).toMatchObject([
      { type: 'tool-call', tool: 'Edit', args: { path: 'a' } },
      { type: 'tool-result', status: 'ok', output: 'fine' },
      { type: 'tool-call' },
      { type: 'tool-result', status: 'error', output: '' },
    ]);
  });

  it('hears the host', () => {
    const llm_message = { role: 'user', content: [{ type: 'text', text: 'go on' }] };
    const { events } = readRecords(
      openhands,
      folder(null, event(1, 'MessageEvent', { source: 'environment', llm_message })),
    );
    expect(events).toEqual([{ type: 'user', text: 'go on', by: 'host', at: AT + 1000 }]);
  });

  it('takes the action where the call was not kept, and reports a call without a name', () => {
    const { events, problems } = readRecords(
      openhands,
      folder(
        null,
        action(2, 'one', 'r-1', { tool_call: null }),
        action(3, 'two', 'r-2', { tool_name: null }),
      ),
    );
    expect(events[1]).toMatchObject({ args: { kind: 'TerminalAction', command: 'ls' } });
    expect(problems).toEqual(['2: a call without a name']);
  });

  it('is known by its first events, also in a list or in lines', () => {
    expect(openhands.recognises({ shape: 'folder', records: folder(STATE, ...SESSION.slice(0, 2)) })).toBe(
      true,
    );
    expect(openhands.recognises({ shape: 'folder', records: folder(STATE) })).toBe(false);
    expect(readText(JSON.stringify(SESSION)).format).toBe('openhands');
    expect(readText(SESSION.map((each) => JSON.stringify(each)).join('\n')).format).toBe('openhands');
    expect(
      readText('{"kind":"x","source":"agent","timestamp":"x"}', { formats: [openhands] }).format,
    ).toBeNull();
  });

  it('never throws, whatever OpenHands wrote', () => {
    const refused = event(8, 'UserRejectObservation', {
      tool_name: 'x',
      rejection_reason: 'x',
      rejection_source: 'user',
    });
    const failed = event(8, 'AgentErrorEvent', { tool_name: 'x', error: 'x' });
    const foreign = event(8, 'ACPToolCallEvent', {
      title: 'x',
      status: 'completed',
      raw_output: 'x',
      content: [],
    });
    expect(
      readHostileRecords(openhands, folder(STATE, ...SESSION, refused, failed, foreign)),
    ).toBeGreaterThan(1000);
  });
});
