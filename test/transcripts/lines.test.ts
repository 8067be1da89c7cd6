import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, type Line } from '../../src/transcripts/lines.ts';

const encoder = new TextEncoder();

/** The lines of a text that comes in pieces of `size` bytes, each in the same memory as the one before. */
function split(text: string | Uint8Array, size = 65_536, maxBytes?: number): readonly Line[] {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const memory = new Uint8Array(size);
  const splitter = createLineSplitter(maxBytes);
  const lines: Line[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    memory.set(piece);
    lines.push(...splitter.push(memory.subarray(0, piece.length)));
  }
  return [...lines, ...splitter.end()];
}

describe('lines', () => {
  it('are numbered from 1, and end at line feeds', () => {
    expect(split('{"a":1}\n{"b":2}\n')).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 2, text: '{"b":2}' },
    ]);
  });

  it('need no line feed at the end', () => {
    expect(split('1\n2')).toEqual([
      { line: 1, text: '1' },
      { line: 2, text: '2' },
    ]);
    expect(split('')).toEqual([]);
  });

  it('do not end at what ends a line elsewhere', () => {
    for (const character of ['\u2028', '\u2029', '\u0085', '\v', '\f', '\r']) {
      expect(split(`"a${character}b"\n`)).toEqual([{ line: 1, text: `"a${character}b"` }]);
    }
  });

  it('lose the white space around them and the byte order mark', () => {
    expect(split('\uFEFF 1 \r\n\t2\r\n')).toEqual([
      { line: 1, text: '1' },
      { line: 2, text: '2' },
    ]);
  });

  it('are counted where they are empty, and told of where they are not', () => {
    expect(split('\n \r\n1\n\n\n2\n')).toEqual([
      { line: 3, text: '1' },
      { line: 6, text: '2' },
    ]);
    expect(split('1\n   ')).toEqual([{ line: 1, text: '1' }]);
  });

  it('keep what is not UTF-8 apart from what is', () => {
    const [line] = split(new Uint8Array([0x22, 0xff, 0xc3, 0x22, 0x0a]));
    expect(line?.text).toBe('"\uFFFD\uFFFD"');
  });

  it('are the same from a buffer of Node', () => {
    const text = '{"a":"é→\u{1F600}"}\n\uFEFF2\r\n3';
    expect([...createLineSplitter().push(Buffer.from(`${text}\n`))]).toEqual(split(text));
  });

  it('are the same in pieces of any size, even where the memory is used again', () => {
    const character = fc.constantFrom('a', 'é', '→', '\u{1F600}', '\n', '\r', ' ', '"');
    fc.assert(
      fc.property(fc.string({ unit: character }), fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(split(text, size)).toEqual(split(text));
      }),
    );
  });
});

describe('a line that is too long', () => {
  it.each([7, 8, 9])('of %i bytes, where 8 are allowed', (length) => {
    const text = 'x'.repeat(length);
    for (const size of [1, 3, 100]) {
      expect(split(`1\n${text}\n3\n`, size, 8)).toEqual([
        { line: 1, text: '1' },
        { line: 2, text: length > 8 ? null : text },
        { line: 3, text: '3' },
      ]);
    }
  });

  it('may be the last', () => {
    expect(split('x'.repeat(20), 3, 8)).toEqual([{ line: 1, text: null }]);
  });
});

it('splits only what is asked for', () => {
  const splitter = createLineSplitter();
  const [first] = splitter.push(encoder.encode('1\nnever\n'));
  expect(first).toEqual({ line: 1, text: '1' });
});
