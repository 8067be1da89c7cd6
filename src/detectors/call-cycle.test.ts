import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, result, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { callCycle } from './call-cycle.ts';

const read = (path: string) => call('read', { path });
/** One call for each letter. */
const calls = (letters: string) => [...letters].map(read);
/** One call with its result for each letter and digit: the call, then what came of it. */
const runs = (pairs: string) =>
  pairs.split(' ').flatMap((pair) => did('read', { path: pair[0] ?? '' }, pair.slice(1)));

testDetector(callCycle, {
  loops: [
    { name: 'to and fro', events: calls('ababab'), counts: [2, 2, 3] },
    { name: 'three calls', events: calls('abcabcabc'), counts: [2, 2, 2, 3] },
    { name: 'one call', options: { shortest: 1 }, events: calls('aaa'), counts: [2, 3] },
    {
      name: 'as long as allowed',
      options: { longest: 5, window: 10 },
      events: calls('abcdeabcde'),
      counts: [2],
    },
    { name: 'after another beginning', events: calls('xyzabab'), counts: [2] },
    { name: 'with a call twice in the lap', events: calls('aabaab'), counts: [2] },
    {
      name: 'the lap with the most rounds',
      options: { shortest: 1 },
      events: calls('baabaabaa'),
      counts: [2, 2, 2, 2, 3],
    },
    {
      name: 'a lap that is out of sight',
      options: { window: 4 },
      events: calls('ababab'),
      counts: [2, 2, 2],
    },
    { name: 'the same results', options: { outcomes: 'same' }, events: runs('a1 b2 a1 b2'), counts: [2] },
    {
      name: 'results that are told apart',
      options: { outcomes: 'compared' },
      events: runs('a1 b2 a3 b4'),
      counts: [2],
    },
    {
      name: 'keys in the same order',
      options: { keys: 'as-sent', shortest: 1 },
      events: [call('t', { a: 1, b: [2] }), call('t', '{"a": 1, "b": [2]}')],
      counts: [2],
    },
    {
      name: 'keys in the same order, with results',
      options: { keys: 'as-sent', shortest: 1, outcomes: 'same' },
      events: [...did('t', { a: 1, b: 2 }), ...did('t', { a: 1, b: 2 })],
      counts: [2],
    },
    {
      name: 'not only of tools that may',
      options: { passes: ['*_poll'] },
      events: repeat(2, () => [call('x_poll'), call('x')]),
      counts: [2],
    },
  ],
  healthy: [
    { name: 'different calls', events: calls('abcdefghij'), counts: [] },
    { name: 'one call in a row is no cycle of two', events: calls('aaaaaaaa'), counts: [] },
    {
      name: 'to and fro is no cycle of four',
      options: { shortest: 3 },
      events: calls('abababababab'),
      counts: [],
    },
    { name: 'no full lap', events: calls('aba'), counts: [] },
    { name: 'too long a lap', events: calls('abcdeabcde'), counts: [] },
    { name: 'a lap that was broken', events: calls('abcab'), counts: [] },
    {
      name: 'results that change',
      options: { outcomes: 'same' },
      events: runs('a1 b2 a1 b3 a1 b4'),
      counts: [],
    },
    { name: 'no result', options: { outcomes: 'same' }, events: calls('ababab'), counts: [] },
    {
      name: 'calls that never ran',
      options: { outcomes: 'same' },
      events: repeat(3, () => [...did('a', {}, '', 'denied'), ...did('b', {}, '', 'blocked')]),
      counts: [],
    },
    {
      name: 'keys in another order',
      options: { keys: 'as-sent', shortest: 1 },
      events: [call('t', { a: 1, b: 2 }), call('t', { b: 2, a: 1 })],
      counts: [],
    },
    {
      name: 'keys in another order, with results',
      options: { keys: 'as-sent', shortest: 1, outcomes: 'same' },
      events: [...did('t', { a: 1, b: 2 }), ...did('t', { b: 2, a: 1 })],
      counts: [],
    },
    {
      name: 'only tools that may',
      options: { passes: ['*_poll', 'wait'] },
      events: repeat(3, () => [call('x_poll'), call('wait')]),
      counts: [],
    },
    { name: 'arguments that vary', events: repeat(6, (n) => [read(`a${n}`), read(`b${n}`)]), counts: [] },
  ],
});

describe('call-cycle', () => {
  const facts = (options: object, events: ReturnType<typeof runs>) =>
    findings(callCycle, { options: { ...options }, events }).map((finding) => finding.facts);

  it('tells the period, the calls of the run and whether the last lap is whole', () => {
    expect(facts({}, calls('ababa'))).toEqual([
      { tool: 'read', period: 2, calls: 4, whole: true, same: false },
      { tool: 'read', period: 2, calls: 5, whole: false, same: false },
    ]);
  });

  it('has one subject for a cycle, wherever in its lap it is seen, and another for another cycle', () => {
    const subjects = (letters: string) =>
      findings(callCycle, { events: calls(letters) }).map(({ subject }) => subject);
    expect(new Set(subjects('abcabcabc')).size).toBe(1);
    expect(subjects('abcabc')[0]).toMatch(/^cycle#[0-9a-z]{8,11}$/);
    expect(subjects('abab')[0]).not.toBe(subjects('acac')[0]);
  });

  it('names the tool where the lap is one call', () => {
    const [finding] = findings(callCycle, { options: { shortest: 1 }, events: calls('aa') });
    expect(finding).toMatchObject({ subject: expect.stringMatching(/^read#/), evidence: [1, 2] });
  });

  it('shows the last sixteen calls', () => {
    const last = findings(callCycle, { events: calls('ab'.repeat(12)) }).at(-1);
    expect(last?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 9));
  });

  it.each([
    ['a1 b2 a1 b2', true],
    ['a1 b2 a1 b3', false],
    ['a1 b2 a3 b2', false],
  ])('compares what came of the laps before: %s', (before, same) => {
    expect(facts({ outcomes: 'compared' }, [...runs(before), read('a')]).at(-1)).toMatchObject({ same });
  });

  it('takes an open call for no evidence', () => {
    const open = [...runs('a1 b2 a1'), read('b'), read('a')];
    expect(facts({ outcomes: 'compared' }, open).at(-1)).toMatchObject({ same: false });
  });

  it('knows nothing of results in the first laps', () => {
    expect(facts({ outcomes: 'compared' }, [...runs('a1 b2'), ...calls('ab')])).toMatchObject([
      { same: false },
    ]);
  });

  it('looks past a call that never ran', () => {
    const events = [
      ...runs('a1 b2 a1'),
      ...did('read', { path: 'b' }, 'no', 'blocked'),
      ...runs('a1 b2'),
      read('a'),
    ];
    expect(facts({ outcomes: 'compared' }, events).at(-1)).toMatchObject({ same: true, calls: 7 });
    const changed = [
      ...runs('a1 b2 a1'),
      ...did('read', { path: 'b' }, 'no', 'blocked'),
      ...runs('a1 b3'),
      read('a'),
    ];
    expect(facts({ outcomes: 'compared' }, changed).at(-1)).toMatchObject({ same: false });
  });

  it('puts late results to their calls', () => {
    const late = [
      ...calls('abab'),
      result('read', { path: 'b' }, '2'),
      result('read', { path: 'a' }, '1'),
      result('read', { path: 'a' }, '1'),
      result('read', { path: 'b' }, '2'),
      read('a'),
    ];
    expect(facts({ outcomes: 'compared' }, late).at(-1)).toMatchObject({ same: true });
  });
});

describe('call-cycle, by status', () => {
  const shell = (output: string, status = 'ok') => did('bash', { command: 'make' }, output, status);
  const seen = (events: readonly AgentEvent[], statusOnly: string[]) =>
    findings(callCycle, { events, options: { shortest: 1, outcomes: 'same', statusOnly } });

  it('takes other outputs of a tool for the same result, but not another status', () => {
    const events = [...shell('1'), ...shell('2'), ...shell('3', 'error'), ...shell('4', 'error')];
    expect(seen(events, []).length).toBe(0);
    expect(seen(events, ['ba*'])).toMatchObject([
      { count: 2, evidence: [1, 2], facts: { failed: false } },
      { count: 2, evidence: [3, 4], facts: { failed: true } },
    ]);
  });

  it('compares the outputs of other tools', () => {
    expect(seen([...did('ls', {}, '1'), ...did('ls', {}, '2')], ['bash'])).toEqual([]);
    expect(seen([...did('ls', {}, '1'), ...did('ls', {}, '1')], ['bash'])).toMatchObject([{ count: 2 }]);
  });

  it('tells of results that are only compared', () => {
    const options = { shortest: 1, outcomes: 'compared', statusOnly: ['*'] };
    const events = [...shell('1'), ...shell('2'), call('bash', { command: 'make' })];
    expect(findings(callCycle, { events, options }).at(-1)?.facts).toMatchObject({ same: true });
  });
});

describe('call-cycle, with thoughts', () => {
  const said = (text: string | undefined): AgentEvent => ({ type: 'turn', text });
  const counts = (events: readonly AgentEvent[], more = {}) =>
    findings(callCycle, {
      events,
      options: { shortest: 1, thoughts: 'compared', window: 4, ...more },
    }).map(({ count }) => count);

  it('takes the same call after another text for another call', () => {
    const events = [said('x'), read('a'), said('x'), read('a'), said('y'), read('a'), said('y'), read('a')];
    expect(counts(events)).toEqual([2, 2]);
    expect(counts(events, { thoughts: 'ignored' })).toEqual([2, 3, 4]);
  });

  it('gives a text to the first call after it', () => {
    const turn = [said('x'), read('a'), read('a')];
    expect(counts(turn)).toEqual([]);
    expect(counts([...turn, ...turn])).toEqual([2]);
    expect(counts([said('y'), ...turn, said(undefined), said('x'), read('a'), read('a')])).toEqual([2]);
  });

  it('puts results to calls, not to texts', () => {
    const round = [said('x'), ...runs('a1')];
    expect(counts([...round, ...round, ...round], { outcomes: 'same' })).toEqual([2, 3]);
    const compared = [
      said('x'),
      ...calls('a'),
      said('x'),
      result('read', { path: 'a' }, '1'),
      ...runs('a1'),
      ...round,
    ];
    const options = { shortest: 1, thoughts: 'compared', outcomes: 'compared' };
    expect(findings(callCycle, { events: compared, options }).at(-1)?.facts).toMatchObject({ same: true });
  });

  it('remembers as many calls as it may', () => {
    const round = [said('x'), read('a')];
    expect(counts(repeat(8, () => round))).toEqual([2, 3, 4, 4, 4, 4, 4]);
  });
});
