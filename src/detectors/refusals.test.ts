import { describe, expect, it } from 'vitest';
import {
  type Case,
  call,
  did,
  findings,
  repeat,
  result,
  testDetector,
} from '../../test/contract/detector.ts';
import { refusals } from './refusals.ts';

const denied = (index: number | string) => did('bash', { index }, 'no', 'denied');
const ran = (index: number | string) => did('read', { index });
const window = { counts: 'window' };
const counts = (run: Pick<Case, 'events' | 'options'>, at = 1) =>
  findings(refusals, run, at).map(({ count }) => count);

testDetector(refusals, {
  loops: [
    { name: 'in a row', events: repeat(4, denied), counts: [1, 2, 3, 4] },
    {
      name: 'a call that got through starts the row anew',
      events: [...denied(1), ...ran(1), ...denied(2), ...denied(3)],
      counts: [1, 1, 2],
    },
    {
      name: 'among the last ones',
      options: window,
      events: repeat(3, (index) => [...denied(index), ...ran(index)]),
      counts: [1, 2, 3],
    },
    {
      name: 'by a guard',
      options: { statuses: ['blocked'] },
      events: repeat(3, (index) => did('bash', { index }, 'no', 'blocked')),
      counts: [1, 2, 3],
    },
    {
      name: 'no further than the window',
      options: { counts: 'window', window: 3 },
      events: repeat(5, denied),
      counts: [1, 2, 3, 3, 3],
    },
  ],
  healthy: [
    { name: 'nothing refused', events: repeat(5, ran), counts: [] },
    { name: 'failures are no refusals', events: repeat(4, () => did('t', {}, '', 'error')), counts: [] },
    { name: 'no results', events: repeat(4, (index) => [call('t', { index })]), counts: [] },
    {
      name: 'now and then',
      events: repeat(3, (index) => [...denied(index), ...ran(index)]),
      counts: [1, 1, 1],
    },
    {
      name: 'longer ago than the window',
      options: { counts: 'window', window: 3 },
      events: [...denied(1), ...ran(1), ...ran(2), ...denied(2), ...ran(3), ...ran(4), ...denied(3)],
      counts: [1, 1, 1],
    },
  ],
});

describe('refusals', () => {
  it('looks at fifty results, this one included', () => {
    const between = (n: number) => [...denied('first'), ...repeat(n, ran), ...denied('last')];
    expect(counts({ options: window, events: between(48) })).toEqual([1, 2]);
    expect(counts({ options: window, events: between(49) })).toEqual([1, 1]);
  });

  it('starts anew when the user lets the agent go on', () => {
    for (const options of [{}, window]) {
      const grant = { type: 'control', do: 'grant', n: 5 } as const;
      expect(counts({ options, events: [...denied(1), ...denied(2), grant, ...denied(3)] })).toEqual([
        1, 2, 1,
      ]);
    }
  });

  it('shows what was refused last, and the calls', () => {
    const [, second] = findings(refusals, { events: [...denied(1), ...denied(2)] });
    expect(second).toMatchObject({
      subject: 'refusals',
      evidence: [1, 2],
      facts: { tool: 'bash', status: 'denied', row: 2 },
    });
  });

  it('tells the row beside the count of the window', () => {
    const events = [...denied(1), ...ran(1), ...denied(2), ...denied(3)];
    const seen = findings(refusals, { options: window, events });
    expect(seen.map(({ count, facts }) => [count, facts?.['row']])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
  });

  it('shows the last sixteen calls', () => {
    for (const options of [{}, window]) {
      const seen = findings(refusals, { options, events: repeat(20, denied) });
      expect(seen.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 5));
    }
  });

  it('shows calls in order, however their results come', () => {
    const events = [
      call('t', {}, { id: 'a' }),
      call('t', {}, { id: 'b' }),
      { ...result('t', {}, '', 'denied'), id: 'b' },
      { ...result('t', {}, '', 'denied'), id: 'a' },
    ] as Case['events'];
    expect(findings(refusals, { events })[1]?.evidence).toEqual([1, 2]);
  });
});
