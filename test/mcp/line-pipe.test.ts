import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLinePipe } from '../../src/cli/mcp/line-pipe.ts';

type Handle = (line: string) => string | null;

/** What comes out when the text comes in pieces of this size. */
function piped(text: string, size: number, handle: Handle = (line) => line, maxBytes?: number): string {
  const written: string[] = [];
  const pipe = createLinePipe({
    handle: (line) => {
      const passed = handle(line.toString('latin1'));
      return passed === null
        ? null
        : passed === line.toString('latin1')
          ? line
          : Buffer.from(passed, 'latin1');
    },
    write: (pieces) => written.push(...pieces.map((piece) => piece.toString('latin1'))),
    onTooLong: () => {},
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) pipe.push(bytes.subarray(at, at + size));
  pipe.end();
  return written.join('');
}

const lines = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', '\u00ff'), maxLength: 60 });

it('passes every byte, in pieces of any size', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 20 }), (text, size) => {
      expect(piped(text, size)).toBe(text);
    }),
  );
});

it('passes every byte of lines that are too long', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 8 }), (text, size, max) => {
      expect(piped(text, size, undefined, max)).toBe(text);
    }),
  );
});

it('changes and drops lines alike, whatever the pieces', () => {
  const handle: Handle = (line) =>
    line.includes('b') ? null : line.includes('a') ? line.replaceAll('a', '<a>') : line;
  const expected = (text: string) =>
    text
      .split(/(?<=\n)/)
      .map((line) => handle(line) ?? '')
      .join('');
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 20 }), (text, size) => {
      expect(piped(text, size, handle)).toBe(expected(text));
    }),
  );
});

it('inserts a message between lines, never into one', () => {
  const written: string[] = [];
  let long = 0;
  const pipe = createLinePipe({
    handle: (line) => line,
    write: (pieces) => written.push(...pieces.map(String)),
    onTooLong: () => (long += 1),
    maxBytes: 4,
  });
  const own = Buffer.from('own');
  pipe.push(Buffer.from('a\nb'));
  pipe.insert(own);
  pipe.push(Buffer.from('\nlong line'));
  pipe.insert(own);
  pipe.insert(own);
  pipe.push(Buffer.from(' ends\nshort\n'));
  pipe.insert(own);
  expect(written.join('')).toBe('a\nown\nb\nlong line ends\nown\nown\nshort\nown\n');
  expect(long).toBe(1);
});
