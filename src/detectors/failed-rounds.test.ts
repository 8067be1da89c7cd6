import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  made,
  repeat,
  roundDone,
  testDetector,
  turn,
} from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { failedRounds } from './failed-rounds.ts';
import { UNBOUNDED } from './streak.ts';

const bad = (status = 'error') => did('a', {}, 'no', status);
const good = did('b', {}, 'yes');
const round = (...events: readonly (readonly AgentEvent[])[]) => [turn, ...events.flat()];

testDetector(failedRounds, {
  loops: [
    {
      name: 'nothing but failures',
      events: [...repeat(3, () => round(bad(), bad())), roundDone],
      counts: [1, 2, 3],
    },
    { name: 'a host without turns', events: repeat(3, () => bad()), counts: [1, 2, 3] },
    {
      name: 'every kind of failure',
      events: [...round(bad()), ...round(bad('invalid')), ...round(bad('unknown-tool')), roundDone],
      counts: [1, 2, 3],
    },
    {
      name: 'text in between',
      events: [...round(bad()), turn, ...round(bad()), roundDone],
      counts: [1, 2],
    },
    {
      name: 'too much text',
      options: { textsFrom: 2 },
      events: [...repeat(4, () => [turn]), roundDone],
      counts: [1, 2, 3],
    },
    {
      name: 'failures and too much text',
      options: { textsFrom: 2 },
      events: [...round(bad()), turn, turn, ...round(bad()), roundDone],
      counts: [1, 2, 3],
    },
  ],
  healthy: [
    { name: 'nothing but successes', events: [...repeat(3, () => round(good)), roundDone], counts: [] },
    {
      name: 'a success beside each failure',
      events: [...repeat(3, () => round(bad(), good)), ...repeat(3, () => round(good, bad())), roundDone],
      counts: [],
    },
    {
      name: 'a success in between',
      events: [...round(bad()), ...round(good), ...round(bad()), roundDone],
      counts: [1, 1],
    },
    { name: 'a success in between, without turns', events: [...bad(), ...good, ...bad()], counts: [1, 1] },
    {
      name: 'neither success nor failure',
      events: [...round(bad('denied')), ...round(bad('cancelled')), turn, call('a'), roundDone],
      counts: [],
    },
    { name: 'text', events: [...repeat(5, () => [turn]), roundDone], counts: [] },
    {
      name: 'calls without a result, where an unknown ending is a failure',
      options: { failures: ['unknown'] },
      events: [...repeat(3, () => [turn, call('a')]), roundDone],
      counts: [],
    },
    { name: 'calls without a result, without turns', events: repeat(3, () => [call('a')]), counts: [] },
    {
      name: 'one text at a time',
      options: { textsFrom: 2 },
      events: [...repeat(3, () => [turn, ...round(good)]), turn, turn, call('a'), turn, roundDone],
      counts: [],
    },
  ],
});

describe('failed-rounds', () => {
  it('shows the last call of each failed round', () => {
    const events = [...round(bad(), bad()), ...round(bad('denied')), ...round(bad()), roundDone];
    expect(findings(failedRounds, { events })).toMatchObject([
      { subject: 'rounds', count: 1, evidence: [2] },
      { subject: 'rounds', count: 2, evidence: [2, 4] },
    ]);
  });

  it('shows no call for text, and each call once', () => {
    const events = [turn, ...round(bad()), turn, turn, roundDone];
    const seen = findings(failedRounds, { events, options: { textsFrom: 1 } });
    expect(seen.map(({ evidence }) => evidence)).toEqual([[], [1], [1], [1]]);
  });

  it('starts the evidence anew after a success', () => {
    const events = [...bad(), ...good, ...bad()];
    expect(findings(failedRounds, { events }).at(-1)?.evidence).toEqual([3]);
  });

  it('counts a call without turns once, however many are open', () => {
    const events = [call('a'), call('b'), ...bad(), ...bad()];
    expect(findings(failedRounds, { events })).toMatchObject([
      { count: 1, evidence: [1] },
      { count: 2, evidence: [1, 3] },
    ]);
  });

  it('is about failures, needs no digests, and counts without end', () => {
    expect(made(failedRounds)).toMatchObject({ needs: [], failures: true, maxCount: UNBOUNDED });
  });

  it('counts what it is told to count', () => {
    const events = [...bad(), ...bad('invalid'), ...bad('denied')];
    expect(findings(failedRounds, { events, options: { failures: ['denied'] } })).toMatchObject([
      { count: 1 },
    ]);
  });
});
