import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestText } from '../core/digest-text.ts';
import {
  type Sketch,
  sameText,
  similarity,
  sketchOf,
  TRIPLE_RANGE,
  TRIPLES,
  wordsIn,
} from './text-sketch.ts';

const sketch = (text: string) => sketchOf(text, digestText) as Sketch;
const words = (n: number, from = 0) => Array.from({ length: n }, (_, index) => `w${from + index}`).join(' ');
/** The word triples of a text, for comparison. */
function triplesOf(text: string): Set<string> {
  const list = text.split(' ');
  return new Set(list.slice(2).map((_, index) => list.slice(index, index + 3).join(' ')));
}

describe('a sketch', () => {
  it('is there when there is a word', () => {
    for (const text of ['', ' \n', '...', '?! — …', '😀'])
      expect(sketchOf(text, digestText), text).toBeNull();
    expect(wordsIn(sketch('One, two; three!'))).toBe(3);
    expect(wordsIn(sketch('完成了'))).toBe(3);
    expect(wordsIn(sketch('テスト'))).toBe(3);
  });

  it('does not see case, spacing and punctuation', () => {
    expect(sameText(sketch('The task is DONE.'), sketch('the  task: is\ndone!'))).toBe(true);
    expect(sameText(sketch('the task is done'), sketch('the task done is'))).toBe(false);
    expect(sameText(sketch('a'), sketch('a a'))).toBe(false);
    expect(sameText(sketch('a b c'), sketch('a b d'))).toBe(false);
  });

  it('is small and in order', () => {
    const long = sketch(words(5000));
    expect(long).toHaveLength(TRIPLES + 2);
    expect(long.slice(2)).toEqual([...long.slice(2)].sort((a, b) => a - b));
    expect(new Set(long.slice(2)).size).toBe(TRIPLES);
    expect(sketch('no '.repeat(50))).toHaveLength(3);
    for (const text of ['done', 'all done', 'all is done', words(50)])
      for (const triple of sketch(text).slice(2)) expect(triple).toBeLessThan(TRIPLE_RANGE);
  });

  it.each([TRIPLES - 1, TRIPLES, TRIPLES + 1])('of %i triples keeps the smallest, and each once', (n) => {
    const triples = sketch(words(n + 2)).slice(2);
    expect(triples).toHaveLength(Math.min(n, TRIPLES));
    expect(sketch(`${words(n + 2)} ${words(n + 2)}`).slice(2)).toEqual(
      [...new Set([...triples, ...sketch(`w${n} w${n + 1} ${words(2)}`).slice(2)])]
        .sort((a, b) => a - b)
        .slice(0, TRIPLES),
    );
  });
});

describe('similarity', () => {
  it('is the share of word triples, exactly so for short texts', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd');
    const text = fc.array(word, { minLength: 3, maxLength: 16 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [left, right] = [triplesOf(one), triplesOf(other)];
        const shared = [...left].filter((triple) => right.has(triple)).length;
        const share = Math.floor((100 * shared) / (left.size + right.size - shared));
        expect(similarity(sketch(one), sketch(other))).toBe(share);
        expect(similarity(sketch(other), sketch(one))).toBe(share);
      }),
    );
  });

  it('of long ones is that of the smallest triples of both', () => {
    const from = (first: number, n: number) => [
      0,
      n,
      ...Array.from({ length: n }, (_, index) => first + index),
    ];
    const half = TRIPLES / 2;
    expect(similarity(from(0, TRIPLES), from(half, TRIPLES))).toBe(50);
    expect(similarity(from(0, TRIPLES), from(0, TRIPLES))).toBe(100);
    expect(similarity(from(0, half), from(0, TRIPLES))).toBe(50);
    expect(similarity(from(0, TRIPLES), from(TRIPLES, TRIPLES))).toBe(0);
  });

  it('is near it for long ones', () => {
    for (const [kept, share] of [
      [100, 100],
      [800, 66],
      [500, 33],
      [0, 0],
    ] as const) {
      const one = words(1000);
      const other = kept === 100 ? one : `${words(kept)} ${words(1000 - kept, 5000)}`;
      expect(Math.abs(similarity(sketch(one), sketch(other)) - share)).toBeLessThan(20);
    }
  });

  it('of one or two words is all or nothing', () => {
    expect(similarity(sketch('Done.'), sketch('done'))).toBe(100);
    expect(similarity(sketch('all done'), sketch('all gone'))).toBe(0);
    expect(similarity(sketch('done'), sketch('done done done'))).toBe(0);
  });
});
