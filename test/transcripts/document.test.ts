import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocumentSplitter, type DocumentPart } from '../../src/transcripts/document.ts';

/** The parts of a document that comes in pieces of `size` bytes, each in the same memory as the one before. */
function split(text: string, size = 65_536, maxBytes?: number) {
  const bytes = new TextEncoder().encode(text);
  const memory = new Uint8Array(size);
  const splitter = createDocumentSplitter(maxBytes);
  const parts: DocumentPart[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    memory.set(piece);
    parts.push(...splitter.push(memory.subarray(0, piece.length)));
  }
  return { parts, complete: splitter.complete };
}

const shown = (text: string, size?: number) =>
  split(text, size).parts.map(({ key, text: part }) => `${key}: ${part}`);

describe('a document', () => {
  it('that is a list gives its elements', () => {
    expect(shown('[{"a":1}, [2,3] ,"x", 4,null]')).toEqual([
      ': {"a":1}',
      ': [2,3]',
      ': "x"',
      ': 4',
      ': null',
    ]);
  });

  it('that is an object gives its members, and lists among them element by element', () => {
    expect(
      shown('{"id":"s","at":12,"ok":true,"info":{"list":[1,2]},"messages":[{"n":[1]},"x",3],"end":0}'),
    ).toEqual([
      'id: "s"',
      'at: 12',
      'ok: true',
      'info: {"list":[1,2]}',
      'messages: {"n":[1]}',
      'messages: "x"',
      'messages: 3',
      'end: 0',
    ]);
  });

  it('may have anything in its texts', () => {
    expect(shown(String.raw`{"a \"key\", {": "}]\\\"[{,:", "b": "\\"}`)).toEqual([
      String.raw`a "key", {: "}]\\\"[{,:"`,
      String.raw`b: "\\"`,
    ]);
  });

  it('may be empty, or have empty lists', () => {
    expect(split('{}')).toEqual({ parts: [], complete: true });
    expect(split('[]')).toEqual({ parts: [], complete: true });
    expect(shown('{"a":[],"b":{},"c":[[]]}')).toEqual(['b: {}', 'c: []']);
  });

  it('may be written over many lines, after a byte order mark', () => {
    expect(shown('\uFEFF\n{\n  "a" : 1 ,\r\n  "b" : [\n    2\n  ]\n}\n')).toEqual(['a: 1', 'b: 2']);
  });

  it('ends where its brackets close: what follows is no part of it', () => {
    expect(split('{"a":1}\n{"b":2}')).toEqual({ parts: [{ key: 'a', text: '1' }], complete: true });
  });

  it.each(['', '{"a":1', '{"a":[1,2', '[{"a":"x', '[1,', 'no JSON at all'])('%j is not complete', (text) => {
    expect(split(text).complete).toBe(false);
  });

  it('gives what was complete before it broke off', () => {
    expect(shown('{"id":1,"messages":[{"a":1},{"b":2},{"c":')).toEqual([
      'id: 1',
      'messages: {"a":1}',
      'messages: {"b":2}',
    ]);
  });

  it('is the same in pieces of any size, even where the memory is used again', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
        fc.integer({ min: 1, max: 11 }),
        fc.constantFrom(0, 2),
        (value, size, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(split(text, size)).toEqual(split(text));
          const parts = split(text, size).parts.map(({ text: part }) => JSON.parse(part ?? '') as unknown);
          expect(JSON.stringify(parts)).toEqual(JSON.stringify(membersOf(value)));
        },
      ),
    );
  });
});

it.each([9, 10, 11])('a value of %i bytes, where 10 are allowed', (length) => {
  const text = `"${'x'.repeat(length - 2)}"`;
  for (const size of [1, 4, 100]) {
    expect(split(`{"a":${text},"b":[${text},1]}`, size, 10).parts).toEqual([
      { key: 'a', text: length > 10 ? null : text },
      { key: 'b', text: length > 10 ? null : text },
      { key: 'b', text: '1' },
    ]);
  }
});

/** What a splitter hands out, as `JSON.parse` sees it. */
function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return Object.values(value as object).flatMap((member: unknown) =>
    Array.isArray(member) ? member : [member],
  );
}
