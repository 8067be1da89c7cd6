import { describe, expect, it } from 'vitest';
import { call, findings, repeat, roundDone, testDetector, turn, user } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/types.ts';
import { textStreak } from './text-streak.ts';

const says = (text: string): AgentEvent => ({ type: 'turn', text });

testDetector(textStreak, {
  loops: [
    {
      name: 'a tool in every turn that does nothing',
      tools: { think: { noop: true } },
      events: [turn, call('think'), turn, call('think'), roundDone],
      counts: [1, 2],
    },
    { name: 'text only', events: [turn, turn, turn, roundDone], counts: [1, 2, 3] },
    { name: 'after some work', events: [turn, call('t'), turn, turn, roundDone], counts: [1, 2] },
    {
      name: 'the same text, whatever its spacing',
      options: { counts: 'same-text' },
      events: [says('on it'), says('on  it\n'), says(' on it')],
      counts: [2, 3],
    },
    {
      name: 'well before the last iteration',
      options: { maxIterations: 5 },
      events: [turn, turn, turn, roundDone],
      counts: [1, 2, 3],
    },
    {
      name: 'the same text and no call',
      options: { counts: 'same-text-only' },
      events: [says('x'), says('y'), says(' y'), says('y'), roundDone],
      counts: [1, 1, 2, 3],
    },
  ],
  healthy: [
    { name: 'a tool in every turn', events: repeat(5, (index) => [turn, call('t', { index })]), counts: [] },
    {
      name: 'a tool in every turn, which the guard never looks at',
      tools: { t: { exempt: true } },
      events: repeat(5, (index) => [turn, call('t', { index })]),
      counts: [],
    },
    {
      name: 'a model that was given no tools',
      events: [...repeat(5, () => [{ type: 'turn', text: 'a draft', tools: false } as const]), roundDone],
      counts: [],
    },
    {
      name: 'models that were given no tools, when texts are compared',
      options: { counts: 'same-text-only' },
      events: [...repeat(5, () => [{ type: 'turn', text: 'a draft', tools: false } as const]), roundDone],
      counts: [],
    },
    { name: 'a conversation', events: repeat(4, () => [turn, user]), counts: [1, 1, 1, 1] },
    {
      name: 'the last iteration',
      options: { maxIterations: 2 },
      events: [turn, turn, roundDone],
      counts: [],
    },
    {
      name: 'other words each time',
      options: { counts: 'same-text' },
      events: [says('first'), says('second'), says('first'), turn, says('second')],
      counts: [],
    },
    {
      name: 'other texts and no call',
      options: { counts: 'same-text-only' },
      events: [says('x'), says('y'), says('x'), turn, roundDone],
      counts: [1, 1, 1, 1],
    },
    {
      name: 'the same text before each call',
      options: { counts: 'same-text-only' },
      events: [says('x'), says('x'), call('t'), says('x'), roundDone],
      counts: [1, 1],
    },
    { name: 'calls without turns', events: repeat(5, (index) => [call('t', { index })]), counts: [] },
  ],
});

describe('text-streak', () => {
  it('is silent from the last iteration on', () => {
    const counts = (maxIterations: number) =>
      findings(textStreak, { options: { maxIterations }, events: [turn, turn, turn, roundDone] }).map(
        ({ count }) => count,
      );
    expect(counts(4)).toEqual([1, 2]);
    expect(counts(3)).toEqual([1]);
  });

  it('counts iterations anew after a user message', () => {
    const events = [turn, turn, user, turn, roundDone];
    expect(findings(textStreak, { options: { maxIterations: 3 }, events }).map(({ count }) => count)).toEqual(
      [1, 1],
    );
  });

  it('starts again at a tool call', () => {
    const events = [turn, turn, call('t'), turn, roundDone];
    expect(findings(textStreak, { events }).map(({ count }) => count)).toEqual([1, 1]);
  });

  it('points to the last call, if there was one', () => {
    expect(findings(textStreak, { events: [turn, roundDone] })[0]).toMatchObject({
      subject: 'text',
      evidence: [],
    });
    expect(findings(textStreak, { events: [turn, call('t'), turn, roundDone] })[0]).toMatchObject({
      evidence: [1],
    });
  });

  it('passes over turns without text when it compares texts, calls or not', () => {
    const events = [says('on it'), call('t'), turn, call('t'), says('  '), says('on it'), roundDone];
    const seen = findings(textStreak, { options: { counts: 'same-text' }, events });
    expect(seen.map(({ count, evidence }) => [count, evidence])).toEqual([[2, [2]]]);
  });

  it('leaves it to the preset what a user message means for the same text', () => {
    const events = [says('on it'), user, says('on it')];
    expect(findings(textStreak, { options: { counts: 'same-text' }, events })).toMatchObject([
      { count: 2, subject: 'text', evidence: [] },
    ]);
  });
});
