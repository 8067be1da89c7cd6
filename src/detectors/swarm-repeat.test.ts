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
});
