import { describe, expect, it } from 'vitest';
import { call, findings, repeat, testDetector } from '../../test/contract/detector.ts';
import { readShare } from './read-share.ts';

/** r = a call that reads, w = one that does not. */
const calls = (letters: string) =>
  [...letters].map((letter, n) => call(letter === 'r' ? 'read_file' : 'write_file', { n }));

testDetector(readShare, {
  loops: [
    { name: 'reading after an action', events: calls('wrrr'), counts: [1, 2, 3] },
    { name: 'reading with actions in between', events: calls('wrwr'), counts: [1, 1, 2] },
    { name: 'reading before counts then, too', events: calls('rrw'), counts: [2] },
    {
      name: 'from the beginning',
      options: { opening: 'counted' },
      events: calls('rrr'),
      counts: [1, 2, 3],
    },
    { name: 'as far as the window', options: { window: 2 }, events: calls('wrrrw'), counts: [1, 2, 2, 1] },
  ],
  healthy: [
    { name: 'looking around first', events: calls('rrrrrrrrrrrrrrrrrrrr'), counts: [] },
    { name: 'only acting', events: calls('wwwwwwwww'), counts: [] },
    { name: 'no tool reads', options: { tools: [] }, events: calls('wrrrrrrrrr'), counts: [] },
    {
      name: 'names that only look like it',
      events: repeat(3, () => [call('review'), call('listener_bind'), call('thread_read')]),
      counts: [],
    },
    { name: 'other tools', options: { tools: ['look'] }, events: calls('wrrr'), counts: [] },
  ],
});

describe('read-share', () => {
  it('shows the calls that read, and the window', () => {
    const last = findings(readShare, { events: calls('wrwr') }).at(-1);
    expect(last).toMatchObject({ subject: 'reading', evidence: [2, 4], facts: { window: 15 } });
  });

  it('shows sixteen of them at most', () => {
    const last = findings(readShare, { options: { window: 20 }, events: calls(`w${'r'.repeat(18)}`) }).at(-1);
    expect(last?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 4));
  });
});
