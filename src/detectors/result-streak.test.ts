import { describe, expect, it } from 'vitest';
import { did, findings, repeat, testDetector } from '../../test/contract/detector.ts';
import { resultStreak } from './result-streak.ts';

const ls = (output = 'x', status = 'ok') => did('ls', {}, output, status);

testDetector(resultStreak, {
  loops: [
    { name: 'the same result', events: repeat(4, () => ls()), counts: [2, 3, 4] },
    { name: 'the same failure', events: repeat(3, () => ls('no', 'error')), counts: [2, 3] },
    {
      name: 'calls that never ran change nothing',
      events: [...ls(), ...ls('', 'blocked'), ...ls('', 'denied'), ...ls('', 'cancelled'), ...ls()],
      counts: [2],
    },
  ],
  healthy: [
    { name: 'other results', events: repeat(4, (index) => ls(`${index}`)), counts: [] },
    { name: 'another call in between', events: repeat(4, () => [...ls(), ...did('read')]), counts: [] },
    { name: 'once well, once badly', events: repeat(2, () => [...ls('x'), ...ls('x', 'error')]), counts: [] },
  ],
});

describe('result-streak', () => {
  const facts = (events: ReturnType<typeof did>, options = {}) =>
    findings(resultStreak, { options, events }).at(-1)?.facts;

  it.each([
    [9, false],
    [10, true],
    [11, true],
  ])('with a large result from 10 characters on, calls %i large: %s', (length, large) => {
    const events = repeat(2, () => ls('x'.repeat(length)));
    expect(facts(events, { large: 10 })).toMatchObject({ large });
  });

  it('calls no failure large', () => {
    expect(facts(repeat(2, () => ls('x'.repeat(600), 'error')))).toMatchObject({ large: false });
  });

  it('knows pollers by any part of their names', () => {
    const options = { pollers: ['wait', '*_poll'] };
    const of = (tool: string) =>
      facts(
        repeat(2, () => did(tool)),
        options,
      );
    expect(of('wait')).toMatchObject({ tool: 'wait', poller: true });
    expect(of('job_poll')).toMatchObject({ poller: true });
    expect(of('job_polls')).toMatchObject({ poller: false });
  });

  it('reads results as hermes does, when told so', () => {
    const cell = (index: number) =>
      did('execute_code', {}, JSON.stringify({ output: 'x', duration_seconds: index }));
    const counts = (results: string) =>
      findings(resultStreak, { options: { results }, events: repeat(3, cell) }).map(({ count }) => count);
    expect(counts('hermes')).toEqual([2, 3]);
    expect(counts('whole')).toEqual([]);
  });

  it('shows the last four calls', () => {
    expect(findings(resultStreak, { events: repeat(6, () => ls()) }).at(-1)).toMatchObject({
      evidence: [3, 4, 5, 6],
      subject: expect.stringMatching(/^ls#/),
    });
  });
});
