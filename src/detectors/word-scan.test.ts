import { describe, expect, it } from 'vitest';
import { digestText } from '../core/digest-text.ts';
import { LONGEST } from './text-words.ts';
import { charactersOf, hasLetter, inStructure, SCAN, sameWord, scanned } from './word-scan.ts';

function wordsOf(text: string): number[] {
  const words: number[] = [];
  scanned(SCAN, text, words, digestText);
  return words;
}
const lengthsOf = (text: string) => wordsOf(text).map(charactersOf);
/** Whether the words `x` of the text stand in structure. */
const structureOf = (text: string) => {
  const [x] = wordsOf('x ') as [number];
  return wordsOf(`${text} `)
    .filter((word) => sameWord(word, x))
    .map(inStructure);
};

describe('words of a text', () => {
  it('end where something else begins, and count the space before them', () => {
    expect(lengthsOf('one two, three_4 ')).toEqual([3, 4, 1, 8]);
    expect(lengthsOf('one \n\n  two\t.')).toEqual([3, 4, 2]);
    expect(lengthsOf('unfinished')).toEqual([]);
    expect(lengthsOf('')).toEqual([]);
  });

  it('are the same wherever they stand, and differ by letter, case and order', () => {
    const [first, second, dot, third] = wordsOf('stop stop.stop ') as [number, number, number, number];
    expect(sameWord(first, second)).toBe(true);
    expect(sameWord(first, third)).toBe(true);
    expect(sameWord(first, dot)).toBe(false);
    for (const other of ['Stop', 'pots', 'sto', 'stopp', 'st0p', 'stop_']) {
      expect(sameWord(first, wordsOf(`${other} `)[0] as number), other).toBe(false);
    }
  });

  it('are read by characters when they are too long', () => {
    expect(lengthsOf(`${'a'.repeat(LONGEST)} `)).toEqual([LONGEST]);
    expect(lengthsOf(`x ${'a'.repeat(LONGEST)} `)).toEqual([1, LONGEST + 1]);
    expect(lengthsOf(`${'a'.repeat(LONGEST + 1)} `)).toEqual([LONGEST, 1]);
    expect(lengthsOf(`${'a'.repeat(LONGEST + 3)} b `)).toEqual([LONGEST, 1, 1, 1, 2]);
  });

  it('have a letter or not', () => {
    const lettered = (text: string) => wordsOf(`${text} `).map(hasLetter);
    expect(lettered('a 1 a1 1a _ . é ß ж 中 あ ア 한 ع')).toEqual([
      true,
      false,
      true,
      true,
      true,
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(lettered('« ¿ — … → ═ ■ ☃ 、 。 「 ！ ： ️')).toEqual(Array(14).fill(false));
    expect(lettered('😀')).toEqual([false, false]);
    expect(lettered(`${'1'.repeat(LONGEST)}1a`)).toEqual([false, false, true]);
  });

  it.each([
    ['A', 'Z', 'a', 'z'],
    ['À', '\u200f', '\u2c00', '\u2fff'],
    ['\u3040', '\ud7ff', '\uf900', '\ufdff'],
    ['\ufe70', '\ufefe', '\uff10', '\uff19'],
    ['\uff21', '\uffff'],
  ])('have letters at the ends of each block of them: %j', (...letters) => {
    for (const letter of letters) expect(wordsOf(`${letter} `).map(hasLetter), letter).toEqual([true]);
  });

  it.each([
    ['@', '[', '`', '{'],
    ['\u0080', '\u00bf', '\u2010', '\u2bff'],
    ['\u3001', '\u303f', '\ud800', '\uf8ff'],
    ['\ufe00', '\ufe6f', '\uff00', '\uff0f'],
    ['\uff1a', '\uff20', '0', '9'],
  ])('have none just beside: %j', (...signs) => {
    for (const sign of signs) expect(wordsOf(`${sign} `).map(hasLetter), sign).toEqual([false]);
  });

  it('are small numbers, of white space, too', () => {
    const words = wordsOf(`${'word '.repeat(9)}${' '.repeat(LONGEST)}${'x'.repeat(99)} 漢字 ... 1 2 3 `);
    for (const word of words) expect(word).toBeLessThan(2 ** 20);
    expect(wordsOf(' '.repeat(LONGEST)).map(hasLetter)).toEqual([false]);
  });

  it('are the same however the text is cut', () => {
    const text = `One two, ${'three'.repeat(9)} 4\n\n  * x\n\`\`\`js\n${' '.repeat(60)}x\n\`\`\`\n12. x 34 x\n- x `;
    for (const size of [1, 2, 3, 7, 40]) {
      const words: number[] = [];
      let scan = SCAN;
      for (let at = 0; at < text.length; at += size)
        scan = scanned(scan, text.slice(at, at + size), words, digestText);
      expect(words, `${size}`).toEqual(wordsOf(text));
    }
  });

  it('are parted by every kind of white space', () => {
    for (const space of [
      ' ',
      '\t',
      '\n',
      '\r',
      '\u00a0',
      '\u2000',
      '\u2003',
      '\u200b',
      '\u200d',
      '\u2028',
      '\u2029',
      '\u3000',
      '\ufeff',
    ]) {
      expect(lengthsOf(`a${space}b `), JSON.stringify(space)).toEqual([1, 2]);
    }
  });

  it('are also made of much white space', () => {
    expect(lengthsOf(' '.repeat(LONGEST - 1))).toEqual([]);
    expect(lengthsOf('\n'.repeat(LONGEST))).toEqual([LONGEST]);
    expect(lengthsOf(`${' '.repeat(LONGEST * 2)}a `)).toEqual([LONGEST, LONGEST, 2]);
  });
});

describe('structure of a text', () => {
  it.each([
    ['|x', true],
    ['{x', true],
    ['}x', true],
    ['[x', true],
    [']x', true],
    ['"x', true],
    ['<x', true],
    ['#x', true],
    ['>x', true],
    ['=x', true],
    ['`x', true],
    ['~x', true],
    ['•x', true],
    ['─x', true],
    ['█x', true],
    ['\u2500x', true],
    ['\u259fx', true],
    ['* x', true],
    ['9. x', true],
    ['- x', true],
    ['+ x', true],
    ['--x', true],
    ['1. x', true],
    ['10) x', true],
    ['    x', true],
    ['\tx', true],
    ['x', false],
    ['   x', false],
    ['(x', false],
    ['**x', false],
    ['*-x', false],
    ['\u24ffx', false],
    ['\u25a0x', false],
    ['-x', false],
    ['+x', false],
    ['1 x', false],
    ['1 .x', false],
    ['1: x', false],
    ['1 2. x', false],
    ['?x', false],
    ['a | x', false],
    ['□x', false],
  ])('of a line %j: %s', (line, structured) => {
    expect(structureOf(`a\n${line}`)).toEqual([structured]);
  });

  it('ends with the line', () => {
    expect(structureOf('a\n- x x\nx')).toEqual([true, true, false]);
    expect(structureOf('a\n    x\n  x')).toEqual([true, false]);
  });

  it('is in a fence until it ends', () => {
    expect(structureOf('a\n```js\nx\n\nx\n```\nx')).toEqual([true, true, false]);
    expect(structureOf('a\n  ~~~\nx\n~~~~\nx')).toEqual([true, false]);
    expect(structureOf('a\n``\nx')).toEqual([false]);
    expect(structureOf('a\n`a``\nx')).toEqual([false]);
    expect(structureOf('a ```\nx')).toEqual([false]);
    expect(structureOf('a ``````\nx')).toEqual([false]);
    expect(structureOf('a\n``````\nx')).toEqual([true]);
    expect(structureOf('```\nx\n```\n```\nx')).toEqual([true, true]);
  });

  it('is everything in a text that begins as JSON', () => {
    expect(structureOf('{ "a":\nx\nx')).toEqual([true, true]);
    expect(structureOf(' \n[x\nx')).toEqual([true, true]);
    expect(structureOf('a\n{\nx')).toEqual([false]);
    expect(structureOf('<a>\nx')).toEqual([false]);
  });
});
