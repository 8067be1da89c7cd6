import { describe, expect, it } from 'vitest';
import { call, did, findings, repeat, result, testDetector } from '../../test/contract/detector.ts';
import type { Json } from '../core/types.ts';
import { toolUse } from './tool-use.ts';

const options = { tools: ['spawn'], items: ['tasks'], free: ['stop'], returned: ['blocked', 'error'] };
const spawn = (args: Json = {}, status = 'ok') => did('spawn', args, '', status);

testDetector(toolUse, {
  loops: [
    { name: 'one tool', options, events: repeat(3, (index) => spawn({ index })), counts: [1, 2, 3] },
    {
      name: 'several at once',
      options,
      events: [...spawn({ tasks: [1, 2, 3] }), ...spawn()],
      counts: [1, 4],
    },
    {
      name: 'two tools together',
      options: { tools: ['a', 'b'] },
      events: [...did('a'), ...did('b'), ...did('a')],
      counts: [1, 2, 3],
    },
  ],
  healthy: [
    { name: 'other tools', options, events: repeat(9, (index) => did('read', { index })), counts: [] },
    {
      name: 'uses that came to nothing',
      options,
      events: repeat(3, () => spawn({}, 'error')),
      counts: [1, 1, 1],
    },
    { name: 'free actions', options, events: repeat(3, () => spawn({ action: ' Stop' })), counts: [] },
  ],
});

describe('tool-use', () => {
  const counts = (events: ReturnType<typeof did>, own: { [name: string]: Json } = options) =>
    findings(toolUse, { options: own, events }).map(({ count }) => count);

  it('counts a call from its start, and gives it back at its end', () => {
    expect(counts([call('spawn', { n: 1 }), call('spawn', { n: 2 })])).toEqual([1, 2]);
    const given = [call('spawn', { n: 1 }), result('spawn', { n: 1 }, '', 'error'), call('spawn', { n: 2 })];
    expect(counts(given)).toEqual([1, 1]);
    expect(counts(given, { ...options, returned: ['blocked'] })).toEqual([1, 2]);
  });

  it('gives back as many as it took', () => {
    expect(counts([...spawn({ tasks: [1, 2] }, 'error'), ...spawn()])).toEqual([1, 1]);
  });

  it('takes an empty list, another type and another action for one use', () => {
    const odd: Json[] = [
      { tasks: [] },
      { tasks: 'many' },
      { action: 'start' },
      null,
      'text',
      '{"tasks":[1,2]}',
    ];
    expect(counts([...odd.flatMap((args) => spawn(args)), ...spawn()])).toEqual([1, 2, 3, 4, 5, 6, 8]);
  });

  it('tells how many were used before', () => {
    const seen = findings(toolUse, { options, events: repeat(6, (index) => spawn({ index })) }).at(-1);
    expect(seen).toMatchObject({
      subject: 'spawn',
      count: 6,
      evidence: [3, 4, 5, 6],
      facts: { tool: 'spawn', used: 5 },
    });
  });
});
