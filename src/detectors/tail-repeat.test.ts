import { describe, expect, it } from 'vitest';
import { type Case, call, findings, made, roundDone, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/types.ts';
import { CHARACTERS_A_WORD, tailRepeat } from './tail-repeat.ts';

const says = (text: string): AgentEvent => ({ type: 'turn', text });
const again = (text: string, n: number) => `${text} `.repeat(n);
const seen = (text: string, options: NonNullable<Case['options']> = {}) =>
  findings(tailRepeat, { options, events: [says(text)] }).map(({ count, facts }) => [
    count,
    facts?.['words'],
  ]);

testDetector(tailRepeat, {
  loops: [
    { name: 'one word', events: [says(again('no', 12))], counts: [12] },
    { name: 'a sentence', events: [says(again('I am stuck in a loop.', 6))], counts: [6] },
    {
      name: 'after something else',
      events: [says(`Let me think about the files of this project. ${again('Now the tests.', 5)}`)],
      counts: [5],
    },
    {
      name: 'in one turn after the other',
      events: [says(again('no', 12)), says(again('on', 13))],
      counts: [12, 13],
    },
    {
      name: 'with limits of its own',
      options: { repeats: 3, words: 3 },
      events: [says('ha ha ha')],
      counts: [3],
    },
  ],
  healthy: [
    {
      name: 'prose',
      events: [says('The quick brown fox jumps over the lazy dog and runs far away.')],
      counts: [],
    },
    {
      name: 'emphasis',
      events: [says('this is very very very good and quite long enough overall')],
      counts: [],
    },
    {
      name: 'a repetition that has ended',
      events: [says(`${again('retry now', 6)} but then I found the answer to your question about databases`)],
      counts: [],
    },
    {
      name: 'other words for the same',
      events: [says('I cannot find it. I am unable to find it. It cannot be found. I could not locate it.')],
      counts: [],
    },
    { name: 'no text', events: [{ type: 'turn' }, says(''), says('  '), call('t'), roundDone], counts: [] },
  ],
});

describe('tail-repeat', () => {
  it('wants four repeats and twelve words', () => {
    expect(seen(again('one two three', 3))).toEqual([]);
    expect(seen(again('one two three', 4))).toEqual([[4, 3]]);
    expect(seen(again('no', 11))).toEqual([]);
    expect(seen(again('no', 12))).toEqual([[12, 1]]);
  });

  it('looks for blocks of at most sixteen words', () => {
    const block = (words: number) => Array.from({ length: words }, (_, index) => `w${index}`).join(' ');
    expect(seen(again(block(16), 4))).toEqual([[4, 16]]);
    expect(seen(again(block(17), 4))).toEqual([]);
  });

  it('counts a block that is cut off at the beginning of the window as one less', () => {
    expect(seen(again('a b', 10), { window: 13 })).toEqual([[6, 2]]);
  });

  it('prefers what covers most, and the shortest of those', () => {
    expect(seen(again('a a b', 6))).toEqual([[6, 3]]);
    expect(seen(again('no', 24))).toEqual([[24, 1]]);
    expect(seen(again('a b', 12))).toEqual([[12, 2]]);
    expect(seen(again(`x ${again('a', 12)}`, 4))).toEqual([[4, 13]]);
  });

  it('looks at the end of a long text only', () => {
    const filler = Array.from({ length: 400_000 }, (_, index) => `w${index}`).join(' ');
    expect(seen(`${filler} ${again('stuck', 20)}`)).toEqual([[20, 1]]);
    expect(seen(again('no', 1000))).toEqual([[400, 1]]);
  });

  it.each([
    [CHARACTERS_A_WORD - 2, [[12, 1]]],
    [CHARACTERS_A_WORD - 1, [[12, 1]]],
    [CHARACTERS_A_WORD, []],
  ])('reads twelve words of %i characters within their share', (size, expected) => {
    expect(seen(`${again('x'.repeat(size), 12)} \n`, { window: 12 })).toEqual(expected);
  });

  it('needs no digests, and counts as far as it looks', () => {
    expect(made(tailRepeat)).toMatchObject({ needs: [], maxCount: tailRepeat.defaults.window });
  });

  it('points to the last call, if there was one', () => {
    const events = [call('t'), says(again('no', 12))];
    expect(findings(tailRepeat, { events })).toMatchObject([{ subject: 'text', evidence: [1] }]);
  });
});
