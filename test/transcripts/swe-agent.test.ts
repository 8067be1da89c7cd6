import { describe, expect, it } from 'vitest';
import { sweAgent } from '../../src/transcripts/formats/swe-agent.ts';
import { readText, tallied } from './read.ts';
import { readHostileRecords, recordsOf } from './records.ts';

/** Built from what SWE-agent says of its output (docs/usage/trajectories.md): no recording of it is at hand. */

function step(action: string, observation: string, query: readonly object[] = []): object {
  return {
    action,
    observation,
    response: `I run ${action}`,
    thought: 'so',
    execution_time: 0.1,
    state: {},
    query,
    extra_info: {},
  };
}

const QUERY = [
  { role: 'system', content: 'you are', agent: 'main' },
  { role: 'user', content: 'a demonstration', is_demo: true },
  { role: 'user', content: [{ type: 'text', text: 'mend it' }] },
];
const TRAJECTORY = [step('ls\n', 'a.txt', QUERY), step('pytest', '1 failed'), step('', 'no command')];
const HISTORY = [
  {
    role: 'assistant',
    content: 'I run ls',
    action: 'ls',
    tool_calls: [{ id: 'x', function: { name: 'bash' } }],
  },
  { role: 'tool', content: 'a.txt', tool_call_ids: ['x'] },
];
const DOCUMENT = {
  environment: 'main',
  trajectory: TRAJECTORY,
  history: HISTORY,
  info: {
    model_stats: { instance_cost: 1, tokens_sent: 900, tokens_received: 40, api_calls: 3 },
    swe_agent_version: '1.1.0',
  },
  replay_config: JSON.stringify({ agent: { model: { name: 'model-1' } } }),
};

describe('a trajectory of SWE-agent', () => {
  it('gives the task and each step once, and the tokens of the whole', () => {
    const { format, events, facts, problems } = readText(JSON.stringify(DOCUMENT));
    expect({ format, problems }).toEqual({ format: 'swe-agent', problems: [] });
    expect(events).toEqual([
      { type: 'user', text: 'mend it' },
      { type: 'turn', text: 'I run ls\n' },
      { type: 'tool-call', id: 'step-2-1', tool: 'bash', args: { command: 'ls' } },
      { type: 'tool-result', id: 'step-2-1', tool: 'bash', status: 'unknown', output: 'a.txt' },
      { type: 'turn', text: 'I run pytest' },
      { type: 'tool-call', id: 'step-3-2', tool: 'bash', args: { command: 'pytest' } },
      { type: 'tool-result', id: 'step-3-2', tool: 'bash', status: 'unknown', output: '1 failed' },
      { type: 'turn', text: 'I run ' },
    ]);
    expect(facts).toEqual({ usage: { input: 900, output: 40 }, version: '1.1.0', model: 'model-1' });
  });

  it('is the same whatever the pieces it comes in', () => {
    const text = JSON.stringify(DOCUMENT, null, 2);
    for (const size of [1, 7, 64]) expect(readText(text, { size })).toEqual(readText(text));
  });

  it('gives every attempt, and the best of them not once more', () => {
    const attempts = [{ trajectory: TRAJECTORY.slice(0, 1) }, { trajectory: TRAJECTORY.slice(0, 2) }];
    const { format, events } = readText(
      JSON.stringify({ attempts, ...DOCUMENT, trajectory: TRAJECTORY.slice(0, 2) }),
    );
    expect(format).toBe('swe-agent');
    expect(tallied(events)).toEqual({ user: 2, turn: 3, 'tool-call': 3, 'tool-result': 3 });
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.id] : []));
    expect(new Set(ids).size).toBe(3);
  });

  it('reads a trajectory of an older version', () => {
    const older = { action: 'ls', observation: 'a.txt', response: 'I run ls', state: '{}', thought: 'so' };
    const { events, facts } = readText(
      JSON.stringify({ environment: 'main', trajectory: [older], history: [], info: {} }),
    );
    expect(tallied(events)).toEqual({ turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(facts).toEqual({});
  });

  it('keeps what came before a file that breaks off', () => {
    const text = JSON.stringify(DOCUMENT);
    const { events, problems } = readText(text.slice(0, text.indexOf('1 failed')));
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(problems).toEqual(['3: the document is not finished']);
  });

  it('does not take other documents for it', () => {
    const others = [
      { trajectory: [{ action: 'run', args: {}, source: 'agent' }] },
      { trajectory: [] },
      { messages: [{ role: 'user', content: 'x' }] },
      [step('ls', 'a')],
    ];
    for (const other of others)
      expect(readText(JSON.stringify(other), { formats: [sweAgent] }).format).toBeNull();
  });

  it('never throws, whatever SWE-agent wrote', () => {
    const attempts = [{ trajectory: [step('ls', 'a', QUERY)] }];
    expect(readHostileRecords(sweAgent, recordsOf(DOCUMENT))).toBeGreaterThan(300);
    expect(readHostileRecords(sweAgent, recordsOf({ attempts, ...DOCUMENT }))).toBeGreaterThan(300);
  });
});
