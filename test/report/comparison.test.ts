import { describe, expect, it } from 'vitest';
import { type ComparedRun, compare, heard, type Spoken } from '../../src/report/comparison.ts';
import type { Firing } from '../../src/report/judgement.ts';

/** A run as what each guard did in it: calls with an action. */
function runOf(fired: {
  readonly [preset: string]: readonly (readonly [number, Firing['action']])[];
}): ComparedRun {
  const spoken = Object.entries(fired).map(([preset, firings]) =>
    firings.reduce<Spoken | undefined>(
      (before, [call, action]) => heard(preset, before, { call, action, detector: `d${call}` }),
      undefined,
    ),
  );
  return { file: 'a.jsonl', calls: 30, fired: spoken.filter((one) => one !== undefined) };
}

describe('compare', () => {
  const runs = [
    runOf({
      a: [
        [3, 'nudge'],
        [9, 'halt'],
      ],
      b: [[5, 'block']],
    }),
    runOf({ a: [[4, 'nudge']] }),
    runOf({}),
    runOf({
      a: [
        [7, 'halt'],
        [8, 'nudge'],
      ],
      b: [[1, 'ask']],
    }),
  ];
  const { presets, agreement, together } = compare(['a', 'b', 'c'], runs);

  it('tells first and last firing of a guard in a run', () => {
    expect(runs[0]?.fired[0]).toEqual({
      preset: 'a',
      firings: 2,
      firstCall: 3,
      firstAction: 'nudge',
      detector: 'd3',
      lastCall: 9,
      lastAction: 'halt',
    });
  });

  it('sums up each guard', () => {
    expect(presets).toEqual([
      { name: 'a', fired: 3, medianFirstCall: 4, lastActions: { nudge: 2, block: 0, ask: 0, halt: 1 } },
      { name: 'b', fired: 2, medianFirstCall: 3, lastActions: { nudge: 0, block: 1, ask: 1, halt: 0 } },
      { name: 'c', fired: 0, medianFirstCall: null, lastActions: { nudge: 0, block: 0, ask: 0, halt: 0 } },
    ]);
  });

  it('counts agreement on firing as on silence, and firing together apart', () => {
    expect(agreement).toEqual([
      [1, 3 / 4, 1 / 4],
      [3 / 4, 1, 2 / 4],
      [1 / 4, 2 / 4, 1],
    ]);
    expect(together).toEqual([
      [3, 2, 0],
      [2, 2, 0],
      [0, 0, 0],
    ]);
  });

  it('has no share of no runs', () => {
    expect(compare(['a'], []).agreement).toEqual([[null]]);
  });
});
