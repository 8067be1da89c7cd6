import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, result, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/types.ts';
import { compactionRepeat } from './compaction-repeat.ts';

const compaction: AgentEvent = { type: 'compaction' };
const read = (path = 'a', output = 'x', status = 'ok') => did('read', { path }, output, status);

testDetector(compactionRepeat, {
  loops: [
    { name: 'three after a compaction', events: [compaction, ...repeat(3, () => read())], counts: [2, 3] },
    {
      name: 'others in between',
      options: { calls: 5 },
      events: [compaction, ...repeat(3, (index) => [...read(), ...read(`${index}`)])],
      counts: [2, 3],
    },
    {
      name: 'armed anew',
      events: [compaction, ...read(), compaction, ...repeat(3, () => read())],
      counts: [2, 3],
    },
    {
      name: 'calls that never ran take no place',
      events: [compaction, ...read(), ...read('a', '', 'blocked'), ...read(), ...read()],
      counts: [2, 3],
    },
  ],
  healthy: [
    { name: 'no compaction', events: repeat(6, () => read()), counts: [] },
    {
      name: 'after the watch',
      events: [compaction, ...repeat(3, (index) => read(`${index}`)), ...repeat(4, () => read())],
      counts: [],
    },
    {
      name: 'other results',
      events: [compaction, ...repeat(3, (index) => read('a', `${index}`))],
      counts: [],
    },
    {
      name: 'a call from before the compaction',
      events: [call('read', { path: 'a' }), compaction, result('read', { path: 'a' }, 'x'), ...read()],
      counts: [],
    },
  ],
});

describe('compaction-repeat', () => {
  it('watches as many calls as it is told', () => {
    const counts = (calls: number) =>
      findings(compactionRepeat, {
        options: { calls },
        events: [compaction, ...repeat(6, () => read())],
      }).map(({ count }) => count);
    expect(counts(2)).toEqual([2]);
    expect(counts(3)).toEqual([2, 3]);
    expect(counts(4)).toEqual([2, 3, 4]);
  });

  it('leaves other agents alone', () => {
    const other = repeat(3, () => [
      call('read', {}, { agent: 'x' }),
      { ...result('read', {}, 'x'), agent: 'x' } as AgentEvent,
    ]);
    expect(findings(compactionRepeat, { events: [compaction, ...other] })).toEqual([]);
  });

  it('takes a failure for a result', () => {
    const events = [compaction, ...repeat(2, () => read('a', 'no', 'error'))];
    expect(findings(compactionRepeat, { events }).at(-1)).toMatchObject({
      count: 2,
      evidence: [1, 2],
      facts: { tool: 'read' },
      subject: expect.stringMatching(/^read#/),
    });
  });
});
