import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  only,
  repeat,
  result,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import { compilePlan } from '../core/index.ts';
import { MOST_BLIND } from '../core/ledger.ts';
import type { AgentEvent, Detector } from '../core/types.ts';
import { blindRepeat } from './blind-repeat.ts';

const click = (output = '') => did('click', { at: 1 }, output);

testDetector(blindRepeat, {
  loops: [
    { name: 'a call of which no result comes', events: repeat(4, () => [call('Read')]), counts: [2, 3, 4] },
    { name: 'a tool that says nothing', events: repeat(4, () => click()), counts: [2, 3, 4] },
    {
      name: 'one in rounds',
      events: repeat(3, () => [turn, call('Read', { path: 'a' })]),
      counts: [2, 3],
    },
    {
      name: 'one with answered calls in between',
      events: repeat(3, (n) => [call('lookup'), ...did('Read', { n }, `page ${n}`)]),
      counts: [2, 3],
    },
  ],
  healthy: [
    { name: 'calls that are answered', events: repeat(4, () => did('Read', {}, 'a page')), counts: [] },
    { name: 'a tool that says something', events: repeat(4, () => click('clicked')), counts: [] },
    { name: 'other calls each time', events: repeat(4, (n) => [call('Read', { n })]), counts: [] },
    { name: 'a batch', events: [turn, ...repeat(4, () => [call('Read')])], counts: [] },
    { name: 'a poll', events: repeat(4, () => [call('get_status')]), counts: [] },
    { name: 'a wait', events: repeat(4, () => [call('wait', { seconds: 9 })]), counts: [] },
    { name: 'a step', events: repeat(4, () => [call('scroll_down')]), counts: [] },
    { name: 'a thought', events: repeat(4, () => [call('think')]), counts: [] },
    {
      name: 'a lookup that found nothing',
      events: repeat(4, () => did('Grep', { for: 'x' }, '')),
      counts: [],
    },
    {
      name: 'a write that says nothing',
      events: repeat(4, () => did('Write', { content: 'x' }, '')),
      counts: [],
    },
  ],
});

describe('blind-repeat', () => {
  it('counts as far as the ledger looks back', () => {
    const most = (events: readonly AgentEvent[]) =>
      Math.max(...findings(blindRepeat, { events }).map(({ count }) => count));
    expect(most(repeat(20, () => click()))).toBe(MOST_BLIND);
    expect(most(repeat(20, () => [call('Read')]))).toBeLessThanOrEqual(MOST_BLIND);
    const { maxCount, needs } = compilePlan(only(blindRepeat), { kinds: [blindRepeat] }).detectors.at(
      -1,
    ) as Detector;
    expect(maxCount).toBe(MOST_BLIND);
    expect(needs).toEqual([]);
  });

  it('says what is called, how often and by which calls', () => {
    const seen = findings(blindRepeat, { events: repeat(3, () => [call('Read', { path: 'a' })]) });
    expect(seen).toMatchObject([
      { detector: 'it', count: 2, evidence: [1, 2], facts: { tool: 'Read' } },
      { detector: 'it', count: 3, evidence: [1, 2, 3], facts: { tool: 'Read' } },
    ]);
    expect(seen[0]?.subject).toMatch(/^Read#\w+$/);
    expect(seen[0]?.subject).toBe(seen[1]?.subject);
  });

  it('ends when a result comes', () => {
    const events = [
      call('Read'),
      call('Read'),
      result('Read', {}, 'a page'),
      result('Read', {}, 'a page'),
      call('Read'),
    ];
    expect(findings(blindRepeat, { events }).map(({ count }) => count)).toEqual([2]);
  });

  it('ends when a tool begins to speak, and when a person does', () => {
    expect(findings(blindRepeat, { events: [...click(), ...click('clicked'), ...click('clicked')] })).toEqual(
      [],
    );
    expect(findings(blindRepeat, { events: [call('Read'), user, call('Read')] })).toEqual([]);
    expect(findings(blindRepeat, { events: [...click(), user, ...click()] })).toEqual([]);
  });

  it('ends with a change, as far as empty results are concerned', () => {
    const write = did('Write', { content: 'x' }, 'done');
    expect(findings(blindRepeat, { events: [...click(), ...write, ...click()] })).toEqual([]);
    expect(findings(blindRepeat, { events: [call('Read'), ...write, call('Read')] })).toHaveLength(1);
  });

  it('sees an act that says nothing, and a picture that is not there', () => {
    const counts = (tool: string, output: string) =>
      findings(blindRepeat, { events: repeat(3, () => did(tool, { at: 1 }, output)) }).map(
        ({ count }) => count,
      );
    expect(counts('send_message', '')).toEqual([2, 3]);
    expect(counts('click', '[image]')).toEqual([2, 3]);
    expect(counts('click', '[3 items]')).toEqual([]);
  });

  it('needs no more than its threshold', () => {
    const events = repeat(4, () => [call('Read')]);
    expect(findings(blindRepeat, { events }, 4).map(({ count }) => count)).toEqual([4]);
    expect(findings(blindRepeat, { events }, 5)).toEqual([]);
  });

  it('tells nothing below what is asked for', () => {
    const events = repeat(4, () => [call('Read')]);
    expect(told(blindRepeat, events, 1).counts).toEqual([2, 3, 4]);
    expect(told(blindRepeat, events, 2).counts).toEqual([2, 3, 4]);
    expect(told(blindRepeat, events, 4).counts).toEqual([4]);
    expect(told(blindRepeat, did('Read', {}, 'a page')).counts).toEqual([]);
  });
});
