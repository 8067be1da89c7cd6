import { describe, expect, it } from 'vitest';
import { call, did, findings, made, repeat, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { outcomeStreak } from './outcome-streak.ts';
import { UNBOUNDED } from './streak.ts';

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
      name: 'failures of tools whose successes are not watched',
      options: { successes: ['read'] },
      events: repeat(3, () => fails()),
      counts: [1, 2, 2, 3],
    },
    {
      name: 'a success of a tool that forgives nothing',
      options: { forgivenBy, successes: ['ls'] },
      events: [...fails(), ...did('read'), ...fails()],
      counts: [1, 2],
    },
    {
      name: 'a tool that writes, where nothing is forgiven',
      options: { successes: ['ls'] },
      tools: { save: { effect: 'write' } },
      events: [...fails(), ...did('save'), ...fails()],
      counts: [1, 2],
    },
    {
      name: 'two calls in turn',
      events: repeat(2, () => [...ls(), ...did('read')]),
      counts: [1, 2, 1, 2],
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
      name: 'a tool that the user says writes after each failure',
      options: { forgivenBy, successes: ['ls'] },
      tools: { save: { effect: 'write' } },
      events: repeat(4, () => [...fails(), ...did('save')]),
      counts: [],
    },
    { name: 'polls', tools: { ls: { poll: true } }, events: repeat(6, () => ls()), counts: [] },
    {
      name: 'failures in other words, where words are compared',
      options: { failures: 'equal' },
      events: repeat(3, (index) => fails(`${index}`)),
      counts: [1, 1],
    },
    { name: 'one after the other', events: [...ls(), ...did('read'), ...fails()], counts: [1] },
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

  it('needs both digests, speaks before the call, too, and counts without end', () => {
    expect(made(outcomeStreak)).toMatchObject({
      needs: ['exact', 'outcome'],
      blocks: true,
      maxCount: UNBOUNDED,
    });
  });

  it('shows calls in order, whichever ended first', () => {
    const done = (id: string): AgentEvent => ({ type: 'tool-result', id, status: 'ok', output: 'x' });
    const events = [call('ls', {}, { id: '1' }), call('ls', {}, { id: '2' }), done('2'), done('1')];
    expect(findings(outcomeStreak, { events })).toMatchObject([
      { count: 2, evidence: [1, 2], facts: { tool: 'ls', failed: false, ran: true } },
    ]);
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
