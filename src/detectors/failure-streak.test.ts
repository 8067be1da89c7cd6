import { describe, expect, it } from 'vitest';
import { did, findings, made, repeat, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent, Json } from '../core/index.ts';
import { failureStreak } from './failure-streak.ts';

const fail = (tool = 'grep', args: Json = {}) => did(tool, args, 'no', 'error');
const grant: AgentEvent = { type: 'control', do: 'grant', n: 1 };

testDetector(failureStreak, {
  loops: [
    { name: 'one tool', events: repeat(4, (index) => fail('grep', { index })), counts: [1, 2, 3, 4] },
    {
      name: 'other tools in between',
      events: [...fail(), ...did('read'), ...fail('read'), ...fail()],
      counts: [1, 1, 2],
    },
    {
      name: 'every kind of failure',
      events: [
        ...did('t', 1, '', 'invalid'),
        ...did('t', 2, '', 'unknown-tool'),
        ...did('t', 3, '', 'error'),
      ],
      counts: [1, 2, 3],
    },
    {
      name: 'a continuation that forgives nothing',
      options: { grant: 'ignored' },
      events: [...fail(), grant, ...fail()],
      counts: [1, 2],
    },
    {
      name: 'two tools in turn',
      events: repeat(2, () => [...fail(), ...fail('read')]),
      counts: [1, 1, 2, 2],
    },
    {
      name: 'a tool that works again, and another that does not',
      events: [...fail(), ...fail('read'), ...did('read'), ...fail()],
      counts: [1, 1, 2],
    },
    {
      name: 'a tool that writes, where nothing clears',
      tools: { save: { effect: 'write' } },
      events: [...fail(), ...did('save'), ...fail()],
      counts: [1, 2],
    },
    {
      name: 'only its own tools',
      options: { tools: ['bash'] },
      events: [...fail('bash'), ...fail('grep'), ...fail('bash')],
      counts: [1, 2],
    },
    {
      name: 'no progress in between',
      options: { clearedBy: ['edit'] },
      events: [...fail(), ...did('read'), ...fail('edit'), ...fail()],
      counts: [1, 1, 2],
    },
  ],
  healthy: [
    { name: 'successes', events: repeat(5, () => did('grep')), counts: [] },
    { name: 'a success in between', events: [...fail(), ...did('grep'), ...fail()], counts: [1, 1] },
    {
      name: 'not failures: denied, cancelled, blocked, unknown',
      events: ['denied', 'cancelled', 'blocked', 'unknown'].flatMap((status) => did('t', {}, '', status)),
      counts: [],
    },
    { name: 'a granted continuation', events: [...fail(), grant, ...fail()], counts: [1, 1] },
    {
      name: 'tools that it does not watch',
      options: { tools: ['bash'] },
      events: repeat(5, () => fail('grep')),
      counts: [],
    },
    {
      name: 'progress by a tool that the user says writes',
      options: { clearedBy: ['edit'] },
      tools: { save: { effect: 'write' } },
      events: repeat(3, () => [...fail(), ...did('save')]),
      counts: [1, 1, 1],
    },
    {
      name: 'a tool that works every other time',
      events: repeat(3, () => [...fail(), ...did('grep')]),
      counts: [1, 1, 1],
    },
    { name: 'different tools', events: ['a', 'b', 'c'].flatMap((tool) => fail(tool)), counts: [1, 1, 1] },
    {
      name: 'progress in between',
      options: { clearedBy: ['edit'] },
      events: repeat(3, () => [...fail(), ...did('edit')]),
      counts: [1, 1, 1],
    },
  ],
});

describe('failure-streak', () => {
  it('does not let a call that never ran break the streak', () => {
    const events = [...fail(), ...did('grep', {}, '', 'cancelled'), ...fail()];
    expect(findings(failureStreak, { events }).map(({ count }) => count)).toEqual([1, 2]);
  });

  it('counts the endings it is told to count', () => {
    const events = [...did('t', 1, '', 'blocked'), ...did('t', 2, '', 'error')];
    expect(
      findings(failureStreak, { options: { failures: ['blocked'] }, events }).map(({ count }) => count),
    ).toEqual([1]);
  });

  it('tells when the failing command works on files', () => {
    const commands = ['cat a', ' sed -i x y', 'echo x > y', 'make', 'catalog', 'ls; cat a'];
    const seen = findings(failureStreak, {
      events: commands.flatMap((command) => fail('bash', { command })),
    });
    expect(seen.map(({ facts }) => facts?.['fileProgram'])).toEqual([true, true, true, false, false, false]);
    const [other] = findings(failureStreak, { events: fail('shell', '{"cmd":"head -5 x"}') });
    expect(other?.facts).toEqual({ tool: 'shell', fileProgram: true });
    const options = { tools: ['bash'] };
    const [watched] = findings(failureStreak, { options, events: fail('bash', { command: 'cat a' }) });
    expect(watched?.facts).toEqual({ tool: 'bash', fileProgram: true });
  });

  it('is about failures, and needs no digests', () => {
    expect(made(failureStreak)).toMatchObject({ needs: [], failures: true });
  });

  it('tells for which tools failing is part of the work', () => {
    const tolerant = (tool: string) =>
      findings(failureStreak, { options: { tolerant: ['bash'] }, events: fail(tool) })[0]?.facts?.[
        'tolerant'
      ];
    expect([tolerant('bash'), tolerant('grep')]).toEqual([true, false]);
  });

  it('names the tool and shows its last four failures', () => {
    const seen = findings(failureStreak, { events: repeat(6, () => fail()) });
    expect(seen.at(-1)).toMatchObject({ subject: 'grep', evidence: [3, 4, 5, 6] });
  });

  it('remembers sixteen failing tools, the longest quiet forgotten first', () => {
    const tools = Array.from({ length: 16 }, (_, index) => `tool ${index}`);
    const once = tools.flatMap((tool) => fail(tool));
    const counts = (more: AgentEvent[]) =>
      findings(failureStreak, { events: [...once, ...more] }).map(({ count }) => count);
    expect(counts(fail('tool 0')).at(-1)).toBe(2);
    expect(counts([...fail('one more'), ...fail('tool 0')]).at(-1)).toBe(1);
    expect(counts([...fail('one more'), ...fail('tool 1')]).at(-1)).toBe(2);
  });
});
