import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { compactions } from './compactions.ts';

const compaction: AgentEvent = { type: 'compaction' };
const idle = (events: readonly AgentEvent[], options = {}) =>
  findings(compactions, { events, options }).map(({ facts }) => facts?.['idle']);

testDetector(compactions, {
  loops: [
    { name: 'nothing but compactions', events: repeat(3, () => [compaction]), counts: [1, 2, 3] },
    {
      name: 'compactions with work in between',
      events: repeat(3, () => [...did('a'), compaction]),
      counts: [1, 2, 3],
    },
  ],
  healthy: [
    { name: 'work', events: [turn, ...did('a'), user, turn], counts: [] },
    { name: 'one compaction', events: [...did('a'), compaction, ...did('a')], counts: [1] },
  ],
});

describe('compactions', () => {
  it('tells whether nothing has happened between two', () => {
    expect(idle([compaction, compaction])).toEqual([false, true]);
    for (const between of [[turn], [call('a')], did('a'), [user]])
      expect(idle([compaction, ...between, compaction])).toEqual([false, false]);
  });

  it.each([
    [2, [false, true, false, false]],
    [3, [false, true, true, false]],
    [4, [false, true, true, true]],
  ])('looks for the pair among the last %i', (window, expected) => {
    expect(idle([compaction, compaction, turn, compaction, turn, compaction], { window })).toEqual(expected);
  });

  it('points to the last call, if there was one', () => {
    expect(findings(compactions, { events: [compaction] })).toMatchObject([
      { subject: 'compactions', evidence: [] },
    ]);
    expect(findings(compactions, { events: [...did('a'), compaction] })).toMatchObject([{ evidence: [1] }]);
  });
});

describe('fruitless compactions', () => {
  const read = (n: number) => did('read_file', { n }, `text of file ${n}`);
  const lap = [...read(1), ...read(2), compaction];
  const counts = (events: readonly AgentEvent[]) =>
    findings(compactions, { events, options: { counts: 'fruitless' } }).map(({ count }) => count);

  it('counts those between which all that was known came again', () => {
    expect(counts(repeat(4, () => lap))).toEqual([1, 2, 3, 4]);
    expect(counts([...lap, turn, ...did('think', {}, 'ok'), ...lap])).toEqual([1, 2]);
  });

  it.each([
    ['a new result', read(3)],
    ['a change', did('edit', { path: 'a.ts' }, 'done')],
    ['a person', [user]],
    ['the host', [{ type: 'state-change' } as AgentEvent]],
  ])('starts anew with %s', (_, between) => {
    expect(counts([...lap, ...between, ...lap, ...lap])).toEqual([1, 1, 2]);
  });

  it('tells nothing of those between which nothing came', () => {
    expect(counts([...lap, compaction, turn, compaction, ...lap])).toEqual([1, 1, 1, 2]);
  });
});
