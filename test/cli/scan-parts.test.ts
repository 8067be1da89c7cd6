import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReplayDecision } from '../../src/cli/replay/simulation.ts';
import { LONG_BYTES, type Scanned, scanAll } from '../../src/cli/scan/pool.ts';
import type { Source } from '../../src/cli/scan/read-source.ts';
import { callLabel, outputText, withoutSecrets } from '../../src/cli/scan/redaction.ts';
import { createRuns, type Runs } from '../../src/cli/scan/runs.ts';
import { createSessionScan } from '../../src/cli/scan/scan-session.ts';
import { type ScanSettings, sessionOptions } from '../../src/cli/scan/scan-source.ts';
import { parseSince } from '../../src/cli/scan/since.ts';
import { sourcesAt, sourcesIn } from '../../src/cli/scan/sources.ts';
import { createSpending } from '../../src/cli/scan/spending.ts';
import { createTimelineWindow } from '../../src/cli/scan/timeline-window.ts';
import type { Action, AgentEvent } from '../../src/core/types.ts';
import { createCollector } from '../../src/report/collect-scan.ts';
import type { PriceTable } from '../../src/report/prices.ts';
import { loop, looping, spent, UNTOLD } from '../report/scan-samples.ts';
import { newFolder } from './run-cli.ts';

const PRICES: PriceTable = {
  date: '2026-11-15',
  models: new Map([['model-1', { input: 1, output: 10, cachedInput: 0.1 }]]),
};
const SETTINGS: ScanSettings = { guard: {}, prices: PRICES, redaction: 'outputs' };

describe('spending', () => {
  const USAGE = { input: 300_000, output: 30_000, cachedInput: 3_000_000 };

  it('splits the tokens of a turn over its calls', () => {
    const spending = createSpending(PRICES);
    spending.turn(USAGE, 'model-1');
    for (let call = 1; call <= 3; call++) spending.call();
    expect(spending.between([1, 1], [1, 1])).toEqual({
      calls: 1,
      input: 100_000,
      output: 10_000,
      cachedInput: 1_000_000,
      usd: expect.closeTo(0.3) as number,
    });
    expect(spending.between([2, 3], [1, 1])).toMatchObject({ calls: 2, input: 200_000, output: 20_000 });
    expect(spending.between([1, 3], [1, 1])).toMatchObject({ ...USAGE, calls: 3 });
  });

  it('counts a turn without a call as one of those around it', () => {
    const spending = createSpending(PRICES);
    for (const calls of [1, 0, 1]) {
      spending.turn({ input: 10, output: 1 }, undefined);
      if (calls === 1) spending.call();
    }
    expect(spending.turns).toBe(3);
    expect(spending.between([1, 2], [1, 3])).toEqual({
      calls: 2,
      input: 30,
      output: 3,
      cachedInput: 0,
      usd: null,
    });
    expect(spending.between([2, 2], [3, 3])).toMatchObject({ calls: 1, input: 10 });
    expect(spending.between([2, 1], [2, 2])).toMatchObject({ calls: 0, input: 10 });
  });

  it('knows nothing where nothing is told', () => {
    const spending = createSpending(PRICES);
    spending.call();
    spending.turn(undefined, 'model-1');
    spending.call();
    expect(spending.between([1, 2], [0, 1])).toEqual({ ...UNTOLD, calls: 2 });
  });

  it('sums what is known where a part is not', () => {
    const spending = createSpending(PRICES);
    for (const [usage, model] of [
      [USAGE, 'model-1'],
      [undefined, 'model-1'],
      [{ input: 5, output: 5 }, 'model-of-nobody'],
    ] as const) {
      spending.turn(usage, model);
      spending.call();
    }
    expect(spending.between([1, 3], [0, 3])).toMatchObject({ calls: 3, input: 300_005, output: 30_005 });
    expect(spending.between([1, 3], [0, 3]).usd).toBeCloseTo(0.9);
    expect(spending.between([2, 3], [2, 3])).toMatchObject({ input: 5, usd: null });
    expect(spending.between([2, 2], [2, 2])).toEqual({ ...UNTOLD, calls: 1 });
  });

  it('leaves the calls of other agents to them', () => {
    const spending = createSpending(PRICES);
    for (let turn = 0; turn < 4; turn++) {
      spending.turn({ input: 10, output: 1 }, 'model-1');
      spending.call();
      spending.turn({ input: 5000, output: 1 }, 'model-1', 'helper');
      for (let call = 0; call < 2; call++) spending.call('helper');
    }
    expect(spending.between([1, 12], [1, 8])).toMatchObject({ calls: 4, input: 40 });
    expect(spending.between([1, 12], [1, 8], 'helper')).toMatchObject({ calls: 8, input: 20_000 });
    expect(spending.total()).toMatchObject({ calls: 12, input: 20_040 });
  });

  it('adds up to the whole, however it is cut', () => {
    const spending = createSpending(PRICES);
    for (let turn = 0; turn < 30; turn++) {
      spending.turn({ input: 6000, output: 600, cachedInput: 60 }, 'model-1');
      for (let call = 0; call < turn % 4; call++) spending.call();
    }
    const calls = Array.from({ length: 30 }, (_, turn) => turn % 4).reduce((sum, each) => sum + each, 0);
    const whole = spending.between([1, calls], [0, 30]);
    expect(whole).toMatchObject({ input: 180_000, output: 18_000, cachedInput: 1800 });
  });
});

describe('a session that tells its tokens only as a whole', () => {
  const stuck = (count: number): AgentEvent[] =>
    Array.from({ length: count }, (_, index) => [
      { type: 'tool-call' as const, id: `${index}`, tool: 'bash', args: { command: 'make' } },
      { type: 'tool-result' as const, id: `${index}`, status: 'ok' as const, output: 'nothing to do' },
    ]).flat();

  function scanned(usage: { input: number; output: number } | undefined) {
    const { sink, finish } = createSessionScan(sessionOptions(SETTINGS));
    sink.facts({ session: 's', model: 'model-1', startedAt: 0, usage });
    for (const [index, event] of stuck(8).entries()) sink.event(event, index + 1);
    sink.problem(17, 'not JSON');
    sink.problem(18, 'not JSON');
    return finish('a.jsonl', 'toy');
  }

  it('has a price, and its loops have none', () => {
    const session = scanned({ input: 1_000_000, output: 0 });
    expect(session.spent).toEqual({ calls: 8, input: 1_000_000, output: 0, cachedInput: 0, usd: 1 });
    expect(session.loops).toHaveLength(1);
    expect(session.loops[0]).toMatchObject({
      firstCall: 1,
      lastCall: 8,
      actedAt: 3,
      action: 'nudge',
      example: 'make',
    });
    expect(session.loops[0]?.wasted).toEqual({ ...UNTOLD, calls: 6 });
  });

  it('is told of with what could not be read of it', () => {
    const session = scanned(undefined);
    expect(session).toMatchObject({
      file: 'a.jsonl',
      agent: 'toy',
      session: 's',
      startedAt: '1970-01-01T00:00:00.000Z',
      problems: 2,
      firstProblem: 'line 17: not JSON',
      spent: { ...UNTOLD, calls: 8 },
    });
    expect(session.timeline?.map(({ call }) => call)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('runs', () => {
  const found = (runs: Runs, subject: string, calls: readonly number[], turn = 1, agent = '') =>
    runs.found({ detector: 'd', subject, count: 3, evidence: [] }, calls, {
      agent,
      call: calls.at(-1) as number,
      turn,
      inCall: true,
    });
  const acted = (
    runs: Runs,
    subject: string,
    call: number,
    action: Exclude<Action, 'observe'> = 'nudge',
    agent = '',
  ) =>
    runs.acted(
      { detector: 'd', subject, call, action, message: `${action} ${call}` } as ReplayDecision,
      { agent, turn: call },
      (number) => `call ${number}`,
    );
  const shown = (runs: Runs) =>
    runs
      .loops()
      .map(({ subject, firstCall, lastCall, first, strongest }) =>
        [subject, firstCall, lastCall, first.call, strongest.action, strongest.call].join(' '),
      );

  it('go from the first call that is evidence to the last that is found', () => {
    const runs = createRuns();
    found(runs, 'a', [4, 6, 8]);
    acted(runs, 'a', 8);
    found(runs, 'a', [6, 8, 9]);
    acted(runs, 'a', 9, 'block');
    acted(runs, 'a', 10, 'nudge');
    acted(runs, 'a', 11, 'block');
    const [run] = runs.loops();
    expect(run).toMatchObject({ firstCall: 4, lastCall: 9, tool: null });
    expect(run?.first).toEqual({
      detector: 'd',
      subject: 'a',
      action: 'nudge',
      call: 8,
      turn: 8,
      message: 'nudge 8',
      example: 'call 8',
    });
    expect(run?.strongest).toMatchObject({ action: 'block', call: 9 });
  });

  it('are no loops where the guard would not have acted', () => {
    const runs = createRuns();
    found(runs, 'a', [1, 2]);
    acted(runs, 'something else', 2);
    expect(runs.loops()).toEqual([]);
  });

  it.each([
    [33, ['a 1 33 10 nudge 10']],
    [34, ['a 1 34 10 nudge 10']],
    [35, ['a 1 10 10 nudge 10', 'a 35 35 35 nudge 35']],
  ])('end where the subject was not found for more than 24 calls: found again at %i', (again, expected) => {
    const runs = createRuns();
    found(runs, 'a', [1, 10]);
    acted(runs, 'a', 10);
    found(runs, 'a', [again]);
    acted(runs, 'a', again);
    expect(shown(runs)).toEqual(expected);
  });

  it('that overlap are one, named after the one in which the guard acts first', () => {
    const runs = createRuns();
    found(runs, 'wide', [1, 20]);
    found(runs, 'inside', [5, 9]);
    acted(runs, 'inside', 9, 'ask');
    acted(runs, 'wide', 20, 'halt');
    found(runs, 'apart', [21, 25]);
    acted(runs, 'apart', 25);
    expect(shown(runs)).toEqual(['inside 1 20 9 halt 20', 'apart 21 25 25 nudge 25']);
  });

  it('in a chain are one, and the first of equal actions counts', () => {
    const runs = createRuns();
    for (const [subject, from, to] of [
      ['a', 1, 10],
      ['b', 10, 20],
      ['c', 20, 30],
    ] as const) {
      found(runs, subject, [from, to]);
      acted(runs, subject, to, 'block');
    }
    expect(shown(runs)).toEqual(['a 1 30 10 block 10']);
  });

  it('of two agents side by side are two', () => {
    const runs = createRuns();
    for (const agent of ['', 'helper']) {
      found(runs, 'a', [1, 10], 1, agent);
      acted(runs, 'a', 10, 'nudge', agent);
    }
    expect(shown(runs)).toEqual(['a 1 10 10 nudge 10', 'a 1 10 10 nudge 10']);
  });

  it('are measured by when they were found, not by what they remember', () => {
    const runs = createRuns();
    found(runs, 'a', [1, 10]);
    acted(runs, 'a', 10);
    found(runs, 'a', [10, 60]);
    acted(runs, 'a', 60);
    expect(shown(runs)).toEqual(['a 1 10 10 nudge 10', 'a 60 60 60 nudge 60']);
  });

  it('are followed 64 at a time', () => {
    const runs = createRuns();
    for (let subject = 0; subject < 100; subject++) {
      const call = subject * 2 + 1;
      found(runs, `${subject}`, [call]);
      acted(runs, `${subject}`, call);
    }
    // Long closed, and so begun anew.
    found(runs, '0', [300]);
    acted(runs, '0', 300);
    expect(runs.loops()).toHaveLength(101);
  });

  it('price each call once', () => {
    const spending = createSpending(PRICES);
    const runs = createRuns();
    for (let call = 1; call <= 40; call++) {
      spending.turn({ input: 10, output: 1 }, 'model-1');
      spending.call();
      for (const subject of ['a', 'b']) {
        found(runs, `${subject}${call > 20 ? 2 : 1}`, [call], spending.turns);
        acted(runs, `${subject}${call > 20 ? 2 : 1}`, call);
      }
    }
    const priced = runs
      .loops()
      .map(({ first, lastCall, lastTurn }) =>
        spending.between([first.call, lastCall], [first.turn, lastTurn]),
      );
    expect(priced.map(({ calls }) => calls)).toEqual([20, 20]);
    expect(priced.map(({ input }) => input)).toEqual([200, 200]);
  });
});

describe('redaction', () => {
  it.each([
    ['curl -H "Authorization: Bearer abcd.efgh" x', 'curl -H "Authorization: Bearer ***" x'],
    ['curl -H "authorization: basic YWJjZA==" x', 'curl -H "authorization: basic ***" x'],
    ['OPENAI_API_KEY=abcd1234 npm test', 'OPENAI_API_KEY=*** npm test'],
    ['AWS_SECRET_ACCESS_KEY=abcd/efgh+1 aws s3 ls', 'AWS_SECRET_ACCESS_KEY=*** aws s3 ls'],
    ['SECRET_KEY: "hunter22"', 'SECRET_KEY: "***"'],
    ['{"password":"hunter22","user":"kim"}', '{"password":"***","user":"kim"}'],
    ['mysql --password hunter22 -e 1', 'mysql --password *** -e 1'],
    ['git clone https://kim:hunter22@example.com/a.git', 'git clone https://kim:***@example.com/a.git'],
    ['echo sk-ant-api03-AAAAAAAAAAAAAAAA', 'echo ***'],
    ['echo ghp_0123456789abcdefABCDEF', 'echo ***'],
    ['echo AKIAIOSFODNN7EXAMPLE', 'echo ***'],
    ['echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'echo ***'],
    ['echo xoxb-1234567890-abcdefgh', 'echo ***'],
  ])('hides what is secret in %j', (text, safe) => {
    expect(withoutSecrets(text)).toBe(safe);
    expect(callLabel({ command: text }, 'outputs')).toBe(safe);
    expect(callLabel({ command: text }, 'none')).toBe(text);
    expect(callLabel({ command: text }, 'all')).toBe('');
  });

  it.each([
    'npm test -- src/skeleton-components-list.test.ts',
    'rg -n "sketchbook" src',
    'ls -la',
    'git push origin main',
  ])('leaves %j alone', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  it('shows the command, what a call is about, or its arguments', () => {
    expect(callLabel({ command: 'ls', timeout: 5 }, 'outputs')).toBe('ls');
    expect(callLabel({ cmd: ['bash', '-lc', 'ls src'] }, 'outputs')).toBe('ls src');
    expect(callLabel({ file_path: '/a', old_string: 'b', limit: 3 }, 'outputs')).toBe('file_path=/a');
    expect(callLabel({ pattern: 'x', path: 'src', mode: 'y' }, 'outputs')).toBe('path=src pattern=x');
    expect(callLabel({ n: 1, m: 2 }, 'outputs')).toBe('{"n":1,"m":2}');
    expect(callLabel(null, 'outputs')).toBe('null');
    expect(callLabel('as sent, no JSON', 'outputs')).toBe('as sent, no JSON');
  });

  it('cuts what is long, secrets first', () => {
    expect(callLabel({ command: 'x'.repeat(500) }, 'outputs')).toBe(`${'x'.repeat(159)}…`);
    expect(callLabel({ command: 'x'.repeat(160) }, 'outputs')).toHaveLength(160);
    expect(callLabel({ command: 'x'.repeat(5000) }, 'none')).toHaveLength(2000);
    const told = `${'x'.repeat(150)} token=${'s'.repeat(3000)}`;
    expect(callLabel({ command: told }, 'outputs')).not.toContain('s');
  });

  it('shows what came back only where nothing is hidden', () => {
    expect(outputText('secret', 'all')).toBe('');
    expect(outputText('secret', 'outputs')).toBe('');
    expect(outputText('plain', 'none')).toBe('plain');
    expect(outputText({ a: 1 }, 'none')).toBe('{"a":1}');
    expect(outputText('x'.repeat(5000), 'none')).toHaveLength(2000);
  });

  it('takes no longer than the text is long', () => {
    const pieces = [
      'token',
      'token=',
      '://a:',
      'sk-',
      'eyJ',
      'password ',
      '"',
      ':',
      ' ',
      'a',
      'Bearer Bearer ',
      'AKIA',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      expect(withoutSecrets(text).length).toBeLessThanOrEqual(text.length + 10);
    }
  });
});

describe('--since', () => {
  const NOW = Date.UTC(2026, 10, 15, 12);

  it.each([
    [undefined, 0],
    ['30m', NOW - 30 * 60_000],
    ['12h', NOW - 12 * 3_600_000],
    ['7d', NOW - 7 * 86_400_000],
    ['2w', NOW - 14 * 86_400_000],
    ['0d', NOW],
    ['2026-11-01', new Date(2026, 10, 1).getTime()],
    ['2026-11-01T08:00:00Z', Date.UTC(2026, 10, 1, 8)],
  ])('%s', (told, at) => {
    expect(parseSince(told, NOW)).toBe(at);
  });

  it.each(['', 'yesterday', '7', '7x', '-7d', '1.5h', '2026-13-01', '9999999d'])('refuses %j', (told) => {
    expect(() => parseSince(told, NOW)).toThrow(
      /^--since is .*; it must be a date such as 2026-11-01, or so long ago: 30m, 12h, 7d, 2w$/,
    );
  });
});

describe('the window of a timeline', () => {
  const call = (number: number, id = `${number}`) =>
    ({ type: 'tool-call', id, tool: 'bash', args: { command: `run ${number}` }, at: number * 1000 }) as const;
  const answer = (id: string | undefined, output = 'out') =>
    ({ type: 'tool-result', id, status: 'error', output }) as const;
  const decision = (number: number, action: string) => ({ call: number, action }) as ReplayDecision;

  it('keeps 48 calls up to a finding and 12 after it', () => {
    const window = createTimelineWindow('outputs');
    for (let number = 1; number <= 200; number++) {
      window.call(call(number), number);
      if (number === 100) window.keep(100);
    }
    expect(window.calls.map((shown) => shown.call)).toEqual(
      Array.from({ length: 60 }, (_, index) => 53 + index),
    );
    expect(window.calls[0]).toEqual({
      call: 53,
      tool: 'bash',
      label: 'run 53',
      output: '',
      status: 'unknown',
      at: 53_000,
      action: null,
    });
  });

  it('keeps 600 at most, and can still name the call of a later finding', () => {
    const window = createTimelineWindow('outputs');
    for (let number = 1; number <= 3000; number++) {
      window.call(call(number), number);
      if (number % 60 === 0) window.keep(number);
      if (number % 60 === 0) expect(window.label(number)).toBe(`run ${number}`);
    }
    expect(window.calls).toHaveLength(600);
    expect(window.label(1)).toBe('');
    expect(window.calls.map((shown) => shown.call)).toEqual(
      window.calls.map((shown) => shown.call).toSorted((a, b) => a - b),
    );
  });

  it('tells how a call ended, whatever the order, by id or as the last', () => {
    const window = createTimelineWindow('none');
    window.call(call(1), 1);
    window.keep(1);
    window.call(call(2), 2);
    window.result(answer('1', 'first'));
    for (let number = 3; number < 40; number++) window.call(call(number), number);
    window.result(answer(undefined, 'last'));
    window.result(answer('nobody', 'x'));
    window.keep(39);
    const shown = new Map(window.calls.map((each) => [each.call, each]));
    expect(shown.get(1)).toMatchObject({ status: 'error', output: 'first' });
    expect(shown.get(2)).toMatchObject({ status: 'unknown', output: '' });
    expect(shown.get(39)).toMatchObject({ status: 'error', output: 'last' });
  });

  it('gives a result to the latest call of its id', () => {
    const window = createTimelineWindow('outputs');
    window.call(call(1, 'same'), 1);
    window.keep(1);
    for (let number = 2; number < 30; number++) window.call(call(number, 'same'), number);
    window.result(answer('same'));
    window.keep(29);
    expect(window.calls.filter(({ status }) => status === 'error').map((shown) => shown.call)).toEqual([29]);
  });

  it('tells the strongest of what the guard would have done', () => {
    const window = createTimelineWindow('all');
    window.call(call(1), 1);
    window.keep(1);
    for (const action of ['nudge', 'ask', 'block']) window.acted(decision(1, action));
    window.acted(decision(7, 'halt'));
    expect(window.calls).toMatchObject([{ action: 'ask', label: '' }]);
  });
});

describe('the collector', () => {
  const ABOUT = { preset: 'recommended', pricesOf: '2026-11-15', cancelled: false };
  const healthy = (calls: number, known = {}) => ({
    ...looping(0, []),
    calls,
    loops: [],
    timeline: null,
    spent: spent(calls, known),
  });
  const stuck = (file: string, usd: number | null, own: Parameters<typeof loop>[0] = {}) => {
    const one = loop({ file, wasted: spent(10, { usd }), ...own });
    return { ...looping(20, [one]), file, agent: one.agent, startedAt: one.startedAt };
  };

  it('sums up, and counts what is unknown', () => {
    const collector = createCollector();
    collector.add(healthy(10));
    collector.add(healthy(10, { usd: null }));
    collector.add(healthy(10, UNTOLD_TOKENS));
    collector.add(healthy(0, UNTOLD_TOKENS));
    collector.skip('b', 'why');
    const { sessions, skipped, totals, looping: drawn } = collector.report(ABOUT);
    expect({ sessions, skipped, drawn }).toEqual({
      sessions: 4,
      skipped: [{ file: 'b', why: 'why' }],
      drawn: [],
    });
    expect(totals).toMatchObject({ calls: 30, loops: 0, unknown: { tokens: 1, usd: 2 }, wasted: UNTOLD });
    expect(totals.spent).toMatchObject({ calls: 30, input: 2 * 21_000 });
  });

  it('puts the worst first: by money, then tokens, then calls, what is unknown last', () => {
    const collector = createCollector();
    collector.add(stuck('unknown', null, { wasted: { ...UNTOLD, calls: 99 } }));
    collector.add(stuck('no price', null));
    collector.add(stuck('b', 1));
    collector.add(stuck('dear', 5));
    collector.add(stuck('a', 1));
    const report = collector.report(ABOUT);
    const order = ['dear', 'a', 'b', 'no price', 'unknown'];
    expect(report.loops.map(({ file }) => file)).toEqual(order);
    expect(report.looping.map(({ file }) => file)).toEqual(order);
  });

  it('tells who has which share', () => {
    const collector = createCollector();
    collector.add(stuck('a', 1, { detector: 'x', tool: null, startedAt: '2026-11-15T01:00:00.000Z' }));
    collector.add(stuck('b', 2, { detector: 'x', agent: 'codex', startedAt: '2026-11-14T23:00:00.000Z' }));
    collector.add(stuck('c', 4, { detector: 'y', startedAt: null }));
    const { byDay, byAgent, byDetector, byTool } = collector.report(ABOUT);
    const named = (shares: typeof byDay) =>
      shares.map(({ name, sessions, loops, wasted }) => [name, sessions, loops, wasted.usd]);
    expect(named(byDay)).toEqual([
      ['', 1, 1, 4],
      ['2026-11-14', 1, 1, 2],
      ['2026-11-15', 1, 1, 1],
    ]);
    expect(named(byAgent)).toEqual([
      ['claude-code', 2, 2, 5],
      ['codex', 1, 1, 2],
    ]);
    expect(named(byDetector)).toEqual([
      ['y', 1, 1, 4],
      ['x', 2, 2, 3],
    ]);
    expect(named(byTool)).toEqual([
      ['Bash', 2, 2, 6],
      ['', 1, 1, 1],
    ]);
  });

  it('keeps the 100 worst sessions to draw, and every loop', () => {
    const collector = createCollector();
    for (let number = 0; number < 500; number++) collector.add(stuck(`${number}`, (number * 7) % 500));
    const { looping: drawn, loops } = collector.report(ABOUT);
    expect(loops).toHaveLength(500);
    expect(drawn).toHaveLength(100);
    expect(drawn.map(({ loops: [one] }) => one?.wasted.usd)).toEqual(
      Array.from({ length: 100 }, (_, index) => 499 - index),
    );
  });
});
const UNTOLD_TOKENS = { input: null, output: null, cachedInput: null, usd: null };

describe('sources', () => {
  const complaints: string[] = [];
  const complain = (path: string, why: string) => complaints.push(`${path}: ${why}`);

  function place(files: readonly string[]): string {
    const folder = newFolder();
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      if (!file.endsWith('/')) writeFileSync(join(folder, file), '{}');
    }
    return folder;
  }
  const under = (folder: string, since = 0) =>
    sourcesAt([folder], since, complain).map(({ kind, path, session }) =>
      [kind, path.slice(folder.length + 1), session].filter((part) => part !== undefined).join(' '),
    );

  it('are the files that are called like transcripts, in the order of their names', () => {
    const folder = place([
      'b.jsonl',
      'a/z.json',
      'a/b.traj',
      'c.ndjson',
      'notes.md',
      'x.log',
      'node_modules/p/package.json',
      '.git/x.json',
      '.hidden/s.jsonl',
    ]);
    expect(under(folder)).toEqual([
      'files .hidden/s.jsonl',
      'files a/b.traj',
      'files a/z.json',
      'files b.jsonl',
      'files c.ndjson',
    ]);
  });

  it('are what the user names, whatever it is called, each once', () => {
    const folder = place(['talk.txt', 'a/b.jsonl']);
    const paths = [join(folder, 'talk.txt'), folder, join(folder, 'a'), join(folder, 'a/../talk.txt')];
    expect(sourcesAt(paths, 0, complain)).toEqual([
      { kind: 'files', path: join(folder, 'talk.txt'), size: 2, named: true },
      { kind: 'files', path: join(folder, 'a/b.jsonl'), size: 2, named: false },
    ]);
  });

  it('complain of what is named and not there', () => {
    complaints.length = 0;
    expect(sourcesAt(['/no/such/file.jsonl'], 0, complain)).toEqual([]);
    expect(complaints).toEqual(['/no/such/file.jsonl: there is no such file']);
  });

  it('follow links, but not in circles, and pass over those that lead nowhere', () => {
    const folder = place(['a/b.jsonl']);
    symlinkSync(folder, join(folder, 'a/circle'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'a/gone.jsonl'));
    complaints.length = 0;
    expect(under(folder)).toEqual(['files a/b.jsonl']);
    expect(complaints).toEqual([]);
  });

  it('may be folders that are a session, or hold many', () => {
    const folder = place([
      'talk/events/0.json',
      'talk/events/1.json',
      'storage/message/s1/',
      'storage/session/p/s1.json',
      'storage/session/p/s2.json',
      'storage/part/m/p.json',
      'plain/events/readme.json',
    ]);
    mkdirSync(join(folder, 'storage/message/s1'), { recursive: true });
    expect(under(folder)).toEqual([
      'files plain/events/readme.json',
      'opencode-storage storage s1',
      'opencode-storage storage s2',
      'folder talk',
    ]);
    expect(sourcesAt([join(folder, 'talk')], 0, complain)).toMatchObject([{ kind: 'folder', named: true }]);
  });

  it('are those that changed since', () => {
    const folder = place(['old.jsonl', 'new.jsonl']);
    utimesSync(join(folder, 'old.jsonl'), 1000, 1000);
    utimesSync(join(folder, 'new.jsonl'), 2000, 2000);
    expect(under(folder, 2_000_000)).toEqual(['files new.jsonl']);
    expect(under(folder, 2_000_001)).toEqual([]);
    const known = {
      agent: 'codex',
      title: 'Codex',
      kind: 'files',
      pattern: ['.jsonl'],
      path: folder,
    } as const;
    expect(sourcesIn([known], 1_500_000, complain)).toMatchObject([
      { path: join(folder, 'new.jsonl'), named: false },
    ]);
  });
});

describe('the pool', () => {
  const WORKER = new URL('./fragile-worker.mjs', import.meta.url);
  const sourcesOf = (names: readonly string[], size: number): Source[] =>
    names.map((path) => ({ kind: 'files', path, size }));

  async function scan(names: readonly string[], threads: number, stop?: AbortController, size = 5) {
    const told: string[] = [];
    let bytes = 0;
    const signal = (stop ?? new AbortController()).signal;
    await scanAll(
      sourcesOf(names, size),
      SETTINGS,
      threads,
      {
        signal,
        onBytes(read) {
          bytes += read;
        },
        onScanned({ path }, scanned: Scanned) {
          told.push('failure' in scanned ? `${path}: ${scanned.failure}` : `${scanned.why}`);
          if (path.startsWith('stop')) stop?.abort();
        },
      },
      WORKER,
    );
    return { told, bytes };
  }
  const names = Array.from({ length: 50 }, (_, index) => `${index}`);

  it.each([2, 3, 8, 100])('tells of all, in order, with %i threads', async (threads) => {
    const { told, bytes } = await scan(names, threads);
    expect(told).toEqual(names.map((name) => `read ${name}`));
    expect(bytes).toBe(250);
  });

  it('gives no warning, however many threads there are', async () => {
    const warnings: unknown[] = [];
    const hear = (warning: unknown) => warnings.push(warning);
    process.on('warning', hear);
    await scan(names, 20);
    await new Promise(setImmediate);
    process.removeListener('warning', hear);
    expect(warnings).toEqual([]);
  });

  it('reads long sessions beside this thread, which must hear signals', async () => {
    expect((await scan(['a', 'b'], 1, undefined, LONG_BYTES + 1)).told).toEqual(['read a', 'read b']);
    expect((await scan(['a'], 1, undefined, LONG_BYTES)).told).not.toEqual(['read a']);
  });

  it('tells what could not be scanned', async () => {
    expect((await scan(['a', 'fails', 'b'], 2)).told).toEqual(['read a', 'fails: it is odd', 'read b']);
  });

  it.each([2, 3])('loses only what a worker dies of, with %i threads', async (threads) => {
    const mixed = names.flatMap((name) =>
      Number(name) % 10 === 3 ? [`exits ${name}`, `throws ${name}`, name] : [name],
    );
    const { told } = await scan(mixed, threads);
    expect(told).toEqual(
      mixed.map((name) => {
        if (name.startsWith('exits')) return `${name}: its thread ended with 3`;
        return name.startsWith('throws') ? `${name}: something broke` : `read ${name}`;
      }),
    );
  });

  it('has nothing to do where there is nothing', async () => {
    expect((await scan([], 4)).told).toEqual([]);
  });

  it('stops when it is told to, and tells of what it has', async () => {
    const stop = new AbortController();
    const { told } = await scan(['a', 'stop', 'sleeps', ...names], 2, stop);
    expect(told.slice(0, 2)).toEqual(['read a', 'read stop']);
    expect(told).not.toContain('read sleeps');
    expect(told.length).toBeLessThan(names.length + 3);
  });

  it('stops on this thread, too', async () => {
    const stop = new AbortController();
    stop.abort();
    expect((await scan(['a', 'b'], 1, stop)).told).toEqual([]);
  });

  it('goes on after a source that breaks on this thread', async () => {
    const { told } = await scan(['/no/such/file', '/no/other'], 1);
    expect(told).toEqual(['there is no such file', 'there is no such file']);
  });
});
