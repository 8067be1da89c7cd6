import { describe, expect, it } from 'vitest';
import { call, did, findings, made, repeat, testDetector } from '../../test/contract/detector.ts';
import { callWindow } from './call-window.ts';

const read = (path: string) => call('read', { path });
const others = (n: number) => repeat(n, (index) => [read(`other ${index}`)]);
const counts = (run: Parameters<typeof findings>[1], at = 2) =>
  findings(callWindow, run, at).map(({ count }) => count);

testDetector(callWindow, {
  loops: [
    { name: 'one call in a row', events: repeat(4, () => [read('a')]), counts: [1, 2, 3, 4] },
    {
      name: 'others in between',
      events: [read('a'), read('b'), read('a'), read('b'), read('a')],
      counts: [1, 1, 2, 2, 3],
    },
    {
      name: 'another key order',
      events: [call('t', { a: 1, b: 2 }), call('t', '{"b": 2, "a": 1}')],
      counts: [1, 2],
    },
    {
      name: 'one tool, whatever the arguments',
      options: { match: 'tool' },
      events: [read('a'), call('bash'), read('b'), read('c')],
      counts: [1, 1, 2, 3],
    },
    {
      name: 'no further than the window',
      options: { window: 3 },
      events: repeat(5, () => [read('a')]),
      counts: [1, 2, 3, 3, 3],
    },
    { name: 'results do not matter', events: [...did('t', {}, '1'), ...did('t', {}, '2')], counts: [1, 2] },
    {
      name: 'polls in between take no place',
      options: { window: 2 },
      tools: { wait: { poll: true } },
      events: [read('a'), call('wait'), call('wait'), read('a')],
      counts: [1, 2],
    },
  ],
  healthy: [
    { name: 'different calls', events: others(5), counts: [1, 1, 1, 1, 1] },
    {
      name: 'longer ago than the window',
      options: { window: 3 },
      events: [read('a'), ...others(3), read('a')],
      counts: [1, 1, 1, 1, 1],
    },
    { name: 'different tools', events: [call('t'), call('u'), call('v')], counts: [1, 1, 1] },
    {
      name: 'different tools, by tool',
      options: { match: 'tool' },
      events: [call('t'), call('u'), call('v')],
      counts: [1, 1, 1],
    },
    {
      name: 'spread out, by tool',
      options: { match: 'tool', window: 2 },
      events: [call('t'), call('u'), call('v'), call('t'), call('u')],
      counts: [1, 1, 1, 1, 1],
    },
    {
      name: 'another agent',
      events: [read('a'), call('read', { path: 'a' }, { agent: 'x' })],
      counts: [1, 1],
    },
    { name: 'polls', tools: { read: { poll: true } }, events: repeat(5, () => [read('a')]), counts: [] },
  ],
});

describe('call-window', () => {
  it('looks at twenty calls, this one included', () => {
    expect(counts({ events: [read('a'), ...others(18), read('a')] })).toEqual([2]);
    expect(counts({ events: [read('a'), ...others(19), read('a')] })).toEqual([]);
  });

  it('names the tool, shows the calls, digests the arguments', () => {
    const [finding] = findings(callWindow, { events: [read('a'), read('b'), read('a')] }, 2);
    expect(finding).toMatchObject({ count: 2, evidence: [1, 3], facts: { tool: 'read' } });
    expect(finding?.subject).toMatch(/^read#[0-9a-z]{8,11}$/);
  });

  it.each([
    ['exact', ['exact']],
    ['tool', []],
  ])('by %s, it needs %j and speaks before the call', (match, needs) => {
    const { window } = callWindow.defaults;
    expect(made(callWindow, { match })).toMatchObject({
      events: ['tool-call'],
      needs,
      blocks: true,
      maxCount: window,
    });
  });

  it('is about the tool alone when it compares tools', () => {
    const [finding] = findings(callWindow, { options: { match: 'tool' }, events: [read('a'), read('b')] }, 2);
    expect(finding?.subject).toBe('read');
  });

  it('shows the last sixteen calls', () => {
    const seen = findings(callWindow, { events: repeat(20, () => [read('a')]) });
    expect(seen.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 5));
  });

  it('takes a new call for one that grows, however often another was made', () => {
    const seen = findings(callWindow, { events: [read('a'), read('a'), read('b')] });
    expect(seen.map(({ count, facts }) => [count, facts])).toEqual([
      [1, { tool: 'read', rising: true }],
      [2, { tool: 'read', rising: true }],
      [1, { tool: 'read', rising: true }],
    ]);
  });

  it('tells whether the count has grown since its last call', () => {
    const options = { match: 'tool', window: 4 };
    const events = [
      ...repeat(4, (index) => [read(`${index}`)]),
      read('full'),
      call('bash'),
      call('bash'),
      read('fallen'),
      read('still'),
      read('grown'),
    ];
    const seen = findings(callWindow, { options, events }).filter(({ subject }) => subject === 'read');
    expect(seen.map(({ count, facts }) => [count, facts?.['rising']])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, true],
      [4, false],
      [2, false],
      [2, false],
      [3, true],
    ]);
  });
});
