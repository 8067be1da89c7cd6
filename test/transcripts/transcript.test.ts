import { describe, expect, it } from 'vitest';
import { fieldsOf, nameOf } from '../../src/transcripts/fields.ts';
import type { Format, Shape, Sink } from '../../src/transcripts/format.ts';
import { createTranscript } from '../../src/transcripts/transcript.ts';
import { type Read, readText } from './read.ts';

/** A format of lines or of documents whose records have a text, and one that is marked. */
function toy(name: string, shape: Shape): Format {
  return {
    name,
    title: name,
    recognises: (sample) =>
      sample.shape === shape && sample.records.some(({ value }) => fieldsOf(value)['mark'] === name),
    open: ({ event, problem }: Sink) => ({
      read({ line, value }) {
        const text = nameOf(fieldsOf(value)['text']);
        if (text === undefined) problem(line, 'no text');
        else event({ type: 'user', text }, line);
      },
      flush() {},
    }),
  };
}
const LINES = toy('lines', 'lines');
const DOCUMENT = toy('document', 'document');
const TOYS = { formats: [LINES, DOCUMENT] };

const toLines = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const texts = ({ events }: Read) => events.map((event) => ('text' in event ? event.text : ''));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `${index}` }));
const SIZES = [1, 7, 64, 65_536, 1 << 20];

describe('recognition', () => {
  const marked = toLines([...numbered(20), { mark: 'lines', text: 'x' }, ...numbered(60)]);

  it.each(SIZES)('gives the same in pieces of %i bytes', (size) => {
    const read = readText(marked, { ...TOYS, size });
    expect(read).toEqual(readText(marked, TOYS));
    expect(read).toMatchObject({ format: 'lines', problems: [] });
    expect(texts(read)).toHaveLength(81);
  });

  it('goes by the first format that recognises it', () => {
    const other: Format = { ...LINES, name: 'other' };
    expect(readText(marked, { formats: [other, LINES] }).format).toBe('other');
    expect(readText(marked, { formats: [LINES, other] }).format).toBe('lines');
  });

  it.each([39, 40, 41])('looks at 40 lines: a mark after %i', (before) => {
    const text = toLines([...numbered(before), { mark: 'lines', text: 'x' }]);
    expect(readText(text, TOYS).format).toBe(before < 40 ? 'lines' : null);
  });

  it('tells nothing of what nobody recognises', () => {
    for (const text of ['', '\n\n', 'plain words\n', '{"text":"x"}\n', '[1,2,3]', '{"text":', '7'])
      expect(readText(text, TOYS)).toEqual({ format: null, events: [], lines: [], facts: {}, problems: [] });
  });

  it('gives up on what is long and still unknown, and keeps nothing of it', { timeout: 60_000 }, () => {
    const transcript = createTranscript([LINES], { event() {}, facts() {}, problem() {} });
    const piece = new TextEncoder().encode(toLines(numbered(40_000)));
    for (let bytes = 0; bytes < 40_000_000; bytes += piece.length) transcript.push(piece);
    transcript.push(new TextEncoder().encode(toLines([{ mark: 'lines', text: 'x' }])));
    transcript.end();
    expect(transcript.format).toBeNull();
  });

  it('is done with the first 64 KB, where that is enough', () => {
    const transcript = createTranscript(TOYS.formats, { event() {}, facts() {}, problem() {} });
    const line = new TextEncoder().encode(toLines([{ mark: 'lines', text: 'x'.repeat(1000) }]));
    for (let bytes = line.length; bytes < 65_536; bytes += line.length) {
      transcript.push(line);
      expect(transcript.format).toBeNull();
    }
    transcript.push(line);
    expect(transcript.format?.name).toBe('lines');
  });
});

describe('a first line that is longer than what is looked at first', () => {
  const long = (length: number) => ({ mark: 'lines', text: 'x'.repeat(length) });

  it.each([60_000, 70_000, 600_000, 5_000_000])('of %i characters is a line of many', (length) => {
    const text = toLines([long(length), { mark: 'document', text: 'b' }, { text: 'c' }]);
    for (const size of [65_536, 524_288]) {
      const read = readText(text, { ...TOYS, size });
      expect(read.format).toBe('lines');
      expect(texts(read).map((each) => each?.length)).toEqual([length, 1, 1]);
    }
  });

  it('is not taken for a document, though it would make one', () => {
    // A log of requests, each of which would be a document of its own.
    const request = (content: string) => ({
      model: 'm',
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: content.slice(0, 9), type: 'function', function: { name: 'bash', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: content.slice(0, 9), content },
      ],
    });
    const text = toLines(
      ['first one', 'second two'].map((word) => request(`${word} ${'x'.repeat(400_000)}`)),
    );
    const whole = readText(text, { size: 1 << 21 });
    expect(whole.events.filter(({ type }) => type === 'tool-call')).toHaveLength(2);
    for (const size of [65_536, 524_288]) expect(readText(text, { size })).toEqual(whole);
  });

  it.each([70_000, 700_000, 34_000_000])(
    'of %i characters may be a document of its own',
    { timeout: 60_000 },
    (length) => {
      const filler = 'x'.repeat(1000);
      const list = Array.from({ length: Math.ceil(length / 1000) }, () => ({ text: filler }));
      const one = JSON.stringify({ head: { mark: 'document', text: 'a' }, list });
      for (const text of length > 1e6 ? [one] : [one, `${one}\n`]) {
        const { format, events, problems } = readText(text, { ...TOYS, size: 524_288 });
        expect({ format, problems, events: events.length }).toEqual({
          format: 'document',
          problems: [],
          events: list.length + 1,
        });
      }
    },
  );
});

describe('a document', () => {
  const value = [{ mark: 'document', text: 'a' }, ...numbered(2000)];

  it.each([
    ['on one line', JSON.stringify(value)],
    ['over many lines', JSON.stringify(value, null, 2)],
    ['with a value a line', `[${value.map((each) => JSON.stringify(each)).join(',\n')}]`],
    ['as an object', JSON.stringify({ list: value }, null, 1)],
  ])('%s', (_how, text) => {
    for (const size of SIZES) {
      const { format, events, problems } = readText(text, { ...TOYS, size });
      expect({ format, problems, events: events.length }).toEqual({
        format: 'document',
        problems: [],
        events: 2001,
      });
    }
  });

  it.each([JSON.stringify(value), JSON.stringify({ list: value }, null, 1)])(
    'is recognised before its end where it can be nothing else',
    (text) => {
      const transcript = createTranscript(TOYS.formats, { event() {}, facts() {}, problem() {} });
      const bytes = new TextEncoder().encode(text.repeat(3).slice(0, 70_000));
      transcript.push(bytes);
      expect(transcript.format?.name).toBe('document');
    },
  );

  it('that breaks off says so, and what it had counts', () => {
    const text = JSON.stringify({ list: value }, null, 1);
    const { events, problems } = readText(text.slice(0, text.indexOf('"1500"')), TOYS);
    expect(events).toHaveLength(1501);
    expect(problems).toEqual(['1502: the document is not finished']);
  });

  it('with a part that is not JSON says which', () => {
    const { events, problems } = readText(
      '{"list":[{"mark":"document","text":"a"},{"text":nope},{"text":"b"}],"more":tru}',
      TOYS,
    );
    expect(events).toHaveLength(2);
    expect(problems).toEqual(['2: a part of list is not JSON', '4: a part of more is not JSON']);
    expect(readText('[{"mark":"document","text":"a"},{"text":nope}]', TOYS).problems).toEqual([
      '2: a part of the list is not JSON',
    ]);
  });
});

describe('lines that cannot be read', () => {
  const broken = (at: number, count = 60) =>
    toLines([{ mark: 'lines', text: 'm' }, ...numbered(count)])
      .split('\n')
      .with(at - 1, '{"text":"half')
      .join('\n');

  it.each([2, 40, 41, 55])('line %i is told of, and all else is read', (at) => {
    for (const size of SIZES) {
      const { events, problems } = readText(broken(at), { ...TOYS, size });
      expect(problems).toEqual([`${at}: not JSON`]);
      expect(events).toHaveLength(60);
    }
  });

  it.each([1, 50])('the last of many may be half-written: %i before it', (count) => {
    const text = toLines([{ mark: 'lines', text: 'm' }, ...numbered(count)]).slice(0, -3);
    for (const size of SIZES) {
      const { events, problems } = readText(text, { ...TOYS, size });
      expect(problems).toEqual([`${count + 1}: the last line is not finished`]);
      expect(events).toHaveLength(count);
    }
  });

  it('do not hide what follows, however many come first', () => {
    const text = `${'nope\n'.repeat(100)}${toLines([{ mark: 'lines', text: 'm' }, ...numbered(3)])}`;
    const { events, problems } = readText(text, TOYS);
    expect(events).toHaveLength(4);
    expect(problems).toHaveLength(100);
  });

  it('are told of in their order among the problems of the format', () => {
    const text = '{"mark":"lines","text":"m"}\n{"text":\n{}\nnope\n{"text":"b"}\n';
    expect(readText(text, TOYS).problems).toEqual(['2: not JSON', '3: no text', '4: not JSON']);
  });
});

it('keeps nothing in the memory of the pieces it is given', () => {
  const text = toLines([...numbered(30_000), { text: 'x'.repeat(3000) }, ...numbered(10)]);
  const marked = `{"text":"${'y'.repeat(200_000)}"}\n{"mark":"lines","text":"m"}\n${text}`;
  const memory = Buffer.alloc(4096);
  const bytes = Buffer.from(marked);
  const read: string[] = [];
  const transcript = createTranscript(TOYS.formats, {
    event: (event) => read.push('text' in event ? (event.text ?? '') : ''),
    facts() {},
    problem: (line, why) => read.push(`${line}: ${why}`),
  });
  for (let at = 0; at < bytes.length; at += memory.length) {
    const size = bytes.copy(memory, 0, at);
    transcript.push(memory.subarray(0, size));
    memory.fill('#');
  }
  transcript.end();
  expect(read).toEqual(texts(readText(marked, TOYS)));
  expect(read).toHaveLength(30_013);
});

it('tells what is held back when a live transcript pauses', () => {
  const events: string[] = [];
  const transcript = createTranscript(TOYS.formats, {
    event: (event) => events.push('text' in event ? (event.text ?? '') : ''),
    facts() {},
    problem() {},
  });
  const push = (text: string) => transcript.push(new TextEncoder().encode(text));
  transcript.flush();
  push('{"mark":"lines","text":"a"}\n');
  expect(events).toEqual([]);
  transcript.flush();
  expect(events).toEqual(['a']);
  push('{"text":"b"}\n{"text":');
  transcript.flush();
  push('"c"}\n');
  transcript.end();
  expect(events).toEqual(['a', 'b', 'c']);
});
