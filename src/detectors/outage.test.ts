import { describe, expect, it } from 'vitest';
import { did, findings, repeat, testDetector, turn } from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import { outage } from './outage.ts';

const LIMIT = 'Error: rate limit exceeded';
const down = (n: number, output = 'Error: HTTP 503', tool = 'fetch') => did(tool, { n }, output, 'error');

testDetector(outage, {
  loops: [
    { name: 'a service that is down', events: repeat(4, (n) => down(n)), counts: [1, 2, 3, 4] },
    {
      name: 'a limit and an overload in turn',
      events: repeat(2, (n) => [...down(n, LIMIT), ...down(n, 'overloaded_error')]),
      counts: [1, 2, 3, 4],
    },
    {
      name: 'a limit in a shell',
      events: repeat(3, () => did('Bash', { command: 'gh api x' }, LIMIT, 'error')),
      counts: [1, 2, 3],
    },
    {
      name: 'rounds of several calls',
      events: repeat(3, () => [turn, ...down(1), ...down(2), ...down(3)]),
      counts: [1, 2, 3],
    },
    {
      name: 'one with other tools in between',
      events: repeat(3, (n) => [...down(n), ...did('Read', { n }, 'fine')]),
      counts: [1, 2, 3],
    },
  ],
  healthy: [
    { name: 'a service that answers', events: repeat(4, (n) => did('fetch', { n }, 'ok')), counts: [] },
    { name: 'failures of the agent', events: repeat(4, (n) => down(n, 'Error: no such page')), counts: [] },
    {
      name: 'a tested server that answers 500',
      events: repeat(4, () => did('Bash', { command: 'curl localhost' }, 'HTTP 500', 'error')),
      counts: [],
    },
    {
      name: 'a text about limits',
      events: repeat(4, (n) => did('fetch', { n }, `About limits.\n${LIMIT}`)),
      counts: [],
    },
    {
      name: 'refused arguments',
      events: repeat(4, (n) => did('fetch', { n }, LIMIT, 'invalid')),
      counts: [],
    },
    {
      name: 'calls that never ran',
      events: repeat(4, (n) => did('fetch', { n }, LIMIT, 'denied')),
      counts: [],
    },
  ],
});

describe('outage', () => {
  it('says which tool, how often and by which calls', () => {
    expect(findings(outage, { events: repeat(2, (n) => down(n)) })).toMatchObject([
      { detector: 'it', subject: 'fetch', count: 1, evidence: [1], facts: { tool: 'fetch' } },
      { detector: 'it', subject: 'fetch', count: 2, evidence: [1, 2], facts: { tool: 'fetch' } },
    ]);
  });

  it('goes on counting where the evidence ends', () => {
    const seen = findings(outage, { events: repeat(20, (n) => down(n)) }).at(-1);
    expect(seen?.count).toBe(20);
    expect(seen?.evidence).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it('counts a round once, by its first failure', () => {
    const events = repeat(2, () => [turn, ...down(1), ...down(2)]);
    expect(findings(outage, { events }).map(({ evidence }) => evidence)).toEqual([[1], [1, 3]]);
  });

  it.each([
    ['a success', did('fetch', { n: 9 }, 'ok')],
    ['a failure of its own', down(9, 'Error: no such page')],
  ])('ends with %s of the tool', (_, between) => {
    const events = [...down(1), ...down(2), ...between, ...down(3)];
    expect(findings(outage, { events }).map(({ count }) => count)).toEqual([1, 2, 1]);
  });

  it.each(['blocked', 'denied', 'cancelled'])('does not end with a call that was %s', (status) => {
    const events = [...down(1), ...did('fetch', {}, '', status), ...down(2)];
    expect(findings(outage, { events }).map(({ count }) => count)).toEqual([1, 2]);
  });

  it('counts each tool by itself, four of them at once', () => {
    const round = (tools: number) => repeat(tools, (n) => down(n, 'HTTP 502', `fetch_${n}`));
    const counts = (tools: number) =>
      findings(outage, { events: repeat(2, () => round(tools)) }).map(({ count }) => count);
    expect(counts(4)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
    expect(counts(5)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('tells nothing below what is asked for, and changes nothing without need', () => {
    expect(
      told(
        outage,
        repeat(4, (n) => down(n)),
        3,
      ).counts,
    ).toEqual([3, 4]);
    expect(
      told(
        outage,
        repeat(4, (n) => did('fetch', { n }, 'ok')),
      ).states,
    ).toEqual([]);
    expect(told(outage, [...down(1), ...did('fetch', {}, 'ok')]).states.at(-1)).toEqual([]);
  });
});
