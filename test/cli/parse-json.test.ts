import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/cli/parse-json.ts';

describe('parseJson', () => {
  it('takes a byte order mark', () => {
    expect(parseJson('\uFEFF{"mode":"off"}', 'f')).toEqual({ mode: 'off' });
  });

  it.each([
    ['{\n  "mode": "off",\n}', 'f:3:1: not JSON: PropertyNameExpected'],
    ['{"mode": off}', 'f:1:10: not JSON: InvalidSymbol'],
    ["{'mode': 1}", 'f:1:2: not JSON'],
    ['{"a": 1 "b": 2}', 'f:1:9: not JSON: CommaExpected'],
    ['{"a" 1}', 'f:1:6: not JSON: ColonExpected'],
    ['[1, 2', 'f:1:6: not JSON: CloseBracketExpected'],
    ['', 'f:1:1: not JSON'],
    ['{} {}', 'f:1:4: not JSON: EndOfFileExpected'],
    ['[1,]', 'f:1:4: not JSON: ValueExpected'],
    ['// no comments\n{}', 'f:1:1: not JSON: InvalidCommentToken'],
  ])('says where %j goes wrong', (text, message) => {
    expect(() => parseJson(text, 'f')).toThrow(message);
  });

  it('survives what is nested without end', () => {
    expect(() => parseJson('['.repeat(400_000), 'f')).toThrow(/^f.*: not JSON/);
  });
});
