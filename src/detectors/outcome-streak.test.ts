import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, testDetector } from '../../test/contract/detector.ts';
import { outcomeStreak } from './outcome-streak.ts';

const ls = (output = 'x', status = 'ok') => did('ls', {}, output, status);
const fails = (text = 'no') => ls(text, 'error');
const edit = (status = 'ok') => did('edit', { text: status }, 'done', status);
const forgivenBy = ['edit'];
/** The counts told at results, or those told before a call. */
const told = (ran: boolean, events: ReturnType<typeof did>, options = {}) =>
  findings(outcomeStreak, { options, events })
    .filter(({ facts }) => facts?.['ran'] === ran)
    .map(({ count }) => count);

testDetector(outcomeStreak, {
  loops: [
    { name: 'equal successes', events: repeat(3, () => ls()), counts: [1, 2, 2, 3] },
    {
      name: 'any failures, others in between',
      options: { successes: ['ls'] },
      events: repeat(3, (index) => [...fails(`${index}`), ...did('read', { index })]),
      counts: [1, 2, 2, 3],
    },
    {
      name: 'a failed edit forgives nothing',
      options: { forgivenBy, successes: ['ls'] },
      events: [...fails(), ...edit('error'), ...fails()],
      counts: [1, 2],
    },
    {
      name: 'calls that never ran change nothing',
      events: [...ls(), ...ls('', 'blocked'), ...ls('', 'denied'), ...ls()],
      counts: [1, 1, 1, 2],
    },
  ],
  healthy: [
    { name: 'different calls', events: repeat(40, (index) => did('read', { index })), counts: [] },
    {
      name: 'other results each time',
      events: repeat(4, (index) => ls(`${index}`)),
      counts: [1, 1, 1],
    },
    {
      name: 'an edit after each failure',
      options: { forgivenBy, successes: ['ls'] },
      events: repeat(4, () => [...fails(), ...edit()]),
      counts: [],
    },
    {
      name: 'successes of tools that are not watched',
      options: { successes: ['read'] },
      events: repeat(6, () => ls()),
      counts: [],
    },
  ],
});

describe('outcome-streak', () => {
  it('tells at the result, and before the next run', () => {
    const events = repeat(3, () => fails());
    expect(told(true, events)).toEqual([2, 3]);
    expect(told(false, events)).toEqual([1, 2]);
  });

  it('starts anew at the other ending', () => {
    expect(told(true, [...fails(), ...fails(), ...ls(), ...fails(), ...fails()])).toEqual([2, 2]);
  });

  it('can tell failures apart', () => {
    const events = [...fails('a'), ...fails('b'), ...fails('b')];
    expect(told(true, events, { failures: 'any' })).toEqual([2, 3]);
    expect(told(true, events, { failures: 'equal' })).toEqual([2]);
  });

  it('forgives failures, and only them, when the world changes', () => {
    const moved = [{ type: 'state-change' } as const];
    expect(told(true, [...fails(), ...moved, ...fails(), ...fails()])).toEqual([2]);
    expect(told(false, [...fails(), ...moved, call('ls')])).toEqual([]);
    expect(told(true, [...ls(), ...moved, ...ls()])).toEqual([2]);
    expect(told(true, [...fails(), ...edit(), ...fails()], { forgivenBy })).toEqual([]);
    expect(told(true, [...ls(), ...edit(), ...ls()], { forgivenBy })).toEqual([2]);
  });

  it('remembers the calls that ended last', () => {
    const others = (n: number) => repeat(n, (index) => did('read', { index }));
    expect(told(true, [...ls(), ...others(3), ...ls()], { window: 4 })).toEqual([2]);
    expect(told(true, [...ls(), ...others(4), ...ls()], { window: 4 })).toEqual([]);
  });

  it('shows the run before and this one', () => {
    const seen = findings(outcomeStreak, { events: [...fails(), ...did('read'), ...fails()] });
    expect(seen.at(-1)).toMatchObject({
      count: 2,
      evidence: [1, 3],
      facts: { tool: 'ls', failed: true, ran: true },
      subject: expect.stringMatching(/^ls#/),
    });
    expect(seen[0]).toMatchObject({ count: 1, evidence: [1, 3], facts: { failed: true, ran: false } });
  });
});
