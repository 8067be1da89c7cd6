import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { displayWidth, fitted, fittedEnd } from '../../src/report/display-width.ts';
import { dollars, portion, tokens } from '../../src/report/figures.ts';
import { repeatedCall } from '../../src/report/loop-words.ts';
import { scanJson } from '../../src/report/scan-json.ts';
import type { Loop, ScanReport } from '../../src/report/scan-report.ts';
import { scanText } from '../../src/report/scan-table.ts';
import { visible, visibleStart } from '../../src/report/visible.ts';
import { HOSTILE, hostileReport, loop, looping, report, spent, UNTOLD, weekReport } from './scan-samples.ts';

const PLAIN = picocolors.createColors(false);
const COLORS = picocolors.createColors(true);

function text(own: ScanReport, width = 80): string {
  return scanText(own, width, PLAIN);
}

function ofLoops(loops: readonly Loop[], own: Partial<ScanReport> = {}): ScanReport {
  return report(
    loops.map((one) => looping(100, [one])),
    own,
  );
}

describe('scanText', () => {
  it('tells the sums first, then the loops, the worst on top', () => {
    const lines = text(weekReport()).split('\n');
    expect(lines[0]).toBe('5 loops in 4 of 44 sessions with 5,266 calls; the guard is "recommended".');
    expect(lines[2]).toBe('  calls     122 wasted of 5,266 (2.3 %)');
    expect(lines[3]).toBe('  tokens   2.3M wasted of 109M (2.1 %)');
    expect(lines).toContain('  money   $7.91 wasted of $368.62 (2.1 %)');
    expect(lines).toContain('          prices of 2026-11-01');
    const first = lines.indexOf(' 1. Bash  npm test -- --run src/basket.test.ts');
    expect(lines.slice(first + 1, first + 4)).toEqual([
      '    62 calls (14 to 75), claude-code, 2026-11-14 09:12 UTC, no-progress',
      '    nudge at call 17, halt at 23; wasted: 59 calls, 1.2M tokens, $4.13',
      '    /home/kim/.claude/projects/-home-kim-shop/5b1d.jsonl',
    ]);
    expect(lines.indexOf(' 2. Edit  src/basket.ts')).toBeGreaterThan(first);
    expect(lines).toContain('    nudge at call 33; wasted: 9 calls, tokens and price unknown');
    expect(lines).toContain('    4 calls (9 to 12), pi, time unknown, turn-repeat');
  });

  it('says when a sum is partial, and of what', () => {
    const partial = text(weekReport());
    expect(partial).toContain('partial: no tokens are told by 1 of 5 loops and 1 of 44 sessions');
    expect(partial).toContain('partial: no price is known for 1 of 5 loops and 1 of 44 sessions');
    expect(text(ofLoops([loop()]))).not.toContain('partial');
  });

  it('says when nothing is known, and guesses nothing', () => {
    const silent = text(ofLoops([loop({ wasted: { ...UNTOLD, calls: 12 } })]));
    expect(silent).toMatch(/^ {2}tokens +unknown$/m);
    expect(silent).toMatch(/^ {2}money +unknown$/m);
    expect(silent).toContain('no transcript of these loops tells its tokens');
    expect(silent).toContain('no price is known for any of these loops');
    expect(silent).not.toContain('prices of');
    expect(silent).not.toContain('deloop scan --prices FILE');
    const unpriced = text(ofLoops([loop({ wasted: spent(3, { usd: null }) })]));
    expect(unpriced).toContain('wasted: 3 calls, 62.2k tokens, price unknown');
    expect(unpriced).toContain('deloop scan --prices FILE');
  });

  it.each([
    [10, false],
    [11, true],
    [1_010, true],
  ])('shows ten of %i loops', (count, hasMore) => {
    const loops = Array.from({ length: count }, (_, index) => loop({ file: `${index}.jsonl` }));
    const shown = text(ofLoops(loops));
    expect(shown.match(/^ *\d+\. Bash/gm)).toHaveLength(10);
    expect(shown.includes('more: --json or --html FILE')).toBe(hasMore);
    if (hasMore)
      expect(shown).toContain(`${(count - 10).toLocaleString('en-US')} more: --json or --html FILE`);
  });

  it('takes no loop for good news', () => {
    const none = text(report([]));
    expect(none).toContain('No loop found in 40 sessions with 5,000 calls. Good news:');
    expect(none).not.toMatch(/wasted|unknown|--html/);
    expect(scanText(report([]), 80, COLORS)).toContain('\u001B[32m');
  });

  it('does not take an empty disk for good news', () => {
    const empty = text(report([], { sessions: 0 }));
    expect(empty).toContain('No session was found.');
    expect(empty).toContain('deloop scan PATH');
    expect(empty).not.toContain('Good news');
  });

  it('says that it was stopped', () => {
    expect(text(weekReport({ cancelled: true }))).toMatch(/^Stopped before the end/);
    expect(text(report([], { cancelled: true }))).toMatch(/^Stopped before the end/);
  });

  it('sums up what was left out: by reason, with the first names', () => {
    const skipped = [
      { file: '/a/secret.jsonl', why: 'permission denied' },
      ...Array.from({ length: 5 }, (_, index) => ({
        file: `/b/${index}.json`,
        why: 'nobody knows this format',
      })),
      ...Array.from({ length: 6 }, (_, index) => ({ file: `/c/${index}`, why: `reason ${index}` })),
    ];
    const lines = text(weekReport({ skipped })).split('\n');
    const first = lines.indexOf('12 files left out');
    expect(lines.slice(first + 1, first + 5)).toEqual([
      '  5  nobody knows this format',
      '     0.json, 1.json, 2.json, and 2 more',
      '  1  permission denied',
      '     secret.jsonl',
    ]);
    expect(lines).toContain('  3 more for other reasons: --json');
  });

  it.each([60, 80, 140])('fits into %i columns, whatever the transcripts hold', (width) => {
    const wide = loop({
      example: '検索'.repeat(200),
      agent: 'a'.repeat(200),
      detector: 'd'.repeat(200),
      file: `/${'folder/'.repeat(60)}end.jsonl`,
      firstCall: 1_000_014,
      lastCall: 9_000_075,
      startedAt: 'x'.repeat(300),
    });
    const skipped = [{ file: 'f'.repeat(300), why: 'w'.repeat(300) }];
    for (const own of [
      ofLoops([wide], { skipped, preset: 'p'.repeat(300) }),
      weekReport(),
      hostileReport(),
      report([]),
    ])
      for (const line of text(own, width).split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(text(ofLoops([wide]), width)).toContain('/end.jsonl\n');
  });

  it('uses more columns where there are more', () => {
    const long = ofLoops([loop({ example: 'word '.repeat(60) })]);
    const [narrow, broad] = [80, 200].map((width) =>
      text(long, width)
        .split('\n')
        .find((line) => line.includes('1. Bash')),
    );
    expect(narrow).toHaveLength(80);
    expect(broad).toHaveLength(200);
  });

  it('prints nothing that a terminal would obey', () => {
    expect(text(hostileReport()).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(text(hostileReport())).toContain('⟨U+202E⟩');
  });

  it('says the same in colour', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    expect(scanText(weekReport(), 80, COLORS).replace(/\u001B\[\d+m/g, '')).toBe(text(weekReport()));
  });
});

describe('scanJson', () => {
  it('has the keys of the contract, in order, and further ones behind them', () => {
    const json = JSON.parse(JSON.stringify(scanJson(weekReport({ skipped: [{ file: 'a', why: 'b' }] }))));
    expect(Object.keys(json).slice(0, 4)).toEqual(['sessions', 'skipped', 'loops', 'totals']);
    expect(json.skipped).toEqual([{ file: 'a', why: 'b' }]);
    expect(Object.keys(json.loops[0]).slice(0, 14)).toEqual([
      'file',
      'agent',
      'session',
      'model',
      'startedAt',
      'detector',
      'subject',
      'tool',
      'firstCall',
      'lastCall',
      'calls',
      'actedAt',
      'action',
      'wasted',
    ]);
    const sums = ['calls', 'input', 'output', 'cachedInput', 'usd'];
    expect(Object.keys(json.loops[0].wasted)).toEqual(sums);
    expect(Object.keys(json.totals).slice(0, 3)).toEqual(['calls', 'loops', 'wasted']);
    expect(Object.keys(json.totals.wasted)).toEqual(sums);
    expect(json.loops[3].wasted).toEqual({
      calls: 9,
      input: null,
      output: null,
      cachedInput: null,
      usd: null,
    });
    expect(json).toMatchObject({
      sessions: 44,
      preset: 'recommended',
      pricesOf: '2026-11-01',
      cancelled: false,
    });
  });

  it('writes the same bytes whatever order the report has its keys in', () => {
    const backwards = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return value.map(backwards);
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, own]) => [key, backwards(own)]),
      );
    };
    const turned = backwards(weekReport()) as ScanReport;
    expect(JSON.stringify(scanJson(turned))).toBe(JSON.stringify(scanJson(weekReport())));
  });
});

describe('figures', () => {
  it.each([
    [null, 'unknown'],
    [0, '0'],
    [999, '999'],
    [999.6, '1k'],
    [1_000, '1k'],
    [12_345, '12.3k'],
    [345_678, '346k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [12_400_000, '12.4M'],
    [1_500_000_000, '1.5G'],
  ])('%s tokens are %s', (value, words) => {
    expect(tokens(value)).toBe(words);
  });

  it.each([
    [null, 'unknown'],
    [0, '$0.00'],
    [0.004, 'under $0.01'],
    [0.005, '$0.01'],
    [1_234.5, '$1,234.50'],
  ])('%s dollars are %s', (value, words) => {
    expect(dollars(value)).toBe(words);
  });

  it.each([
    [0, 10, '0 %'],
    [1, 10_000, 'under 0.1 %'],
    [9, 1_000, '0.9 %'],
    [99.4, 1_000, '9.9 %'],
    [99.5, 1_000, '10 %'],
    [1, 0, ''],
  ])('%d of %d is %s', (part, all, words) => {
    expect(portion(part, all)).toBe(words);
  });
});

describe('repeatedCall', () => {
  it.each([
    ['Bash', 'npm test', 'Bash', 'npm test'],
    ['Bash', 'Bash npm test', 'Bash', 'npm test'],
    ['Bash', 'Bash(npm test)', 'Bash', '(npm test)'],
    ['read', 'readme.md', 'read', 'readme.md'],
    ['Bash', '', 'Bash', ''],
    [null, '', '', 'the subject'],
    [null, 'I will try again.', '', 'I will try again.'],
  ])('%j and %j are %j and %j', (tool, example, name, rest) => {
    expect(repeatedCall({ tool, example, subject: 'the subject' })).toEqual({ tool: name, rest });
  });
});

describe('visible', () => {
  it.each([
    ['\u001B[31mred\u001B[0m', 'red'],
    ['\u001B[38;5;12mx\u001B[K', 'x'],
    ['\u001B]0;title\u0007x\u001B]8;;https://evil.example\u001B\\link\u001B]8;;\u001B\\', 'xlink'],
    ['\u001B]0;never ended', '0;never ended'],
    ['\u009B31mred', 'red'],
    ['a\u202Eb\u2066c\u200Bd\u00ADe\uFEFF', 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+00AD⟩e⟨U+FEFF⟩'],
    ['\u{E0041}', '⟨U+E0041⟩'],
    ['\uD800', '⟨U+D800⟩'],
    ['a\u0000b\bc', 'a⟨U+0000⟩b⟨U+0008⟩c'],
    ['one\r\ntwo\rthree\tfour', 'one\ntwo\nthree  four'],
    ['naïve 日本 😀 ❤\uFE0F', 'naïve 日本 😀 ❤\uFE0F'],
  ])('%j reads %j', (raw, shown) => {
    expect(visible(raw)).toBe(shown);
    expect(visible(shown)).toBe(shown);
  });

  it('cuts by characters', () => {
    expect(visibleStart('abcde', 5)).toBe('abcde');
    expect(visibleStart('abcdef', 5)).toBe('abcd…');
    expect(visibleStart('😀'.repeat(5), 5)).toBe('😀'.repeat(5));
    expect(visibleStart('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
    expect(visibleStart(`${'\u001B[0m'.repeat(9)}abc`, 5)).toBe('…');
  });
});

describe('displayWidth', () => {
  it('counts columns, not letters', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('😀')).toBe(2);
  });

  it('cuts at either end', () => {
    expect(fitted('日本語', 6)).toBe('日本語');
    expect(fitted('日本語', 5)).toBe('日本…');
    expect(fitted('日本語', 4)).toBe('日…');
    expect(fittedEnd('/a/b/c.jsonl', 8)).toBe('…c.jsonl');
    expect(HOSTILE.length).toBeGreaterThan(8);
  });
});
