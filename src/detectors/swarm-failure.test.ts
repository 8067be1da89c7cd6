import { describe, expect, it } from 'vitest';
import { call, findings, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { swarmFailure } from './swarm-failure.ts';

const tally = (calls: number, workers: number, more: object = {}): AgentEvent => ({
  type: 'swarm-tally',
  about: 'failure',
  key: 'abc',
  calls,
  workers,
  tool: 'db',
  ...more,
});

testDetector(swarmFailure, {
  loops: [
    { name: 'three workers', events: [tally(8, 3), tally(9, 4)], counts: [8, 9] },
    { name: 'two, if told so', options: { minWorkers: 2 }, events: [tally(3, 2)], counts: [3] },
  ],
  healthy: [
    { name: 'two workers', events: [tally(50, 2)], counts: [] },
    { name: 'calls, not failures', events: [tally(50, 9, { about: 'call' }), call('read')], counts: [] },
  ],
});

describe('swarm-failure', () => {
  it('names tool, key, workers and what came of it', () => {
    const events = [call('db'), tally(9, 3, { first: 'ann', names: ['ben', 'ann'], said: 'no route' })];
    expect(findings(swarmFailure, { events })).toMatchObject([
      {
        subject: 'db!abc',
        count: 9,
        evidence: [1],
        facts: {
          tool: 'db',
          workers: 3,
          first: 'ann',
          names: ['ben', 'ann'],
          found: 'it failed 9 times: no route',
        },
      },
    ]);
    expect(findings(swarmFailure, { events: [tally(1, 3)] })).toMatchObject([{ evidence: [], count: 1 }]);
  });

  it('says nothing below the lowest rung', () => {
    expect(
      findings(swarmFailure, { events: [tally(7, 3), tally(8, 3)] }, 8).map(({ count }) => count),
    ).toEqual([8]);
  });
});
