import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, rawPrefix } from '../../src/core/arguments.ts';
import { digestText } from '../../src/core/digest-text.ts';
import { digestCall, digestOutcome, digestPrefix } from '../../src/core/evidence.ts';
import { matches, toolRules } from '../../src/core/tools.ts';
import { fingerprint, type Json } from '../../src/index.ts';
import { fastDigestText } from '../../src/platform/digest-text.ts';

const digest = (args: unknown, tool = 't') => digestCall(tool, args, digestText);

describe('fingerprint', () => {
  it('OR07 holds for the published vectors', () => {
    expect(fingerprint('bash', { command: 'ls -la', cwd: '/tmp' })).toBe(
      'c3430466c9a1a7c11c8e23328fcf3057189c44d86839527ac6e61bb4574410d4',
    );
    expect(fingerprint('list_tasks', {})).toBe(
      'b84a3e324e9dc95335f72cfee5e5898465349be72cb1348fe7927c49c8d65d92',
    );
  });

  it('sees through key order and white space, and takes other text as it is', () => {
    const value = fingerprint('bash', { command: 'ls -la', cwd: '/tmp' });
    expect(fingerprint('bash', ' {"cwd":"/tmp",\n"command":"ls -la"}')).toBe(value);
    expect(fingerprint('bash', { command: 'ls  -la', cwd: '/tmp' })).not.toBe(value);
    expect(fingerprint('bash', 'not json')).not.toBe(fingerprint('bash', '"not json"'));
  });
});

describe('canonical JSON', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [
      { '€': 1, '\r': 2, '1': 3, '\u0080': 4, '😀': 5, '\ufb33': 6 },
      '{"\\r":2,"1":3,"\u0080":4,"€":1,"😀":5,"\ufb33":6}',
    ],
    [[1e30, 4.5, 0.002, 1e-27, -0], '[1e+30,4.5,0.002,1e-27,0]'],
    ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    [{ a: undefined, b: () => 1, c: [undefined] }, '{"c":[null]}'],
    [{ d: new Date(0) }, '{"d":"1970-01-01T00:00:00.000Z"}'],
    [{ n: 10n }, '{"n":10}'],
    [undefined, 'null'],
  ])('%#', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('marks a circle', () => {
    const circle: { [key: string]: unknown } = {};
    circle['self'] = circle;
    expect(canonicalJson(circle)).toBe('{"self":"[circular]"}');
    const twice = { a: 1 };
    expect(canonicalJson([twice, twice])).toBe('[{"a":1},{"a":1}]');
  });

  it('compares bytes as bytes, however many there are', () => {
    const picture = (last: number) => {
      const bytes = new Uint8Array(2_000_000);
      bytes[bytes.length - 1] = last;
      return bytes;
    };
    const forms = [
      (last: number) => picture(last),
      (last: number) => Buffer.from(picture(last)),
      (last: number) => picture(last).buffer,
      (last: number) => new Float32Array(picture(last).buffer),
      (last: number) => new DataView(picture(last).buffer),
      (last: number) => ({ type: 'image', data: picture(last) }),
    ];
    for (const form of forms) {
      expect(canonicalJson(form(1))).toBe(canonicalJson(form(1)));
      expect(canonicalJson(form(1))).not.toBe(canonicalJson(form(2)));
      // Pictures are no short confirmations.
      expect(canonicalJson(form(1)).length).toBeGreaterThan(1000);
      expect(canonicalJson(form(1)).length).toBeLessThan(10_000);
    }
  });

  it('shows a Map and a Set by what is in them, and an error by its words', () => {
    expect(canonicalJson({ rows: new Map([['a', new Set([1])]]) })).toBe('{"rows":[["a",[1]]]}');
    expect(canonicalJson([new TypeError('no')])).toBe('["TypeError: no"]');
    expect(canonicalJson([{}, Object.create(null)])).toBe('[{},{}]');
    const circle = new Map<string, unknown>();
    circle.set('self', circle);
    expect(canonicalJson(circle)).toBe('[["self","[circular]"]]');
    expect(rawPrefix(circle, 20)).toMatch(/^\[\["self",\[\["self"/);
  });

  it('with many keys', () => {
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
    const forwards = Object.fromEntries(keys.map((key) => [key, key]));
    const backwards = Object.fromEntries(keys.toReversed().map((key) => [key, key]));
    expect(canonicalJson(backwards)).toBe(canonicalJson(forwards));
    expect(digest(backwards)).toBe(digest(forwards));
  });
});

describe('the digest of a call', () => {
  it('is equal exactly when the canonical JSON is', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(digest(a) === digest(b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(digest(JSON.parse(JSON.stringify(a)))).toBe(digest(a));
      }),
      { numRuns: 200 },
    );
  });

  it.each<[unknown, unknown]>([
    [{ a: 'x' }, { a: 'x ' }],
    [{ a: 1 }, { a: '1' }],
    [{ a: true }, { a: 'true' }],
    [{ a: true }, { a: false }],
    [{ a: null }, { a: 'null' }],
    [{ a: null }, {}],
    [['a', 'b'], ['ab']],
    [[['a'], 'b'], [['a', 'b']]],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [{ a: 'b' }, { b: 'a' }],
    [{ ab: 'c' }, { a: 'bc' }],
    [[], {}],
    ['not json', '"not json"'],
    ['', ' '],
    [{ a: '' }, { a: '\0' }],
    [{ a: 10n }, { a: '10' }],
    [{ a: Number.NaN }, { a: 'NaN' }],
    [{ a: 'x'.repeat(64) }, { a: 'x'.repeat(65) }],
    [{ a: `${'x'.repeat(200)}1` }, { a: `${'x'.repeat(200)}2` }],
    [[[[[1]]]], [[[1]]]],
  ])('tells two values apart: %#', (a, b) => {
    expect(digest(a)).not.toBe(digest(b));
  });

  it.each<[unknown, unknown]>([
    ['{"a":1}', { a: 1 }],
    [' [1, 2]', [1, 2]],
    ['-1', -1],
    ['true', true],
    ['null', null],
    [undefined, null],
    [{ a: undefined }, {}],
    [[undefined], [null]],
    [{ a: -0 }, { a: 0 }],
    [{ a: 1.0 }, '{"a":1.0}'],
    [{ a: 10n }, { a: 10 }],
    [{ d: new Date(0) }, { d: '1970-01-01T00:00:00.000Z' }],
  ])('takes one value for another: %#', (a, b) => {
    expect(digest(a)).toBe(digest(b));
  });

  it.each<[unknown, number]>([
    [null, 8498382762491669],
    [true, 2041716992867636],
    [false, 1539609107873998],
    [0, 3103206671719204],
    [-1.5, 2268692764310592],
    [10n, 1076252080696794],
    ['', 6446691332117010],
    ['a', 862488994380218],
    ['abcd', 4821846111338070],
    ['abcdefg', 5973637206613874],
    ['x'.repeat(64), 1125633347548030],
    ['x'.repeat(65), 6474357552064517],
    [[], 386624225818926],
    [{}, 4039524531483952],
    [[1, [2, []]], 4544148174473631],
    [{ b: 1, a: { c: 'd' } }, 415683650066562],
    ['not json', 2219655601681864],
    [new Date(0), 6287989236153521],
  ])('stays the same in every version: %#', (args, value) => {
    expect(digestCall('tool', args, digestText)).toBe(value);
  });

  it('knows the tool', () => {
    expect(digest('ar', 'foob')).not.toBe(digest('bar', 'foo'));
  });

  it('is a safe integer', () => {
    for (const args of [{}, [], 'x', 7, { deep: [1, { more: 'x'.repeat(1000) }] }]) {
      expect(Number.isSafeInteger(digest(args))).toBe(true);
    }
  });

  it('looks 500 levels deep', () => {
    const nested = (levels: number, leaf: unknown) => {
      let value = leaf;
      for (let i = 0; i < levels; i++) value = [value];
      return value;
    };
    expect(digest(nested(499, 1))).not.toBe(digest(nested(499, 2)));
    expect(digest(nested(500, 1))).not.toBe(digest(nested(500, 2)));
    expect(digest(nested(500, [1]))).toBe(digest(nested(500, [2])));
    expect(digest(nested(501, 1))).toBe(digest(nested(502, 1)));
  });

  it('tells a circle from what it holds', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(digest(circle)).not.toBe(digest([[]]));
    expect(digest(circle)).toBe(digest(circle));
  });
});

describe('the digest of an outcome', () => {
  const outcome = (output: Json, status: 'ok' | 'error' = 'ok') => digestOutcome(output, status, digestText);

  it('knows text and ending', () => {
    expect(outcome('a')).toBe(outcome('a'));
    expect(outcome('a')).not.toBe(outcome('b'));
    expect(outcome('a')).not.toBe(outcome('a', 'error'));
  });

  it('stays the same in every version', () => {
    expect(outcome('text', 'error')).toBe(7771934498452896);
    expect(outcome({ a: 1 })).toBe(5595237776862190);
  });

  it('compares JSON by value, and text as text', () => {
    expect(outcome({ a: 1, b: 2 })).toBe(outcome({ b: 2, a: 1 }));
    expect(outcome('{"a":1}')).not.toBe(outcome('{"a": 1}'));
  });
});

describe('the digest of a beginning', () => {
  const prefix = (args: unknown, limit = 200) => digestPrefix('tool', args, limit, digestText);

  it('stays the same in every version', () => {
    expect(prefix({ path: 'a', n: 1, ok: true })).toBe(8334358995658558);
    expect(prefix('raw text', 3)).toBe(6230013086584236);
    expect(prefix({ path: 'x'.repeat(70) }, 20)).toBe(8962001705380528);
  });

  it('knows the order of keys, and all of a small object', () => {
    expect(prefix({ a: 1, b: 2 })).not.toBe(prefix({ b: 2, a: 1 }));
    expect(prefix({ a: 'x' })).not.toBe(prefix({ a: 'y' }));
    expect(prefix({ a: 'x'.repeat(50) })).not.toBe(prefix({ a: `${'x'.repeat(49)}y` }));
    expect(prefix({ a: 'x'.repeat(20) }, 10)).toBe(prefix({ a: `${'x'.repeat(19)}y` }, 10));
    expect(prefix({ a: 1, b: undefined })).toBe(prefix({ a: 1 }));
    expect(prefix({ a: new Date(0) })).not.toBe(prefix({ a: new Date(1) }));
    const numbers = (last: number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field${n}`, n === 19 ? last : 123456789]));
    expect(prefix(numbers(1))).toBe(prefix(numbers(2)));
  });

  it('takes the beginning of what is not flat', () => {
    expect(prefix({ a: [1, 2, 3] }, 7)).toBe(prefix({ a: [1, 2, 4] }, 7));
    expect(prefix({ a: [1, 2, 3] })).not.toBe(prefix({ a: [1, 2, 4] }));
    expect(prefix({ a: null })).not.toBe(prefix({ a: 'null' }));
    expect(prefix([1])).not.toBe(prefix([2]));
    expect(prefix(null)).not.toBe(prefix(1));
  });
});

describe('the digest of a text', () => {
  it.each([
    ['', 3447782456304322],
    ['a', 5144032680690961],
    ['{"command":"ls 1"}', 1229829868106428],
    ['x'.repeat(5000), 2729764270459585],
    ['\ud83d\ude00\0', 6718799982355416],
  ])('is stable: %#', (text, value) => {
    expect(digestText(text)).toBe(value);
    expect(fastDigestText(text)).toBe(value);
  });

  it('is the same with and without a buffer', () => {
    for (const length of [0, 1, 7, 8, 9, 63, 64, 65, 72, 16_385]) {
      const text = 'line of text €\n'.repeat(1200).slice(0, length);
      expect(fastDigestText(text)).toBe(digestText(text));
    }
  });

  it('changes with every single character and place', () => {
    const text = 'abcdefgh'.repeat(40);
    const seen = new Set([digestText(text)]);
    for (let i = 0; i < text.length; i++) seen.add(digestText(`${text.slice(0, i)}X${text.slice(i + 1)}`));
    for (let i = 1; i < text.length; i++) seen.add(digestText(text.slice(0, i)));
    expect(seen.size).toBe(text.length * 2);
  });
});

describe('the beginning of arguments as sent', () => {
  const small = { a: 1, b: 'x"y', c: [1, { d: null }], e: true };

  it('is the JSON as it stands, cut', () => {
    for (const limit of [1, 2, 5, 10, 17, 20, 1000])
      expect(rawPrefix(small, limit)).toBe(JSON.stringify(small).slice(0, limit));
    const flat = { z: 'text', a: 2, ok: false };
    for (const limit of [1, 8, 20, 1000])
      expect(rawPrefix(flat, limit)).toBe(JSON.stringify(flat).slice(0, limit));
    const large = { z: 'text '.repeat(1000), a: ['x'.repeat(500)], n: 1 };
    for (const limit of [1, 200, 4999, 5020, 5600])
      expect(rawPrefix(large, limit)).toBe(JSON.stringify(large).slice(0, limit));
  });

  it.each([null, 7, true, 'text', [], {}, [[[]]], { a: undefined, b: 1 }, [undefined]])('of %j', (value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(rawPrefix(value, 100)).toBe(text);
  });

  it('never ends inside a character', () => {
    expect(rawPrefix('aé', 2)).toBe('a');
    expect(rawPrefix('aé', 3)).toBe('aé');
    expect(rawPrefix('a€', 3)).toBe('a');
    expect(rawPrefix('a€', 4)).toBe('a€');
    expect(rawPrefix('a😀b', 4)).toBe('a');
    expect(rawPrefix('a😀b', 5)).toBe('a😀');
    expect(rawPrefix('a😀b', 6)).toBe('a😀b');
  });

  it('survives circles', () => {
    const circle: { [key: string]: unknown } = { name: 'x' };
    circle['self'] = circle;
    expect(rawPrefix(circle, 40)).toBe('{"name":"x","self":{"name":"x","self":{"'.slice(0, 40));
  });
});

describe('a pattern of tool names', () => {
  it.each([
    ['bash', 'bash', true],
    ['bash', 'bash2', false],
    ['*', 'anything', true],
    ['mcp__*', 'mcp__x', true],
    ['mcp__*', 'mcp_x', false],
    ['*_poll', 'job_poll', true],
    ['*_poll', 'job_poll_2', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a*b*c', 'abc', true],
    ['a*a', 'a', false],
    ['a*bc*bc', 'a-bc', false],
    ['a*bc*bc', 'abcbc', true],
    ['*x*', 'axb', true],
    ['*x*', 'ab', false],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });
});

describe('what JSON cannot show', () => {
  class Hidden {
    readonly #value: number;
    constructor(value: number) {
      this.#value = value;
    }
    get value(): number {
      return this.#value;
    }
  }
  const digests: { readonly [name: string]: (value: unknown) => unknown } = {
    digestCall: digest,
    digestOutcome: (value) => digestOutcome(value as Json, 'ok', digestText),
    digestPrefix: (value) => digestPrefix('t', value, 200, digestText),
    canonicalJson,
    volatile: (value) =>
      canonicalJson(toolRules({ t: { volatile: ['at'] } })('t')?.output?.({ value } as never)),
  };

  it.each(Object.entries(digests))('is told apart by %s', (_name, of) => {
    expect(of(new Map([['a', 1]]))).toBe(of(new Map([['a', 1]])));
    expect(of(new Map([['a', 1]]))).not.toBe(of(new Map([['a', 2]])));
    expect(of(new Set([1]))).not.toBe(of(new Set([2])));
    expect(of({ rows: new Set([1]) })).not.toBe(of({ rows: new Set([2]) }));
    const hidden = new Hidden(1);
    expect(of(hidden)).toBe(of(hidden));
    expect(of(hidden)).not.toBe(of(new Hidden(hidden.value)));
    expect(of({})).toBe(of(Object.create(null)));
  });
});
