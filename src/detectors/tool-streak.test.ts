import { describe, expect, it } from 'vitest';
import { call, findings, repeat, result, testDetector } from '../../test/contract/detector.ts';
import { toolStreak } from './tool-streak.ts';

const search = (n: number) => call('search', { n });
const sh = (command: string) => call('bash', { command });

testDetector(toolStreak, {
  loops: [
    { name: 'one tool, other arguments', events: repeat(4, (n) => [search(n)]), counts: [2, 3, 4] },
    { name: 'one tool, the same arguments', events: repeat(3, () => [search(0)]), counts: [2, 3] },
    {
      name: 'a tool that is watched',
      options: { tools: ['search'] },
      events: repeat(2, (n) => [search(n)]),
      counts: [2],
    },
    {
      name: 'looks at a repository',
      options: { commands: 'git-overview' },
      events: [sh('git status'), sh('git diff --stat'), sh('git ls-files')],
      counts: [2, 3],
    },
    {
      name: 'results do not matter',
      events: [search(1), result('search', { n: 1 }, 'x'), search(2)],
      counts: [2],
    },
  ],
  healthy: [
    { name: 'one call', events: [search(1)], counts: [] },
    { name: 'tools that take turns', events: repeat(4, (n) => [search(n), sh(`make ${n}`)]), counts: [] },
    {
      name: 'a tool that is not watched',
      options: { tools: ['bash'] },
      events: repeat(4, (n) => [search(n)]),
      counts: [],
    },
    {
      name: 'a tool that is not watched, in between',
      options: { tools: ['bash'] },
      events: [sh('a'), search(1), sh('b')],
      counts: [],
    },
    {
      name: 'commands that do more',
      options: { commands: 'git-overview' },
      events: [sh('git status'), sh('make'), sh('git status'), sh('git commit'), search(1)],
      counts: [],
    },
  ],
});

describe('tool-streak', () => {
  it('names the tool, and shows the calls', () => {
    expect(findings(toolStreak, { events: [search(1), search(2)] })).toMatchObject([
      { subject: 'search', count: 2, evidence: [1, 2], facts: { tool: 'search' } },
    ]);
  });

  it('forgets a run that another tool ended', () => {
    const seen = findings(toolStreak, { events: [search(1), search(2), sh('x'), search(3), search(4)] });
    expect(seen.map(({ evidence }) => evidence)).toEqual([
      [1, 2],
      [4, 5],
    ]);
  });
});
