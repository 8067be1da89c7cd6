import { describe, expect, it } from 'vitest';
import { call, did, findings, made, repeat, result, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { recentRepeat } from './recent-repeat.ts';

const ls = (output = 'x', status = 'ok') => did('ls', {}, output, status);
const poll = (output: string, action = 'poll') => did('job', { action }, output);
const write = (path: string, output = `wrote ${path}`) => did('write', { path }, output);

testDetector(recentRepeat, {
  loops: [
    { name: 'calls without results', events: repeat(5, () => [call('ls')]), counts: [1, 2, 3, 4] },
    { name: 'the same outcome', events: repeat(5, () => ls()), counts: [1, 2, 3, 4] },
    {
      name: 'others in between',
      events: repeat(4, (index) => [...ls(), ...did('read', { index })]),
      counts: [1, 2, 3],
    },
    {
      name: 'a poll with the same answer',
      options: { pollers: ['job:poll'], stable: 9 },
      events: repeat(4, () => poll('same')),
      counts: [1, 2, 3],
    },
    {
      name: 'one tool that goes round two files',
      options: { variants: 2, window: 6, stable: 9 },
      events: [...repeat(3, () => [...write('a'), ...write('b')]), ...write('c')],
      counts: [1, 1, 2, 2, 6],
    },
    {
      name: 'polls in between',
      options: { window: 2 },
      tools: { wait: { poll: true } },
      events: repeat(3, () => [...ls(), ...did('wait'), ...did('wait'), ...did('wait')]),
      counts: [1, 2],
    },
    {
      name: 'a result that comes too late to be remembered',
      options: { window: 2, stable: 1 },
      events: [
        call('ls'),
        ...repeat(3, (index) => did('read', { index })),
        result('ls', {}),
        ...ls(),
        ...ls(),
      ],
      counts: [1],
    },
    {
      name: 'another wording of one plan',
      options: { results: 'openclaw', stable: 1 },
      events: repeat(3, (n) =>
        did('update_plan', { plan: ['build'], explanation: `${n}` }, { done: 1, explanation: `${n}` }),
      ),
      counts: [1, 2],
    },
    {
      name: 'its own block changes nothing',
      events: [...repeat(4, () => ls()), ...repeat(3, () => ls('', 'blocked'))],
      counts: [1, 2, 3, 4, 4, 4],
    },
  ],
  healthy: [
    { name: 'different calls', events: repeat(40, (index) => did('read', { index })), counts: [] },
    {
      name: 'longer ago than the window',
      options: { window: 2 },
      events: [...ls(), ...did('a'), ...did('b'), ...ls()],
      counts: [],
    },
    {
      name: 'a poll with changing answers',
      options: { pollers: ['job'] },
      events: repeat(6, (index) => poll(`${index}`)),
      counts: [1, 1, 1, 1, 1],
    },
    {
      name: 'every file once',
      options: { variants: 2, window: 6 },
      events: repeat(12, (index) => write(`${index}`)),
      counts: [],
    },
    {
      name: 'every file twice, where thrice would be a round',
      options: { variants: 3, window: 6, stable: 9 },
      events: repeat(7, (index) => write(`${index % 3}`)),
      counts: [1, 1, 1, 2],
    },
    { name: 'polls', tools: { ls: { poll: true } }, events: repeat(9, () => ls()), counts: [] },
    {
      name: 'another plan',
      options: { results: 'openclaw' },
      events: repeat(3, (n) => did('update_plan', { plan: [`step ${n}`], explanation: 'same' })),
      counts: [],
    },
    {
      name: 'another wording, where everything means something',
      events: repeat(3, (n) => did('update_plan', { plan: ['build'], explanation: `${n}` })),
      counts: [],
    },
    {
      name: 'another agent',
      events: [...ls(), call('ls', {}, { agent: 'x' })],
      counts: [],
    },
  ],
});

describe('recent-repeat', () => {
  const last = (events: Parameters<typeof findings>[1]['events'], options = {}) =>
    findings(recentRepeat, { options, events }).at(-1);

  it('counts equal outcomes from `stable` on, calls before', () => {
    const options = { stable: 4 };
    const mixed = (n: number) => [...ls('y'), ...repeat(n, () => ls()), call('ls')];
    expect(last(mixed(3), options)).toMatchObject({ count: 4, facts: { why: 'calls' } });
    expect(last(mixed(4), options)).toMatchObject({ count: 4, facts: { why: 'outcomes' } });
    expect(last(mixed(5), options)).toMatchObject({ count: 5, facts: { why: 'outcomes' } });
  });

  it('takes another outcome for a new start, and a missing one for nothing', () => {
    const options = { stable: 2 };
    expect(last([...ls('x'), ...ls('x'), ...ls('y'), call('ls')], options)?.facts).toMatchObject({
      why: 'calls',
    });
    expect(last([...ls('x'), call('ls'), ...ls('x'), call('ls')], options)).toMatchObject({
      count: 2,
      facts: { why: 'outcomes' },
    });
    expect(last([...ls('x'), ...ls('x', 'error'), call('ls')], options)?.facts).toMatchObject({
      why: 'calls',
    });
  });

  it('counts equal outcomes back to the first other one', () => {
    expect(last([...ls('x'), ...ls('y'), ...ls('x'), call('ls')], { stable: 2 })).toMatchObject({
      count: 3,
      facts: { why: 'calls' },
    });
  });

  it('says what it needs, and speaks before the call', () => {
    const { window } = recentRepeat.defaults;
    const needed = { needs: ['exact', 'outcome'], blocks: true, maxCount: window };
    expect(made(recentRepeat)).toMatchObject(needed);
    expect(made(recentRepeat).note).toBeUndefined();
    expect(made(recentRepeat, { results: 'openclaw' })).toMatchObject(needed);
    expect(made(recentRepeat, { results: 'openclaw' }).note).toBeDefined();
  });

  it('reads the results of its reading', () => {
    const plan = (n: number, done: number) =>
      did('update_plan', { plan: ['build'], explanation: `${n}` }, { done, explanation: `${n}` });
    const next = call('update_plan', { plan: ['build'] });
    const options = { results: 'openclaw', stable: 2 };
    expect(last([...plan(1, 1), ...plan(2, 1), next], options)?.facts).toMatchObject({ why: 'outcomes' });
    expect(last([...plan(1, 1), ...plan(2, 2), next], options)?.facts).toMatchObject({ why: 'calls' });
  });

  it('tells a number of calls once, however often it is reached', () => {
    const options = { window: 3, stable: 9 };
    const counts = findings(recentRepeat, { options, events: repeat(8, () => [call('ls')]) }).map(
      ({ count }) => count,
    );
    expect(counts).toEqual([1, 2, 3]);
  });

  it('remembers its window and no call more', () => {
    const options = { window: 4, stable: 9 };
    const others = (n: number) => repeat(n, (index) => [call('read', { index })]);
    expect(last([call('ls'), ...others(3), call('ls')], options)).toMatchObject({ count: 1 });
    expect(last([call('ls'), ...others(4), call('ls')], options)).toBeUndefined();
  });

  it('knows pollers by name, and by name and action', () => {
    const facts = (pollers: string[], action: string) =>
      last([...poll('x', action), ...poll('x', action)], { pollers })?.facts;
    expect(facts(['job'], 'start')).toMatchObject({ poller: true, why: 'outcomes' });
    expect(facts(['job:poll'], 'poll')).toMatchObject({ poller: true });
    expect(facts(['job:poll'], 'start')).toMatchObject({ poller: false, why: 'calls' });
    expect(facts(['jo', 'job:pol'], 'poll')).toMatchObject({ poller: false });
    expect(facts(['look', 'other:look', 'job:poll'], 'poll')).toMatchObject({ poller: true });
    expect(facts(['other:poll'], 'poll')).toMatchObject({ poller: false });
    const odd = did('job', { action: ['poll'] }, 'x');
    expect(last([...odd, ...odd], { pollers: ['job:poll'] })?.facts).toMatchObject({ poller: false });
  });

  describe('variants', () => {
    const options = { variants: 3, window: 10, stable: 9 };
    const round = (paths: string, more: (path: string) => string = () => 'done') =>
      last(
        [...[...paths].flatMap((path) => write(path, more(path))), call('write', { path: 'next' })],
        options,
      );

    it('needs a whole window of one tool, round at least two calls', () => {
      expect(round('abababab')).toMatchObject({ facts: { why: 'calls' } });
      expect(round('ababababab')).toMatchObject({
        subject: 'write',
        count: 10,
        evidence: [7, 8, 9, 10, 11],
        facts: { why: 'variants', variants: 2 },
      });
      expect(round('aaaaaaaaaa')?.facts).not.toMatchObject({ why: 'variants' });
    });

    it('needs each call as often as it is told, and no more often', () => {
      expect(round('abcabcabca')?.facts).toMatchObject({ why: 'variants', variants: 3 });
      expect(round('abcabcabaa')?.facts).toMatchObject({ why: 'variants', variants: 2 });
      expect(round('abcabdabcd')?.facts).not.toMatchObject({ why: 'variants' });
    });

    it('has no say where equal outcomes count', () => {
      const events = [...[...'ababababab'].flatMap((path) => write(path)), call('write', { path: 'a' })];
      expect(last(events, { ...options, stable: 3 })).toMatchObject({
        count: 5,
        facts: { tool: 'write', why: 'outcomes', poller: false, variants: 0 },
      });
    });

    it('is told again, however often the call was counted before', () => {
      const events = [...'aaaaaaaabababa'].flatMap((path) => write(path));
      const seen = last([...events, call('write', { path: 'a' })], { ...options, window: 6 });
      expect(seen).toMatchObject({ count: 6, facts: { why: 'variants', variants: 2 } });
    });

    it('lets a fifth of the calls be probes', () => {
      expect(round('ababpababq')?.facts).toMatchObject({ why: 'variants', variants: 2 });
      expect(round('ababpabrbq')?.facts).not.toMatchObject({ why: 'variants' });
    });

    it('needs a stable result of each, not the same of all', () => {
      expect(round('ababababab', (path) => path)?.facts).toMatchObject({ why: 'variants' });
      let n = 0;
      expect(round('ababababab', () => `${n++}`)?.facts).not.toMatchObject({ why: 'variants' });
    });

    it('is over when another tool was called, or a result is missing', () => {
      const nine = [...'ababababa'].flatMap((path) => write(path));
      const next = call('write', { path: 'next' });
      const other = findings(recentRepeat, { options, events: [...nine, ...did('ls'), next] });
      expect(other.at(-1)?.facts).not.toMatchObject({ why: 'variants' });
      const open = findings(recentRepeat, { options, events: [...nine, call('write', { path: 'b' }), next] });
      expect(open.at(-1)?.facts).not.toMatchObject({ why: 'variants' });
      const probe = call('write', { path: 'probe' });
      const opened = findings(recentRepeat, { options, events: [...nine, probe, next] });
      expect(opened.at(-1)?.facts).not.toMatchObject({ why: 'variants' });
      const before = findings(recentRepeat, { options, events: [...did('ls'), ...nine, next] });
      expect(before.at(-1)?.facts).not.toMatchObject({ why: 'variants' });
    });

    it('counts no blocked call towards the window', () => {
      const events = [
        ...[...'ababab'].flatMap((path) => write(path)),
        ...repeat(5, (index) => did('write', { path: `new ${index}` }, '', 'blocked')),
        call('write', { path: 'next' }),
      ];
      const reasons = findings(recentRepeat, { options, events }).map(({ facts }) => facts?.['why']);
      expect(reasons).toEqual(['calls', 'calls', 'calls', 'calls']);
    });

    it('keeps its finding over its own blocks', () => {
      const ten = [...'ababababab'].flatMap((path) => write(path));
      const blocked = repeat(4, (index) => did('write', { path: `new ${index}` }, '', 'blocked'));
      expect(
        findings(recentRepeat, { options, events: [...ten, ...blocked] })
          .slice(-4)
          .map(({ facts }) => facts?.['why']),
      ).toEqual(['variants', 'variants', 'variants', 'variants']);
    });
  });

  it('pairs a result with its call', () => {
    const events = [
      call('ls', {}, { id: '1' }),
      call('ls', {}, { id: '2' }),
      { ...result('ls', {}, 'y'), id: '2' } as ReturnType<typeof call>,
      { ...result('ls', {}, 'x'), id: '1' } as ReturnType<typeof call>,
      call('ls', {}, { id: '3' }),
    ];
    expect(last(events, { stable: 2 })?.facts).toMatchObject({ why: 'calls' });
    const late = (id: string): AgentEvent => ({ type: 'tool-result', id, status: 'ok', output: 'x' });
    const both = [call('ls', {}, { id: '1' }), call('ls', {}, { id: '2' }), late('1'), late('2'), call('ls')];
    expect(last(both, { stable: 2 })).toMatchObject({ count: 2, facts: { why: 'outcomes' } });
  });

  it('shows the calls like this one, not those in between', () => {
    expect(last([...ls(), ...did('read'), ...ls(), ...did('read'), call('ls')])).toMatchObject({
      evidence: [1, 3, 5],
    });
  });

  it('shows the last four calls and this one, and no argument', () => {
    const seen = last(repeat(7, () => ls()));
    expect(seen).toMatchObject({ evidence: [3, 4, 5, 6, 7], facts: { tool: 'ls', variants: 0 } });
    expect(seen?.subject).toMatch(/^ls#[0-9a-z]+$/);
  });
});
