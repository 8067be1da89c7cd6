import { describe, expect, it } from 'vitest';
import { call, findings, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { swarmRepeat } from './swarm-repeat.ts';

const tally = (calls: number, workers: number, more: object = {}): AgentEvent => ({
  type: 'swarm-tally',
  key: 'abc',
  calls,
  workers,
  tool: 'read',
  ...more,
});

testDetector(swarmRepeat, {
  loops: [
    { name: 'two workers', events: [tally(4, 2), tally(5, 2)], counts: [4, 5] },
    { name: 'one worker, if told so', options: { minWorkers: 1 }, events: [tally(3, 1)], counts: [3] },
  ],
  healthy: [
    { name: 'one worker', events: [tally(50, 1)], counts: [] },
    { name: 'too few workers', options: { minWorkers: 4 }, events: [tally(50, 3)], counts: [] },
  ],
});

describe('swarm-repeat', () => {
  it('names tool, key and workers', () => {
    const seen = findings(swarmRepeat, { events: [call('read'), tally(9, 3)] });
    expect(seen).toMatchObject([
      { subject: 'read#abc', count: 9, evidence: [1], facts: { tool: 'read', workers: 3 } },
    ]);
    expect(findings(swarmRepeat, { events: [tally(9, 3)] })).toMatchObject([{ evidence: [] }]);
  });

  it('cuts names that are too long, and does without a tool', () => {
    const events = [
      tally(9, 3, { key: 'k'.repeat(100), tool: 't'.repeat(100) }),
      tally(9, 3, { tool: undefined }),
    ];
    expect(findings(swarmRepeat, { events }).map(({ subject }) => subject)).toEqual([
      `${'t'.repeat(64)}#${'k'.repeat(64)}`,
      '#abc',
    ]);
  });

  it('counts only what was wasted, and its workers, if told so', () => {
    const options = { counts: 'wasted', minWorkers: 3 };
    const events = [
      tally(50, 50),
      tally(50, 50, { wasted: 5, wasters: 2 }),
      tally(50, 50, { wasted: 5, wasters: 3 }),
      tally(50, 50, { wasted: Number.NaN, wasters: 3 }),
      tally(50, 50, { about: 'failure', wasted: 5, wasters: 3 }),
    ];
    expect(findings(swarmRepeat, { events, options })).toMatchObject([{ count: 5, facts: { workers: 3 } }]);
  });

  it('tells who was first, who did it lately and what came of it, each cut to its length', () => {
    const names = Array.from({ length: 9 }, (_, n) => `${n}${'n'.repeat(70)}`);
    const facts = (more: object) => findings(swarmRepeat, { events: [tally(9, 3, more)] })[0]?.facts;
    expect(facts({ first: 'f'.repeat(70), names, failures: 1 })).toEqual({
      tool: 'read',
      workers: 3,
      first: 'f'.repeat(64),
      names: names.slice(0, 8).map((name) => name.slice(0, 64)),
      found: 'it failed',
    });
    expect(facts({ first: 'ann', names: 'x', failures: 3, said: 's'.repeat(300) })?.['found']).toBe(
      `it failed 3 times: ${'s'.repeat(200)}`,
    );
    expect(facts({ first: 'ann' })?.['found']).toBe('it brought nothing new');
    expect(facts({ first: 5, names: [7] })).toEqual({ tool: 'read', workers: 3 });
  });
});
