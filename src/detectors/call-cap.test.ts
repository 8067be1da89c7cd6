import { describe, expect, it } from 'vitest';
import { call, findings, repeat, result, testDetector } from '../../test/contract/detector.ts';
import { callCap } from './call-cap.ts';

const read = (path: string) => call('read', { path });
const calls = (letters: string) => [...letters].map(read);
const stuck = (options: object, letters: string) =>
  findings(callCap, { options: { ...options }, events: calls(letters) }).map(({ facts }) => facts?.['stuck']);

testDetector(callCap, {
  loops: [
    { name: 'every call counts', events: calls('abc'), counts: [1, 2, 3] },
    { name: 'the same call counts, too', events: calls('aaa'), counts: [1, 2, 3] },
  ],
  healthy: [
    { name: 'no call', events: [{ type: 'turn', text: 'hello' }], counts: [] },
    { name: 'results do not count', events: [result('read', {}), result('read', {})], counts: [] },
  ],
});

describe('call-cap', () => {
  it('tells from the n-th time of one call on that the agent is stuck', () => {
    expect(stuck({ repeats: 3 }, 'abaca')).toEqual([false, false, false, false, true]);
  });

  it('tells the call that made it so', () => {
    const seen = findings(callCap, { options: { repeats: 2 }, events: calls('abacb') });
    expect(seen.map(({ facts }) => facts?.['fresh'])).toEqual([false, false, true, false, false]);
  });

  it('stays stuck, whatever comes', () => {
    expect(stuck({ repeats: 2 }, 'aabcd')).toEqual([false, true, true, true, true]);
  });

  it('counts each call for itself', () => {
    expect(stuck({ repeats: 3 }, 'ababcc')).not.toContain(true);
  });

  it.each([
    ['abcda', 3, false],
    ['abca', 3, true],
    ['abcaa', 2, true],
    ['abacada', 2, false],
  ])('remembers the calls made last: %s with room for %i', (letters, window, expected) => {
    expect(stuck({ repeats: letters === 'abacada' ? 5 : 2, window }, letters).includes(true)).toBe(expected);
  });

  it('keeps a call that comes back while others go', () => {
    expect(stuck({ repeats: 4, window: 2 }, 'abacada')).toContain(true);
  });

  it('remembers nothing more once it knows', () => {
    const seen = findings(callCap, {
      options: { repeats: 2 },
      events: repeat(60, (n) => [read(`${n % 50}`)]),
    });
    expect(seen.at(-1)).toMatchObject({ count: 60, evidence: [60], subject: 'calls' });
  });
});
