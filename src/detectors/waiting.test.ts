import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, testDetector, user } from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import type { AgentEvent } from '../core/types.ts';
import { waiting } from './waiting.ts';

const look = (output = 'pending', args = {}) => did('get_status', args, output);
/** A look at a time, in milliseconds since something. */
const lookAt = (at: number, output = 'pending'): AgentEvent[] =>
  look(output).map((event) => ({ ...event, at: at === 0 ? 0 : 1_700_000_000_000 + at }) as AgentEvent);

testDetector(waiting, {
  loops: [
    { name: 'a status that does not move', events: repeat(5, () => look()), counts: [2, 3, 4, 5] },
    {
      name: 'a command that waits',
      events: repeat(4, () => did('Bash', { command: 'sleep 30; gh run view 7' }, 'in_progress')),
      counts: [2, 3, 4],
    },
    {
      name: 'a step that only says ok',
      events: repeat(4, () => did('scroll_down', {}, 'ok')),
      counts: [2, 3, 4],
    },
    {
      name: 'one in which only a time moves',
      events: repeat(4, (n) => look(`pending after 1${n}s`)),
      counts: [2, 3, 4],
    },
    {
      name: 'a look at four things in turn',
      events: repeat(3, () => [1, 2, 3, 4].flatMap((id) => look('pending', { id }))),
      counts: [2, 2, 2, 2, 3, 3, 3, 3],
    },
    {
      name: 'looks with work in between',
      events: repeat(3, (n) => [...look(), ...did('Write', { content: `${n}` }, 'done')]),
      counts: [2, 3],
    },
    {
      name: 'a status that fails',
      events: repeat(3, () => did('get_status', {}, 'Error: no such build', 'error')),
      counts: [2, 3],
    },
  ],
  healthy: [
    {
      name: 'steps behind which something new is shown each time',
      events: repeat(8, (n) => [
        ...did('press_key', { key: 'PageDown' }, 'pressed'),
        ...did('read_page', {}, `page ${n} of the book`),
      ]),
      counts: [2],
    },
    { name: 'a status that moves', events: repeat(8, (n) => look(`${n} of 8 done`)), counts: [] },
    { name: 'a share that grows', events: repeat(8, (n) => look(`${n * 10}%`)), counts: [] },
    {
      name: 'a status that moves to and fro',
      events: repeat(4, () => [...look('busy'), ...look('idle')]),
      counts: [],
    },
    { name: 'many things, each once', events: repeat(9, (id) => look('pending', { id })), counts: [] },
    {
      name: 'five things in turn',
      events: repeat(3, () => [1, 2, 3, 4, 5].flatMap((id) => look('pending', { id }))),
      counts: [],
    },
    { name: 'a lookup', events: repeat(5, () => did('Read', { path: 'a' }, 'same')), counts: [] },
    { name: 'a command', events: repeat(5, () => did('Bash', { command: 'npm test' }, 'ok')), counts: [] },
    { name: 'a thought', events: repeat(5, () => did('think', {}, 'ok')), counts: [] },
    {
      name: 'a service that fails',
      events: repeat(5, () => did('get_status', {}, 'Error: HTTP 503', 'error')),
      counts: [],
    },
    {
      name: 'looks that never took place',
      events: repeat(5, () => did('get_status', {}, 'not now', 'denied')),
      counts: [],
    },
    { name: 'calls without a result', events: repeat(5, () => [call('get_status')]), counts: [] },
  ],
});

describe('waiting', () => {
  it('says what is looked at, how often and by which calls', () => {
    const seen = findings(waiting, { events: repeat(3, () => look()) });
    expect(seen).toMatchObject([
      { detector: 'it', count: 2, evidence: [1, 2], facts: { tool: 'get_status', fast: false } },
      { detector: 'it', count: 3, evidence: [1, 2, 3] },
    ]);
    expect(seen[0]?.subject).toMatch(/^get_status#\w+$/);
    expect(seen[0]?.subject).toBe(seen[1]?.subject);
    const other = findings(waiting, { events: repeat(2, () => look('pending', { id: 7 })) });
    expect(other[0]?.subject).not.toBe(seen[0]?.subject);
  });

  it('goes on counting where the evidence ends', () => {
    const seen = findings(waiting, { events: repeat(20, () => look()) }).at(-1);
    expect(seen?.count).toBe(20);
    expect(seen?.evidence).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it('starts anew when the status moves', () => {
    const events = [...repeat(3, () => look('pending')), ...repeat(3, () => look('running'))];
    expect(findings(waiting, { events }).map(({ count, evidence }) => [count, evidence])).toEqual([
      [2, [1, 2]],
      [3, [1, 2, 3]],
      [2, [4, 5]],
      [3, [4, 5, 6]],
    ]);
  });

  it('is not disturbed by a look that never took place, or by a service that fails', () => {
    const events = [
      ...look(),
      ...did('get_status', {}, 'interrupted by user', 'cancelled'),
      ...look(),
      ...did('get_status', {}, 'blocked', 'blocked'),
      ...did('get_status', {}, 'Error: rate limit exceeded', 'error'),
      ...look(),
    ];
    expect(findings(waiting, { events }).map(({ count }) => count)).toEqual([2, 3]);
  });

  it('goes on across a change and, where a preset keeps it, across a user message', () => {
    const events = [...look(), ...did('Write', { content: 'x' }, 'done'), user, ...look()];
    expect(findings(waiting, { events }).map(({ count }) => count)).toEqual([2]);
  });

  it.each([
    [4999, true],
    [5000, false],
    [5001, false],
  ])('looks %d ms apart: fast is %s', (apart, fast) => {
    const events = repeat(4, (n) => lookAt(1 + n * apart));
    expect(findings(waiting, { events }).map(({ facts }) => facts?.['fast'])).toEqual([fast, fast, fast]);
  });

  it('takes the average since the first look', () => {
    const events = [0, 1000, 20_000, 20_001].flatMap((at) => lookAt(1 + at));
    expect(findings(waiting, { events }).map(({ facts }) => facts?.['fast'])).toEqual([true, false, false]);
    const again = [...lookAt(1), ...lookAt(100_001, 'moved'), ...lookAt(100_002, 'moved')];
    expect(findings(waiting, { events: again }).map(({ facts }) => facts?.['fast'])).toEqual([true]);
  });

  it('has a patience of its own', () => {
    const events = repeat(2, (n) => lookAt(1 + n * 60));
    const fast = (patienceMs: number) =>
      findings(waiting, { events, options: { patienceMs } })[0]?.facts?.['fast'];
    expect([59, 60, 61].map(fast)).toEqual([false, false, true]);
  });

  it('cannot tell without a clock', () => {
    expect(findings(waiting, { events: [...lookAt(0), ...lookAt(1)] })[0]?.facts?.['fast']).toBe(false);
    expect(findings(waiting, { events: [...lookAt(1), ...lookAt(0)] })[0]?.facts?.['fast']).toBe(false);
  });

  it.each([
    ['get_status', {}, 'pending', 0, false],
    ['get_job', {}, '{"state":"pending"}', 0, true],
    ['get_job', {}, '{"state":"pending"}', 9999, true],
    ['get_job', {}, '{"state":"pending"}', 10_000, false],
    ['bash', { command: 'sleep 60' }, '', 10_000, true],
    ['bash', { command: 'sleep 60' }, '', 60_000, false],
    ['bash', { command: 'sleep 60; date' }, 'some day', 60_000, false],
  ])('looks of %s with %j, answered %j, %d ms apart: hasty is %s', (tool, args, output, apart, hasty) => {
    const events = repeat(3, (n) =>
      did(tool, args, output).map(
        (event) => ({ ...event, at: apart === 0 ? 0 : 1_700_000_000_000 + n * apart }) as AgentEvent,
      ),
    );
    expect(findings(waiting, { events }).map(({ facts }) => facts?.['hasty'])).toEqual([hasty, hasty]);
  });

  it('is hasty as well where up to four things are looked at in turn', () => {
    const turns = (others: number) =>
      Array.from({ length: 4 }, (_, n) =>
        Array.from({ length: others + 1 }, (_, id) =>
          did('get_job', { id: id === 0 ? 0 : `${n} ${id}` }, '{"state":"pending"}').map(
            (event) => ({ ...event, at: 1_700_000_000_000 + (n * (others + 1) + id) * 4000 }) as AgentEvent,
          ),
        ).flat(),
      ).flat();
    expect(findings(waiting, { events: turns(2) }).at(-1)?.facts?.['hasty']).toBe(true);
    expect(findings(waiting, { events: turns(3) }).at(-1)?.facts?.['hasty']).toBe(true);
  });

  it('does not take waits for hasty with anything in between', () => {
    const sleep = () => did('bash', { command: 'sleep 9' }, '');
    const events = [...sleep(), ...did('Read', { path: 'a' }, 'text'), ...sleep()];
    expect(findings(waiting, { events }).map(({ facts }) => facts?.['hasty'])).toEqual([false]);
  });

  it('tells nothing below what is asked for', () => {
    expect(
      told(
        waiting,
        repeat(4, () => look()),
        3,
      ).counts,
    ).toEqual([3, 4]);
    expect(told(waiting, [...did('Read', {}, 'x'), ...look()]).counts).toEqual([]);
  });

  it('remembers four looks, each once', () => {
    const { states } = told(
      waiting,
      repeat(3, () => [1, 2, 3, 4, 5, 5].flatMap((id) => look('pending', { id }))),
    );
    expect(Math.max(...states.map((state) => (state as readonly unknown[]).length))).toBe(4);
    expect(
      told(
        waiting,
        repeat(3, () => look()),
      ).states.at(-1),
    ).toHaveLength(1);
  });

  it('is not fast when the first look has no time', () => {
    const events = [...lookAt(0), ...lookAt(-1_699_999_999_999)];
    expect(findings(waiting, { events })[0]?.facts?.['fast']).toBe(false);
  });
});
