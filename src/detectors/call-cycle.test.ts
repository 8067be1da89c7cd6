import { describe, expect, it } from 'vitest';
import { call, did, findings, made, repeat, result, testDetector } from '../../test/contract/detector.ts';
import { digestText } from '../core/digest-text.ts';
import { digestCall } from '../core/evidence.ts';
import type { AgentEvent } from '../core/index.ts';
import { callCycle } from './call-cycle.ts';
import { callSubject } from './trail.ts';

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
    {
      name: 'to and fro twice and back makes five',
      options: { shortest: 5, longest: 5 },
      events: calls('ababaababa'),
      counts: [2],
    },
    {
      name: 'between two looks at a poll',
      tools: { wait: { poll: true } },
      events: repeat(2, () => [read('a'), call('wait'), read('b'), call('wait')]),
      counts: [2],
    },
    {
      name: 'results that come after the call is forgotten',
      options: { outcomes: 'compared', window: 4 },
      events: [...calls('xabab'), result('read', { path: 'x' })],
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
    {
      name: 'only tools that may, after others',
      options: { passes: ['*_poll', 'wait'] },
      events: [call('x_poll'), call('wait'), read('a'), ...repeat(2, () => [call('x_poll'), call('wait')])],
      counts: [],
    },
    {
      name: 'polls',
      tools: { wait: { poll: true }, look: { poll: true } },
      events: repeat(4, () => [...did('wait'), ...did('look')]),
      counts: [],
    },
    {
      name: 'keys in another order, with results that name no call',
      options: { keys: 'as-sent', shortest: 1, outcomes: 'same' },
      events: ['{"a":1,"b":2}', '{"b":2,"a":1}'].flatMap((args, n) => [
        call('t', args, { id: `${n}` }),
        { type: 'tool-result', id: `${n}`, status: 'ok', output: '' },
      ]),
      counts: [],
    },
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

  it('names the call where the lap is one', () => {
    const [finding] = findings(callCycle, { options: { shortest: 1 }, events: calls('aa') });
    expect(finding).toMatchObject({
      subject: callSubject('read', digestCall('read', { path: 'a' }, digestText)),
      evidence: [1, 2],
      facts: { tool: 'read', period: 1, calls: 2, whole: true, same: false },
    });
  });

  it('tells that the results are the same where it asks for that', () => {
    expect(facts({ outcomes: 'same' }, runs('a1 b2 a1 b2'))).toEqual([
      { tool: 'read', period: 2, calls: 4, whole: true, same: true },
    ]);
    expect(facts({ outcomes: 'same', shortest: 1 }, runs('a1 a1'))).toEqual([
      { tool: 'read', period: 1, calls: 2, whole: true, same: true },
    ]);
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
    expect(facts({ outcomes: 'compared' }, calls('ababa')).at(-1)).toMatchObject({ same: false });
  });

  it('takes calls that never ran for no evidence', () => {
    const refused = repeat(2, () => ['a', 'b'].flatMap((path) => did('read', { path }, 'no', 'denied')));
    expect(facts({ outcomes: 'compared' }, [...refused, read('a')]).at(-1)).toMatchObject({ same: false });
    const first = [...did('read', { path: 'a' }, 'no', 'denied'), ...runs('b2 a1 b2'), read('a')];
    expect(facts({ outcomes: 'compared' }, first).at(-1)).toMatchObject({ same: true, calls: 5 });
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

  it.each([
    [{}, ['tool-call'], ['exact'], []],
    [{ outcomes: 'compared' }, ['tool-call', 'tool-result'], ['exact', 'outcome'], []],
    [{ outcomes: 'same' }, ['tool-result'], ['exact', 'outcome'], []],
    [{ keys: 'as-sent' }, ['tool-call'], [], ['observe']],
    [{ keys: 'as-sent', outcomes: 'same' }, ['tool-result'], ['outcome'], ['note', 'observe']],
    [{ thoughts: 'compared' }, ['turn', 'tool-call'], ['exact'], ['observe']],
  ] as const)(
    'listens for no more than it reads, and speaks early if it can: %j',
    (options, events, needs, own) => {
      const detector = made(callCycle, options);
      expect(detector).toMatchObject({
        events,
        needs,
        blocks: events.some((event) => event === 'tool-call'),
      });
      const parts = ['note', 'observe'] as const;
      expect(parts.filter((part) => detector[part] !== undefined)).toEqual(own);
    },
  );

  it.each([
    [1, 4, 10, 10],
    [2, 2, 10, 5],
    [3, 4, 10, 3],
    [4, 3, 10, 0],
  ])('with laps of %i to %i calls and %i remembered, counts to %i', (shortest, longest, window, most) => {
    expect(made(callCycle, { shortest, longest, window }).maxCount).toBe(most);
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
    const open = repeat(3, () => [call('bash', { command: 'make' })]);
    expect(findings(callCycle, { events: open, options }).at(-1)?.facts).toMatchObject({ same: false });
  });

  it.each(['error', 'invalid'])('takes the status %s for a result that was seen', (status) => {
    const options = { shortest: 1, outcomes: 'compared', statusOnly: ['*'] };
    const events = [...shell('1', status), ...shell('2', status), call('bash', { command: 'make' })];
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

  it('takes no text for an empty one', () => {
    expect(counts([said(undefined), read('a'), said(''), read('a')])).toEqual([2]);
  });

  it('compares the arguments as it does without texts', () => {
    const round = (args: string) => [said('x'), call('t', args)];
    const events = [...round('{"a":1,"b":2}'), ...round('{"b":2,"a":1}')];
    expect(counts(events)).toEqual([2]);
    expect(counts(events, { keys: 'as-sent' })).toEqual([]);
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
