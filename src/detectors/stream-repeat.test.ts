import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  findings,
  made,
  only,
  repeat,
  roundDone,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import { type AgentEvent, createGuard, type Json } from '../core/index.ts';
import { UNBOUNDED } from './streak.ts';
import { SHORT_UNIT, streamRepeat } from './stream-repeat.ts';

const { shortRepeats, shortCharacters, longRepeats, longCharacters, structureWeight } = streamRepeat.defaults;

const delta = (text: string, channel: 'content' | 'reasoning' = 'content'): AgentEvent => ({
  type: 'text-delta',
  channel,
  text,
});
function stream(text: string, size = 7, channel: 'content' | 'reasoning' = 'content'): AgentEvent[] {
  return repeat(Math.ceil(text.length / size), (index) => [
    delta(text.slice(index * size, (index + 1) * size), channel),
  ]);
}
const said = (text: string): AgentEvent => ({ type: 'turn', text });
const thought = (reasoning: string): AgentEvent => ({ type: 'turn', reasoning });

/** So many different words: w0 w1 w2... */
const words = (n: number, from = 0) => Array.from({ length: n }, (_, index) => `w${from + index}`).join(' ');
const sentence = 'The parser drops the last line of every file, so I will look at the reader. ';
const paragraph = `${sentence}It may be that the buffer is flushed too early, as I said. `;

const row = (index: number) => `| ${index} | open | N/A | N/A | N/A |\n`;
const refrain = 'Oh the river runs away, runs away to the sea,\nand the river never asks for me.\n';
const verse = (index: number) => `Verse ${index}: ${words(30, index * 100)}\n`;

testDetector(streamRepeat, {
  loops: [
    { name: 'one word', events: stream(`I think ${'court '.repeat(200)}`), counts: [1] },
    { name: 'one word without spaces', events: stream('court'.repeat(200)), counts: [1] },
    { name: 'no', events: stream('no '.repeat(100)), counts: [1] },
    { name: 'signs alone', events: stream(`What${'?!'.repeat(1000)}`), counts: [1] },
    { name: 'a phrase', events: stream(`Fine. ${'I am done. '.repeat(40)}`), counts: [1] },
    { name: 'a paragraph', events: stream(`First: ${paragraph.repeat(12)}`), counts: [1] },
    { name: 'reasoning', events: stream(sentence.repeat(30), 11, 'reasoning'), counts: [1] },
    { name: 'a script without spaces', events: stream('我需要检查这个文件是否存在'.repeat(40)), counts: [1] },
    { name: 'white space alone', events: stream(`So:${'\n'.repeat(2000)}`), counts: [1] },
    { name: 'a whole turn', events: [said('court '.repeat(200))], counts: [1] },
    { name: 'the reasoning of a whole turn', events: [thought('court '.repeat(200))], counts: [1] },
    {
      name: 'one response after the other',
      events: [said('court '.repeat(99)), said('court '.repeat(99)), said('tree '.repeat(99)), turn],
      counts: [1, 2, 3],
    },
    {
      name: 'a fence that never ends',
      events: stream(`Here:\n\`\`\`c\n${'  x = x + 1;\n'.repeat(400)}`, 9),
      counts: [1],
    },
  ],
  healthy: [
    {
      name: 'an emphasis',
      events: stream('very very very good, no no no, never ever ever again. '),
      counts: [],
    },
    { name: 'prose', events: stream(words(3000)), counts: [] },
    {
      name: 'dividers',
      events: stream(repeat(9, (n) => [`${'-'.repeat(200)}\n${verse(n)}`]).join('')),
      counts: [],
    },
    {
      name: 'a divider of signs',
      events: stream(`Title\n${'='.repeat(400)}\n${'. '.repeat(300)}\n`),
      counts: [],
    },
    {
      name: 'a table',
      events: stream(`| a | b | c | d | e |\n|---|---|---|---|---|\n${repeat(80, (n) => [row(n)]).join('')}`),
      counts: [],
    },
    {
      name: 'a table of nothing',
      events: stream(`| a | b |\n|---|---|\n${'| N/A | N/A |\n'.repeat(60)}`),
      counts: [],
    },
    {
      name: 'a JSON array, translated',
      events: stream(
        JSON.stringify(
          repeat(60, (n) => [{ key: `label.${n}`, state: 'translated', text: words(4, n) }]),
          null,
          2,
        ),
      ),
      counts: [],
    },
    {
      name: 'a JSON array of equals',
      events: stream(`[${'{"id": null, "value": 0},\n'.repeat(60)}]`),
      counts: [],
    },
    {
      name: 'code',
      events: stream(`So:\n\`\`\`c\nint zeros[] = { ${'0x00, '.repeat(256)} };\n\`\`\`\nThat is all.`),
      counts: [],
    },
    { name: 'a list', events: stream(`${'- [ ] to do\n'.repeat(30)}`), counts: [] },
    { name: 'numbered answers', events: stream(repeat(60, (n) => [`${n}. Yes\n`]).join('')), counts: [] },
    {
      name: 'a poem with a refrain',
      events: stream(repeat(12, (n) => [verse(n), refrain]).join('')),
      counts: [],
    },
    {
      name: 'test output',
      events: stream(repeat(60, (n) => [`PASS src/part-${n}.test.ts (5 tests) 12ms\n`]).join('')),
      counts: [],
    },
    { name: 'a matrix of zeros', events: stream('0 0 0 0 0 0 0 0 0 0\n'.repeat(12)), counts: [] },
    {
      name: 'the same short text before different calls',
      events: repeat(40, (index) => [...stream('Let me check the next file. '), call('read', { index })]),
      counts: [],
    },
    {
      name: 'the same answer in a conversation',
      events: repeat(40, () => [...stream(sentence), user]),
      counts: [],
    },
  ],
});

/** The finding of a text that came in pieces of these lengths, and in which piece it was made. */
function firstOf(text: string, sizes: readonly number[], options: { [name: string]: Json } = {}) {
  const guard = createGuard({ preset: only(streamRepeat, options), detectors: [streamRepeat] });
  let from = 0;
  for (let index = 0; from < text.length; index++) {
    const to = from + (sizes[index % sizes.length] as number);
    const decision = guard.accept(delta(text.slice(from, to)));
    if (decision.action !== 'allow') return { finding: decision.finding, from, to };
    from = to;
  }
  return null;
}
/** After how many characters it is found. */
const foundAt = (text: string, options: { [name: string]: Json } = {}) =>
  firstOf(text, [1], options)?.to ?? 0;

const piece = fc.oneof(
  fc.constantFrom(
    'court ',
    'no',
    '\n',
    '```',
    '| a | b |\n',
    '- x\n',
    '{"a": 1},',
    '?!',
    '1. ',
    '   ',
    '好',
    '😀',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const text = fc
  .array(fc.tuple(fc.array(piece, { maxLength: 6 }), fc.nat(80)), { maxLength: 4 })
  .map((parts) => parts.map(([pieces, times]) => pieces.join('').repeat(times)).join(' '));

describe('stream-repeat', () => {
  it('finds the same at the same place, however the text is cut', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 9 }),
        (all, sizes) => {
          const exact = firstOf(all, [1]);
          const other = firstOf(all, sizes);
          const whole = firstOf(all, [all.length + 1]);
          expect(other?.finding).toEqual(exact?.finding);
          expect(whole?.finding).toEqual(exact?.finding);
          if (exact === null || other === null) return;
          expect(exact.to).toBeGreaterThan(other.from);
          expect(exact.to).toBeLessThanOrEqual(other.to);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('finds every repeated unit of words, whatever it is made of', () => {
    const unit = fc.array(fc.constantFrom('a', 'b', 'no', 'yes'), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(unit, (of) => {
        expect(foundAt(`${words(40)} ${`${of.join(' ')} `.repeat(200)}`)).toBeGreaterThan(0);
      }),
      { numRuns: 80 },
    );
  });

  it('never fires on words that are all different', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.nat(), (n, from) => {
        expect(firstOf(words(n, from), [50])).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  it('wants a short unit often enough', () => {
    const unit = 'This one has just fifty nine characters when counted now. ';
    expect(unit.length).toBeLessThanOrEqual(SHORT_UNIT);
    const times = (n: number) => foundAt(`${words(20)} ${unit.repeat(n)}! `);
    expect(times(shortRepeats - 1)).toBe(0);
    expect(times(shortRepeats)).toBeGreaterThan(0);
    expect(times(shortRepeats + 1)).toBe(times(shortRepeats));
  });

  it.each([SHORT_UNIT - 1, SHORT_UNIT, SHORT_UNIT + 1])(
    'a unit of %i characters is short or long',
    (size) => {
      const unit = `${'a'.repeat(20)} ${'b'.repeat(20)} ${'c'.repeat(size - 43)} `;
      const repeats = firstOf(`${words(16)} ${unit.repeat(40)}`, [1])?.finding.facts?.['repeats'];
      expect(repeats).toBe(size <= SHORT_UNIT ? shortRepeats : Math.floor(longCharacters / size));
    },
  );

  it('wants a short unit to fill enough', () => {
    const unit = 'nevermore ';
    const enough = shortCharacters / unit.length;
    const times = (n: number) => foundAt(`${words(20)} ${unit.repeat(n)}! `);
    expect(times(enough - 1)).toBe(0);
    expect(times(enough)).toBeGreaterThan(0);
    expect(times(enough + 1)).toBe(times(enough));
  });

  it('wants a long unit often enough', () => {
    const unit = `${words(90)} `;
    expect(unit.length * (longRepeats - 1)).toBeGreaterThan(longCharacters);
    const times = (n: number) => foundAt(`Well: ${unit.repeat(n)}! `);
    expect(times(longRepeats - 1)).toBe(0);
    expect(times(longRepeats)).toBeGreaterThan(0);
    expect(times(longRepeats + 1)).toBe(times(longRepeats));
  });

  it('wants a long unit, signs, digits or one letter to fill enough', () => {
    const units = ['?!', '0 ', '0.0, ', 'a', '-+', `${words(20).slice(0, 60)}. `, '😀'];
    for (const unit of units) {
      const at = foundAt(`So ${unit.repeat(3000)}`);
      expect(at, unit).toBeGreaterThanOrEqual(longCharacters);
      expect(at, unit).toBeLessThanOrEqual(longCharacters + 60);
    }
  });

  it.each([
    ['a fence', 'So:\n```\n'],
    ['a fence of tildes', 'So:\n  ~~~js\n'],
    ['JSON', '{"text": "'],
    ['a JSON list', ' ["'],
    ['a table', '| a | '],
    ['an item', '* '],
    ['an item with a dash', '- '],
    ['a numbered item', '12. '],
    ['a numbered item in brackets', '3) '],
    ['a heading', '## '],
    ['a quotation', '> '],
    ['an indented line', '    '],
    ['a line after a tab', '\t'],
    ['markup', '<p>'],
    ['a border', '├── '],
  ])('counts %s for less', (_name, before) => {
    const at = foundAt(before + 'court '.repeat(2000));
    expect(at).toBeGreaterThanOrEqual(shortCharacters * structureWeight);
    expect(at).toBeLessThanOrEqual(shortCharacters * structureWeight + 40);
    expect(foundAt(before + 'court '.repeat(2000), { structureWeight: 1 })).toBeLessThan(
      shortCharacters + 40,
    );
  });

  it.each([
    ['after a fence', 'So:\n```\nx = 1\n```\n'],
    ['after a table', '| a | b |\n'],
    ['bold', '**'],
    ['a signed number', '-1 '],
    ['a number', '12 '],
    ['a version', '12 . '],
    ['two marks are no fence', '``x\n'],
    ['marks within a line', 'a ```\n'],
    ['brackets after the beginning', 'See [1]. '],
    ['three spaces', '   '],
  ])('takes for prose: %s', (_name, before) => {
    expect(foundAt(before + 'court '.repeat(2000))).toBeLessThan(shortCharacters + 40);
  });

  it('tells the channel, the unit, how often it was said and what it fills', () => {
    const [finding] = findings(streamRepeat, {
      events: [call('t'), ...stream(`Ah. ${'I am done. '.repeat(99)}`, 3, 'reasoning')],
    });
    expect(finding).toEqual({
      detector: 'it',
      subject: 'reasoning',
      count: 1,
      evidence: [1],
      facts: { channel: 'reasoning', unit: 11, repeats: 18, characters: 201 },
      call: 1,
    });
    expect(findings(streamRepeat, { events: [said('no '.repeat(99))] })[0]).toMatchObject({
      subject: 'content',
      evidence: [],
    });
  });

  it('reads the channels apart', () => {
    const mixed = repeat(60, (n) => [delta('court '), delta(`w${n} `, 'reasoning')]);
    expect(findings(streamRepeat, { events: mixed })).toMatchObject([{ subject: 'content' }]);
    const both = repeat(8, () => [delta('court '), delta('court ', 'reasoning')]);
    expect(findings(streamRepeat, { events: both })).toEqual([]);
  });

  it('reads the channels it is told to read', () => {
    const loop = 'court '.repeat(99);
    const events = [...stream(loop), turn, ...stream(loop, 5, 'reasoning'), turn, said(loop), thought(loop)];
    const subjects = (channels: Json) =>
      findings(streamRepeat, { options: { channels }, events }).map(({ subject }) => subject);
    expect(subjects('both')).toEqual(['content', 'reasoning', 'content', 'reasoning']);
    expect(subjects('content')).toEqual(['content', 'content']);
    expect(subjects('reasoning')).toEqual(['reasoning', 'reasoning']);
  });

  it('speaks once a response, and not again when the whole turn comes', () => {
    const loop = 'court '.repeat(99);
    const events = [
      ...stream(loop),
      said(loop),
      call('t'),
      ...stream('fine '),
      said('fine'),
      ...stream(loop),
      turn,
    ];
    expect(findings(streamRepeat, { events }).map(({ count }) => count)).toEqual([1, 1]);
  });

  it('reads a whole turn again after one that was streamed', () => {
    const events = [turn, ...stream('I will look. '), call('t'), turn, said('court '.repeat(99))];
    expect(findings(streamRepeat, { events }).map(({ count }) => count)).toEqual([1]);
  });

  it('is through with a turn that came whole: what is streamed behind it is the next response', () => {
    const loop = 'court '.repeat(99);
    const counts = (...events: AgentEvent[]) => findings(streamRepeat, { events }).map(({ count }) => count);
    expect(counts(said(loop), ...stream(loop))).toEqual([1, 2]);
    const part = 'nevermore '.repeat(shortCharacters / 20 + 1);
    expect(counts(said(part), delta(part))).toEqual([]);
  });

  it('starts anew at a call, a message, a turn and the end of a round', () => {
    const part = 'nevermore '.repeat(shortCharacters / 20 + 1);
    for (const before of [[], [turn]]) {
      for (const between of [call('t'), user, turn, said('')])
        expect(findings(streamRepeat, { events: [...before, delta(part), between, delta(part)] })).toEqual(
          [],
        );
      expect(findings(streamRepeat, { events: [...before, delta(part), delta(part)] })).toHaveLength(1);
    }
    expect(findings(streamRepeat, { events: [turn, delta(part), roundDone, delta(part)] })).toEqual([]);
  });

  it('knows a turn that was streamed also when its calls came before it', () => {
    const loop = 'court '.repeat(99);
    const counts = (...events: AgentEvent[]) => findings(streamRepeat, { events }).map(({ count }) => count);
    expect(counts(...stream(loop), call('t'), said(loop))).toEqual([1]);
    expect(counts(...stream('I will look. '), turn, said(loop))).toEqual([1]);
  });

  it('takes a response in the other channel for a silent one', () => {
    const counts = (channels: string, ...events: AgentEvent[]) =>
      findings(streamRepeat, { options: { channels }, events }).map(({ count }) => count);
    const loop = 'court '.repeat(99);
    expect(counts('reasoning', thought(loop), said('Fine.'), thought(loop))).toEqual([1, 2]);
    expect(counts('content', said(loop), thought('Fine.'), said(loop))).toEqual([1, 2]);
    expect(counts('both', said(loop), thought('Fine.'), said(loop))).toEqual([1, 1]);
  });

  it('needs no digests, and counts without end', () => {
    expect(made(streamRepeat)).toMatchObject({ needs: [], maxCount: UNBOUNDED });
  });

  it('counts anew after a response that said something, not after a silent one', () => {
    const loop = said('court '.repeat(99));
    const counts = (...between: AgentEvent[]) =>
      findings(streamRepeat, { events: [loop, ...between, loop] }).map(({ count }) => count);
    expect(counts(said('Fine.'))).toEqual([1, 1]);
    expect(counts(turn, call('t'), turn)).toEqual([1, 2]);
  });

  it('finds a unit of a thousand characters', () => {
    const unit = `${words(200, 1000)}. `;
    expect(unit.length).toBeGreaterThan(1000);
    expect(foundAt(unit.repeat(6))).toBeGreaterThan(0);
  });

  it('takes an unknown channel for content and a text that is none for nothing', () => {
    const odd = { type: 'text-delta', text: 'court '.repeat(99) } as AgentEvent;
    expect(findings(streamRepeat, { events: [odd] })).toMatchObject([{ subject: 'content' }]);
    expect(
      findings(streamRepeat, { events: [{ type: 'turn', reasoning: 7 } as unknown as AgentEvent] }),
    ).toEqual([]);
  });

  it('keeps no text, and little else', () => {
    const guard = createGuard({ preset: only(streamRepeat), detectors: [streamRepeat] });
    for (const event of [...stream(words(3000), 400), ...stream(words(3000), 400, 'reasoning')])
      guard.accept(event);
    guard.accept(delta('xylophone-password'));
    const state = JSON.stringify(guard.state.agents[0]?.detectors[0]);
    expect(state.length).toBeLessThan(4500);
    expect(state).not.toMatch(/xylo|w29/);
  });
});

it('reads a whole text as it reads its pieces', () => {
  const unit = fc.array(fc.constantFrom('a', 'no ', 'I am done. ', '?!', '語', '_', '12 ', 'x'.repeat(30)), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(unit, unit, fc.integer({ min: 1, max: 120 }), (before, again, times) => {
      const text = (before.join('') + again.join('').repeat(times)).slice(0, longCharacters - 1);
      const whole = findings(streamRepeat, { events: [said(text)] });
      expect(whole.length, text).toBe(findings(streamRepeat, { events: [delta(text)] }).length);
    }),
  );
});
