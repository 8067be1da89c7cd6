import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, testDetector } from '../../test/contract/detector.ts';
import { outcomeRepeat } from './outcome-repeat.ts';

const ls = (output = 'x', status = 'ok') => did('ls', {}, output, status);
const edit = (text: string, status = 'ok') => did('edit', { text }, 'done', status);
const clearedBy = ['edit'];

testDetector(outcomeRepeat, {
  loops: [
    { name: 'the same outcome', events: repeat(4, () => ls()), counts: [1, 2, 3, 4] },
    { name: 'other outcomes', events: repeat(3, (index) => ls(`${index}`)), counts: [1, 2, 3] },
    { name: 'the same edit', options: { clearedBy }, events: repeat(3, () => edit('a')), counts: [1, 2, 3] },
    {
      name: 'a failed edit',
      options: { clearedBy },
      events: [...ls(), ...edit('a', 'error'), ...ls()],
      counts: [1, 1, 2],
    },
    {
      name: 'within the window',
      options: { window: 2 },
      events: [...ls(), ...did('a'), ...ls()],
      counts: [1, 1, 2],
    },
  ],
  healthy: [
    { name: 'different calls', events: [...did('a'), ...did('b'), ...did('c')], counts: [1, 1, 1] },
    {
      name: 'a new edit in between',
      options: { clearedBy },
      events: [...ls(), ...edit('a'), ...ls()],
      counts: [1, 1, 1],
    },
    { name: 'the world moved', events: [...ls(), { type: 'state-change' }, ...ls()], counts: [1, 1] },
    {
      name: 'calls that never ran',
      events: [...ls('', 'denied'), ...ls('', 'cancelled'), ...ls('', 'blocked')],
      counts: [1, 1, 1],
    },
    {
      name: 'longer ago than the window',
      options: { window: 2 },
      events: [...ls(), ...did('a'), ...did('b'), ...ls()],
      counts: [1, 1, 1, 1],
    },
  ],
});

describe('outcome-repeat', () => {
  const same = (events: ReturnType<typeof ls>) => findings(outcomeRepeat, { events }).at(-1)?.facts?.['same'];

  it('tells whether it always ended the same way', () => {
    expect(same([...ls('x'), ...ls('x'), call('ls')])).toBe(true);
    expect(same([...ls('x'), ...ls('y'), call('ls')])).toBe(false);
    expect(same([...ls('y'), ...ls('x'), ...ls('x'), call('ls')])).toBe(false);
    expect(same([...ls('x'), ...ls('x', 'error'), call('ls')])).toBe(false);
  });

  it('keeps the new edit itself, so that its repetition is seen', () => {
    const events = [...did('ls'), ...edit('a'), ...edit('a')];
    expect(findings(outcomeRepeat, { options: { clearedBy }, events }).map(({ count }) => count)).toEqual([
      1, 1, 2,
    ]);
  });

  it('shows the calls before and the one that is about to run', () => {
    const seen = findings(outcomeRepeat, { events: [...ls(), ...did('a'), ...ls(), call('ls')] });
    expect(seen.at(-1)).toMatchObject({ count: 3, evidence: [1, 3, 4], facts: { tool: 'ls' } });
    expect(seen.at(-1)?.subject).toMatch(/^ls#/);
  });

  it('shows sixteen calls at most', () => {
    const seen = findings(outcomeRepeat, { events: repeat(20, () => ls()) });
    expect(seen.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 5));
  });
});
