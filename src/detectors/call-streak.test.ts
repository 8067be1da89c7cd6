import { describe, expect, it } from 'vitest';
import {
  call,
  findings,
  made,
  repeat,
  result,
  roundDone,
  testDetector,
  turn,
} from '../../test/contract/detector.ts';
import { callStreak } from './call-streak.ts';
import { UNBOUNDED } from './streak.ts';

const read = (path: string, more: object = {}) => call('read', { path, ...more });

testDetector(callStreak, {
  loops: [
    { name: 'one call in a row', events: repeat(4, () => [read('a')]), counts: [2, 3, 4] },
    {
      name: 'another key order',
      events: [call('t', { a: 1, b: 2 }), call('t', { b: 2, a: 1 })],
      counts: [2],
    },
    {
      name: 'the same text',
      options: { match: 'raw' },
      events: [call('t', '{"a": 1}'), call('t', '{"a": 1}')],
      counts: [2],
    },
    {
      name: 'the same beginning',
      options: { match: 'raw', prefixBytes: 4 },
      events: [call('t', 'abcd-1'), call('t', 'abcd-2')],
      counts: [2],
    },
    {
      name: 'as far as the window',
      options: { window: 3 },
      events: repeat(5, () => [read('a')]),
      counts: [2, 3, 3, 3],
    },
    {
      name: 'within one response',
      options: { within: 'round' },
      events: [turn, read('a'), read('a'), turn, read('a'), read('a'), read('a')],
      counts: [2, 2, 3],
    },
    {
      name: 'results do not matter',
      events: [read('a'), result('read', { path: 'a' }, 'x'), read('a')],
      counts: [2],
    },
  ],
  healthy: [
    { name: 'different calls', events: [read('a'), read('b'), read('a'), read('b')], counts: [] },
    { name: 'different tools', events: [call('t'), call('u'), call('t')], counts: [] },
    { name: 'string contents matter', events: [call('t', { a: 'x' }), call('t', { a: 'x ' })], counts: [] },
    { name: 'a number is no text', events: [call('t', { a: 1 }), call('t', { a: '1' })], counts: [] },
    {
      name: 'white space in raw text',
      options: { match: 'raw' },
      events: [call('t', '{"a":1}'), call('t', '{"a": 1}')],
      counts: [],
    },
    {
      name: 'one a response',
      options: { within: 'round' },
      events: repeat(3, () => [turn, read('a')]),
      counts: [],
    },
    {
      name: 'another beginning',
      options: { match: 'raw', prefixBytes: 4 },
      events: [call('t', 'abc1'), call('t', 'abc2')],
      counts: [],
    },
  ],
});

describe('call-streak', () => {
  it('names the tool and digests the arguments', () => {
    const [finding] = findings(callStreak, { events: [read('secret'), read('secret')] });
    expect(finding).toMatchObject({ count: 2, evidence: [1, 2], facts: { tool: 'read' } });
    expect(finding?.subject).toMatch(/^read#[0-9a-z]{8,11}$/);
  });

  it('shows the last sixteen calls of a longer streak', () => {
    const seen = findings(callStreak, { events: repeat(20, () => [read('a')]) });
    expect(seen.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 5));
  });

  it('forgets a streak that another call broke', () => {
    const seen = findings(callStreak, { events: [read('a'), read('a'), read('b'), read('a'), read('a')] });
    expect(seen.map(({ evidence }) => evidence)).toEqual([
      [1, 2],
      [4, 5],
    ]);
  });

  it.each([
    ['text', { type: 'text-delta', channel: 'content', text: 'now' } as const],
    ['reasoning', { type: 'text-delta', channel: 'reasoning', text: 'hm' } as const],
    ['the end of the round', roundDone],
  ])('within a round, is ended by %s', (_what, event) => {
    const events = [turn, read('a'), read('a'), event, read('a')];
    const counts = (options: { within: string; match?: string }) =>
      findings(callStreak, { options, events }).map(({ count }) => count);
    expect(counts({ within: 'round' })).toEqual([2]);
    expect(counts({ within: 'round', match: 'raw' })).toEqual([2]);
    expect(counts({ within: 'run' })).toEqual([2, 3]);
  });

  it.each([
    [{}, ['tool-call'], ['exact']],
    [{ match: 'raw' }, ['tool-call'], []],
    [{ match: 'raw', prefixBytes: 9, within: 'round' }, ['tool-call', 'round-done', 'text-delta'], []],
  ])('with %j listens to %j, needs %j and speaks before the call', (options, events, needs) => {
    expect(made(callStreak, options)).toMatchObject({ events, needs, blocks: true, maxCount: UNBOUNDED });
  });

  it('within a round, sees nothing where the host shows no turns', () => {
    expect(
      findings(callStreak, { options: { within: 'round' }, events: repeat(4, () => [read('a')]) }),
    ).toEqual([]);
  });
});
