import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  repeat,
  result,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { badCall } from './bad-call.ts';

const bad = (tool = 'apply_patch', index = 0) => did(tool, { index }, 'missing parameter', 'invalid');
const invented = (tool: string) => did(tool, {}, 'no such tool', 'unknown-tool');
const grant: AgentEvent = { type: 'control', do: 'grant', n: 1 };
const countsOf = (events: AgentEvent[]) => findings(badCall, { events }).map(({ count }) => count);

testDetector(badCall, {
  loops: [
    { name: 'the same bad call', events: repeat(4, () => bad()), counts: [1, 2, 3, 4] },
    { name: 'whatever the arguments', events: repeat(3, (n) => bad('t', n)), counts: [1, 2, 3] },
    { name: 'an invented tool', events: repeat(3, () => invented('find_all')), counts: [1, 2, 3] },
    {
      name: 'another invented name each time',
      events: repeat(4, (n) => invented(`tool_${n}`)),
      counts: [1, 2, 3, 4],
    },
    {
      name: 'good calls of other tools in between',
      events: repeat(3, (n) => [...bad(), ...did('read', { n })]),
      counts: [1, 2, 3],
    },
    {
      name: 'round after round',
      events: repeat(3, (n) => [turn, ...bad('t', n)]),
      counts: [1, 2, 3],
    },
  ],
  healthy: [
    { name: 'good calls', events: repeat(6, (n) => did('t', { n })), counts: [] },
    {
      name: 'failures of calls that ran',
      events: repeat(6, (n) => did('t', { n }, 'no', 'error')),
      counts: [],
    },
    {
      name: 'a mistake that is put right',
      events: repeat(3, () => [...bad(), ...did('apply_patch')]),
      counts: [1, 1, 1],
    },
    {
      name: 'one bad batch',
      events: [turn, ...repeat(8, (n) => bad('t', n)), turn, ...did('t')],
      counts: [1],
    },
    {
      name: 'one invented name each, with work in between',
      events: repeat(3, (n) => [...invented(`tool_${n}`), ...did('read', { n })]),
      counts: [1, 1, 1],
    },
    {
      name: 'refused for other reasons',
      events: ['denied', 'cancelled', 'blocked', 'unknown'].flatMap((status) => did('t', {}, '', status)),
      counts: [],
    },
  ],
});

describe('bad-call', () => {
  it('names the tool and how its call was refused, and shows the last four calls', () => {
    expect(findings(badCall, { events: repeat(6, () => bad()) }).at(-1)).toMatchObject({
      subject: 'apply_patch',
      count: 6,
      evidence: [3, 4, 5, 6],
      facts: { tool: 'apply_patch', status: 'invalid' },
    });
    expect(findings(badCall, { events: [...invented('a'), ...invented('b')] })).toMatchObject([
      { subject: 'a', evidence: [1], facts: { tool: 'a', status: 'unknown-tool' } },
      { subject: 'unknown tools', evidence: [1, 2], facts: { tool: 'b' } },
    ]);
  });

  it('counts a round once, also when its results come late', () => {
    const batch = [call('t', 1), call('t', 2), result('t', 1, '', 'invalid'), result('t', 2, '', 'invalid')];
    expect(countsOf([turn, ...batch, turn, ...batch])).toEqual([1, 2]);
    expect(countsOf([turn, ...invented('a'), ...invented('b'), turn, ...invented('c')])).toEqual([1, 1, 2]);
  });

  it('takes invented names together only until a call works', () => {
    expect(countsOf([...invented('a'), ...did('read'), ...invented('b'), ...invented('c')])).toEqual([
      1, 1, 2,
    ]);
  });

  it('still knows the one name after a call of another tool worked', () => {
    expect(countsOf([...invented('a'), ...did('read'), ...invented('a')])).toEqual([1, 2]);
  });

  it('lets a call that ran and failed neither count nor end the row', () => {
    expect(countsOf([...bad(), ...did('apply_patch', {}, 'no', 'error'), ...bad()])).toEqual([1, 2]);
  });

  it('takes bad arguments of different tools apart', () => {
    expect(countsOf([...bad('a'), ...bad('b'), ...bad('a')])).toEqual([1, 1, 2]);
  });

  it('forgives when a person lets the agent go on, not when one speaks', () => {
    expect(countsOf([...bad(), grant, ...bad()])).toEqual([1, 1]);
    expect(countsOf([...bad(), user, ...bad()])).toEqual([1, 2]);
  });

  it('remembers sixteen tools, the longest quiet forgotten first', () => {
    const once = repeat(16, (n) => bad(`tool ${n}`));
    expect(countsOf([...once, ...bad('tool 0')]).at(-1)).toBe(2);
    expect(countsOf([...once, ...bad('one more'), ...bad('tool 0')]).at(-1)).toBe(1);
    expect(countsOf([...once, ...bad('one more'), ...bad('tool 1')]).at(-1)).toBe(2);
    expect(countsOf([...once, ...invented('new'), ...bad('tool 2')]).at(-1)).toBe(2);
    expect(countsOf([...once, ...invented('new'), ...bad('tool 1')]).at(-1)).toBe(1);
  });
});
