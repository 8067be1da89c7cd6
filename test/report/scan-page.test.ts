import { describe, expect, it } from 'vitest';
import { dayOf, periodFor } from '../../src/report/calendar.ts';
import { loopEvidence } from '../../src/report/loop-evidence.ts';
import { scanPage } from '../../src/report/scan-page.ts';
import { shareBars } from '../../src/report/share-bars.ts';
import { timelinePicture } from '../../src/report/timeline.ts';
import { wasteMeasure } from '../../src/report/waste-measure.ts';
import { wasteOverTime } from '../../src/report/waste-over-time.ts';
import {
  hostileReport,
  loop,
  looping,
  report,
  share,
  spent,
  timelineCall,
  UNTOLD,
  weekReport,
} from './scan-samples.ts';

const EMPTY_ELEMENTS = ['meta', 'br'];
const MONEY = wasteMeasure([loop()]);
const CALLS = wasteMeasure([]);

/** Well-formed, without a script, and without a link that leaves it. */
function expectHarmless(html: string): void {
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(html).not.toMatch(/[\p{Cs}\p{Zl}\p{Zp}\p{Cf}]/u);
  expect(html.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of html.matchAll(/<(\/?)([a-zA-Z0-9]+)([^<>]*)>/g)) {
    expect(name).not.toMatch(/^(script|iframe|img|object|embed|form|input|base)$/i);
    expect(rest).not.toMatch(/\b(src|style|on[a-z]+)=/);
    for (const [, address] of rest.matchAll(/\bhref="([^"]*)"/g)) expect(address).toMatch(/^#[a-z0-9-]+$/);
    if (EMPTY_ELEMENTS.includes(name) || rest.endsWith('/')) continue;
    if (slash === '') open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
}

function ids(html: string): readonly string[] {
  return [...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id as string);
}

describe('scanPage', () => {
  const page = scanPage(weekReport({ skipped: [{ file: 'broken.jsonl', why: 'line 3 is not JSON' }] }));

  it('holds the sums, the shares, the sessions and what was left out', () => {
    expectHarmless(page);
    expect(page).toContain('<title>5 loops in 44 sessions</title>');
    expect(page).toContain('<strong>122</strong><span>of 5,266 (2.3 %)</span>');
    expect(page).toContain('<strong>$7.91</strong>');
    expect(page).toContain(
      'partial: no price is known for 1 of 5 loops and 1 of 44 sessions; prices of 2026-11-01',
    );
    for (const title of ['By agent', 'By detector', 'By tool']) expect(page).toContain(`<h3>${title}</h3>`);
    expect(page.match(/<article/g)).toHaveLength(4);
    expect(page).toContain('broken.jsonl');
    expect(page).toContain('1 file could not be used');
  });

  it('links each loop to the picture of its session', () => {
    const known = ids(page);
    expect(new Set(known).size).toBe(known.length);
    for (const [, target = ''] of page.matchAll(/href="#([^"]*)"/g)) expect(known).toContain(target);
    expect(page.match(/<a href="#session-1">/g)).toHaveLength(2);
    expect(page.match(/<a href="#session-4">/g)).toHaveLength(1);
  });

  it('takes no orders from transcripts', () => {
    const hostile = scanPage(hostileReport());
    expectHarmless(hostile);
    expect(hostile).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(hostile).toContain('⟨U+202E⟩');
    expect(hostile).not.toContain('[31m');
  });

  it('takes no loop for good news', () => {
    const none = scanPage(report([]));
    expectHarmless(none);
    expect(none).toContain('<h1>No loop in 40 sessions</h1>');
    expect(none).toContain('Good news');
    expect(none).not.toMatch(/<article|<svg|href=/);
    const empty = scanPage(report([], { sessions: 0, cancelled: true }));
    expectHarmless(empty);
    expect(empty).toContain('<h1>No session was found</h1>');
    expect(empty).not.toContain('Good news');
    expect(empty).toContain('stopped before its end');
  });

  it('says unknown where nothing is known', () => {
    const silent = scanPage(
      report([looping(90, [loop({ wasted: { ...UNTOLD, calls: 59 } })])], { pricesOf: null }),
    );
    expectHarmless(silent);
    expect(silent.match(/<strong class="word">unknown<\/strong>/g)).toHaveLength(2);
    expect(silent).toContain('Calls wasted by day');
    expect(silent).not.toContain('list prices');
  });

  it('stays small enough to open: a hundred sessions, each loop with evidence', () => {
    const sessions = Array.from({ length: 130 }, (_, index) => {
      const own = looping(400, [
        loop({ file: `${index}`, firstCall: 20, lastCall: 180 }),
        loop({ file: `${index}`, firstCall: 200, lastCall: 390 }),
      ]);
      const timeline = own.timeline.map((call) => ({
        ...call,
        label: 'long label '.repeat(100),
        output: `${call.call} ${'an output that goes on and on\n'.repeat(200)}`,
      }));
      return { ...own, timeline };
    });
    const large = scanPage(report(sessions));
    expect(large.match(/<article/g)).toHaveLength(100);
    expect(large).toContain('The 100 worst of 130 are drawn.');
    expect(large.length).toBeLessThan(12_000_000);
  });
});

describe('timelinePicture', () => {
  const cells = (html: string) =>
    [...html.matchAll(/href="#((?:free|loop|waste)-\w+)"[^>]*><title>(\d+):/g)].map(([, kind, call]) => [
      Number(call),
      kind,
    ]);

  it('shows where the loop begins, where the guard would have acted and where the loop ends', () => {
    const picture = timelinePicture(looping(80, [loop({ firstCall: 14, actedAt: 17, lastCall: 75 })]));
    const kinds = new Map(cells(picture).map(([call, kind]) => [call, String(kind).split('-')[0]]));
    expect([13, 14, 16, 17, 75, 76].map((call) => kinds.get(call))).toEqual([
      'free',
      'loop',
      'loop',
      'waste',
      'waste',
      'free',
    ]);
    expect(picture).toContain(
      'aria-label="80 calls; a loop in calls 14 to 75, nudge at call 17, halt at 23"',
    );
    expect(picture.match(/href="#nudge"/g)).toHaveLength(1);
    expect(picture.match(/href="#halt"/g)).toHaveLength(1);
    expect(picture.match(/<svg /g)).toHaveLength(8);
  });

  it.each([
    ['ok', 'free-ran'],
    ['unknown', 'free-ran'],
    ['error', 'free-failed'],
    ['invalid', 'free-failed'],
    ['unknown-tool', 'free-failed'],
    ['blocked', 'free-unrun'],
    ['denied', 'free-unrun'],
    ['cancelled', 'free-unrun'],
  ] as const)('has a shape for a call that ended as %s', (status, shape) => {
    const session = looping(1, [], { timeline: [timelineCall(1, { status })] });
    expect(cells(timelinePicture(session))).toEqual([[1, shape]]);
  });

  it('has a letter for each new step of the guard, and a sign for the same again', () => {
    const actions = ['nudge', 'nudge', 'nudge', 'block', 'block', 'nudge'] as const;
    const timeline = Array.from({ length: 12 }, (_, index) =>
      timelineCall(index + 5, { action: actions[index] ?? null }),
    );
    const picture = timelinePicture(looping(16, [], { timeline }));
    const signs = [...picture.matchAll(/href="#(nudge|block|again)"/g)].map(([, sign]) => sign);
    expect(signs).toEqual(['nudge', 'again', 'again', 'block', 'again', 'nudge']);
  });

  it('leaves gaps where calls were left out', () => {
    const timeline = [3, 4, 95, 96].map((call) => timelineCall(call));
    const picture = timelinePicture(looping(200, [], { timeline }));
    expect(cells(picture).map(([call]) => call)).toEqual([3, 4, 95, 96]);
    expect(picture.match(/#left-out/g)).toHaveLength(16);
    expect(picture).toContain('80 calls not drawn');
    expect(picture).toContain('100 calls not drawn');
  });

  it('has a name of bounded length', () => {
    const loops = Array.from({ length: 9 }, (_, index) =>
      loop({ firstCall: index * 10 + 1, lastCall: index * 10 + 5 }),
    );
    const [, name = ''] = /aria-label="([^"]*)"/.exec(timelinePicture(looping(90, loops))) ?? [];
    expect(name.match(/a loop in/g)).toHaveLength(8);
    expect(name).toContain('; 1 loop more');
  });

  it('draws six hundred calls at most', () => {
    const picture = timelinePicture(looping(900, [loop()]));
    expect(cells(picture)).toHaveLength(600);
    expect(picture).toContain('300 calls not drawn');
  });
});

describe('loopEvidence', () => {
  it('lists the beginning, the steps of the guard and the end, and says what is left out', () => {
    const own = loop({ firstCall: 11, actedAt: 30, strongestAt: 60, lastCall: 90 });
    const html = loopEvidence(own, looping(100, [own]).timeline);
    const rows = [...html.matchAll(/<th scope="row">(\d+)/g)].map(([, call]) => Number(call));
    expect(rows).toEqual([11, 12, 13, 14, 15, 28, 29, 30, 31, 32, 58, 59, 60, 61, 62, 88, 89, 90]);
    expect([...html.matchAll(/(\d+) calls not listed/g)].map(([, calls]) => Number(calls))).toEqual([
      12, 25, 25,
    ]);
    expect(html).toContain('<strong class="step">here the guard nudges</strong>');
    expect(html).toContain('<strong class="step">here the guard halts the run</strong>');
    expect(html).toContain(`<blockquote>${own.message}</blockquote>`);
  });

  it('shows an output once, and keeps its lines', () => {
    const own = loop({ firstCall: 1, actedAt: 3, strongestAt: 3, lastCall: 3 });
    const timeline = ['one\ntwo', 'one\ntwo', 'three'].map((output, index) =>
      timelineCall(index + 1, { output }),
    );
    const html = loopEvidence(own, timeline);
    expect(html.match(/<pre>one\ntwo<\/pre>/g)).toHaveLength(1);
    expect(html.match(/the same output as call 1</g)).toHaveLength(1);
    expect(html).toContain('<pre>three</pre>');
    expect(html).toContain('<time>09:12:07</time>');
  });

  it('keeps the beginning and the end of a long output', () => {
    const own = loop({ firstCall: 1, actedAt: 1, lastCall: 1, message: '' });
    const html = loopEvidence(own, [timelineCall(1, { output: `first${'.'.repeat(5_000)}last` })]);
    expect(html).toMatch(/<pre>first\.+\n… 4,449 characters …\n\.+last<\/pre>/);
    expect(html).not.toContain('<blockquote>');
  });

  it('shows nothing of what may not be shown', () => {
    const own = loop({ firstCall: 1, actedAt: 1, lastCall: 1, example: '' });
    const html = loopEvidence(own, [timelineCall(1, { label: '', output: '', at: null })]);
    expect(html).toContain('<code><b>Bash</b> </code>');
    expect(html).not.toMatch(/<pre>|<time>/);
  });

  it('does without calls', () => {
    expect(loopEvidence(loop({ firstCall: 5, lastCall: 8 }), [])).toContain('4 calls not listed');
  });
});

describe('wasteOverTime', () => {
  const bars = (html: string) =>
    [...html.matchAll(/<rect x="([\d.]+)%" y="([\d.]+)" width="([\d.]+)%" height="([\d.]+)">/g)].map(
      (found) => found.slice(1).map(Number),
    );

  it('puts a day where it belongs, and draws its bar as high as it is', () => {
    const html = wasteOverTime([share('2026-11-01', 1, 100), share('2026-11-14', 2, 50)], MONEY);
    const [first = [], second = []] = bars(html);
    expect(bars(html)).toHaveLength(2);
    expect(first[0]).toBeCloseTo((0.13 / 14) * 100, 1);
    expect(second[0]).toBeCloseTo((13.13 / 14) * 100, 1);
    expect((first[3] ?? 0) / (second[3] ?? 1)).toBeCloseTo(2, 1);
    expect(html).toContain(
      'aria-label="Money wasted by day, 2026-11-01 to 2026-11-14; most in 2026-11-01: $7.00"',
    );
    expect(html).toContain('<title>2026-11-14: 50 calls, 1M tokens, $3.50 in 2 loops</title>');
  });

  it('shows days of which nothing is known, and says what has no place', () => {
    const html = wasteOverTime(
      [share('', 3, 9), share('2026-11-01', 1, 1, { usd: null }), share('2026-11-02', 0, 0)],
      MONEY,
    );
    expect(bars(html)).toHaveLength(0);
    expect(html).toContain('>?<title>2026-11-01: 1 call, 20.7k tokens, price unknown in 1 loop</title>');
    expect(html).toContain(
      '3 loops of sessions without a date are not in it. A ? stands where it is not known.',
    );
  });

  it('is not drawn without a date', () => {
    expect(wasteOverTime([], MONEY)).toBe('');
    expect(
      wasteOverTime([share('', 1, 1), share('yesterday', 1, 1), share('2026-02-31x', 1, 1)], MONEY),
    ).toBe('');
  });

  it('adds up days of one period', () => {
    const html = wasteOverTime(
      [share('2025-01-01', 1, 10), share('2026-11-09', 1, 10), share('2026-11-15', 2, 20)],
      CALLS,
    );
    expect(html).toContain('Calls wasted by month');
    expect(html).toContain('<title>2026-11: 30 calls, 622k tokens, $2.10 in 3 loops</title>');
  });

  it.each([
    [0, 'day'],
    [61, 'day'],
    [62, 'week'],
    [426, 'week'],
    [441, 'month'],
    [10_000, 'year'],
  ])('takes days that are %i apart by %s', (apart, name) => {
    const day = dayOf('2026-11-02') as number;
    expect(periodFor(day, day + apart, 62).name).toBe(name);
  });

  it('begins weeks on Mondays', () => {
    const week = periodFor(0, 100, 62);
    const labelOf = (name: string) => week.label(week.slotOf(dayOf(name) as number));
    expect(labelOf('2026-11-15')).toBe('2026-11-09');
    expect(labelOf('2026-11-16')).toBe('2026-11-16');
  });
});

describe('shareBars', () => {
  const names = { title: 'By tool', unnamed: 'no tool' };

  it('has the most wasteful first, and what is not known last', () => {
    const html = shareBars(
      names,
      [share('a', 1, 10), share('b', 9, 1, { usd: null }), share('', 2, 40), share('idle', 0, 0)],
      MONEY,
    );
    expect([...html.matchAll(/class="name">([^<]*)</g)].map(([, name]) => name)).toEqual([
      'no tool',
      'a',
      'b',
    ]);
    expect([...html.matchAll(/<rect width="([\d.]+)%"/g)].map(([, width]) => Number(width))).toEqual([
      100, 25, 0,
    ]);
    expect(html).toContain('money unknown');
  });

  it('shows eight names', () => {
    const shares = Array.from({ length: 11 }, (_, index) => share(`tool-${index}`, 1, index + 1));
    const html = shareBars(names, shares, CALLS);
    expect(html.match(/<li>/g)).toHaveLength(8);
    expect(html).toContain('and 3 more');
  });
});

describe('wasteMeasure', () => {
  const priced = loop({ wasted: spent(3) });
  const unpriced = loop({ wasted: spent(3, { usd: null }) });
  const silent = loop({ wasted: { ...UNTOLD, calls: 3 } });

  it.each([
    ['money', [priced, silent]],
    ['tokens', [priced, unpriced, silent]],
    ['tokens', [unpriced]],
    ['calls', [priced, silent, silent]],
    ['calls', []],
  ])('is %s', (name, loops) => {
    expect(wasteMeasure(loops).name).toBe(name);
  });
});
