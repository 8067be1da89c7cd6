import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, testDetector } from '../../test/contract/detector.ts';
import { callCount } from './call-count.ts';

const read = (path: string) => call('read', { path });

testDetector(callCount, {
  loops: [
    { name: 'one call in a row', events: repeat(4, () => [read('a')]), counts: [2, 3, 4] },
    {
      name: 'others in between',
      events: [read('a'), read('b'), read('c'), read('a'), read('b')],
      counts: [2, 2],
    },
    {
      name: 'a failed edit changes nothing',
      options: { clearedBy: ['edit'] },
      events: [read('a'), ...did('edit', {}, '', 'error'), read('a')],
      counts: [2],
    },
    {
      name: 'a host whose word is ignored',
      options: { stateChange: 'ignored' },
      events: [read('a'), { type: 'state-change' }, read('a')],
      counts: [2],
    },
    {
      name: 'within the window',
      options: { window: 3 },
      events: [read('a'), read('b'), read('c'), read('a')],
      counts: [2],
    },
  ],
  healthy: [
    { name: 'different calls', events: repeat(60, (index) => [read(`${index}`)]), counts: [] },
    {
      name: 'an edit in between',
      options: { clearedBy: ['edit'] },
      events: [read('a'), ...did('edit'), read('a')],
      counts: [],
    },
    { name: 'the world moved', events: [read('a'), { type: 'state-change' }, read('a')], counts: [] },
    {
      name: 'longer ago than the window',
      options: { window: 3 },
      events: [read('a'), read('b'), read('c'), read('d'), read('a')],
      counts: [],
    },
    { name: 'another agent', events: [read('a'), call('read', { path: 'a' }, { agent: 'x' })], counts: [] },
  ],
});

describe('call-count', () => {
  it('remembers 48 different calls', () => {
    const others = (n: number) => repeat(n, (index) => [read(`${index}`)]);
    expect(findings(callCount, { events: [read('a'), ...others(47), read('a')] })).toHaveLength(1);
    expect(findings(callCount, { events: [read('a'), ...others(48), read('a')] })).toHaveLength(0);
  });

  it('forgets the least recently made call first', () => {
    const events = [read('a'), read('b'), read('a'), read('c'), read('a'), read('b')];
    const seen = findings(callCount, { options: { window: 2 }, events });
    expect(seen.map(({ call: at, count }) => [at, count])).toEqual([
      [3, 2],
      [5, 3],
    ]);
  });

  it('shows the last three calls', () => {
    const seen = findings(callCount, { events: [read('a'), read('b'), read('a'), read('a'), read('a')] });
    expect(seen.map(({ evidence }) => evidence)).toEqual([
      [1, 3],
      [1, 3, 4],
      [3, 4, 5],
    ]);
    expect(seen[0]).toMatchObject({ facts: { tool: 'read' }, subject: expect.stringMatching(/^read#/) });
  });
});
