import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { appended, removed } from '../../src/cli/install/json-edit.ts';

const ITEM = { command: 'x' };

const TEXTS: readonly (readonly [text: string, path: readonly (string | number)[]])[] = [
  ['{}', []],
  ['{ }', []],
  ['{\n}', []],
  ['{\n}\n', []],
  ['{\r\n}\r\n', []],
  ['{"a":1}', []],
  ['{"a":1,"b":{"c":[1,2]}}', ['b']],
  ['{\n  "a": 1\n}\n', []],
  ['{\n    "a": 1\n}', []],
  ['{\n\t"a": 1\n}\n', []],
  ['{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n', ['a']],
  ['{\r\n  "a": 1\r\n}\r\n', []],
  ['{\n  "a": 1,\n}\n', []],
  ['{\n  "a": 1, // why\n}\n', []],
  ['{\n  "a": 1 // why\n}\n', []],
  ['{\n  "a": 1 /* why */\n  // and so on\n}\n', []],
  ['{\n  // nothing yet\n}\n', []],
  ['{ /* nothing yet */ }', []],
  ['{"a": 1, "b": 2}\n', []],
  ['{ "a": 1,\n  "b": 2 }\n', []],
  ['{\n  "a": "}, // no comment"\n}\n', []],
];
const LISTS: readonly (readonly [text: string, path: readonly (string | number)[]])[] = [
  ['{"h":[]}', ['h']],
  ['{\n  "h": []\n}\n', ['h']],
  ['{\n  "h": [ ]\n}\n', ['h']],
  ['{\n  "h": [\n  ]\n}\n', ['h']],
  ['{\n  "h": [1, 2]\n}\n', ['h']],
  ['{\n  "h": [\n    { "a": 1 }\n  ]\n}\n', ['h']],
  ['{\n  "h": [\n    { "a": 1 }, // one\n    { "a": 2 } // two\n  ]\n}\n', ['h']],
  ['{\n  "h": [\n    { "a": 1 },\n  ],\n}\n', ['h']],
  ['{\n  "h": [\n    {\n      "hooks": [\n        { "a": 1 }\n      ]\n    }\n  ]\n}\n', ['h', 0, 'hooks']],
];

function jsonIn(text: string): unknown {
  const errors: object[] = [];
  const value: unknown = parse(text, errors as never, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}

describe.each([
  ...TEXTS.map(([text, path]) => ({ text, path, name: 'ours' as string | null })),
  ...LISTS.map(([text, path]) => ({ text, path, name: null })),
])('$text', ({ text, path, name }) => {
  const count = (value: unknown) => {
    let at = value;
    for (const step of path) at = (at as { [step: string]: unknown })[step];
    return Object.keys(at as object).length;
  };

  it('keeps every byte of what was there', () => {
    const after = appended(text, path, name, ITEM) as string;
    expect(count(jsonIn(after))).toBe(count(jsonIn(text)) + 1);
    // What was there is still there, in its order.
    let at = 0;
    for (const character of text) {
      at = after.indexOf(character, at);
      expect(at).toBeGreaterThanOrEqual(0);
      at += 1;
    }
    for (const line of text.split(/\r?\n/).filter((one) => /\/\/ [a-z ]+$/.test(one))) {
      const comment = line.slice(line.indexOf('//'));
      expect(after.split(/\r?\n/).some((one) => one.endsWith(comment))).toBe(true);
    }
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('can be taken back', () => {
    const after = appended(text, path, name, ITEM) as string;
    const last = name ?? count(jsonIn(text));
    const back = removed(after, [...path, last]);
    expect(jsonIn(back)).toEqual(jsonIn(text));
    const blank = (one: string) => one.replaceAll(/\s/g, '');
    expect(blank(back)).toBe(blank(text));
    if (count(jsonIn(text)) > 0) expect(back).toBe(text);
  });

  it('can be taken back when others have added something behind it', () => {
    const ours = appended(text, path, name, ITEM) as string;
    const theirs = appended(ours, path, name === null ? null : 'theirs', { a: 7 }) as string;
    const direct = appended(text, path, name === null ? null : 'theirs', { a: 7 }) as string;
    const last = name ?? count(jsonIn(text));
    expect(jsonIn(removed(theirs, [...path, last]))).toEqual(jsonIn(direct));
  });
});
