import { describe, expect, it } from 'vitest';
import { call, findings, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { swarmHalt } from './swarm-halt.ts';

const tally = (halted?: unknown): AgentEvent =>
  ({ type: 'swarm-tally', key: 'abc', calls: 1, workers: 1, halted }) as AgentEvent;

testDetector(swarmHalt, {
  loops: [{ name: 'stopped', events: [tally({ why: 'it is late', by: 'ops' }), call('read')], counts: [1] }],
  healthy: [{ name: 'going on', events: [tally(), call('read')], counts: [] }],
});

describe('swarm-halt', () => {
  it('says why, and by whom', () => {
    const events = [call('read'), tally({ why: 'w'.repeat(300), by: 'ops' })];
    expect(findings(swarmHalt, { events })).toMatchObject([
      { subject: 'swarm', count: 1, evidence: [1], facts: { why: 'w'.repeat(200), by: 'ops' } },
    ]);
    const odd = [tally({ why: 5, by: 'b'.repeat(300) })];
    expect(findings(swarmHalt, { events: odd })).toMatchObject([
      { evidence: [], facts: { why: '5', by: 'b'.repeat(200) } },
    ]);
  });
});
