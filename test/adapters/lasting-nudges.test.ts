import { describe, expect, it } from 'vitest';
import { createLastingNudges } from '../../src/adapters/lasting-nudges.ts';

const user = (content: string) => ({ role: 'user', content });
const calls = (id: string) => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id }] });
const result = (id: string) => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id }] });
const call = (callId: string) => ({ type: 'function_call', callId });
const answer = (callId: string) => ({ type: 'function_call_result', callId });
const nudge = user('Nudge.');

describe('nudges stay', () => {
  it('where they were said, also in copies of the messages', () => {
    const { into } = createLastingNudges();
    expect(into([user('x'), calls('1'), result('1')], 'Nudge.')).toEqual([
      user('x'),
      calls('1'),
      result('1'),
      nudge,
    ]);
    const all = [user('x'), calls('1'), result('1'), calls('2'), result('2')];
    expect(into(all, undefined)).toEqual([...all.slice(0, 3), nudge, ...all.slice(3)]);
    expect(into([user('x'), nudge, calls('2')], undefined)).toHaveLength(3);
  });

  it('first of all where what they were said after was cut off, but after what people say', () => {
    const { into } = createLastingNudges();
    into([user('x'), calls('1'), result('1')], 'Nudge.');
    expect(into([calls('2'), result('2')], undefined)).toEqual([nudge, calls('2'), result('2')]);
    const rest = [user('Summary.'), calls('2'), result('2')];
    expect(into(rest, undefined)).toEqual([rest[0], nudge, ...rest.slice(1)]);
    expect(into([user('Summary.')], undefined)).toEqual([user('Summary.'), nudge]);
  });

  it('out of a call and its result where nothing tells their place', () => {
    const { into } = createLastingNudges();
    into([user('a'), user('b')], 'Nudge.');
    expect(into([user('c'), calls('1'), result('1'), calls('2')], undefined)[3]).toEqual(nudge);
    const items = [user('c'), call('1'), call('2'), answer('1'), answer('2'), call('3')];
    expect(into(items, undefined)[5]).toEqual(nudge);
  });

  it('behind an answer, where the model wants one behind results, and where it has none yet', () => {
    const { into, without } = createLastingNudges();
    const all = [user('x'), calls('1'), result('1')];
    const told = into(all, 'Nudge.', true);
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(told.at(-1)).toEqual(nudge);
    expect(without(told)).toEqual(all);
    expect(into([...told, calls('2'), result('2')], undefined)).toHaveLength(7);
    expect(into(all, undefined)).toEqual(told);
    expect(createLastingNudges().into([user('x')], 'Nudge.', true)).toEqual([user('x'), nudge]);
  });
});
