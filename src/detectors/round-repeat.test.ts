import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  made,
  remembered,
  repeat,
  result,
  roundDone,
  testDetector,
  turn,
} from '../../test/contract/detector.ts';
import type { AgentEvent, Json } from '../core/index.ts';
import { MAX_CALLS, roundRepeat } from './round-repeat.ts';

const a = (output: Json = 'x', status = 'ok') => did('a', { n: 1 }, output, status);
const b = (output: Json = 'x') => did('b', { n: 1 }, output);
const round = (...events: readonly (readonly AgentEvent[])[]) => [turn, ...events.flat()];
const other = (index: number) => did('other', { index }, 'x');
const known: AgentEvent = { type: 'calls-known' };
const wait = (output: string) => did('wait', {}, output);
const ignored = { outcomes: 'ignored' };

testDetector(roundRepeat, {
  loops: [
    {
      name: 'rounds of two calls',
      events: [...repeat(3, () => round(a(), b())), roundDone],
      counts: [1, 2, 3],
    },
    { name: 'a host without turns', events: repeat(3, () => a()), counts: [1, 2, 3] },
    {
      name: 'with others in between',
      events: [...round(a()), ...round(b()), ...round(a()), roundDone],
      counts: [1, 1, 2],
    },
    {
      name: 'whatever the results, as soon as the calls are known',
      options: ignored,
      events: [
        turn,
        call('a'),
        call('b'),
        { type: 'calls-known' },
        turn,
        call('a'),
        call('b'),
        { type: 'calls-known' },
      ],
      counts: [1, 2],
    },
    {
      name: 'whatever the results, without turns',
      options: ignored,
      events: [...a('1'), ...a('2'), ...a('3')],
      counts: [1, 2, 3],
    },
    {
      name: 'whatever the order',
      options: { order: 'free' },
      events: [...round(a(), b(), b()), ...round(b(), a(), b()), roundDone],
      counts: [1, 2],
    },
    {
      name: 'the most frequent of a full window',
      options: { window: 4, judged: 'full-window' },
      events: [...repeat(3, () => round(a())), ...round(b()), ...round(other(1)), roundDone],
      counts: [3, 2],
    },
    {
      name: 'the most frequent of a full window, without turns',
      options: { window: 4, judged: 'full-window' },
      events: [...a(), ...a(), ...a(), ...b()],
      counts: [3],
    },
    {
      name: 'the most frequent round, though most had no call',
      options: { window: 3, judged: 'full-window' },
      events: [turn, turn, ...round(a()), roundDone],
      counts: [1],
    },
    {
      name: 'the same results, though the calls are known before',
      events: [...repeat(2, () => [turn, call('a'), known, result('a', {}, 'x')]), roundDone],
      counts: [1, 2],
    },
    {
      name: 'what the calls are about',
      options: { match: 'salient' },
      events: ['1', '2'].flatMap((timeout) => did('bash', { command: 'make', timeout })),
      counts: [1, 2],
    },
    {
      name: 'a window that slides',
      options: { window: 2 },
      events: [...repeat(4, () => round(a())), roundDone],
      counts: [1, 2, 2, 2],
    },
  ],
  healthy: [
    { name: 'other results', events: [...round(a('1')), ...round(a('2')), roundDone], counts: [1, 1] },
    { name: 'another ending', events: [...round(a()), ...round(a('x', 'error')), roundDone], counts: [1, 1] },
    {
      name: 'one call more',
      events: [...round(a()), ...round(a(), b()), ...round(a(), a()), roundDone],
      counts: [1, 1, 1],
    },
    { name: 'another order', events: [...round(a(), b()), ...round(b(), a()), roundDone], counts: [1, 1] },
    {
      name: 'a call made twice, in any order',
      options: { order: 'free' },
      events: [...round(a(), a(), b()), ...round(b(), b(), a()), ...round(b()), roundDone],
      counts: [1, 1, 1],
    },
    { name: 'turns without a call', events: [...repeat(4, () => [turn]), roundDone], counts: [] },
    {
      name: 'longer ago than the window',
      options: { window: 2 },
      events: [...round(a()), ...round(b()), ...round(other(1)), ...round(a()), roundDone],
      counts: [1, 1, 1, 1],
    },
    {
      name: 'a window that is not full',
      options: { window: 4, judged: 'full-window' },
      events: [...repeat(3, () => round(a())), roundDone],
      counts: [],
    },
    {
      name: 'results that come when the round is over',
      events: [turn, call('a'), turn, result('a', {}), call('a'), turn, result('a', {}), roundDone],
      counts: [],
    },
    {
      name: 'other arguments, where only the order of keys may not differ',
      options: { match: 'raw' },
      events: ['1', '2'].flatMap((timeout) => did('bash', { command: 'make', timeout })),
      counts: [1, 1],
    },
    {
      name: 'something else that the calls are about',
      options: { match: 'salient' },
      events: ['make', 'ls'].flatMap((command) => did('bash', { command })),
      counts: [1, 1],
    },
    {
      name: 'polls',
      tools: { wait: { poll: true } },
      events: [...repeat(3, () => round(wait(''))), roundDone],
      counts: [],
    },
    {
      name: 'results that never came',
      events: [turn, call('a'), turn, call('a'), turn, call('a'), ...b(), roundDone],
      counts: [],
    },
  ],
});

describe('round-repeat', () => {
  const counts = (events: readonly AgentEvent[], options = {}) =>
    findings(roundRepeat, { events, options }).map(({ count }) => count);

  it('says which round it is, its last calls, and how far it has looked', () => {
    const seen = findings(roundRepeat, { events: [...round(a(), b()), turn, ...round(a(), b()), roundDone] });
    expect(seen.at(-1)).toMatchObject({ count: 2, evidence: [2, 4], facts: { rounds: 3 } });
    expect(seen.at(-1)?.subject).toMatch(/^round#/);
    expect(seen[0]?.subject).toBe(seen[1]?.subject);
  });

  it('points to the last call of each round, whatever else is called', () => {
    const events = [...round(a(), b(), a(), wait('')), ...round(a(), b(), a(), wait('')), roundDone];
    expect(
      findings(roundRepeat, { events, tools: { wait: { poll: true } } }).map(({ evidence }) => evidence),
    ).toEqual([[3], [3, 7]]);
  });

  it('takes the first of two rounds that are as frequent', () => {
    const options = { window: 4, judged: 'full-window' };
    const events = [...round(a()), ...round(b()), ...round(b()), ...round(a()), roundDone];
    expect(findings(roundRepeat, { events, options })).toMatchObject([{ count: 2, evidence: [2, 3] }]);
  });

  it('counts a round once, however early it is judged', () => {
    const batch = [turn, call('a'), known, result('a', {}), roundDone];
    const seen = findings(roundRepeat, { events: [...batch, ...batch], options: ignored });
    expect(seen.map(({ count, facts }) => [count, facts])).toEqual([
      [1, { rounds: 1 }],
      [2, { rounds: 2 }],
    ]);
  });

  it('takes large batches in any order for the same, and no other batch', () => {
    const batch = (calls: number[]) => round(...calls.map(other));
    for (let n = 0; n < 8; n++) {
      const calls = Array.from({ length: 12 }, (_, index) => 100 * n + index);
      const events = [...batch(calls), ...batch(calls.toReversed()), ...batch(calls.with(n, 99)), roundDone];
      expect(counts(events, { order: 'free' })).toEqual([1, 2, 1]);
    }
  });

  it.each([
    [MAX_CALLS - 1, [1, 2]],
    [MAX_CALLS, [1, 2]],
    [MAX_CALLS + 1, []],
  ])('waits for the results of a batch of %i calls', (size, expected) => {
    const calls = Array.from({ length: size }, (_, index) => call('other', { index }));
    const results = Array.from({ length: size }, (_, index) => result('other', { index }));
    expect(counts([turn, ...calls, ...results, turn, ...calls, ...results, roundDone])).toEqual(expected);
    const state = remembered(roundRepeat, { events: [turn, ...calls] });
    expect(state).toHaveProperty('calls.length', Math.min(size, MAX_CALLS));
  });

  it.each([
    [{ match: 'exact', outcomes: 'same' }, ['exact', 'outcome'], false],
    [{ match: 'exact', outcomes: 'ignored' }, ['exact'], false],
    [{ match: 'raw', outcomes: 'same' }, ['outcome'], true],
    [{ match: 'salient', outcomes: 'ignored' }, [], true],
  ])('with %j it needs %j and no more', (options, needs, reads) => {
    const detector = made(roundRepeat, options);
    expect(detector).toMatchObject({ needs, maxCount: roundRepeat.defaults.window });
    expect(detector.observe !== undefined).toBe(reads);
  });

  it('shows sixteen calls at most', () => {
    const seen = findings(roundRepeat, { events: repeat(20, () => a()) });
    expect(seen.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 5));
  });

  it('pairs results with their calls, in whatever order they come', () => {
    const calls = [call('a', {}, { id: '1' }), call('b', {}, { id: '2' })];
    const done = (id: string, output: string): AgentEvent => ({
      type: 'tool-result',
      id,
      output,
      status: 'ok',
    });
    const first = [turn, ...calls, done('1', 'x'), done('2', 'y')];
    expect(counts([...first, turn, ...calls, done('2', 'y'), done('1', 'x'), roundDone])).toEqual([1, 2]);
    expect(counts([...first, turn, ...calls, done('2', 'x'), done('1', 'y'), roundDone])).toEqual([1, 1]);
  });

  it('takes keys in another order for the same call, unless arguments are compared as sent', () => {
    const events = [...did('a', { x: 1, y: 2 }), ...did('a', { y: 2, x: 1 })];
    expect(counts(events)).toEqual([1, 2]);
    expect(counts(events, { match: 'raw' })).toEqual([1, 1]);
    expect(counts([...did('a', '{ "x": 1 }'), ...did('a', '{ "x": 1 }')], { match: 'raw' })).toEqual([1, 2]);
  });

  it('judges a round once, early where it can', () => {
    const batch = [turn, ...a(), { type: 'calls-known' } as const];
    expect(counts([...batch, { type: 'calls-known' }, roundDone, ...batch, roundDone], ignored)).toEqual([
      1, 2,
    ]);
    expect(counts([turn, { type: 'calls-known' }, ...a(), roundDone], ignored)).toEqual([1]);
  });

  it('waits for the whole batch where there are turns', () => {
    const events = [...round(a()), ...round(a()), turn, ...a()];
    expect(counts(events, ignored)).toEqual([1, 2]);
    expect(counts([...events, ...b(), roundDone], ignored)).toEqual([1, 2, 1]);
  });

  it.each([
    ['kept', 30, 2],
    ['free', 30, 2],
  ])('compares batches of any size, order %s', (order, size, count) => {
    const batch = (last: number) =>
      round(...Array.from({ length: size }, (_, i) => other(i < size - 1 ? i : last)));
    expect(counts([...batch(99), ...batch(99), roundDone], { order })).toEqual([1, count]);
    expect(counts([...batch(98), ...batch(99), roundDone], { order })).toEqual([1, 1]);
  });

  it('compares no batch of which it has lost a result', () => {
    const calls = Array.from({ length: 30 }, (_, index) => call('other', { index }));
    const results = Array.from({ length: 30 }, (_, index) => result('other', { index }));
    const batch = [turn, ...calls, ...results];
    expect(counts([...batch, ...batch, roundDone])).toEqual([]);
    expect(counts([...batch, ...batch, roundDone], ignored)).toEqual([1, 2]);
  });

  it('passes over polls', () => {
    const events = [
      ...round(wait('')),
      ...round(wait('')),
      ...round(a(), wait('1')),
      ...round(wait('2'), a()),
      roundDone,
    ];
    expect(
      findings(roundRepeat, { events, tools: { wait: { poll: true } } }).map(({ count }) => count),
    ).toEqual([1, 2]);
  });
});
