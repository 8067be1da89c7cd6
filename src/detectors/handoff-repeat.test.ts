import { describe, expect, it } from 'vitest';
import { call, findings, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { handoffRepeat } from './handoff-repeat.ts';

const tally = (calls: number, more: object = {}): AgentEvent => ({
  type: 'swarm-tally',
  about: 'handoff',
  key: 'ann and ben',
  calls,
  workers: 2,
  first: 'ann',
  names: ['ben', 'ann'],
  ...more,
});

testDetector(handoffRepeat, {
  loops: [{ name: 'to and fro', events: [tally(5), tally(6)], counts: [5, 6] }],
  healthy: [
    { name: 'calls, not handoffs', events: [tally(50, { about: 'call' }), call('read')], counts: [] },
  ],
});

describe('handoff-repeat', () => {
  it('names both agents, and who began', () => {
    expect(findings(handoffRepeat, { events: [call('transfer_to_ben'), tally(6)] })).toMatchObject([
      { subject: 'ann and ben', count: 6, evidence: [1], facts: { first: 'ann', names: ['ben', 'ann'] } },
    ]);
    expect(findings(handoffRepeat, { events: [tally(6)] })).toMatchObject([{ evidence: [] }]);
  });

  it('says nothing below the lowest rung', () => {
    expect(findings(handoffRepeat, { events: [tally(5), tally(6)] }, 6).map(({ count }) => count)).toEqual([
      6,
    ]);
  });
});
