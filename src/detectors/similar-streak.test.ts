import { describe, expect, it } from 'vitest';
import { call, findings, made, repeat, testDetector } from '../../test/contract/detector.ts';
import { similarStreak } from './similar-streak.ts';
import { UNBOUNDED } from './streak.ts';

const read = (path: string, more: object = {}) => call('read', { path, ...more });
const bash = (command: string, tool = 'bash') => call(tool, { command });

testDetector(similarStreak, {
  loops: [
    {
      name: 'other optional arguments',
      events: [read('a'), read('a', { encoding: 'utf8' }), read('a', { timeout: 3 })],
      counts: [2, 3],
    },
    {
      name: 'one file by many commands',
      events: [bash('cat f'), bash('head -5 f'), bash('wc -l f')],
      counts: [2, 3],
    },
    { name: 'the same call', events: [call('t', { other: 1 }), call('t', { other: 1 })], counts: [2] },
    { name: 'text that is no JSON', events: [call('t', 'text'), call('t', 'text')], counts: [2] },
    {
      name: 'as far as the window',
      options: { window: 2 },
      events: repeat(4, (n) => [read('a', { n })]),
      counts: [2, 2, 2],
    },
  ],
  healthy: [
    {
      name: 'other primary arguments',
      events: [read('a'), read('b'), read('a', { offset: 10 })],
      counts: [],
    },
    { name: 'other files', events: [bash('cat f'), bash('cat g')], counts: [] },
    {
      name: 'no primary arguments at all',
      events: [call('t', { other: 1 }), call('t', { other: 2 })],
      counts: [],
    },
    { name: 'another text', events: [call('t', 'text'), call('t', 'text ')], counts: [] },
    { name: 'another tool', events: [bash('cat f', 'sh'), bash('head -5 f', 'sh')], counts: [] },
  ],
});

describe('similar-streak', () => {
  it('needs the digest of the whole call, where nothing falls away, and speaks before it', () => {
    expect(made(similarStreak)).toMatchObject({
      events: ['tool-call'],
      needs: ['exact'],
      blocks: true,
      maxCount: UNBOUNDED,
    });
  });

  it('names the tool and shows the calls', () => {
    const [finding] = findings(similarStreak, { events: [read('a'), read('a', { timeout: 1 })] });
    expect(finding).toMatchObject({ count: 2, evidence: [1, 2], facts: { tool: 'read' } });
    expect(finding?.subject).toMatch(/^read#[0-9a-z]+$/);
  });
});
