import { describe, expect, it } from 'vitest';
import { did, findings, only, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import { type AgentEvent, compilePlan, type Entry, type Json } from '../core/index.ts';
import { MOST_SAME } from '../core/ledger.ts';
import { sameResult } from './same-result.ts';
import { MAX_EVIDENCE } from './trail.ts';

const SIZE = sameResult.defaults.minSize;
const PAGE = 'The parser drops the last token of every line that ends in a comment. '.repeat(4);
const sized = (size: number) => PAGE.slice(0, size);
const ask = (args: Json, output: Json = PAGE, status = 'ok') => did('task', args, output, status);
const fresh = (n: number) => did('read_file', { n }, `text ${n}`);
const edit = (n: number) => did('edit', { n }, 'done');
const stateChange: AgentEvent = { type: 'state-change' };
/** A round of parallel calls: all calls first, then the results. */
const together = (...runs: AgentEvent[][]): AgentEvent[] => [
  turn,
  ...runs.map(([first]) => first as AgentEvent),
  ...runs.map(([, second]) => second as AgentEvent),
];
const counts = (events: readonly AgentEvent[], options = {}) =>
  findings(sameResult, { events, options }).map(({ count }) => count);

testDetector(sameResult, {
  loops: [
    {
      name: 'one question in other words, one answer',
      events: repeat(4, (n) => ask({ prompt: `where is the bug? (${n})` })),
      counts: [2, 3, 4],
    },
    { name: 'the very same question', events: repeat(3, () => ask({})), counts: [2, 3] },
    {
      name: 'times, durations and ids move',
      events: repeat(3, (n) => ask(n, `12:0${n}:00 run 4f2a9b${n}c1d took 1.${n} s\n${PAGE}`)),
      counts: [2, 3],
    },
    {
      name: 'a search that always shows the first page',
      events: repeat(3, (n) => did('search', { query: 'x', page: n }, { hits: [PAGE] })),
      counts: [2, 3],
    },
    {
      name: 'thoughts and other lookups in between',
      events: repeat(3, (n) => [...ask(n), ...did('think', {}, 'ok'), ...fresh(n)]),
      counts: [2, 3],
    },
    {
      name: 'a batch of questions in each round',
      events: repeat(3, (n) => together(ask([n, 1]), ask([n, 2]))),
      counts: [2, 2, 3, 3],
    },
    {
      name: 'one page through several tools',
      events: ['read_file', 'view', 'fetch'].flatMap((name) => did(name, {}, PAGE)),
      counts: [2, 3],
    },
    {
      name: 'short results, when they are asked for',
      options: { minSize: 30 },
      events: repeat(3, (n) => ask(n, sized(30))),
      counts: [2, 3],
    },
  ],
  healthy: [
    { name: 'another answer each time', events: repeat(5, (n) => ask(n, `${n} ${PAGE}`)), counts: [] },
    {
      name: 'short results',
      events: repeat(5, (n) => ask(n, 'No matches found in this folder.')),
      counts: [],
    },
    {
      name: 'one batch with one answer',
      events: together(ask(1), ask(2), ask(3), ask(4)),
      counts: [],
    },
    {
      name: 'a short result from several tools',
      options: { minSize: 30 },
      events: ['read_file', 'view', 'fetch'].flatMap((name) => did(name, {}, sized(199))),
      counts: [],
    },
    {
      name: 'the same question after each edit',
      events: repeat(4, (n) => [...ask(1), ...edit(n)]),
      counts: [],
    },
    { name: 'the same question after each word', events: repeat(4, () => [...ask(1), user]), counts: [] },
    {
      name: 'polls, and steps that show nothing',
      events: repeat(4, () => [
        ...did('BashOutput', { id: 1 }, PAGE),
        ...did('bash', { command: 'sleep 9; tail log' }, PAGE),
        ...did('press', { key: 'Down' }, sized(SIZE - 1)),
      ]),
      counts: [],
    },
    {
      name: 'commands that print the same',
      events: repeat(4, (n) => did('bash', { command: `grep ${n} a.ts` }, PAGE)),
      counts: [],
    },
    { name: 'failures, which others count', events: repeat(4, (n) => ask(n, PAGE, 'error')), counts: [] },
    {
      name: 'calls that never ran',
      events: ['denied', 'cancelled', 'blocked', 'denied'].flatMap((status, n) => ask(n, PAGE, status)),
      counts: [],
    },
  ],
});

describe('same-result', () => {
  it('tells the tool, the result and the calls', () => {
    const found = findings(sameResult, { events: [...ask(1), ...fresh(1), ...ask(2)] });
    expect(found).toEqual([
      {
        detector: 'it',
        subject: expect.stringMatching(/^task=[0-9a-z]+$/),
        count: 2,
        call: 3,
        evidence: [1, 3],
        facts: { tool: 'task', soft: false, busy: true },
      },
    ]);
  });

  it('names one result alike, whatever was asked, and another one not', () => {
    const subjects = (page: string) =>
      findings(sameResult, { events: repeat(3, (n) => ask({ page, n }, page)) }).map(
        ({ subject }) => subject,
      );
    expect(new Set(subjects(PAGE)).size).toBe(1);
    expect(subjects(PAGE)[0]).not.toBe(subjects(`another ${PAGE}`)[0]);
  });

  it.each([SIZE, 40])('wants %i characters', (minSize) => {
    const of = (size: number) =>
      counts(
        repeat(3, (n) => ask(n, sized(size))),
        { minSize },
      );
    expect(of(minSize - 1)).toEqual([]);
    expect(of(minSize)).toEqual([2, 3]);
    expect(of(minSize + 1)).toEqual([2, 3]);
  });

  it('cannot judge fewer than thirty characters', () => {
    const of = (size: number) =>
      counts(
        repeat(3, (n) => ask(n, sized(size))),
        { minSize: 1 },
      );
    expect(of(29)).toEqual([]);
    expect(of(30)).toEqual([2, 3]);
    expect(of(31)).toEqual([2, 3]);
  });

  it('takes a step that shows where it got to for a lookup', () => {
    const of = (size: number) =>
      counts(
        repeat(3, () => did('scroll_down', {}, sized(size))),
        { minSize: 30 },
      );
    expect(of(199)).toEqual([]);
    expect(of(200)).toEqual([2, 3]);
    expect(of(201)).toEqual([2, 3]);
  });

  it('looks at the last ten results', () => {
    const far = (between: number) => counts([...ask(1), ...repeat(between, fresh), ...ask(2)]);
    expect(far(8)).toEqual([2]);
    expect(far(9)).toEqual([2]);
    expect(far(10)).toEqual([]);
  });

  it('counts as far as the ledger looks back', () => {
    const all = findings(sameResult, { events: repeat(28, (n) => ask(n)) });
    expect(all.map(({ count }) => count)).toEqual(repeat(27, (n) => [Math.min(n + 2, MOST_SAME)]));
    expect(all.at(-1)?.evidence).toHaveLength(MAX_EVIDENCE);
    expect(all.at(-1)?.evidence.at(-1)).toBe(28);
  });

  it('tells whether something new was found after each of them', () => {
    const busy = (events: readonly AgentEvent[]) =>
      findings(sameResult, { events }).map(({ facts }) => facts?.['busy']);
    expect(busy([...ask(1), ...fresh(1), ...ask(2), ...fresh(2), ...ask(3)])).toEqual([true, true]);
    expect(busy([...ask(1), ...fresh(1), ...ask(2), ...ask(3)])).toEqual([true, false]);
  });

  it('tells whether one thing after the other was handled, or the same asked in other words', () => {
    const soft = (tool: string) =>
      findings(sameResult, { events: repeat(2, (n) => did(tool, { n }, PAGE)) }).map(
        ({ facts }) => facts?.['soft'],
      );
    for (const tool of ['browser_click', 'terraform_plan', 'validateFile'])
      expect(soft(tool)).toEqual([true]);
    for (const tool of ['task', 'tree', 'computer']) expect(soft(tool)).toEqual([false]);
  });

  it('starts anew when something has changed, as far as that is known', () => {
    expect(counts([...ask(1), ...ask(2), ...edit(1), ...ask(3), ...ask(4)])).toEqual([2, 2]);
    expect(counts([...ask(1), ...ask(2), stateChange, ...ask(3), ...ask(4)])).toEqual([2, 2]);
    expect(counts([...edit(1), ...ask(1), ...edit(1), ...ask(2)])).toEqual([2]);
  });

  it('takes a command that only shows a file for a lookup', () => {
    const shown = ['cat a.ts', 'head -50 a.ts', 'sed -n 1,50p a.ts'];
    expect(counts(shown.flatMap((command) => did('bash', { command }, PAGE)))).toEqual([2, 3]);
  });

  it('starts anew when time was let pass', () => {
    const sleep = did('bash', { command: 'sleep 30' }, '');
    expect(counts([...ask(1), ...ask(2), ...sleep, ...ask(3), ...ask(4)])).toEqual([2, 2]);
  });

  it('measures the whole result, and what of it is not masked', () => {
    const hashes = '4f2a9b4c1d '.repeat(30);
    expect(
      counts(
        repeat(3, (n) => ask(n, hashes)),
        { minSize: 330 },
      ),
    ).toEqual([2, 3]);
    expect(
      counts(
        repeat(3, (n) => ask(n, hashes)),
        { minSize: 331 },
      ),
    ).toEqual([]);
    expect(counts(repeat(3, (n) => ask(n, '4f2a9b4c1d'.repeat(30))))).toEqual([]);
  });

  it('does not judge what a change prints', () => {
    const written = repeat(4, (n) => did('write_file', { n: n % 2 }, PAGE));
    expect(counts(written)).toEqual([]);
  });

  it('makes no finding that no rung asks for', () => {
    const { reduce } = sameResult.create('it', { minSize: 30 }, { floor: 3, digestText: () => 0 });
    const counted = (alike: number[]) =>
      reduce(
        null,
        { tool: 't', sight: { alike, family: 0, size: 30, outcome: 1 } } as unknown as Entry,
        null,
      )?.[1]?.count;
    expect(counted([1, 2])).toBeUndefined();
    expect(counted([1, 2, 3])).toBe(3);
    expect(reduce(null, { tool: 't', sight: null } as unknown as Entry, null)).toBeNull();
  });

  it('needs no digests but those of the ledger, and says how far it counts', () => {
    const plan = compilePlan(only(sameResult), { kinds: [sameResult] });
    expect(plan.detectors.find(({ name }) => name === 'it')).toMatchObject({
      needs: [],
      maxCount: MOST_SAME,
    });
    expect(plan.names).toEqual(['#ledger', 'it']);
  });
});
