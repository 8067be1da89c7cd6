import { describe, expect, it } from 'vitest';
import { call, findings, repeat, roundDone, testDetector, turn, user } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { iterationCap } from './iteration-cap.ts';

const grant = (n?: number): AgentEvent => ({
  type: 'control',
  do: 'grant',
  ...(n === undefined ? {} : { n }),
});
const calls = (n: number) => repeat(n, (index) => [call(`tool ${index}`)]);

testDetector(iterationCap, {
  loops: [
    { name: 'calls', events: calls(4), counts: [1, 2, 3] },
    {
      name: 'turns, whatever happens in them',
      events: [turn, call('a'), call('b'), turn, roundDone],
      counts: [1, 2],
    },
    { name: 'a grant that is used up', events: [turn, grant(1), turn, turn, turn], counts: [1, 2] },
  ],
  healthy: [
    { name: 'sub-agents', events: repeat(5, () => [call('t', {}, { agent: 'x' })]), counts: [] },
    { name: 'user messages', events: repeat(3, () => [turn, user]), counts: [1, 1, 1] },
    { name: 'a generous grant', events: [grant(9), ...calls(5)], counts: [] },
  ],
});

describe('iteration-cap', () => {
  it('shows the last five tools, what was used, and how far one may let it go on', () => {
    const seen = findings(iterationCap, { events: [...calls(7), grant(2), roundDone] }).at(-1);
    expect(seen).toMatchObject({
      subject: 'iterations',
      count: 5,
      evidence: [7],
      facts: {
        used: 7,
        recent: ['tool 2', 'tool 3', 'tool 4', 'tool 5', 'tool 6'],
        continuations: [0, 50, 200],
      },
    });
  });

  it('adds grants up, and takes one without a number for none', () => {
    const events = [grant(1), grant(1), grant(), ...repeat(4, () => [turn]), roundDone];
    expect(findings(iterationCap, { events }).map(({ count }) => count)).toEqual([1, 2]);
  });

  it('forgets grants at a user message, and keeps the tools', () => {
    const events = [grant(5), call('t'), user, turn, roundDone];
    expect(findings(iterationCap, { events })).toMatchObject([{ count: 1, facts: { recent: ['t'] } }]);
  });

  it('needs no call to point to', () => {
    expect(findings(iterationCap, { events: [turn, roundDone] })).toMatchObject([{ evidence: [] }]);
  });

  it('is granted by the main agent alone', () => {
    const events: AgentEvent[] = [{ type: 'control', do: 'grant', n: 5, agent: 'x' }, turn, roundDone];
    expect(findings(iterationCap, { events })).toHaveLength(1);
  });
});
