import { describe, expect, it } from 'vitest';
import { call, findings, repeat, testDetector, turn } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { thoughtStreak } from './thought-streak.ts';

const think = (text: string): AgentEvent => ({ type: 'text-delta', channel: 'reasoning', text });
const say = (text: string): AgentEvent => ({ type: 'text-delta', channel: 'content', text });

testDetector(thoughtStreak, {
  loops: [
    { name: 'one thought', events: repeat(3, () => [think('Again.')]), counts: [2, 3] },
    {
      name: 'white space around it and capitals',
      events: [think('Again.'), think(' aGAIN. \n')],
      counts: [2],
    },
    {
      name: 'the same beginning',
      options: { characters: 4 },
      events: [think('looking'), think('look up')],
      counts: [2],
    },
    { name: 'text and turns in between', events: [think('a'), say('b'), turn, think('a')], counts: [2] },
  ],
  healthy: [
    { name: 'different thoughts', events: [think('a'), think('b'), think('a'), think('b')], counts: [] },
    { name: 'a tool call in between', events: [think('a'), call('t'), think('a')], counts: [] },
    { name: 'no thought, but text', events: repeat(4, () => [say('a')]), counts: [] },
    { name: 'empty thoughts', events: repeat(4, () => [think(' ')]), counts: [] },
  ],
});

describe('thought-streak', () => {
  it('says where, and keeps no text', () => {
    const [seen] = findings(thoughtStreak, { events: [call('t'), think('secret'), think('secret')] });
    expect(seen).toEqual({ detector: 'it', subject: 'thought', count: 2, evidence: [1], call: 1 });
  });

  it('tells thoughts apart that differ before the end of what is compared', () => {
    const options = { characters: 5 };
    expect(findings(thoughtStreak, { options, events: [think('abcd1'), think('abcd2')] })).toEqual([]);
    expect(findings(thoughtStreak, { options, events: [think('abcde1'), think('abcde2')] })).toHaveLength(1);
  });
});
