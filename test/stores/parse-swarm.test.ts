import { describe, expect, it } from 'vitest';
import { NO_CONTROL } from '../../src/stores/board.ts';
import { parseSwarm } from '../../src/stores/board-of.ts';
import { createTallies } from '../../src/stores/tallies.ts';

function saved(): Record<string, unknown> {
  const tallies = createTallies(null, () => 'born');
  const request = { member: 'm', first: 1, resent: 0, born: '', control: NO_CONTROL, windowMs: 1000 };
  const limits = { children: 3, perDepth: 3, depth: 3 };
  tallies.tell(
    {
      ...request,
      notes: [
        { kind: 'call', worker: 'ann', key: 'k' },
        { kind: 'spawn', worker: 'ann', to: 'kid', depth: 0, limits },
      ],
    },
    5000,
  );
  return JSON.parse(JSON.stringify(tallies)) as Record<string, unknown>;
}

describe('a saved swarm', () => {
  it('is taken as it was, or not at all', () => {
    expect(parseSwarm(saved())).toEqual(saved());
    expect(parseSwarm(null)).toBeNull();
    expect(parseSwarm(undefined)).toBeNull();
  });

  it('of an older deloop has no answers', () => {
    const { answers: _, ...older } = saved();
    expect(parseSwarm(older)).toEqual(older);
  });

  const [record] = saved()['records'] as [Record<string, unknown>];
  it.each<readonly [string, unknown]>([
    ['a text', 'swarm'],
    ['a list', []],
    ...Object.keys(saved())
      .filter((name) => name !== 'answers')
      .map((name) => [`without ${name}`, { ...saved(), [name]: undefined }] as const),
    ['answers that are no list', { ...saved(), answers: {} }],
    ['an answer without a member', { ...saved(), answers: [[1, 1, [0]]] }],
    ['an answer without numbers', { ...saved(), answers: [['m', 1, ['0']]] }],
    ['an answer that is too long', { ...saved(), answers: [['m', 1, [0], 0]] }],
    ['a tally that is too short', { ...saved(), records: [{ ...record, tally: [1] }] }],
    ['a tally that is too long', { ...saved(), records: [record, { ...record, tally: Array(14).fill(0) }] }],
    ['workers that are numbers', { ...saved(), records: [{ ...record, workers: [1] }] }],
  ])('%s is refused', (_, value) => {
    expect(() => parseSwarm(value)).toThrow('this is no checkpoint of a swarm');
  });
});
