import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Loop, Share, Spent } from '../../src/report/scan-report.ts';
import { FORMATS } from '../../src/transcripts/formats.ts';
import { healthy, piSession, stuck, TOKENS } from './pi-session.ts';
import { deloop, newFolder, type RunOptions } from './run-cli.ts';

const RECORDED = fileURLToPath(new URL('../transcripts/fixtures/recorded', import.meta.url));
const NEVER_CALLED = 'not a transcript that deloop knows';

/** What `--json` prints. */
type Report = {
  readonly sessions: number;
  readonly skipped: readonly { readonly file: string; readonly why: string }[];
  readonly loops: readonly Loop[];
  readonly totals: {
    readonly calls: number;
    readonly loops: number;
    readonly wasted: Spent;
    readonly spent: Spent;
    readonly unknown: { readonly tokens: number; readonly usd: number };
  };
  readonly byAgent: readonly Share[];
  readonly preset: string;
  readonly pricesOf: string;
  readonly cancelled: boolean;
};

async function scan(args: readonly string[], options: RunOptions = {}) {
  const { status, out, err } = await deloop(['scan', ...args, '--json'], options);
  return { status, out, err, report: (out === '' ? null : JSON.parse(out)) as Report };
}

/** A folder with these files, whose names may have folders in them. */
function folderOf(files: { readonly [name: string]: string }): string {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

describe('the recordings of real agents', () => {
  const expected = readdirSync(RECORDED).flatMap((agent) => {
    const text = readFileSync(join(RECORDED, agent, 'expected.json'), 'utf8');
    const figures = JSON.parse(text) as { readonly [file: string]: { readonly [name: string]: number } };
    return Object.entries(figures).map(([file, each]) => ({ file: join(RECORDED, agent, file), ...each }));
  }) as readonly { readonly file: string; readonly [name: string]: number | string }[];
  const sum = (name: string) => expected.reduce((total, each) => total + Number(each[name]), 0);

  it('are all found and counted, and what lies beside them is left out', async () => {
    const { status, report, err } = await scan([RECORDED]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(report.sessions).toBe(expected.length);
    expect(report.totals.calls).toBe(sum('calls'));
    expect(report.totals.spent).toMatchObject({
      calls: sum('calls'),
      input: sum('input'),
      output: sum('output'),
      cachedInput: sum('cachedInput'),
    });
    expect(report.skipped).toEqual(
      readdirSync(RECORDED).map((agent) => ({
        file: join(RECORDED, agent, 'expected.json'),
        why: NEVER_CALLED,
      })),
    );
  });

  it('loop where their script did, and nowhere else', async () => {
    const { report } = await scan([RECORDED]);
    const looping = new Set(report.loops.map(({ file }) => file));
    for (const { file, calls } of expected) {
      if (/\/(?:varied|subagent)\./.test(file)) expect([...looping]).not.toContain(file);
      else if (Number(calls) >= 8) expect([...looping]).toContain(file);
    }
  });

  it.each(readdirSync(RECORDED))('of %s are counted alone, too', async (agent) => {
    const own = expected.filter(({ file }) => dirname(file) === join(RECORDED, agent));
    const total = (name: string) => own.reduce((all, each) => all + Number(each[name]), 0);
    const { report } = await scan([join(RECORDED, agent)]);
    expect(report.sessions).toBe(own.length);
    expect(report.totals.spent).toMatchObject({
      calls: total('calls'),
      input: total('input'),
      output: total('output'),
    });
  });

  it('are found where agents keep them', async () => {
    const HOME = newFolder();
    for (const [agent, file, place] of [
      ['codex', 'identical.jsonl', '.codex/sessions/2026/11/15/rollout-1.jsonl'],
      ['codex', 'varied.jsonl', '.codex/archived_sessions/rollout-2.jsonl'],
      ['gemini-cli', 'identical.jsonl', '.gemini/tmp/project/chats/session-1.jsonl'],
      ['qwen-code', 'failing.jsonl', '.qwen/projects/p/chats/1.jsonl'],
      ['pi', 'identical.jsonl', '.pi/agent/sessions/p/1.jsonl'],
      ['cline', 'failing.messages.json', '.cline/data/sessions/1/1.messages.json'],
      ['continue-cli', 'identical.json', '.continue/sessions/1.json'],
      ['openclaw', 'identical.jsonl', '.openclaw/agents/main/sessions/1.jsonl'],
    ] as const) {
      mkdirSync(dirname(join(HOME, place)), { recursive: true });
      cpSync(join(RECORDED, agent, file), join(HOME, place));
    }
    // None of these is a session.
    writeFileSync(join(HOME, '.continue/sessions/sessions.json'), '[]');
    writeFileSync(join(HOME, '.gemini/tmp/project/logs.json'), '[]');
    const { status, report, err } = await scan([], { env: { HOME } });
    expect({ status, err, skipped: report.skipped }).toEqual({ status: 0, err: '', skipped: [] });
    expect(report.sessions).toBe(8);
    expect(report.byAgent.map(({ name }) => name).sort()).toEqual([
      'cline',
      'codex',
      'continue',
      'gemini-cli',
      'openclaw',
      'pi',
      'qwen-code',
    ]);
    const ofOne = await scan(['--agent', 'codex'], { env: { HOME } });
    expect(ofOne.report.sessions).toBe(2);
  });
});

describe('deloop scan --json', () => {
  const LOOPING = piSession([...healthy(4), ...stuck(10)]);

  it('has the keys of the contract, in their order', async () => {
    const cwd = folderOf({ 'a.jsonl': LOOPING, 'b.json': '{}' });
    const { report, out } = await scan(['.'], { cwd });
    expect(Object.keys(report)).toEqual([
      'sessions',
      'skipped',
      'loops',
      'totals',
      'byDay',
      'byAgent',
      'byDetector',
      'byTool',
      'preset',
      'pricesOf',
      'cancelled',
    ]);
    expect(Object.keys(report.skipped[0] ?? {})).toEqual(['file', 'why']);
    expect(Object.keys(report.loops[0] ?? {})).toEqual([
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
      'strongest',
      'strongestAt',
      'message',
      'example',
    ]);
    const spent = ['calls', 'input', 'output', 'cachedInput', 'usd'];
    expect(Object.keys(report.loops[0]?.wasted ?? {})).toEqual(spent);
    expect(Object.keys(report.totals)).toEqual(['calls', 'loops', 'wasted', 'spent', 'unknown']);
    expect(Object.keys(report.totals.wasted)).toEqual(spent);
    expect(out.endsWith('}\n')).toBe(true);
  });

  it('tells of a loop: where, what, when a guard would have acted, and what was spent from then on', async () => {
    const cwd = folderOf({ 'a.jsonl': LOOPING });
    const { status, report } = await scan(['a.jsonl'], { cwd });
    expect(status).toBe(0);
    expect(report.loops).toHaveLength(1);
    const [loop] = report.loops;
    expect(loop).toMatchObject({
      file: 'a.jsonl',
      agent: 'pi',
      session: 'session-1',
      model: 'claude-sonnet-4-5',
      startedAt: '2026-11-14T09:00:00.000Z',
      detector: 'no-progress',
      tool: 'bash',
      firstCall: 5,
      lastCall: 14,
      calls: 10,
      actedAt: 7,
      action: 'nudge',
      example: 'make',
    });
    const calls = 14 - 7 + 1;
    const { input, output, cachedInput } = TOKENS;
    expect(loop?.wasted).toMatchObject({
      calls,
      input: calls * input,
      output: calls * output,
      cachedInput: calls * cachedInput,
    });
    expect(loop?.wasted.usd).toBeGreaterThan(0);
    expect(report.totals).toMatchObject({ calls: 14, loops: 1, unknown: { tokens: 0, usd: 0 } });
    expect(report.totals.wasted).toEqual(loop?.wasted);
  });

  it('guesses nothing: what is not told is null', async () => {
    const cwd = folderOf({
      'tokens.jsonl': piSession(stuck(6), { untold: true }),
      'price.jsonl': piSession(stuck(6), { model: 'model-of-nobody' }),
    });
    const { report } = await scan(['.'], { cwd });
    const wasted = new Map(report.loops.map(({ file, wasted: each }) => [file, each]));
    expect(wasted.get('tokens.jsonl')).toEqual({
      calls: 4,
      input: null,
      output: null,
      cachedInput: null,
      usd: null,
    });
    expect(wasted.get('price.jsonl')).toEqual({
      calls: 4,
      input: 4000,
      output: 400,
      cachedInput: 40_000,
      usd: null,
    });
    expect(report.totals.unknown).toEqual({ tokens: 1, usd: 2 });
    expect(report.totals.wasted).toMatchObject({ calls: 8, input: 4000, usd: null });
  });

  it('is the same to the byte, however often and on however many threads', { timeout: 60_000 }, async () => {
    const cwd = folderOf(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [
          `${index % 5}/${index}.jsonl`,
          piSession(index % 3 === 0 ? stuck(5 + index) : healthy(5 + index), { id: `s${index}` }),
        ]),
      ),
    );
    const runs: string[] = [];
    for (const threads of ['1', '1', '4']) {
      const { out, err } = await deloop(['scan', '.', '--json', '--threads', threads], { cwd });
      expect(err).toBe('');
      runs.push(out);
    }
    expect(new Set(runs).size).toBe(1);
    const pages: string[] = [];
    for (const threads of ['1', '4']) {
      await deloop(['scan', '.', '--html', 'page.html', '--threads', threads], { cwd });
      pages.push(readFileSync(join(cwd, 'page.html'), 'utf8'));
    }
    expect(pages[0]).toBe(pages[1]);
  });

  it('reads lines of 5 MB', { timeout: 60_000 }, async () => {
    const big = (letter: string) => ({ command: `cat ${letter}`, output: letter.repeat(5_000_000) });
    const cwd = folderOf({ 'a.jsonl': piSession([big('a'), ...healthy(2), big('b'), big('c')]) });
    const { status, report } = await scan(['a.jsonl'], { cwd });
    expect({ status, calls: report.totals.calls, skipped: report.skipped }).toEqual({
      status: 0,
      calls: 5,
      skipped: [],
    });
  });
});

describe('what a scan looks for', () => {
  it('says where it looked and what to try next, on a machine without sessions', async () => {
    const HOME = newFolder();
    const { status, out, err } = await deloop(['scan'], { env: { HOME } });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^No agent has left a session on this machine\. These places were looked at:\n/);
    for (const place of ['.claude/projects', '.codex/sessions', '.gemini/tmp', '.pi/agent/sessions'])
      expect(out).toContain(join(HOME, place));
    const told = out.split('\n').filter((line) => line.startsWith('    '));
    expect(new Set(told).size, 'each place once').toBe(told.length);
    expect(out).toContain('deloop scan PATH');
    expect(out).toContain('deloop scan --examples');
    const { report } = await scan([], { env: { HOME } });
    expect(report).toMatchObject({ sessions: 0, skipped: [], loops: [], totals: { calls: 0, loops: 0 } });
  });

  it('says so of a folder without transcripts, too', async () => {
    const cwd = folderOf({ 'notes.md': '# Notes' });
    const { status, out } = await deloop(['scan', '.', '--since', '3d'], { cwd });
    expect(status).toBe(0);
    expect(out).toContain('There is no transcript in . since 3d.');
    expect(out).toContain('without --since');
  });

  it('scans recordings of its own where there are none, if it is asked to', async () => {
    const { status, report, err } = await scan(['--examples']);
    expect(status).toBe(0);
    expect(err).toContain('No agent has left a session on this machine');
    expect(report.sessions).toBe(3);
    expect(report.loops.length).toBeGreaterThan(0);
  });

  it('scans the sessions of the machine rather than those', async () => {
    const HOME = folderOf({ '.pi/agent/sessions/p/1.jsonl': piSession(healthy(3)) });
    const { report, err } = await scan(['--examples'], { env: { HOME } });
    expect({ err, sessions: report.sessions }).toEqual({ err: '', sessions: 1 });
  });

  it('counts a file once, however often it is named', async () => {
    const cwd = folderOf({ 'a/b.jsonl': piSession(healthy(3)) });
    const { report } = await scan(['.', 'a', 'a/b.jsonl', './a/../a/b.jsonl'], { cwd });
    expect(report.sessions).toBe(1);
  });
});

describe('the flags', () => {
  const SESSIONS = {
    'pi.jsonl': piSession(stuck(8), { cwd: '/home/kim/shop' }),
    'other.jsonl': piSession(healthy(8), { cwd: '/home/kim/shopping' }),
    'codex.jsonl': readFileSync(join(RECORDED, 'codex/identical.jsonl'), 'utf8'),
  };

  it('--html writes one page that needs nothing else', async () => {
    const cwd = folderOf(SESSIONS);
    const { status, out, err } = await deloop(['scan', '.', '--html', 'loops.html'], { cwd });
    expect(status).toBe(0);
    expect(err).toBe('deloop: the page is in loops.html\n');
    expect(out).toContain('2 loops in 2 of 3 sessions');
    const page = readFileSync(join(cwd, 'loops.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).not.toMatch(/<(?:script|link|iframe|object|embed|img|base)\b/i);
    const targets = Array.from(
      page.matchAll(/\b(?:src|href|action|poster|srcset)\s*=\s*["']?([^\s"'>]*)/gi),
      ([, to]) => to,
    );
    expect(targets.filter((to) => to?.startsWith('#') !== true)).toEqual([]);
    expect(/@import|url\((?!#)/i.test(page)).toBe(false);
    expect(page).toContain('ls src');
  });

  it('--html that cannot be written is wrong usage, but the report is not lost', async () => {
    const cwd = folderOf(SESSIONS);
    const { status, err, report } = await scan(['.', '--html', 'no/such/folder/page.html'], { cwd });
    expect({ status, sessions: report.sessions }).toEqual({ status: 2, sessions: 3 });
    expect(err).toBe('deloop: --html no/such/folder/page.html: it could not be written (ENOENT)\n');
  });

  it('--html and --json go together, and JSON stays alone', async () => {
    const cwd = folderOf(SESSIONS);
    const { report, err } = await scan(['.', '--html', 'loops.html'], { cwd });
    expect(report.sessions).toBe(3);
    expect(err).toBe('deloop: the page is in loops.html\n');
    expect(existsSync(join(cwd, 'loops.html'))).toBe(true);
  });

  it('--fail-on loop ends with 1 where there is a loop, and only there', async () => {
    const cwd = folderOf(SESSIONS);
    expect((await scan(['.', '--fail-on', 'loop'], { cwd })).status).toBe(1);
    expect((await scan(['other.jsonl', '--fail-on', 'loop'], { cwd })).status).toBe(0);
    expect((await scan(['.'], { cwd })).status).toBe(0);
  });

  it('--since leaves out what did not change since', async () => {
    const cwd = folderOf(SESSIONS);
    utimesSync(join(cwd, 'pi.jsonl'), new Date('2026-01-05T12:00:00'), new Date('2026-01-05T12:00:00'));
    const sessions = async (since: string) => (await scan(['.', '--since', since], { cwd })).report.sessions;
    expect(await sessions('1h')).toBe(2);
    expect(await sessions('2026-01-05')).toBe(3);
    expect(await sessions('2026-01-06')).toBe(2);
  });

  it('--agent takes sessions of one agent', async () => {
    const cwd = folderOf(SESSIONS);
    const { report } = await scan(['.', '--agent', 'codex'], { cwd });
    expect({ sessions: report.sessions, agents: report.loops.map(({ agent }) => agent) }).toEqual({
      sessions: 1,
      agents: ['codex'],
    });
  });

  it('--project takes sessions that worked in a folder or below it', async () => {
    const cwd = folderOf(SESSIONS);
    const files = async (project: string) =>
      (await scan(['.', '--project', project], { cwd })).report.sessions;
    expect(await files('/home/kim/shop')).toBe(1);
    expect(await files('/home/kim/')).toBe(2);
    expect(await files('/home/kim/sho')).toBe(0);
    expect(await files('/home')).toBe(3);
  });

  it('--prices puts prices of your own before the list', async () => {
    const cwd = folderOf({
      ...SESSIONS,
      'prices.txt': JSON.stringify({
        date: '2027-01-02',
        models: { 'claude-sonnet-4-5': { input: 1000, output: 0, cachedInput: 0 } },
      }),
    });
    const { report } = await scan(['.', '--prices', 'prices.txt'], { cwd });
    expect(report.pricesOf).toBe('2027-01-02');
    const wasted = new Map(report.loops.map(({ file, wasted: each }) => [file, each]));
    expect(wasted.get('pi.jsonl')?.usd).toBeCloseTo(6);
    expect(wasted.get('codex.jsonl')?.usd).toBeGreaterThan(0);
  });

  it('--preset and --config choose the guard', async () => {
    const cwd = folderOf({
      ...SESSIONS,
      'own.txt': '{"preset":"atomcode"}',
      'deloop.config.json': '{"preset":"koda"}',
    });
    const actedAt = async (...flags: readonly string[]) => {
      const { report } = await scan(['pi.jsonl', ...flags], { cwd });
      return `${report.preset} ${report.loops[0]?.action} ${report.loops[0]?.actedAt}`;
    };
    expect(await actedAt()).toBe('koda nudge 5');
    expect(await actedAt('--preset', 'recommended')).toBe('recommended nudge 3');
    expect(await actedAt('--config', 'own.txt')).toBe('atomcode block 3');
  });

  it.each([
    [['--fail-on', 'everything'], '--fail-on is "everything"; it must be loop'],
    [['--agent', 'nobody'], '--agent is "nobody"; it must be one of deloop, '],
    [['--since', 'once'], '--since is "once"; it must be a date such as 2026-11-01'],
    [['--redact', 'some'], '--redact is "some"; it must be one of all, outputs, none'],
    [['--preset', 'mine'], '--preset is "mine"; it must be one of '],
    [['--threads', '0'], '--threads is "0"; it must be a whole number from 1 to 256'],
    [['--threads', '257'], '--threads is "257"'],
    [['--threads', 'two'], '--threads is "two"'],
    [['--prices', 'nowhere.json'], 'nowhere.json'],
    [['--prices', 'broken.json'], 'broken.json'],
    [['--prices', 'wrong.json'], 'prices.models["m"].input is -1; it must be dollars for a million tokens'],
    [['--config', 'broken.json'], 'broken.json'],
    [['--no-such-flag'], "unknown option '--no-such-flag'"],
  ])('%j is wrong usage', async (flags, message) => {
    const cwd = folderOf({
      'a.jsonl': piSession(healthy(2)),
      'broken.json': '{',
      'wrong.json': '{"date":"2026-11-15","models":{"m":{"input":-1,"output":1}}}',
    });
    const { status, out, err } = await deloop(['scan', 'a.jsonl', ...flags], { cwd });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
  });
});

describe('--redact', () => {
  const SECRET = 'hunter22hunter22';
  const step = {
    command: `curl -H "Authorization: Bearer ${SECRET}" https://example.com`,
    output: `the page says ${SECRET}`,
  };
  const files = { 'a.jsonl': piSession(stuck(8, step)) };

  async function shown(...flags: readonly string[]) {
    const cwd = folderOf(files);
    const { out, report } = await scan(['a.jsonl', '--html', 'page.html', ...flags], { cwd });
    return { out, report, page: readFileSync(join(cwd, 'page.html'), 'utf8') };
  }

  it('hides secrets and results, unless it is told otherwise', async () => {
    const { out, page, report } = await shown();
    expect(report.loops[0]?.example).toBe('curl -H "Authorization: Bearer ***" https://example.com');
    for (const text of [out, page]) {
      expect(text).toContain('***');
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('the page says');
    }
    expect(await shown('--redact', 'outputs')).toMatchObject({ out, page });
  });

  it('all shows the names of tools alone', async () => {
    const { out, page, report } = await shown('--redact', 'all');
    expect(report.loops[0]).toMatchObject({ tool: 'bash', example: '' });
    for (const text of [out, page]) {
      expect(text).toContain('bash');
      expect(text).not.toContain('curl');
      expect(text).not.toContain('the page says');
    }
  });

  it('none shows everything', async () => {
    const { page, report } = await shown('--redact', 'none');
    expect(report.loops[0]?.example).toBe(step.command);
    expect(page).toContain(`the page says ${SECRET}`);
  });
});

describe('what cannot be read', () => {
  const WHOLE = piSession([...healthy(3), ...stuck(6)]);
  const lines = WHOLE.trimEnd().split('\n');
  const skippedOf = ({ report }: { readonly report: Report }) =>
    report.skipped.map(({ file, why }) => `${file}: ${why}`);

  it('a last line that is being written is no problem, and all else counts', async () => {
    const cwd = folderOf({ 'a.jsonl': WHOLE.slice(0, -40), 'b.jsonl': piSession(healthy(2)) });
    const run = await scan(['.'], { cwd });
    expect(run.status).toBe(0);
    expect(run.err).toBe('');
    expect(skippedOf(run)).toEqual([]);
    expect(run.report).toMatchObject({ sessions: 2, totals: { calls: 9 + 2, loops: 1 } });
  });

  it('a broken line in the middle is told of, and all else counts', async () => {
    const cwd = folderOf({ 'a.jsonl': `${lines.with(3, '{"type":"message","id":').join('\n')}\n` });
    const run = await scan(['.'], { cwd });
    expect(run.status).toBe(3);
    expect(skippedOf(run)).toEqual([
      'a.jsonl: 1 part could not be read (line 4: not JSON); the rest was scanned',
    ]);
    expect(run.report).toMatchObject({ sessions: 1, totals: { calls: 9, loops: 1 } });
  });

  it('so are many broken lines', async () => {
    const cwd = folderOf({ 'a.jsonl': `${lines.flatMap((line) => [line, 'nope']).join('\n')}\n` });
    const run = await scan(['a.jsonl'], { cwd });
    expect(run.status).toBe(3);
    expect(skippedOf(run)).toEqual([
      `a.jsonl: ${lines.length} parts could not be read (line 2: not JSON); the rest was scanned`,
    ]);
  });

  it('a loop is worth more than a broken line to --fail-on', async () => {
    const cwd = folderOf({ 'a.jsonl': `${lines.with(3, 'nope').join('\n')}\n` });
    expect((await scan(['.', '--fail-on', 'loop'], { cwd })).status).toBe(1);
  });

  it('an empty file in a folder is left out; one that is named should not be empty', async () => {
    const cwd = folderOf({ 'empty.jsonl': '', 'blank.jsonl': '\n\n', 'a.jsonl': WHOLE });
    const run = await scan(['.'], { cwd });
    expect({ status: run.status, sessions: run.report.sessions }).toEqual({ status: 0, sessions: 1 });
    expect(skippedOf(run)).toEqual([`blank.jsonl: ${NEVER_CALLED}`, 'empty.jsonl: the file is empty']);
    expect((await scan(['empty.jsonl'], { cwd })).status).toBe(3);
  });

  it('files of other kinds in a folder are left out', async () => {
    const cwd = folderOf({
      'package.json': '{"name":"x","version":"1.0.0"}',
      'data.jsonl': '{"x":1}\n{"x":2}\n',
      'list.json': '[1,2,3]',
      'text.jsonl': 'plain words\nand more\n',
      'notes.md': 'never looked at',
      'a.jsonl': WHOLE,
    });
    writeFileSync(join(cwd, 'image.json'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff, 0x0a]));
    const run = await scan(['.'], { cwd });
    expect({ status: run.status, sessions: run.report.sessions }).toEqual({ status: 0, sessions: 1 });
    expect(skippedOf(run)).toEqual(
      ['data.jsonl', 'image.json', 'list.json', 'package.json', 'text.jsonl'].map(
        (name) => `${name}: ${NEVER_CALLED}`,
      ),
    );
  });

  it('a file that is named must be a transcript', async () => {
    const cwd = folderOf({ 'data.jsonl': '{"x":1}\n', 'a.jsonl': WHOLE });
    const run = await scan(['data.jsonl', 'a.jsonl'], { cwd });
    expect({ status: run.status, sessions: run.report.sessions }).toEqual({ status: 3, sessions: 1 });
    expect(skippedOf(run)).toEqual([`data.jsonl: ${NEVER_CALLED}`]);
  });

  it('a session of a version that nobody knows yet is left out', async () => {
    const newer = `${JSON.stringify({ v: 9, kind: 'header', sid: 'x' })}\n${JSON.stringify({ v: 9, kind: 'step', tool: 'bash' })}\n`;
    const HOME = folderOf({
      '.codex/sessions/new.jsonl': newer,
      '.codex/sessions/old.jsonl': SESSION_OF_CODEX,
    });
    const run = await scan([], { env: { HOME } });
    expect({ status: run.status, sessions: run.report.sessions }).toEqual({ status: 0, sessions: 1 });
    expect(skippedOf(run)).toEqual([`${join(HOME, '.codex/sessions/new.jsonl')}: ${NEVER_CALLED}`]);
  });

  it('what is not there is told, and all else counts', async () => {
    const cwd = folderOf({ 'a.jsonl': WHOLE });
    symlinkSync(join(cwd, 'gone'), join(cwd, 'link.jsonl'));
    const run = await scan(['nowhere.jsonl', 'link.jsonl', 'a.jsonl'], { cwd });
    expect(run.status).toBe(3);
    expect(skippedOf(run)).toEqual([
      'nowhere.jsonl: there is no such file',
      'link.jsonl: there is no such file',
    ]);
    expect(run.report.sessions).toBe(1);
  });

  it('links that go round in circles, or nowhere, stop nobody', async () => {
    const cwd = folderOf({ 'a/a.jsonl': WHOLE, 'b.jsonl/inside.jsonl': piSession(healthy(2)) });
    symlinkSync(cwd, join(cwd, 'a/up'));
    symlinkSync('self', join(cwd, 'self'));
    symlinkSync('self.jsonl', join(cwd, 'self.jsonl'));
    symlinkSync(join(cwd, 'gone'), join(cwd, 'gone.jsonl'));
    const run = await scan(['.'], { cwd });
    expect({ status: run.status, err: run.err, sessions: run.report.sessions }).toEqual({
      status: 0,
      err: '',
      sessions: 2,
    });
  });

  // Root may read what nobody may; only the kernel refuses it.
  it.skipIf(!existsSync('/proc/self/mem'))(
    'a file that cannot be read is told of, and all else counts',
    async () => {
      const cwd = folderOf({ 'a.jsonl': WHOLE });
      symlinkSync('/proc/self/mem', join(cwd, 'broken.jsonl'));
      const run = await scan(['.'], { cwd });
      expect({ status: run.status, sessions: run.report.sessions }).toEqual({ status: 3, sessions: 1 });
      expect(skippedOf(run)).toEqual([expect.stringMatching(/^broken\.jsonl: it could not be read \(EIO/)]);
    },
  );

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'so is one that may not be read',
    async () => {
      const cwd = folderOf({ 'a.jsonl': WHOLE, 'closed.jsonl': WHOLE, 'folder/b.jsonl': WHOLE });
      chmodSync(join(cwd, 'closed.jsonl'), 0);
      chmodSync(join(cwd, 'folder'), 0);
      const run = await scan(['.'], { cwd });
      chmodSync(join(cwd, 'folder'), 0o755);
      expect({ status: run.status, sessions: run.report.sessions }).toEqual({ status: 3, sessions: 1 });
      expect(skippedOf(run)).toEqual(['closed.jsonl: no permission to read it']);
      expect(run.err).toBe('deloop: folder: no permission to read it\n');
    },
  );

  it('a document that breaks off is told of, and what it had counts', async () => {
    const text = readFileSync(join(RECORDED, 'opencode/identical.json'), 'utf8');
    const cwd = folderOf({ 'a.json': text.slice(0, Math.floor(text.length * 0.7)) });
    const run = await scan(['.'], { cwd });
    expect(run.status).toBe(3);
    expect(skippedOf(run)).toEqual([
      expect.stringMatching(/the document is not finished\); the rest was scanned$/),
    ]);
    expect(run.report.totals.calls).toBeGreaterThan(5);
  });
});
const SESSION_OF_CODEX = readFileSync(join(RECORDED, 'codex/varied.jsonl'), 'utf8');

describe('stores', () => {
  it('the folder that opencode kept', async () => {
    const exported = JSON.parse(readFileSync(join(RECORDED, 'opencode/identical.json'), 'utf8')) as {
      readonly info: { readonly id: string };
      readonly messages: readonly {
        readonly info: { readonly id: string };
        readonly parts: readonly { readonly id: string }[];
      }[];
    };
    const { id } = exported.info;
    const storage = '.local/share/opencode/storage';
    const HOME = folderOf({
      [`${storage}/session/project/${id}.json`]: JSON.stringify(exported.info),
      ...Object.fromEntries(
        exported.messages.flatMap(({ info, parts }) => [
          [`${storage}/message/${id}/${info.id}.json`, JSON.stringify(info)],
          ...parts.map((part) => [`${storage}/part/${info.id}/${part.id}.json`, JSON.stringify(part)]),
        ]),
      ),
    });
    const whole = (await scan([join(RECORDED, 'opencode/identical.json')])).report;
    for (const args of [[], [join(HOME, storage)], [join(HOME, '.local')]]) {
      const { status, report } = await scan(args, { env: { HOME } });
      expect({ status, sessions: report.sessions, skipped: report.skipped }).toEqual({
        status: 0,
        sessions: 1,
        skipped: [],
      });
      expect(report.totals).toEqual(whole.totals);
      expect(report.loops).toEqual(
        whole.loops.map((loop) => ({ ...loop, file: `${join(HOME, storage)}#${id}` })),
      );
    }
  });

  it('the conversations of OpenHands', async () => {
    const events = Array.from({ length: 8 }, (_, index) => [
      {
        kind: 'ActionEvent',
        id: `a${index}`,
        source: 'agent',
        timestamp: '2026-11-14T09:00:00',
        tool_name: 'terminal',
        tool_call_id: `c${index}`,
        tool_call: { id: `c${index}`, name: 'terminal', arguments: '{"command":"make"}' },
        llm_response_id: `r${index}`,
        thought: [],
      },
      {
        kind: 'ObservationEvent',
        id: `o${index}`,
        source: 'environment',
        timestamp: '2026-11-14T09:00:01',
        tool_name: 'terminal',
        tool_call_id: `c${index}`,
        observation: { content: [{ type: 'text', text: 'nothing to be done' }], exit_code: 0 },
      },
    ]).flat();
    const conversation = '.openhands/conversations/0123abcd';
    const HOME = folderOf({
      [`${conversation}/base_state.json`]: JSON.stringify({ id: '0123abcd' }),
      ...Object.fromEntries(
        events.map((event, index) => [
          `${conversation}/events/event-${String(index).padStart(5, '0')}-${event.id}.json`,
          JSON.stringify(event),
        ]),
      ),
    });
    for (const args of [[], [join(HOME, conversation)], [HOME]]) {
      const { status, report } = await scan(args, { env: { HOME } });
      expect({ status, sessions: report.sessions, skipped: report.skipped }).toEqual({
        status: 0,
        sessions: 1,
        skipped: [],
      });
      expect(report.loops).toMatchObject([
        { agent: 'openhands', tool: 'terminal', firstCall: 1, lastCall: 8 },
      ]);
      expect(report.loops[0]?.file).toBe(join(HOME, conversation));
    }
    appendFileSync(join(HOME, conversation, 'events/event-00004-a2.json'), 'broken');
    const { status, report } = await scan([], { env: { HOME } });
    expect(status).toBe(3);
    expect(report.totals.calls).toBe(7);
  });
});

it('names its formats in --help of --agent, and only those', async () => {
  const { err } = await deloop(['scan', '--agent', 'nobody']);
  expect(err.match(/one of (.*)\n$/)?.[1]?.split(', ')).toEqual(FORMATS.map(({ name }) => name));
});
