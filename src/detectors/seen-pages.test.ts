import { describe, expect, it } from 'vitest';
import { did, findings, only, repeat, testDetector } from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import { compilePlan, initialState, step } from '../core/index.ts';
import { seenPages } from './seen-pages.ts';
import { MAX_EVIDENCE } from './trail.ts';

const lines = (from: number, count: number, word = 'line') =>
  Array.from({ length: count }, (_, n) => `${word} number ${from + n}`).join('\n');
const page = (n: number, output: string) => did('Read', { page: n }, output);

testDetector(seenPages, {
  loops: [
    { name: 'the same page', events: repeat(4, (n) => page(n, lines(0, 10))), counts: [1, 2, 3] },
    {
      name: 'parts of what was seen',
      events: [...page(0, lines(0, 100)), ...repeat(3, (n) => page(n + 1, lines(10 * n, 20)))],
      counts: [1, 2, 3],
    },
    {
      name: 'two pages in turn',
      events: repeat(3, () => [...page(1, lines(0, 10)), ...page(2, lines(10, 10))]),
      counts: [1, 2, 3, 4],
    },
    {
      name: 'pages reached by steps',
      events: repeat(3, () => did('scroll_down', {}, lines(0, 30))),
      counts: [1, 2],
    },
    {
      name: 'what a shell shows of a file',
      events: repeat(3, (n) => did('Bash', { command: `sed -n ${n},99p a` }, lines(0, 10))),
      counts: [1, 2],
    },
    {
      name: 'what an editor shows',
      events: repeat(3, (n) => did('str_replace_editor', { command: 'view', n }, lines(0, 10))),
      counts: [1, 2],
    },
    {
      name: 'one with a new line in twenty',
      events: [...page(0, lines(0, 100)), ...page(1, lines(81, 20))],
      counts: [1],
    },
  ],
  healthy: [
    { name: 'pages one after the other', events: repeat(5, (n) => page(n, lines(10 * n, 10))), counts: [] },
    { name: 'pages that overlap', events: repeat(5, (n) => page(n, lines(8 * n, 10))), counts: [] },
    {
      name: 'one with a new line in nineteen',
      events: [...page(0, lines(0, 100)), ...page(1, lines(82, 19))],
      counts: [],
    },
    { name: 'short pages', events: repeat(4, (n) => page(n, lines(0, 4))), counts: [] },
    { name: 'one long line', events: repeat(4, (n) => page(n, 'x'.repeat(500))), counts: [] },
    {
      name: 'what a shell prints',
      events: repeat(4, () => did('Bash', { command: 'npm test' }, lines(0, 10))),
      counts: [],
    },
    {
      name: 'errors',
      events: repeat(4, (n) => did('Read', { n }, lines(0, 10), 'error')),
      counts: [],
    },
    {
      name: 'a page read again after each change',
      events: repeat(4, (n) => [...page(0, lines(0, 10)), ...did('Write', { content: `${n}` }, 'done')]),
      counts: [],
    },
    {
      name: 'outputs that are no text',
      events: repeat(4, () => did('Read', {}, [lines(0, 10)])),
      counts: [],
    },
    {
      name: 'what a command prints that waits',
      events: repeat(4, () => did('get_status', {}, lines(0, 10))),
      counts: [],
    },
  ],
});

describe('seen-pages', () => {
  it('says which tool, how often and by which calls', () => {
    expect(findings(seenPages, { events: repeat(3, (n) => page(n, lines(0, 10))) })).toMatchObject([
      { detector: 'it', subject: 'Read 0', count: 1, evidence: [2], facts: { tool: 'Read' } },
      { detector: 'it', subject: 'Read 0', count: 2, evidence: [2, 3], facts: { tool: 'Read' } },
    ]);
    const later = [...did('Write', { content: 'x' }, 'done'), ...repeat(2, (n) => page(n, lines(0, 10)))];
    expect(findings(seenPages, { events: later })[0]?.subject).toBe('Read 1');
  });

  it('counts up to sixteen', () => {
    const counts = findings(seenPages, { events: repeat(20, (n) => page(n, lines(0, 10))) }).map(
      ({ count }) => count,
    );
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16]);
    expect(Math.max(...counts)).toBe(MAX_EVIDENCE);
    expect(compilePlan(only(seenPages), { kinds: [seenPages] }).detectors.at(-1)?.maxCount).toBe(
      MAX_EVIDENCE,
    );
  });

  it('starts anew with a page that shows something new', () => {
    const known = repeat(2, (n) => page(n, lines(0, 10)));
    const events = [...known, ...page(7, lines(100, 10)), ...known];
    expect(findings(seenPages, { events }).map(({ count }) => count)).toEqual([1, 1, 2]);
  });

  it.each([
    ['a change', did('Write', { content: 'x' }, 'done')],
    ['the word of the host', [{ type: 'state-change' } as const]],
    ['a compaction, after which the model knows no page', [{ type: 'compaction' } as const]],
  ])('starts anew with %s', (_, between) => {
    const known = repeat(2, (n) => page(n, lines(0, 10)));
    expect(
      findings(seenPages, { events: [...known, ...between, ...known] }).map(({ count }) => count),
    ).toEqual([1, 1]);
  });

  it.each([
    [4, []],
    [5, [1]],
    [6, [1]],
  ])('a page of %d lines is judged: %j', (count, counts) => {
    const events = repeat(2, (n) => page(n, lines(0, count)));
    expect(findings(seenPages, { events }).map((seen) => seen.count)).toEqual(counts);
  });

  it('has a least number of lines of its own', () => {
    const events = repeat(2, (n) => page(n, lines(0, 2)));
    expect(findings(seenPages, { events, options: { minLines: 2 } })).toHaveLength(1);
    expect(findings(seenPages, { events, options: { minLines: 3 } })).toHaveLength(0);
  });

  it('passes over lines of three signs or fewer', () => {
    const rules = ['{', '}', ');', '---', ' a b c ', 'four'].join('\n');
    const events = repeat(2, (n) => page(n, `${rules}\n${lines(0, 3)}`));
    expect(findings(seenPages, { events, options: { minLines: 4 } })).toHaveLength(1);
    expect(findings(seenPages, { events, options: { minLines: 5 } })).toHaveLength(0);
  });

  it('reads the first 400 lines of a page', () => {
    const long = (tail: string) => `${lines(0, 400)}\n${lines(0, 400, tail)}`;
    expect(findings(seenPages, { events: [...page(0, long('a')), ...page(1, long('b'))] })).toHaveLength(1);
    const short = (tail: string) => `${lines(0, 200)}\n${lines(0, 200, tail)}`;
    expect(findings(seenPages, { events: [...page(0, short('a')), ...page(1, short('b'))] })).toHaveLength(0);
  });

  it('forgets what it saw when its memory is half full, and remembers the page that filled it', () => {
    const many = (pages: number) => repeat(pages, (n) => page(n, lines(400 * n, 400)));
    const again = (pages: number, n: number) =>
      findings(seenPages, { events: [...many(pages), ...page(n, lines(400 * n, 400))] }).length;
    expect([again(6, 0), again(6, 5)]).toEqual([1, 1]);
    expect([again(7, 0), again(7, 5), again(7, 6)]).toEqual([0, 0, 1]);
    expect([again(8, 0), again(8, 6), again(8, 7)]).toEqual([0, 1, 1]);
  });

  it('tells thousands of lines apart', () => {
    const plan = compilePlan(only(seenPages), { kinds: [seenPages] });
    let state = initialState(plan);
    for (const event of page(0, lines(0, 400))) [state] = step(plan, state, event);
    const memory = state.agents[0]?.detectors.at(-1) as readonly [string, number];
    const bits = Array.from(
      memory[0],
      (char) => (char.charCodeAt(0) - 64).toString(2).replaceAll('0', '').length,
    );
    const set = bits.reduce((sum, own) => sum + own, 0);
    expect(memory[0]).toHaveLength(683);
    expect(set).toBeGreaterThan(360);
    expect(set).toBeLessThanOrEqual(400);
    expect(memory[1]).toBe(400);
  });

  it('tells nothing below what is asked for', () => {
    expect(
      told(
        seenPages,
        repeat(4, (n) => page(n, lines(0, 10))),
        2,
      ).counts,
    ).toEqual([2, 3]);
  });

  it.each([
    ['of which nothing is known', 'wikipedia', {}, 'ok'],
    ['that writes', 'Write', { content: 'x' }, 'ok'],
    ['that failed', 'Read', {}, 'error'],
  ])('has no word on a tool %s', (_, tool, args, status) => {
    const { counts, states } = told(
      seenPages,
      repeat(3, () => did(tool, args, lines(0, 10), status)),
    );
    expect([counts, states]).toEqual([[], []]);
  });

  it('has no word on an output that is no text, or on a step that shows no page', () => {
    expect(
      told(
        seenPages,
        repeat(3, () => did('Read', {}, [lines(0, 10)])),
      ).states,
    ).toEqual([]);
    expect(
      told(
        seenPages,
        repeat(3, () => did('Read', {}, 'short')),
      ).states,
    ).toEqual([]);
    expect(
      told(
        seenPages,
        repeat(3, () => did('scroll_down', {}, lines(0, 6))),
      ).states,
    ).toEqual([]);
    expect(
      told(
        seenPages,
        repeat(3, () => did('Bash', { command: 'npm test' }, lines(0, 30))),
      ).states,
    ).toEqual([]);
  });
});
