import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestText } from '../core/digest-text.ts';
import { fastDigestText } from '../platform/digest-text.ts';
import { LONGEST, mayRepeat, wordsOf } from './text-words.ts';

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}_])+/gu;
const words = (text: string, digest = digestText) => {
  const { digests, count } = wordsOf(text, digest);
  return [...digests.subarray(0, count)];
};

describe('words of a text', () => {
  it('are told apart as anybody would', () => {
    for (const text of [
      '',
      ' ',
      '— … ?!',
      'one',
      'One, two; three_4!',
      'fünf  Äpfel',
      '完成了 ok',
      'x𝒜y 😀 z',
      'a\ud800b',
    ])
      expect(words(text), text).toHaveLength(text.match(WORD)?.length ?? 0);
  });

  it('are the same in whatever case and between whatever signs', () => {
    expect(words('The QUICK brown')).toEqual(words('the... quick\n\tBrown!'));
    expect(words('ÄÖ ñ')).toEqual(words('äö Ñ'));
    expect(new Set(words('a b ab ba 1 12 _'))).toHaveProperty('size', 7);
    expect(words('二')).not.toEqual(words('一'));
  });

  it('are the same whoever loads the text, and whatever was read before', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'Z', ' ', '9', 'ß', '語', '𝒜', '\n'),
      maxLength: 300,
    });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const first = words(one);
        words(other, fastDigestText);
        expect(words(one, fastDigestText)).toEqual(first);
        expect(first).toHaveLength(one.match(WORD)?.length ?? 0);
      }),
    );
  });

  it('of a long text are all there', () => {
    const { count } = wordsOf('w '.repeat(50_000), fastDigestText);
    expect(count).toBe(50_000);
    expect(wordsOf('語'.repeat(120_000), fastDigestText).count).toBe(120_000);
  });
});

describe('whether a word may be there often', () => {
  it('is never denied when one is', () => {
    const text = fc.array(fc.constantFrom('a', 'B', 'c1', '_', 'the', 'THE', 'über', '語'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 9 }), (said, times) => {
        const counts = new Map<string, number>();
        for (const word of said) counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
        if ([...counts.values()].some((count) => count >= times))
          expect(mayRepeat(said.join(' '), times, digestText)).toBe(true);
      }),
    );
  });

  it('is denied where none is, and only where words are what they seem', () => {
    expect(mayRepeat('one two three one', 3, digestText)).toBe(false);
    expect(mayRepeat('one two three one', 2, digestText)).toBe(true);
    expect(mayRepeat('a'.repeat(LONGEST), 2, digestText)).toBe(false);
    expect(mayRepeat('a'.repeat(LONGEST + 1), 2, digestText)).toBe(true);
    expect(mayRepeat(`${'a'.repeat(LONGEST + 1)} b`, 2, digestText)).toBe(true);
    expect(mayRepeat('à b', 2, digestText)).toBe(true);
    expect(mayRepeat('a → b', 2, digestText)).toBe(false);
    expect(mayRepeat('a', 256, digestText)).toBe(true);
  });
});
