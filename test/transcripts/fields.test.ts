import { describe, expect, it } from 'vitest';
import {
  argumentsOf,
  blocksOf,
  contentText,
  countOf,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  numberOf,
  textOf,
  usageOf,
  usageWithin,
} from '../../src/transcripts/fields.ts';

const ANYTHING = [undefined, null, true, 0, 7, Number.NaN, '', 'x', [], [1], {}, { text: 'x' }];

it('takes nothing for an object, a list, a text or a number that is none', () => {
  for (const value of ANYTHING) {
    expect(Object.keys(fieldsOf(value))).toEqual(isFields(value) ? Object.keys(value) : []);
    expect(listOf(value)).toEqual(Array.isArray(value) ? value : []);
    expect(textOf(value)).toBe(typeof value === 'string' ? value : undefined);
    expect(nameOf(value)).toBe(value === 'x' ? 'x' : undefined);
    expect(numberOf(value)).toBe(value === 0 || value === 7 ? value : undefined);
    expect(jsonOf(value)).toBe(value === undefined ? null : value);
  }
  expect(fieldsOf([1])['length']).toBeUndefined();
  expect(fieldsOf(null)['toString']).toBeUndefined();
});

describe('instantOf', () => {
  const AT = Date.UTC(2026, 10, 15, 12, 30, 1, 250);

  it.each([
    ['2026-11-15T12:30:01.250Z', AT],
    ['2026-11-15T13:30:01.250+01:00', AT],
    ['2026-11-15T12:30:01.250000Z', AT],
    [AT, AT],
    [AT / 1000, AT],
    [AT * 1000, AT],
    [AT * 1e6, AT],
  ])('%j', (value, at) => {
    expect(instantOf(value)).toBeCloseTo(at, 0);
  });

  it.each([undefined, null, '', 'soon', 0, -1, Number.NaN, true, {}, []])('%j is no time', (value) => {
    expect(instantOf(value)).toBeUndefined();
  });
});

it('parses arguments that are JSON, and keeps others as they were sent', () => {
  expect(argumentsOf('{"a":[1]}')).toEqual({ a: [1] });
  expect(argumentsOf('{"a":')).toBe('{"a":');
  expect(argumentsOf({ a: 1 })).toEqual({ a: 1 });
  expect(argumentsOf(undefined)).toBeNull();
});

it('puts the texts of blocks together, a line each', () => {
  expect(contentText('as it is')).toBe('as it is');
  expect(contentText(['a', { text: 'b' }, { type: 'image' }, null, { text: 7 }, { text: 'c' }])).toBe(
    'a\nb\nc',
  );
  expect(contentText({ text: 'one block' })).toBe('one block');
  for (const value of [undefined, null, 7, {}, []]) expect(contentText(value)).toBe('');
});

it('takes a plain text for one block', () => {
  expect(blocksOf('as it is')).toEqual([{ type: 'text', text: 'as it is' }]);
  const blocks = [{ type: 'image' }];
  expect(blocksOf(blocks)).toBe(blocks);
  expect(blocksOf(null)).toEqual([]);
});

describe('tokens', () => {
  it.each([undefined, null, '7', -1, 1.5, 1e13, Number.POSITIVE_INFINITY])(
    'are unknown where the input is: %j',
    (input) => {
      expect(usageOf(input, 5, 5)).toBeUndefined();
      expect(usageWithin(input, 5, 5)).toBeUndefined();
      expect(countOf(input)).toBeUndefined();
    },
  );

  it('are whole numbers', () => {
    for (const count of [0, 7, 1e12]) expect(countOf(count)).toBe(count);
    expect(usageOf(10, -5, 0.5)).toEqual({ input: 10, output: 0 });
  });

  it('stand beside what came from a cache', () => {
    expect(usageOf(10, 5, 90)).toEqual({ input: 10, output: 5, cachedInput: 90 });
    expect(usageOf(10, undefined)).toEqual({ input: 10, output: 0 });
  });

  it('leave out what came from a cache where it is a part of them', () => {
    expect(usageWithin(100, 5, 90)).toEqual({ input: 10, output: 5, cachedInput: 90 });
    expect(usageWithin(100, 5, undefined)).toEqual({ input: 100, output: 5 });
    expect(usageWithin(80, 5, 90)).toEqual({ input: 0, output: 5, cachedInput: 90 });
    expect(usageWithin(100, 5, -1)).toEqual({ input: 100, output: 5 });
  });
});
