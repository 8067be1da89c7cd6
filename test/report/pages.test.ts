import { describe, expect, it } from 'vitest';
import { compare } from '../../src/report/comparison.ts';
import { comparisonPage } from '../../src/report/comparison-page.ts';
import { escaped } from '../../src/report/html-page.ts';
import { judge } from '../../src/report/judgement.ts';
import { type Dot, scatterPlot } from '../../src/report/scatter-plot.ts';
import { mistakesOf, scoreOf } from '../../src/report/score.ts';
import { scorePage } from '../../src/report/score-page.ts';

const HOSTILE = `"'><script src=https://evil.example/x.js></script>&\u202E\u0000`;
const AXES = { x: 'x', y: 'y', about: 'a plot' };

function expectHarmless(html: string): void {
  expect(html).not.toMatch(/<script/i);
  expect(html).not.toContain(HOSTILE);
  expect(html).not.toContain('\u0000');
  expect(html).not.toContain('\u202E');
  expect(html).toContain(`default-src 'none'`);
  const tags = [...html.matchAll(/<(\/?)([a-z0-9]+)([^<>]*)>/g)];
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of tags) {
    expect(rest).not.toMatch(/\b(src|href|style|on[a-z]+)=/);
    if (name === 'meta' || rest.endsWith('/')) continue;
    if (slash === '') open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
}

describe('escaped', () => {
  it('leaves nothing that ends an element or an attribute, or turns text around', () => {
    expect(escaped(`a&b<c>d"e'f`)).toBe('a&amp;b&lt;c&gt;d&quot;e&#39;f');
    expect(escaped('a\u202Eb\u0000c\nd')).toBe('a b c d');
    expect(escaped('naïve 日本 😀')).toBe('naïve 日本 😀');
  });
});

describe('scorePage', () => {
  const stuck = {
    file: HOSTILE,
    calls: 30,
    label: {
      trace: 't',
      source: 's',
      kind: HOSTILE,
      verdict: 'stuck',
      severity: 'serious',
      onset: 5,
      end: 20,
    },
  } as const;
  const judged = [
    judge(stuck, [
      { call: 1, action: 'nudge', detector: HOSTILE },
      { call: 7, action: 'block', detector: HOSTILE },
    ]),
    judge(stuck, []),
  ];

  it('holds the table, a plot and the details, and takes no orders from names', () => {
    const page = scorePage([{ ...scoreOf(HOSTILE, judged), details: mistakesOf(judged) }]);
    expectHarmless(page);
    expect(page).toContain('<td>0.50</td>');
    expect(page.match(/<circle/g)).toHaveLength(1);
    expect(page).toContain('Missed: 1');
    expect(page).toContain('Early alarms: 1');
  });

  it('names the guards that have no place in the plot, and needs none that has', () => {
    const page = scorePage([scoreOf('silent', [judge(stuck, [])])]);
    expectHarmless(page);
    expect(page).not.toContain('<circle');
    expect(page).toContain('because they caught nothing: silent.');
    expectHarmless(scorePage([]));
  });
});

describe('comparisonPage', () => {
  it('holds table, matrix and runs, and takes no orders from names', () => {
    const fired = {
      preset: HOSTILE,
      firings: 1,
      firstCall: 3,
      firstAction: 'nudge',
      detector: HOSTILE,
      lastCall: 3,
      lastAction: 'nudge',
    } as const;
    const page = comparisonPage(compare([HOSTILE, 'b'], [{ file: HOSTILE, calls: 4, fired: [fired] }]));
    expectHarmless(page);
    expect(page).toContain('<td>nudge at call 3</td>');
    expect(page).toContain('<td>0 %</td>');
  });
});

describe('scatterPlot', () => {
  const dot = (name: string, x: number, y: number): Dot => ({ name, x, y, size: 1, title: name });

  it('writes names that would cover each other on lines of their own', () => {
    const svg = scatterPlot(
      Array.from({ length: 23 }, (_, index) => dot(`preset-${index}`, 1, 0.7)),
      AXES,
    );
    const heights = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)">preset-/g)].map(([, y]) => Number(y));
    const sorted = heights.toSorted((a, b) => a - b);
    expect(sorted).toHaveLength(23);
    for (const [index, height] of sorted.entries())
      if (index > 0) expect(height - (sorted[index - 1] as number)).toBeGreaterThanOrEqual(14);
  });

  it.each([
    [[], ['0', '1']],
    [
      [-1, 2.5],
      ['-1', '0', '1', '2', '3'],
    ],
    [
      [0, 95],
      ['0', '10', '20', '30', '40', '50', '60', '70', '80', '90', '100'],
    ],
  ])('has whole ticks around %j', (values, ticks) => {
    const svg = scatterPlot(
      values.map((x) => dot('a', x, 1)),
      AXES,
    );
    expect([...svg.matchAll(/text-anchor="middle">(-?\d+)</g)].map(([, tick]) => tick)).toEqual(ticks);
  });

  it('cuts names that are too long for their place', () => {
    expect(scatterPlot([dot('x'.repeat(60), 1, 1)], AXES)).toContain(`>${'x'.repeat(18)}…</text>`);
  });
});
