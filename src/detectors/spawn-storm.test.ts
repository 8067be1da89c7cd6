import { describe, expect, it } from 'vitest';
import { call, findings, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { spawnStorm } from './spawn-storm.ts';

const tally = (refused: string, more: object = {}): AgentEvent => ({
  type: 'swarm-tally',
  about: 'spawn',
  key: 'root',
  calls: 3,
  workers: 3,
  refused,
  depth: 2,
  atDepth: 7,
  ...more,
});

testDetector(spawnStorm, {
  loops: [{ name: 'too many', events: [tally('children'), tally('depth')], counts: [1, 1] }],
  healthy: [
    {
      name: 'as many as may be',
      events: [tally(''), tally('children', { about: 'call' }), call('Task')],
      counts: [],
    },
  ],
});

describe('spawn-storm', () => {
  it('names the parent and the limit', () => {
    expect(findings(spawnStorm, { events: [call('Task'), tally('per-depth')] })).toMatchObject([
      {
        subject: 'root',
        count: 1,
        evidence: [1],
        facts: { limit: 'per-depth', children: 3, depth: 2, atDepth: 7 },
      },
    ]);
    expect(findings(spawnStorm, { events: [tally('depth', { depth: -1, atDepth: 'x' })] })).toMatchObject([
      { evidence: [], facts: { depth: 0, atDepth: 0 } },
    ]);
  });
});
