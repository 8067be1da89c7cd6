import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstFault, parseJson } from '../../src/config/parse-json.ts';

describe('parseJson', () => {
  it('takes a byte order mark', () => {
    expect(parseJson('\uFEFF{"mode":"off"}', 'f')).toEqual({ mode: 'off' });
  });

  it.each([
    ['{\n  "mode": "off",\n}', 'f:3:1: not JSON: "}" does not belong there'],
    ['{"mode": off}', 'f:1:10: not JSON: "o" does not belong there'],
    ["{'mode': 1}", 'f:1:2: not JSON: "\'" does not belong there'],
    ['{"a": 1 "b": 2}', 'f:1:9: not JSON: a text starts there that does not belong there, or is broken'],
    ['{"a" 1}', 'f:1:6: not JSON'],
    ['[1, 2', 'f:1:6: not JSON: it ends too early'],
    ['', 'f:1:1: not JSON: it ends too early'],
    ['{} {}', 'f:1:4: not JSON'],
    ['[1,]', 'f:1:4: not JSON'],
    ['{"a": "x', 'f:1:7: not JSON: a text starts there that does not belong there, or is broken'],
    ['{"a": "x\ny"}', 'f:1:7: not JSON'],
    ['// no comments\n{}', 'f:1:1: not JSON: "/" does not belong there'],
  ])('says where %j goes wrong', (text, message) => {
    expect(() => parseJson(text, 'f')).toThrow(message);
  });

  it('finds the first fault at the end of any JSON that something follows, and none before', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(firstFault(text)).toBe(text.length);
        expect(firstFault(`${text} ?`)).toBe(text.length + 1);
      }),
    );
  });
});
