import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeName, encodeName, remembered } from '../../src/stores/redis-names.ts';

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('%', '%0025', 'a%0041', '{a}', 'a:b', '~x'),
);

describe('a name as a part of a key', () => {
  it('is itself where nothing in it has a meaning', () => {
    for (const plain of ['', 'a', 'Worker_1.b-c', 'x'.repeat(96)]) expect(encodeName(plain)).toBe(plain);
  });

  it('has each other character written as four digits', () => {
    expect(encodeName('a b')).toBe('a%0020b');
    expect(encodeName('{é}*:~%')).toBe('%007b%00e9%007d%002a%003a%007e%0025');
    expect(encodeName('🌀')).toBe('%d83c%df00');
  });

  it('can be read again, and no two names give the same', () => {
    fc.assert(
      fc.property(name, name, (first, second) => {
        const [one, two] = [encodeName(first, 1000), encodeName(second, 1000)];
        expect(one).toMatch(/^[\w.%-]*$/);
        expect(decodeName(one)).toBe(first);
        expect(one === two).toBe(first === second);
      }),
    );
  });

  it('is told by its digest when it is too long, as written', () => {
    const digest = encodeName('x'.repeat(97));
    expect(digest).toMatch(/^~[\w-]{43}$/);
    expect(encodeName('x'.repeat(98))).not.toBe(digest);
    expect(encodeName(' '.repeat(19))).toHaveLength(95);
    expect(encodeName(' '.repeat(20))).toMatch(/^~/);
    expect(encodeName('abcd', 3)).toMatch(/^~/);
    expect(encodeName('abc', 3)).toBe('abc');
  });
});

it('what was worked out once is remembered, up to 4096', () => {
  const worked: string[] = [];
  const upper = remembered((text) => {
    worked.push(text);
    return text.toUpperCase();
  });
  expect([upper('a'), upper('a'), upper('b')]).toEqual(['A', 'A', 'B']);
  expect(worked).toEqual(['a', 'b']);
  for (let n = 0; n < 4094; n++) upper(`${n}`);
  upper('a');
  expect(worked).toHaveLength(4096);
  upper('one too many');
  upper('a');
  expect(worked.slice(4096)).toEqual(['one too many', 'a']);
});
