import { describe, expect, it } from 'vitest';
import {
  call,
  findings,
  made,
  remembered,
  repeat,
  testDetector,
  turn,
} from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { chunkRepeat } from './chunk-repeat.ts';

const say = (text: string): AgentEvent => ({ type: 'text-delta', channel: 'content', text });
const spoken = (text: string): AgentEvent => ({ type: 'turn', text });
const TEN = 'abcdefghij';
const small = { size: 10, distance: 20, window: 4 };

testDetector(chunkRepeat, {
  loops: [
    { name: 'piece by piece', options: small, events: repeat(4, () => [say(TEN)]), counts: [2, 3, 4] },
    {
      name: 'as far as the window',
      options: small,
      events: repeat(6, () => [say(TEN)]),
      counts: [2, 3, 4, 4, 4],
    },
    { name: 'in one piece', options: small, events: [say(TEN.repeat(3))], counts: [3] },
    { name: 'across pieces', options: small, events: [...TEN.repeat(2)].map(say), counts: [2] },
    { name: 'something short', options: small, events: [say('no '.repeat(7))], counts: [4] },
    {
      name: 'with text in between that differs',
      options: { ...small, between: 'any' },
      events: [say(`${TEN}1234${TEN}567${TEN}`)],
      counts: [3],
    },
    { name: 'in whole turns', options: small, events: repeat(3, () => [spoken(`${TEN}\n`)]), counts: [2, 3] },
    { name: 'in the lines of a turn', options: small, events: [spoken(`${TEN}x\n`.repeat(3))], counts: [3] },
    {
      name: 'after a code block',
      options: small,
      events: [say('```'), say(TEN), say('```'), say(TEN), say(TEN)],
      counts: [2],
    },
    {
      name: 'far into a text',
      options: small,
      events: [say(`Well, this is what I have to say: ${TEN.repeat(3)}`)],
      counts: [3],
    },
    {
      name: 'as far apart as it may be',
      options: small,
      events: [say(`${TEN}0123456789`.repeat(4))],
      counts: [4],
    },
    {
      name: 'something else less often behind it',
      options: small,
      events: [say(`${TEN.repeat(3)}${'klmnopqrst'.repeat(2)}`)],
      counts: [3],
    },
    {
      name: 'and then something else',
      options: small,
      events: [say(TEN), say(TEN), say('xyz')],
      counts: [2],
    },
    {
      name: 'in turns after a piece of nothing',
      options: small,
      events: [say(''), spoken(TEN), spoken(TEN)],
      counts: [2],
    },
    {
      name: 'code that opens and closes in one piece',
      options: small,
      events: [say(`\`\`\`\n${TEN}\n${TEN}\n\`\`\``)],
      counts: [2],
    },
    { name: 'capitals', options: small, events: [say('ABCDEFGHIJ'.repeat(2))], counts: [2] },
    {
      name: 'a dash that is no bullet',
      options: { ...small, bullets: ['*'] },
      events: repeat(2, () => [say(`- ${TEN}`)]),
      counts: [2],
    },
    {
      name: 'a thought in between',
      options: small,
      events: [say(TEN), { type: 'text-delta', channel: 'reasoning', text: 'hm' }, say(TEN)],
      counts: [2],
    },
  ],
  healthy: [
    {
      name: 'text that goes on',
      options: small,
      events: [say(`${TEN}klmnopqrstuvwxyz0123456789`)],
      counts: [],
    },
    { name: 'shorter than a chunk', options: small, events: repeat(2, () => [say('abcd')]), counts: [] },
    { name: 'too far apart', options: small, events: [say(`${TEN}12345678901${TEN}`)], counts: [] },
    { name: 'a quote in between', options: small, events: [say(TEN), say('\n> so\n'), say(TEN)], counts: [] },
    { name: 'a tool call in between', options: small, events: [say(TEN), call('t'), say(TEN)], counts: [] },
    { name: 'code', options: small, events: [say('```'), say(TEN), say(TEN)], counts: [] },
    {
      name: 'code that opens with the text',
      options: small,
      events: [say(`${TEN}${TEN}\n\`\`\`js`)],
      counts: [],
    },
    {
      name: 'text in the piece that closes code',
      options: small,
      events: [say('```'), say(`\`\`\`${TEN}${TEN}`)],
      counts: [],
    },
    { name: 'code in between', options: small, events: [say(TEN), say('```x```'), say(TEN)], counts: [] },
    {
      name: 'one letter, as often as a chunk has',
      options: small,
      events: [say('a'.repeat(10))],
      counts: [],
    },
    { name: 'turns without a text', options: small, events: [turn, turn, say(TEN), turn], counts: [] },
    { name: 'a list', options: small, events: repeat(4, () => [say(`- ${TEN}`)]), counts: [] },
    {
      name: 'a heading in between',
      options: small,
      events: [say(TEN), say('\n# Next\n'), say(TEN)],
      counts: [],
    },
    {
      name: 'dividers',
      options: small,
      events: repeat(4, () => [say('─'.repeat(20)), say('-=+*_'.repeat(4))]),
      counts: [],
    },
    {
      name: 'capitals as dividers',
      options: { ...small, dividers: 'lines-and-capitals' },
      events: repeat(4, () => [say('ABCDE01234')]),
      counts: [],
    },
    {
      name: 'thoughts',
      options: small,
      events: repeat(4, () => [{ type: 'text-delta', channel: 'reasoning', text: TEN } as const]),
      counts: [],
    },
    { name: 'a turn that was streamed', options: small, events: [say(TEN), spoken(TEN)], counts: [] },
    { name: 'nothing said', options: small, events: [say(''), turn, spoken(''), say('')], counts: [] },
  ],
});

describe('chunk-repeat', () => {
  it('tells how long the chunk is, and which call was last', () => {
    const events = [call('t'), say(TEN.repeat(2))];
    expect(findings(chunkRepeat, { options: small, events })).toEqual([
      { detector: 'it', subject: 'text', count: 2, evidence: [1], facts: { characters: 10 }, call: 1 },
    ]);
  });

  it.each([
    [20, 2],
    [21, 0],
  ])('lets %i characters from chunk to chunk count %i', (apart, count) => {
    const text = `${TEN}${'1234567890123'.slice(0, apart - 10)}${TEN}`;
    const seen = findings(chunkRepeat, { options: small, events: [say(text)] });
    expect(seen.map((finding) => finding.count)).toEqual(count === 0 ? [] : [count]);
  });

  it.each([
    [10, []],
    [11, [2]],
    [12, [3]],
    [13, [4]],
    [14, [4]],
  ])('finds chunks in %i times one letter, one beside the other: %j', (n, expected) => {
    const seen = findings(chunkRepeat, { options: small, events: [say('a'.repeat(n))] });
    expect(seen.map(({ count }) => count)).toEqual(expected);
  });

  it.each([
    ['a tool call', [say(TEN), call('t')], ''],
    ['a code block', [say(TEN), say('```')], ''],
    ['a divider', [say(TEN), say('-----')], ''],
    ['a list', [say(TEN), say('- x')], '- x'],
    ['a turn that was streamed', [say(TEN), spoken(TEN)], TEN],
  ])('after %s remembers %j', (_name, events, text) => {
    expect(remembered(chunkRepeat, { options: small, events })).toMatchObject({ text });
  });

  it('needs no digests, and counts as far as its window', () => {
    expect(made(chunkRepeat, small)).toMatchObject({ needs: [], maxCount: small.window });
  });

  it('takes the average distance, not each one', () => {
    const events = [say(`${TEN}${TEN}12345678901234567890${TEN}`)];
    expect(findings(chunkRepeat, { options: { ...small, between: 'any' }, events })).toMatchObject([
      { count: 3 },
    ]);
  });

  it.each([
    ['1', '1', '1', 4],
    ['1', '1', '2', 4],
    ['1', '2', '3', 2],
  ])('wants half of what lies between to repeat: %s %s %s', (first, second, third, count) => {
    const events = [say(`${TEN}${first}${TEN}${second}${TEN}${third}${TEN}`)];
    const seen = findings(chunkRepeat, { options: small, events });
    expect(Math.max(0, ...seen.map((finding) => finding.count))).toBe(count);
  });

  it('reads the text of a turn when the turn before was streamed', () => {
    const events = [say('x'), spoken('x'), spoken(TEN), spoken(TEN)];
    expect(findings(chunkRepeat, { options: small, events })).toHaveLength(1);
  });

  it('keeps code apart line by line in a whole turn', () => {
    const fenced = `\`\`\`\n${TEN}\n${TEN}\n${TEN}\n\`\`\`\n`;
    expect(findings(chunkRepeat, { options: small, events: [spoken(fenced)] })).toEqual([]);
  });

  it.each([
    ['0123456789abcdef', 69],
    ['漢', 23],
    ['\u0080', 23],
    ['\u007f', 69],
    ['a漢', 34],
    ['漢aa', 41],
  ])('remembers no more text than 69 bytes: of %s', (piece, characters) => {
    const context = { floor: 2, digestText: () => 0 };
    const { initial, reduce } = chunkRepeat.create('it', { ...chunkRepeat.defaults, ...small }, context);
    const entry = { event: 'text-delta', call: 0 } as Parameters<typeof reduce>[1];
    const text = piece.repeat(100);
    const kept = text.slice(-characters);
    expect(reduce(initial, entry, text)?.[0]).toMatchObject({ text: kept });
    expect(new TextEncoder().encode(kept).length).toBeLessThanOrEqual(20 * 3 + 9);
  });

  it.each([22, 23, 24])('remembers a short text of %i wide characters', (n) => {
    const events = [say('漢'.repeat(n))];
    expect(remembered(chunkRepeat, { options: small, events })).toMatchObject({
      text: '漢'.repeat(Math.min(n, 23)),
    });
  });
});
