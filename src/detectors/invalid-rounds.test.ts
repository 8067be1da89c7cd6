import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  repeat,
  result,
  roundDone,
  testDetector,
  turn,
} from '../../test/contract/detector.ts';
import { invalidRounds } from './invalid-rounds.ts';

const refused = (tool = 'edit', why = 'no path') => did(tool, {}, why, 'invalid');

testDetector(invalidRounds, {
  loops: [
    { name: 'round after round', events: repeat(3, () => [turn, ...refused(), roundDone]), counts: [2, 3] },
    {
      name: 'each call is a round where no turns are shown',
      events: repeat(3, () => refused()),
      counts: [2, 3],
    },
    {
      name: 'a round of text in between',
      events: [turn, ...refused(), roundDone, turn, roundDone, turn, ...refused()],
      counts: [2],
    },
    {
      name: 'other tools beside it',
      events: repeat(2, () => [turn, ...did('read'), ...refused()]),
      counts: [2],
    },
    {
      name: 'other endings',
      options: { failures: ['invalid', 'unknown-tool'] },
      events: repeat(2, () => did('x', {}, 'no such tool', 'unknown-tool')),
      counts: [2],
    },
  ],
  healthy: [
    { name: 'many in one round', events: [turn, ...repeat(5, () => refused())], counts: [] },
    {
      name: 'another reason',
      events: [...refused(), ...refused('edit', 'no text'), ...refused()],
      counts: [],
    },
    { name: 'another tool', events: [...refused(), ...refused('write')], counts: [] },
    { name: 'a round without it', events: [...refused(), ...did('read'), ...refused()], counts: [] },
    { name: 'a success in between', events: [...refused(), ...did('edit'), ...refused()], counts: [] },
    { name: 'it ran and failed', events: repeat(4, () => did('edit', {}, 'no', 'error')), counts: [] },
  ],
});

describe('invalid-rounds', () => {
  it('shows the calls of both rounds', () => {
    expect(findings(invalidRounds, { events: [...refused(), ...refused()] })).toMatchObject([
      { subject: 'edit', count: 2, evidence: [1, 2], facts: { tool: 'edit' } },
    ]);
  });

  it('says it of each call that is refused in the round', () => {
    const events = [turn, ...refused(), turn, ...refused(), ...refused()];
    expect(findings(invalidRounds, { events }).map(({ count, call }) => [count, call])).toEqual([
      [2, 2],
      [2, 3],
    ]);
  });

  it('counts two tools at once', () => {
    const events = repeat(2, () => [turn, ...refused('a'), ...refused('b')]);
    expect(findings(invalidRounds, { events }).map(({ subject }) => subject)).toEqual(['a', 'b']);
  });

  it('keeps a success of another tool out of it', () => {
    const events = [turn, ...refused('a'), ...did('b'), turn, ...refused('a')];
    expect(findings(invalidRounds, { events })).toHaveLength(1);
  });

  it('remembers sixteen tools', () => {
    const some = (n: number) => repeat(2, () => [turn, ...repeat(n, (index) => refused(`tool ${index}`))]);
    expect(findings(invalidRounds, { events: some(16) })).toHaveLength(16);
    expect(findings(invalidRounds, { events: some(17) }).length).toBeLessThan(17);
  });

  it('takes results that are JSON', () => {
    const events = repeat(2, () => [call('t'), result('t', {}, { code: 7 }, 'invalid')]);
    expect(findings(invalidRounds, { events })).toHaveLength(1);
  });
});
