import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReplayDecision } from '../../src/cli/replay/simulation.ts';
import { createLoopNews } from '../../src/cli/watch/loop-news.ts';
import { deloop, jsonLines, MAIN, newFolder, toLines } from './run-cli.ts';
import { done } from './traces.ts';

const SESSIONS = fileURLToPath(new URL('../../examples/sessions/', import.meta.url));
const PI = readFileSync(join(SESSIONS, 'pi/stuck.jsonl'), 'utf8').trimEnd().split('\n');
/** So many lines of it, and it would have been nudged, or blocked and not yet stopped. */
const [NUDGED, BLOCKED] = [14, 18];
const OPENCODE = readFileSync(
  new URL('../transcripts/fixtures/recorded/opencode/identical.json', import.meta.url),
  'utf8',
);

type Line = { readonly [field: string]: unknown };
type Watching = {
  readonly home: string;
  /** The next line, as soon as there is one. */
  next(): Promise<Line>;
  /** Ctrl-C, and everything that was printed after the lines that were asked for. */
  end(): Promise<{ readonly status: number | null; readonly rest: readonly Line[]; readonly err: string }>;
};
const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Runs `deloop watch --json`, and waits until it has looked for the first time. */
async function watch(home: string, flags: readonly string[] = [], path = ''): Promise<Watching> {
  const env = { PATH: `${path}${process.env['PATH']}`, HOME: home, USERPROFILE: home, APPDATA: home };
  const child = spawn(process.execPath, [MAIN, 'watch', '--json', '--poll', '10', ...flags], {
    cwd: home,
    env,
  });
  children.push(child);
  let waiting: (() => void) | null = null;
  let out = '';
  let err = '';
  const lines: Line[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    const end = out.lastIndexOf('\n') + 1;
    lines.push(...jsonLines(out.slice(0, end)));
    out = out.slice(end);
    waiting?.();
  });
  await new Promise<void>((done) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (err.includes('Ctrl-C ends it')) done();
    });
  });
  return {
    home,
    async next() {
      while (lines.length === 0)
        await new Promise<void>((done) => {
          waiting = done;
        });
      return lines.shift() as Line;
    },
    async end() {
      child.kill('SIGINT');
      const status = await new Promise<number | null>((done) => child.on('close', done));
      return { status, rest: lines, err };
    },
  };
}

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const lines = (from: number, to: number) =>
  PI.slice(from, to)
    .map((line) => `${line}\n`)
    .join('');
/** A session that goes round in circles, so many calls long. */
const circles = (calls: number, from = 0) =>
  toLines(
    Array.from({ length: calls }, (_, index) =>
      done(`c${from + index}`, 'read', { path: 'a' }, 'the same text'),
    ).flat(),
  );

describe('deloop watch', { timeout: 30_000 }, () => {
  it('tells when a session begins to loop, and when it gets worse, as it is written', async () => {
    const home = newFolder();
    const file = write(join(home, '.pi/agent/sessions/a.jsonl'), lines(0, 8));
    const watching = await watch(home);
    for (const line of PI.slice(8)) appendFileSync(file, `${line}\n`);
    expect(await watching.next()).toMatchObject({
      type: 'loop',
      file,
      agent: 'pi',
      project: '/home/dev/project',
      call: 4,
      tool: 'bash',
      label: 'node check.js',
      action: 'nudge',
      detector: 'no-progress',
    });
    expect(await watching.next()).toMatchObject({ type: 'escalation', action: 'block' });
    expect(await watching.next()).toMatchObject({ type: 'escalation', action: 'ask' });
    const { status, rest } = await watching.end();
    expect([status, rest]).toEqual([0, [{ type: 'summary', sessions: 1, looped: 1 }]]);
  });

  it('keeps quiet about what was there before, and knows it', async () => {
    const home = newFolder();
    const file = write(join(home, '.pi/agent/sessions/a.jsonl'), lines(0, BLOCKED));
    const watching = await watch(home);
    appendFileSync(file, lines(BLOCKED, PI.length));
    expect(await watching.next()).toMatchObject({ type: 'escalation', action: 'ask' });
    expect((await watching.end()).rest).toMatchObject([{ type: 'summary' }]);
  });

  it('finds sessions that begin later, in folders that were not there', async () => {
    const home = newFolder();
    const watching = await watch(home);
    write(join(home, '.pi/agent/sessions/deep/new.jsonl'), lines(0, PI.length));
    expect(await watching.next()).toMatchObject({ type: 'loop', action: 'nudge', agent: 'pi' });
    await watching.end();
  });

  it('goes on with an old session that is taken up again, without its past', async () => {
    const home = newFolder();
    const file = write(join(home, '.pi/agent/sessions/old.jsonl'), lines(0, BLOCKED - 1));
    utimesSync(file, 1_000_000, 1_000_000);
    const watching = await watch(home);
    appendFileSync(file, lines(BLOCKED - 1, BLOCKED));
    // News of another session shows that it had the time to look at the first: names come in their order.
    const other = write(join(home, '.pi/agent/sessions/other.jsonl'), lines(0, NUDGED));
    expect(await watching.next()).toMatchObject({ file: other, type: 'loop' });
    appendFileSync(file, lines(BLOCKED, PI.length));
    expect(await watching.next()).toMatchObject({ file, type: 'escalation', action: 'ask' });
    await watching.end();
  });

  it('starts anew when a file is truncated or replaced, and tells nothing twice', async () => {
    const home = newFolder();
    const file = write(join(home, 'runs/a.jsonl'), '');
    const watching = await watch(home, ['runs']);
    appendFileSync(file, circles(3));
    expect(await watching.next()).toMatchObject({ type: 'loop', call: 3 });
    truncateSync(file, 0);
    appendFileSync(file, circles(3));
    const other = `${JSON.stringify({ type: 'session', session: 'other' })}\n`;
    renameSync(write(join(home, 'b.tmp'), `${other}${circles(5)}`), file);
    expect(await watching.next()).toMatchObject({ type: 'loop', call: 3, session: 'other' });
    expect(await watching.next()).toMatchObject({
      type: 'escalation',
      action: 'block',
      call: 5,
      session: 'other',
    });
    rmSync(file);
    write(file, `${JSON.stringify({ type: 'session', session: 'third' })}\n${circles(3)}`);
    expect(await watching.next()).toMatchObject({ type: 'loop', session: 'third' });
    await watching.end();
  });

  it('follows sessions that are written anew each time', async () => {
    const home = newFolder();
    const document = JSON.parse(OPENCODE) as {
      readonly info: unknown;
      readonly messages: readonly unknown[];
    };
    const upTo = (messages: number) =>
      JSON.stringify({ ...document, messages: document.messages.slice(0, messages) });
    const file = write(join(home, 'runs/a.json'), upTo(2));
    const watching = await watch(home, ['runs']);
    renameSync(write(join(home, 'b.tmp'), upTo(5)), file);
    expect(await watching.next()).toMatchObject({ type: 'loop', agent: 'opencode', call: 3 });
    renameSync(write(join(home, 'c.tmp'), OPENCODE), file);
    expect(await watching.next()).toMatchObject({ type: 'escalation', action: 'block' });
    await watching.end();
  });

  it('waits for the rest of a line, and takes a response that is not followed by another', async () => {
    const home = newFolder();
    const file = write(join(home, 'runs/a.jsonl'), '');
    const watching = await watch(home, ['runs']);
    const text = circles(3);
    appendFileSync(file, text.slice(0, 100));
    appendFileSync(file, text.slice(100, -20));
    appendFileSync(file, text.slice(-20));
    expect(await watching.next()).toMatchObject({ type: 'loop', call: 3 });
    await watching.end();
  });

  it('follows one agent alone, and takes another guard', async () => {
    const home = newFolder();
    const watching = await watch(home, ['--agent', 'pi', '--preset', 'atomcode']);
    write(join(home, '.codex/sessions/a.jsonl'), readFileSync(join(SESSIONS, 'codex/stuck.jsonl'), 'utf8'));
    write(join(home, '.pi/agent/sessions/a.jsonl'), lines(0, PI.length));
    expect(await watching.next()).toMatchObject({ agent: 'pi', action: 'block', detector: 'outcome-repeat' });
    expect((await watching.end()).rest.some(({ agent }) => agent === 'codex')).toBe(false);
  });

  it('says that databases are not followed', async () => {
    const home = newFolder();
    write(join(home, '.local/share/opencode/opencode.db'), '');
    const { err } = await (await watch(home)).end();
    expect(err).toContain('opencode: sessions in a database are not followed; deloop scan reads them');
  });

  it.runIf(process.platform === 'linux')('notifies without a shell', async () => {
    const home = newFolder();
    const bin = join(home, 'bin');
    const told = join(home, 'told.txt');
    const script = write(
      join(bin, 'notify-send'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${told}.new'\nmv '${told}.new' '${told}'\n`,
    );
    chmodSync(script, 0o755);
    const watching = await watch(home, ['runs', '--notify'], `${bin}:`);
    const evil = '$(touch evil); <b>`x`';
    const calls = Array.from({ length: 3 }, (_, index) =>
      done(`c${index}`, 'bash', { command: evil }, 'the same text'),
    );
    write(join(home, 'runs/a.jsonl'), toLines(calls.flat()));
    expect(await watching.next()).toMatchObject({ label: evil });
    let text = '';
    while (text === '') {
      await new Promise(setImmediate);
      try {
        text = readFileSync(told, 'utf8');
      } catch {}
    }
    expect(text.split('\n').slice(0, 3)).toEqual(['--app-name=deloop', '--', 'deloop loops in a.jsonl']);
    expect(text).toContain('$(touch evil); &lt;b&gt;`x`');
    await watching.end();
  });

  it('prints lines for people', async () => {
    const home = newFolder();
    const env = { PATH: process.env['PATH'], HOME: home };
    const child = spawn(process.execPath, [MAIN, 'watch', 'runs', '--poll', '10'], { cwd: home, env });
    children.push(child);
    await new Promise((done) => child.stderr.once('data', done));
    write(join(home, 'runs/a.jsonl'), circles(3));
    const line = String(await new Promise((done) => child.stdout.once('data', done)));
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d deloop {2}a\.jsonl loops: read (?:path=)?a; nudge at call 3 \(no-progress, 3\): /,
    );
    child.kill('SIGTERM');
    const rest = String(await new Promise((done) => child.stdout.once('data', done)));
    expect(rest).toMatch(/^1 session written to in \d+ s; 1 went round in circles\.\n$/);
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
  });

  it.each([
    [['--poll', '0'], '--poll is "0"; it must be a whole number of milliseconds from 10 to 600000'],
    [['--agent', 'bond'], '--agent is "bond"; it must be one of claude-code, '],
    [['--preset', 'kodda'], '--preset is "kodda"; it must be one of koda, '],
  ])('answers wrong usage %j with one line and exit status 2', async (flags, message) => {
    const { status, out, err } = await deloop(['watch', ...flags]);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
  });
});

describe('news of a session', () => {
  const decided = (call: number, action: ReplayDecision['action']) => ({ call, action }) as ReplayDecision;

  it('is the first word on a loop, and each stronger one', () => {
    const isNews = createLoopNews();
    expect(isNews(decided(3, 'nudge'))).toBe('loop');
    expect(isNews(decided(4, 'nudge'))).toBeNull();
    expect(isNews(decided(5, 'block'))).toBe('escalation');
    expect(isNews(decided(6, 'nudge'))).toBeNull();
    expect(isNews(decided(7, 'block'))).toBeNull();
    expect(isNews(decided(8, 'halt'))).toBe('escalation');
  });

  it('begins anew after 24 calls in peace', () => {
    const isNews = createLoopNews();
    expect(isNews(decided(3, 'block'))).toBe('loop');
    expect(isNews(decided(27, 'nudge'))).toBeNull();
    expect(isNews(decided(52, 'nudge'))).toBe('loop');
  });
});
