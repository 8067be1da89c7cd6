import { describe, expect, it } from 'vitest';
import { call, did, findings, made, repeat, result, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent, Json } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';
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

  it('gives back as many as it took, and no more', () => {
    expect(counts([...spawn({ tasks: [1, 2] }, 'error'), ...spawn()])).toEqual([1, 1]);
    expect(counts([...spawn(), ...spawn({ tasks: [1, 2] }, 'error'), ...spawn()])).toEqual([1, 2, 2]);
  });

  it('knows what a call took when its result does not say', () => {
    const failed: AgentEvent = { type: 'tool-result', id: '1', status: 'error', output: '' };
    const events = [call('spawn', { tasks: [1, 2] }, { id: '1' }), failed, ...spawn()];
    expect(counts(events)).toEqual([1, 1]);
  });

  it('shows no call that was given back', () => {
    const seen = findings(toolUse, { options, events: [...spawn(), ...spawn({}, 'error'), ...spawn()] });
    expect(seen.map(({ evidence }) => evidence)).toEqual([[1], [1, 2], [1, 3]]);
  });

  it('needs no digests, speaks before the call, and counts without end', () => {
    expect(made(toolUse, options)).toMatchObject({ needs: [], blocks: true, maxCount: UNBOUNDED });
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
