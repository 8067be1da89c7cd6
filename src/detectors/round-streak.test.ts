import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/index.ts';
import { call, findings, repeat, testDetector, turn } from '../../test/contract/detector.ts';
import { roundStreak } from './round-streak.ts';

const read = (path: string) => call('read', { path });
const round = (...calls: AgentEvent[]) => [turn, ...calls];
const reads = (paths: string) => round(...[...paths].map(read));
const seen = (events: readonly AgentEvent[]) =>
  findings(roundStreak, { events }).map(({ call: at, count }) => [at, count]);

testDetector(roundStreak, {
  loops: [
    { name: 'one call a round', events: repeat(4, () => reads('a')), counts: [2, 3, 4] },
    { name: 'no rounds shown', events: repeat(3, () => [read('a')]), counts: [2, 3] },
    { name: 'a fan-out', events: [...reads('abc'), ...reads('cab')], counts: [2, 2, 2] },
    {
      name: 'in changing company',
      events: [...reads('ab'), ...reads('ca'), ...reads('da')],
      counts: [2, 3],
    },
    {
      name: 'rounds of other tools in between',
      events: [...reads('a'), ...round(call('bash')), ...reads('a')],
      counts: [2],
    },
    {
      name: 'another key order',
      events: [...round(call('t', { a: 1, b: 2 })), ...round(call('t', { b: 2, a: 1 }))],
      counts: [2],
    },
    {
      name: 'malformed arguments',
      events: [...round(call('t', '{"a":')), ...round(call('t', '{"a":'))],
      counts: [2],
    },
  ],
  healthy: [
    { name: 'other arguments each round', events: repeat(6, (index) => reads(`${index}`)), counts: [] },
    { name: 'many at once', events: round(...repeat(6, () => [read('a')])), counts: [] },
    {
      name: 'a round of the tool without it',
      events: [...reads('a'), ...reads('b'), ...reads('a')],
      counts: [],
    },
    { name: 'another tool', events: [...round(call('t')), ...round(call('u'))], counts: [] },
    { name: 'a new fan-out', events: [...reads('abc'), ...reads('def')], counts: [] },
    { name: 'no rounds shown, alternating', events: [read('a'), read('b'), read('a')], counts: [] },
    {
      name: 'another agent',
      events: [read('a'), call('read', { path: 'a' }, { agent: 'x' })],
      counts: [],
    },
  ],
});

describe('round-streak', () => {
  it('counts a call twice in one round once', () => {
    expect(seen([...reads('aa'), ...reads('a'), ...reads('a')])).toEqual([
      [3, 2],
      [4, 3],
    ]);
    expect(seen([...reads('a'), ...reads('aa'), ...reads('a')])).toEqual([
      [2, 2],
      [3, 2],
      [4, 3],
    ]);
  });

  it('compares with the last round of the tool, whatever the order within the round', () => {
    for (const paths of ['abc', 'cab', 'bca'])
      expect(seen([...reads('ab'), ...reads(paths)]).map(([, count]) => count)).toEqual([2, 2]);
  });

  it('forgets a call that a round of its tool left out', () => {
    expect(seen([...reads('ab'), ...reads('b'), ...reads('ab')])).toEqual([
      [3, 2],
      [5, 3],
    ]);
  });

  it('shows the call and the one before it', () => {
    const [finding] = findings(roundStreak, { events: [...reads('xa'), ...reads('ya')] });
    expect(finding).toMatchObject({ evidence: [2, 4], facts: { tool: 'read' } });
    expect(finding?.subject).toMatch(/^read#[0-9a-z]{8,11}$/);
  });

  it('remembers 48 calls, the oldest of the tool called longest ago forgotten first', () => {
    const wide = (n: number) => round(...repeat(n, (index) => [read(`${index}`)]));
    expect(seen([...wide(48), ...wide(48)])).toHaveLength(48);
    expect(seen([...wide(49), ...round(read('48'))])).toHaveLength(1);
    expect(seen([...wide(49), ...round(read('0'))])).toHaveLength(0);
    const other = round(call('bash'));
    expect(seen([...other, ...wide(47), ...other])).toHaveLength(1);
    expect(seen([...other, ...wide(48), ...other])).toHaveLength(0);
    expect(seen([...other, ...wide(48), ...round(read('0'))])).toHaveLength(1);
  });

  it('remembers twelve tools', () => {
    const tools = (n: number) => repeat(n, (index) => round(call(`tool ${index}`)));
    expect(seen([...round(call('t')), ...tools(11), ...round(call('t'))])).toHaveLength(1);
    expect(seen([...round(call('t')), ...tools(12), ...round(call('t'))])).toHaveLength(0);
  });
});
