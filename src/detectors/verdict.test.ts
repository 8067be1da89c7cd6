import { describe, expect, it } from 'vitest';
import { call, findings, repeat, testDetector, turn } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { verdict } from './verdict.ts';

const says = (stuck: number): AgentEvent => ({ type: 'verdict', stuck });
const turns = (n: number) => repeat(n, () => [turn]);
const few = { first: 3, interval: 2, shortest: 1, longest: 5 };

testDetector(verdict, {
  eager: true,
  loops: [
    { name: 'a judge who is sure', events: [says(0.9), says(1)], counts: [1, 2] },
    { name: 'a judge who is sure again', events: [says(0.9), says(0.89), says(0.95)], counts: [1, 1] },
    { name: 'time to ask', options: few, events: turns(5), counts: [1, 2] },
    { name: 'more than sure', events: [says(7)], counts: [1] },
  ],
  healthy: [
    { name: 'a judge who is not sure', events: [says(0), says(0.5), says(0.89)], counts: [] },
    { name: 'not time yet', events: turns(29), counts: [] },
    { name: 'never time', options: { first: 'off' }, events: turns(100), counts: [] },
    { name: 'calls are no turns', options: few, events: repeat(9, () => [call('t')]), counts: [] },
  ],
});

describe('verdict', () => {
  const whys = (events: readonly AgentEvent[], options = {}) =>
    findings(verdict, { options, events }).map(({ facts }) => facts);

  it('tells whether a judge is due or has spoken', () => {
    expect(whys([...turns(3), says(0.92)], few)).toEqual([
      { why: 'due', turns: 3 },
      { why: 'stuck', confidence: 92 },
    ]);
  });

  it.each([
    [0, 5],
    [0.5, 3],
    [0.89, 1],
  ])('after a verdict of %d a judge is due %i turns later', (stuck, later) => {
    const asked = whys([...turns(3), says(stuck), ...turns(6)], few).map((facts) => facts?.['turns']);
    expect(asked[1]).toBe(3 + later);
  });

  it('keeps to its interval after a verdict that is sure', () => {
    const asked = whys([...turns(3), says(1), ...turns(4)], few).map((facts) => facts?.['turns']);
    expect(asked).toEqual([3, undefined, 5, 7]);
  });

  it.each([
    [79, 0.79, 1],
    [79, 0.78, 0],
  ])('at %i percent, %d is told %i times', (confidence, stuck, times) => {
    expect(whys([says(stuck)], { confidence })).toHaveLength(times);
  });
});
