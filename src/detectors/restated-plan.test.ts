import { describe, expect, it } from 'vitest';
import { did, findings, only, repeat, testDetector } from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import { compilePlan } from '../core/index.ts';
import type { AgentEvent, Detector } from '../core/types.ts';
import { restatedPlan } from './restated-plan.ts';

const PLAN = 'I will now search the archive for the missing invoice of March';
const says = (text: string): AgentEvent => ({ type: 'turn', text });
const search = (n: number, output = 'No results.', status = 'ok') => did('search', { n }, output, status);
const round = (text: string, n: number, output?: string, status?: string) => [
  says(text),
  ...search(n, output, status),
];

testDetector(restatedPlan, {
  loops: [
    { name: 'nothing is found each time', events: repeat(4, (n) => round(PLAN, n)), counts: [2, 3, 4] },
    {
      name: 'a failure each time',
      events: repeat(3, (n) => round(PLAN, n, `Error: ${n} things are wrong`, 'error')),
      counts: [2, 3],
    },
    {
      name: 'the same page each time',
      events: repeat(4, (n) => round(PLAN, n, 'a page that is long enough to tell something')),
      counts: [2, 3],
    },
    {
      name: 'other words for a part of it',
      events: repeat(3, (n) => round(`${PLAN} ${['again', 'once more', 'now'][n]}`, n)),
      counts: [2, 3],
    },
    {
      name: 'two plans in turn',
      events: repeat(3, (n) => [
        ...round(PLAN, n),
        ...round('Let me look at what the customer wrote about his order', n + 9),
      ]),
      counts: [2, 2, 3, 3],
    },
  ],
  healthy: [
    { name: 'a plan that works', events: repeat(4, (n) => round(PLAN, n, `found item ${n}`)), counts: [] },
    {
      name: 'a plan of its own each time',
      events: [
        ...round('First I search the archive for the missing invoice', 1),
        ...round('Perhaps accounting filed it under another customer name', 2),
        ...round('Let me ask which warehouse shipped those goods instead', 3),
      ],
      counts: [],
    },
    { name: 'nothing said', events: repeat(4, (n) => round('', n)), counts: [] },
    { name: 'five words', events: repeat(4, (n) => round('Let me try this again', n)), counts: [] },
    {
      name: 'something found in between',
      events: repeat(4, (n) => [...round(PLAN, n), ...round(PLAN, n + 9, `found item ${n}`)]),
      counts: [],
    },
    { name: 'one plan with many calls', events: [says(PLAN), ...repeat(5, (n) => search(n))], counts: [] },
    {
      name: 'waiting',
      events: repeat(4, () => [says(PLAN), ...did('get_status', {}, 'none')]),
      counts: [],
    },
    { name: 'thoughts', events: repeat(4, () => [says(PLAN), ...did('think', {}, '')]), counts: [] },
    {
      name: 'a service that fails',
      events: repeat(4, (n) => round(PLAN, n, 'HTTP 503', 'error')),
      counts: [],
    },
    { name: 'calls that never ran', events: repeat(4, (n) => round(PLAN, n, '', 'denied')), counts: [] },
  ],
});

describe('restated-plan', () => {
  it('counts as far as it remembers, and says so', () => {
    const { maxCount } = compilePlan(only(restatedPlan), { kinds: [restatedPlan] }).detectors.at(
      -1,
    ) as Detector;
    const counts = findings(restatedPlan, { events: repeat(12, (n) => round(PLAN, n)) }).map(
      ({ count }) => count,
    );
    expect(counts).toEqual(Array.from({ length: 11 }, (_, n) => Math.min(n + 2, maxCount)));
    expect(maxCount).toBe(5);
  });

  it('says which tool, how often and by which calls', () => {
    expect(findings(restatedPlan, { events: repeat(3, (n) => round(PLAN, n)) })).toMatchObject([
      { detector: 'it', subject: 'search', count: 2, evidence: [1, 2], facts: { tool: 'search' } },
      { detector: 'it', subject: 'search', count: 3, evidence: [1, 2, 3], facts: { tool: 'search' } },
    ]);
  });

  it.each([
    '',
    '  \n',
    'No results.',
    'no matches were found',
    'None',
    'null',
    'Not found: x',
    '0',
    '[]',
    '[ ]',
    '{}',
  ])('%j is nothing', (output) => {
    expect(findings(restatedPlan, { events: repeat(2, (n) => round(PLAN, n, output)) })).toHaveLength(1);
  });

  it.each([
    '10',
    '[1]',
    'nobody',
    'Norway',
    'nothing but the truth',
    `No ${'x'.repeat(60)}`,
    'nullable',
    '{"a":1}',
  ])('%j is something', (output) => {
    expect(findings(restatedPlan, { events: repeat(2, (n) => round(PLAN, n, output)) })).toHaveLength(0);
  });

  it('takes an output that is no text for something', () => {
    const events = repeat(2, (n) => [says(PLAN), ...did('search', { n }, [])]);
    expect(findings(restatedPlan, { events })).toEqual([]);
  });

  it('is about the last thing said', () => {
    const other = 'Let me look at what the customer wrote about his order';
    const events = [says(PLAN), says(other), ...search(1), says(PLAN), ...search(2)];
    expect(findings(restatedPlan, { events })).toEqual([]);
  });

  it('counts a round once, and goes on after one in which nothing was said', () => {
    const events = [...round(PLAN, 1), ...search(2), ...round('', 3), ...round(PLAN, 4)];
    expect(findings(restatedPlan, { events }).map(({ evidence }) => evidence)).toEqual([[1, 4]]);
  });

  it.each(['blocked', 'denied', 'cancelled'])('is not disturbed by a call that was %s', (status) => {
    const events = [...round(PLAN, 1), ...round(PLAN, 2, '', status), ...round(PLAN, 3)];
    expect(findings(restatedPlan, { events }).map(({ evidence }) => evidence)).toEqual([[1, 3]]);
  });

  it('ends with the first thing that comes of it', () => {
    const events = [
      ...round(PLAN, 1),
      ...round(PLAN, 2),
      ...round('', 3, 'found it at last'),
      ...round(PLAN, 4),
    ];
    expect(findings(restatedPlan, { events }).map(({ count }) => count)).toEqual([2]);
  });

  /** Ten words of which `same` are those of the first text. */
  const words = (same: number) => [
    ...'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ').slice(0, same),
    ...'one two three four five six seven eight nine ten'.split(' ').slice(same),
  ];
  const likeTo = (same: number, likeness?: number) =>
    findings(restatedPlan, {
      events: [...round(words(10).join(' '), 1), ...round(words(same).join(' '), 2)],
      ...(likeness !== undefined && { options: { likeness } }),
    }).length > 0;

  it('compares by the share of all words that both have', () => {
    // Of ten words each, n in common are n of 20 - n.
    expect([10, 9, 8, 7, 6].map((same) => likeTo(same))).toEqual([true, true, true, false, false]);
    expect([8, 7, 6].map((same) => likeTo(same, 53))).toEqual([true, true, false]);
    expect([54, 53].map((likeness) => likeTo(7, likeness))).toEqual([false, true]);
    expect([10, 9].map((same) => likeTo(same, 100))).toEqual([true, false]);
  });

  it('does not mind order, case and signs', () => {
    const events = [...round('One two three, four five six!', 1), ...round('SIX five four three two one', 2)];
    expect(findings(restatedPlan, { events, options: { likeness: 100 } })).toHaveLength(1);
  });

  it('needs six words, and six different ones', () => {
    const count = (text: string) =>
      findings(restatedPlan, { events: repeat(2, (n) => round(text, n)) }).length;
    expect(count('one two three four five')).toBe(0);
    expect(count('one two three four five six')).toBe(1);
    expect(count('one two three four five five')).toBe(0);
    expect(count('eins zwei drei vier fünf sechs')).toBe(1);
  });

  it('compares long texts by a part of their words, and by their first 400 words', () => {
    const long = (from: number) => Array.from({ length: 200 }, (_, n) => `w${from + n}`).join(' ');
    const like = (one: string, other: string) =>
      findings(restatedPlan, { events: [...round(one, 1), ...round(other, 2)] }).length > 0;
    expect(like(long(100), long(110))).toBe(true);
    expect(like(long(100), long(300))).toBe(false);
    const head = 'word '.repeat(6) + PLAN;
    const filled = `${head} ${'x '.repeat(400)}`;
    expect(like(`${filled} ${long(0)}`, `${filled} ${long(500)}`)).toBe(true);
  });

  it('tells nothing below what is asked for, and changes nothing without need', () => {
    expect(
      told(
        restatedPlan,
        repeat(4, (n) => round(PLAN, n)),
        3,
      ).counts,
    ).toEqual([3, 4]);
    expect(
      told(
        restatedPlan,
        repeat(4, (n) => round(PLAN, n)),
        1,
      ).counts,
    ).toEqual([2, 3, 4]);
    expect(told(restatedPlan, search(1, 'found it')).states).toEqual([]);
    expect(told(restatedPlan, [{ type: 'turn' }, says('one two'), says('...')]).states).toEqual(
      Array(3).fill([[], []]),
    );
  });

  it('forgets what was fruitless once something has come of it', () => {
    const { states } = told(restatedPlan, [...round(PLAN, 1), ...search(2, 'found it')]);
    expect(states.map((state) => (state as readonly (readonly unknown[])[])[1]?.length)).toEqual([0, 1, 0]);
    expect(states[2]).toEqual([(states[0] as readonly unknown[])[0], []]);
  });

  it('keeps a sketch of at most 16 words', () => {
    const long = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
    const [sketch] = told(restatedPlan, [says(long)]).states[0] as readonly (readonly number[])[];
    expect(sketch).toHaveLength(16);
    expect(sketch).toEqual([...(sketch ?? [])].sort((a, b) => a - b));
  });

  it.each([
    [59, 1],
    [60, 1],
    [61, 0],
  ])('an empty result has at most 60 characters: %d', (size, count) => {
    expect(
      findings(restatedPlan, { events: repeat(2, (n) => round(PLAN, n, ' '.repeat(size))) }),
    ).toHaveLength(count);
  });
});
