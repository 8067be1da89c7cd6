import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  made,
  remembered,
  repeat,
  result,
  testDetector,
} from '../../test/contract/detector.ts';
import { callCap } from './call-cap.ts';
import { UNBOUNDED } from './streak.ts';

const read = (path: string) => call('read', { path });
const calls = (letters: string) => [...letters].map(read);
const stuck = (options: object, letters: string) =>
  findings(callCap, { options: { ...options }, events: calls(letters) }).map(({ facts }) => facts?.['stuck']);

testDetector(callCap, {
  loops: [
    { name: 'every call counts', events: calls('abc'), counts: [1, 2, 3] },
    { name: 'the same call counts, too', events: calls('aaa'), counts: [1, 2, 3] },
    { name: 'polls count, too', tools: { read: { poll: true } }, events: calls('aaa'), counts: [1, 2, 3] },
  ],
  healthy: [
    { name: 'no call', events: [{ type: 'turn', text: 'hello' }], counts: [] },
    { name: 'results do not count', events: [result('read', {}), result('read', {})], counts: [] },
    { name: 'a call counts once, whatever comes of it', events: did('read', {}, 'no', 'error'), counts: [1] },
  ],
});

describe('call-cap', () => {
  it('tells from the n-th time of one call on that the agent is stuck', () => {
    expect(stuck({ repeats: 3 }, 'abaca')).toEqual([false, false, false, false, true]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('by default, %i times one call', (n) => {
    const { repeats } = callCap.defaults;
    expect(stuck({}, 'a'.repeat(n))).toEqual(Array.from({ length: n }, (_, index) => index + 1 >= repeats));
  });

  it('is not stuck by polls, however many, and counts them', () => {
    const events = [call('wait'), ...calls('a'), call('wait'), ...calls('a')];
    const seen = findings(callCap, { options: { repeats: 2 }, tools: { wait: { poll: true } }, events });
    expect(seen.map(({ count, facts }) => ({ count, ...facts }))).toEqual([
      { count: 1, stuck: false, fresh: false },
      { count: 2, stuck: false, fresh: false },
      { count: 3, stuck: false, fresh: false },
      { count: 4, stuck: true, fresh: true },
    ]);
  });

  it('speaks before the call, and counts without end', () => {
    expect(made(callCap)).toMatchObject({
      events: ['tool-call'],
      needs: ['exact'],
      blocks: true,
      maxCount: UNBOUNDED,
    });
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
    const run = { options: { repeats: 2, window: 48 }, events: repeat(90, (n) => [read(`${n % 40}`)]) };
    expect(findings(callCap, run).at(-1)).toMatchObject({ count: 90, evidence: [90], subject: 'calls' });
    expect(remembered(callCap, run)).toEqual({ total: 90, stuck: true, rows: [] });
  });
});
