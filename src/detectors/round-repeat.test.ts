import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  only,
  repeat,
  result,
  roundDone,
  testDetector,
  turn,
} from '../../test/contract/detector.ts';
import { type AgentEvent, createGuard, type Json } from '../core/index.ts';
import { toolRules } from '../core/tools.ts';
import { roundRepeat } from './round-repeat.ts';

const a = (output: Json = 'x', status = 'ok') => did('a', { n: 1 }, output, status);
const b = (output: Json = 'x') => did('b', { n: 1 }, output);
const round = (...events: readonly (readonly AgentEvent[])[]) => [turn, ...events.flat()];
const other = (index: number) => did('other', { index }, 'x');
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
    const seen: number[] = [];
    const guard = createGuard({
      preset: only(roundRepeat),
      detectors: [roundRepeat],
      rulesFor: toolRules({ wait: { poll: true } }),
      onDecision: ({ finding }) => seen.push(finding.count),
    });
    const wait = (output: string) => did('wait', {}, output);
    const events = [
      ...round(wait('')),
      ...round(wait('')),
      ...round(a(), wait('1')),
      ...round(wait('2'), a()),
    ];
    for (const event of [...events, roundDone]) guard.accept(event);
    expect(seen).toEqual([1, 2]);
  });
});
