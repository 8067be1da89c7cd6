import { describe, expect, it } from 'vitest';
import { call, findings, repeat, roundDone, testDetector, turn, user } from '../../test/contract/detector.ts';
import { idleRounds } from './idle-rounds.ts';

testDetector(idleRounds, {
  loops: [
    { name: 'turns without a call', events: repeat(4, () => [turn]), counts: [1, 2, 3] },
    { name: 'ended rounds', events: [turn, roundDone, turn, roundDone], counts: [1, 2] },
  ],
  healthy: [
    { name: 'a call in the first round', events: [turn, call('t'), turn, turn, turn, roundDone], counts: [] },
    { name: 'a call later', events: [turn, turn, call('t'), turn, turn, roundDone], counts: [1] },
    { name: 'a conversation', events: repeat(4, () => [turn, user]), counts: [1, 1, 1, 1] },
  ],
});

describe('idle-rounds', () => {
  it('starts anew after a user message', () => {
    const events = [turn, call('t'), turn, user, turn, turn, roundDone];
    expect(findings(idleRounds, { events }).map(({ count, subject }) => [count, subject])).toEqual([
      [1, 'iterations'],
      [2, 'iterations'],
    ]);
  });
});
