import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from '../hooks/play.ts';
import { deloop, type Finished, MAIN, newFolder } from './run-cli.ts';

const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));

type Loop = {
  readonly session?: string;
  readonly calls?: number;
  readonly transcript?: string;
  readonly command?: string;
};

/** Identical calls of Claude Code, and what each was answered before it, or after it. */
function loop(
  session: Session,
  { session: id = 'abc-1', calls = 7, transcript, command = 'ls' }: Loop = {},
): readonly string[] {
  return Array.from({ length: calls }, (_, n) => {
    const common = {
      session_id: id,
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: `${id}-${command}-${n}-${Math.random()}`,
      ...(transcript === undefined ? {} : { transcript_path: transcript }),
    };
    const before = word(session.send({ ...common, hook_event_name: 'PreToolUse' }));
    if (before !== '-') return before;
    return word(
      session.send({ ...common, hook_event_name: 'PostToolUse', tool_response: { stdout: 'a', stderr: '' } }),
    );
  });
}

function cli(session: Session, ...args: readonly string[]): Promise<Finished> {
  return deloop(args, { env: { DELOOP_STATE_DIR: join(session.folder, 'state') } });
}

const ALONE = { env: { DELOOP_ATTENDED: 'false' } };

describe('deloop log', { timeout: 60_000 }, () => {
  it('shows what the guard did, by session', async () => {
    const session = newSession('claude-code', ALONE);
    expect(loop(session)).toEqual(['-', '-', 'tell', '-', 'deny', 'deny', 'halt']);
    loop(session, { session: 'xyz-2', calls: 3 });
    const { status, out, err } = await cli(session, 'log');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(
      /claude-code xyz-2 .*\n {2}call {3}3 {2}nudge {2}no-progress .*\n {2}the model was told/,
    );
    expect(out).toMatch(
      /claude-code abc-1 .* UTC\n(?: {2}call .*\n){4,5} {2}3 calls not run; the run was to end\n/,
    );
    expect(out).toContain('2 sessions, 3 calls not run.\n');
    // Nothing of what the agent did is told: digests, not payloads.
    expect(readFileSync(join(session.folder, 'state', 'log', '2026-11-15.jsonl'), 'utf8')).not.toContain(
      '"ls"',
    );
    expect((await cli(session, 'log', '--session', 'xyz')).out).not.toContain('abc-1');
    expect((await cli(session, 'log', '--agent', 'codex')).out).toBe(
      'The guard has not had to say anything.\n',
    );
    expect((await cli(session, 'log', '--since', '2026-11-16')).out).toBe(
      'The guard has not had to say anything.\n',
    );
  });

  it('shows the last twenty sessions', async () => {
    const session = newSession('claude-code', ALONE);
    for (let n = 1; n <= 21; n++) loop(session, { session: `s${n}`, calls: 3 });
    const { out } = await cli(session, 'log');
    expect(out).toContain('... and 1 older session: --session shows one, --json all\n');
    expect(out).not.toContain('claude-code s1 ');
    expect(out).toContain('claude-code s2 ');
  });

  it('is JSON for machines', async () => {
    const session = newSession('claude-code', ALONE);
    loop(session);
    const { out } = await cli(session, 'log', '--json');
    const report = JSON.parse(out);
    expect(report).toMatchObject({
      sessions: [
        {
          host: 'claude-code',
          session: 'abc-1',
          refused: 3,
          spared: 0,
          halted: true,
          savings: { response: null, shadow: null },
        },
      ],
      totals: { sessions: 1, refused: 3, spared: 0, halted: 1 },
      problems: [],
    });
    expect(report.sessions[0].answers[0]).toMatchObject({
      type: 'decision',
      call: 3,
      action: 'nudge',
      did: 'nudge',
    });
  });

  it.each([
    ['halt', 6, 0],
    ['halt', 7, 1],
    ['block', 4, 0],
    ['block', 5, 1],
  ])('--fail-on %s after %i calls ends with %i', async (action, calls, expected) => {
    const session = newSession('claude-code', ALONE);
    loop(session, { calls });
    expect((await cli(session, 'log', '--fail-on', action)).status).toBe(expected);
  });

  it('does not count what was done in shadow, and tells what it would have saved', async () => {
    const session = newSession('claude-code', { shadow: true });
    const at = (n: number) => new Date(Date.parse('2026-11-15T12:00:00Z') + n * 6000).toISOString();
    const transcript = session.write('t.jsonl', '');
    loop(session, { calls: 7, transcript });
    const lines = Array.from({ length: 7 }, (_, n) => [
      {
        type: 'assistant',
        uuid: `u${n}`,
        isSidechain: false,
        sessionId: 'abc-1',
        timestamp: at(n + 0.4),
        message: {
          id: `m${n}`,
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command: 'ls' } }],
          usage: { input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 10_000 },
        },
      },
    ]).flat();
    session.write('t.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { status, out } = await cli(session, 'log', '--fail-on', 'nudge');
    expect(status).toBe(0);
    expect(out).toMatch(/call {3}5 {2}block {2}no-progress {6}\(shadow\) Not run/);
    // Two responses followed where it would first have refused one: 22,200 tokens.
    expect(out).toMatch(/in shadow: 3 calls would not have run \(22\.2k tokens, \$0\.0\d+\)/);
  });

  it('tells what could not be judged, and passes over what is damaged', async () => {
    const session = newSession('claude-code');
    session.send('{{{');
    const file = join(session.folder, 'state', 'log', '2026-11-15.jsonl');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}{"type":"decision","at":"now"}\nnot json\n{"__proto__":{}}\n`,
    );
    const { status, out, err } = await cli(session, 'log');
    expect(status).toBe(0);
    expect(out).toBe('The guard has not had to say anything.\n');
    expect(err).toMatch(/could not be judged.*\n.*claude-code: the payload is not JSON\n/);
    expect(err).toContain('3 lines of the log could not be read');
  });

  it.each([
    [['--since', 'whenever'], 'deloop: --since is "whenever"'],
    [['--fail-on', 'loop'], "'loop' is invalid"],
  ])('%j is wrong usage', async (args, message) => {
    const { status, err } = await deloop(['log', ...args]);
    expect(status).toBe(2);
    expect(err).toContain(message);
  });

  it('is kept for thirty days', () => {
    const session = newSession('claude-code');
    loop(session, { calls: 3 });
    const folder = join(session.folder, 'state', 'log');
    for (const day of ['2026-10-10', '2026-11-01']) writeFileSync(join(folder, `${day}.jsonl`), '');
    // The next day begins.
    session.send('{{{', 86_400_000);
    expect(readdirSync(folder)).toEqual(['2026-11-01.jsonl', '2026-11-15.jsonl', '2026-11-16.jsonl']);
  });
});

describe('deloop pause and resume', { timeout: 60_000 }, () => {
  it('lets everything pass at once, and begins anew afterwards', async () => {
    const session = newSession('claude-code', ALONE);
    loop(session, { calls: 7 });
    expect(await cli(session, 'pause')).toMatchObject({
      status: 0,
      out: 'The guard stands aside in every session, until deloop resume.\n',
    });
    expect(loop(session, { calls: 8 })).toEqual(Array(8).fill('-'));
    expect(await cli(session, 'resume')).toMatchObject({
      status: 0,
      out: 'The guard is back in every session.\n',
    });
    expect(loop(session, { calls: 5 })).toEqual(['-', '-', 'tell', '-', 'deny']);
    expect(await cli(session, 'resume')).toMatchObject({ status: 2, err: 'deloop: nothing is paused\n' });
  });

  it('works on one session', async () => {
    const session = newSession('claude-code', ALONE);
    loop(session, { calls: 4 });
    loop(session, { calls: 4, session: 'xyz-2' });
    expect((await cli(session, 'pause', '--session', 'xyz')).out).toContain('in claude-code-xyz-2');
    expect(loop(session, { calls: 2, session: 'xyz-2' })).toEqual(['-', '-']);
    expect(loop(session, { calls: 1 })).toEqual(['deny']);
    expect((await cli(session, 'resume', '--session', 'nobody')).status).toBe(2);
    expect((await cli(session, 'resume', '--session', 'xyz')).status).toBe(0);
    expect(loop(session, { calls: 3, session: 'xyz-2' })).toEqual(['-', '-', 'tell']);
  });

  it('ends by itself after a time', async () => {
    const session = newSession('claude-code');
    expect((await cli(session, 'pause', '--for', '30m')).out).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    const file = join(session.folder, 'state', 'paused.json');
    const [pause] = JSON.parse(readFileSync(file, 'utf8'));
    expect(pause.until - pause.since).toBe(1_800_000);
    writeFileSync(file, JSON.stringify([{ ...pause, until: Date.parse('2026-11-15T12:00:00Z') }]));
    expect(loop(session, { calls: 3 })).toEqual(['-', '-', 'tell']);
    expect((await cli(session, 'pause', '--for', 'ever')).err).toContain('--for is "ever"');
  });

  it('a damaged file pauses nothing', () => {
    const session = newSession('claude-code');
    loop(session, { calls: 1 });
    for (const text of ['{', '[{}]', '[{"session":7,"since":1,"until":null}]', 'null'])
      writeFileSync(join(session.folder, 'state', 'paused.json'), text);
    expect(loop(session, { calls: 2 })).toEqual(['-', 'tell']);
  });

  it('names sessions when it does not know which', async () => {
    const session = newSession('claude-code');
    loop(session, { calls: 1 });
    loop(session, { calls: 1, session: 'abc-2' });
    expect((await cli(session, 'pause', '--session', 'abc')).err).toMatch(
      /the beginning of 2: abc-\d, abc-\d/,
    );
    expect((await cli(session, 'pause', '--session', 'zzz')).err).toMatch(/the last ones are abc-\d, abc-\d/);
  });
});

describe('deloop allow', { timeout: 60_000 }, () => {
  it('lets one call run, whatever the guard finds in it, and no other', async () => {
    const session = newSession('claude-code', ALONE);
    loop(session);
    const { status, out } = await cli(session, 'allow', '7');
    expect({ status, out }).toEqual({ status: 0, out: 'Call 7 of claude-code-abc-1 may run from now on.\n' });
    expect(loop(session, { calls: 8 }).filter((answer) => answer !== '-' && answer !== 'tell')).toEqual([]);
    expect(loop(session, { calls: 5, command: 'pwd' })[4]).toBe('deny');
  });

  it('takes the last one, and says which there are', async () => {
    const session = newSession('claude-code', ALONE);
    expect((await cli(session, 'allow', 'last')).err).toBe('deloop: no call was refused in any session\n');
    loop(session, { calls: 5 });
    expect((await cli(session, 'allow', '3')).err).toBe('deloop: call is "3"; in abc-1 refused were 5\n');
    expect((await cli(session, 'allow', 'last', '--session', 'abc')).status).toBe(0);
    expect(loop(session, { calls: 1 })).toEqual(['-']);
  });
});

describe('deloop purge', { timeout: 60_000 }, () => {
  it('removes states, logs and pauses, and what is needed to undo an install stays', async () => {
    const session = newSession('claude-code');
    loop(session, { calls: 3 });
    await cli(session, 'pause');
    loop(session, { calls: 1, session: 'other' });
    await cli(session, 'resume');
    loop(session, { calls: 1, session: 'other' });
    session.write('state/installs/a.json', '{}');
    session.write('state/code/main-x', 'code');
    const dry = await cli(session, 'purge', '--dry-run');
    expect(dry.out).toMatch(/^1 state would be removed\n1 log would be removed\n1 compiled file would/);
    const { status, out } = await cli(session, 'purge');
    expect(status).toBe(0);
    expect(out).toMatch(/^1 state removed\n1 log removed\n1 compiled file removed\n0 pauses removed\n/);
    const state = join(session.folder, 'state');
    expect(existsSync(join(state, 'installs', 'a.json'))).toBe(true);
    expect(readdirSync(join(state, 'sessions'))).toEqual([]);
  });

  it('leaves what is newer', async () => {
    const session = newSession('claude-code');
    loop(session, { calls: 1 });
    loop(session, { calls: 1, session: 'old' });
    const old = new Date(Date.now() - 10 * 86_400_000);
    utimesSync(join(session.folder, 'state', 'sessions', 'claude-code-old.json'), old, old);
    await cli(session, 'purge', '--before', '7d');
    expect(readdirSync(join(session.folder, 'state', 'sessions'))).toEqual(['claude-code-abc-1.json']);
  });
});

describe('deloop run', { timeout: 60_000 }, () => {
  /** An agent that makes identical calls, asks its hook before and after each, and ends as it is told to. */
  const AGENT = `
    const { spawnSync } = require('node:child_process');
    const [calls, end] = process.argv.slice(2);
    const hook = (payload) => spawnSync(process.execPath, [${JSON.stringify(HOOK)}, 'claude-code'], { input: JSON.stringify(payload) }).stdout.toString();
    for (let n = 0; n < Number(calls); n++) {
      const common = { session_id: 'run-1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: String(n) };
      const answer = hook({ ...common, hook_event_name: 'PreToolUse' });
      if (answer.includes('"continue":false')) break;
      if (answer === '') hook({ ...common, hook_event_name: 'PostToolUse', tool_response: { stdout: 'a', stderr: '' } });
    }
    if (end === 'signal') process.kill(process.pid, 'SIGKILL');
    if (end === 'wait') { process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1000); console.log('ready'); }
    else process.exitCode = Number(end);
  `;
  const ALONE_TOO = { DELOOP_ATTENDED: 'false' };

  it.each([
    ['1', '0', 0],
    ['1', '7', 7],
    ['7', '0', 1],
    ['7', '7', 7],
    ['1', 'signal', 137],
  ])('%s calls and an end of %s: %i', async (calls, end, expected) => {
    const folder = newFolder({ 'agent.cjs': AGENT });
    const { status, err } = await deloop(
      ['run', '--', process.execPath, join(folder, 'agent.cjs'), calls, end],
      {
        cwd: folder,
        env: { ...ALONE_TOO, DELOOP_STATE_DIR: join(folder, 'state') },
      },
    );
    expect(status).toBe(expected);
    if (calls === '7')
      expect(err).toMatch(/the guard stepped in \(claude-code run-1, 3 calls not run\): Stopped/);
    else expect(err).toBe('');
  });

  it('fails on less where it is told to, and passes flags on', async () => {
    const folder = newFolder({ 'agent.cjs': AGENT });
    const env = { ...ALONE_TOO, DELOOP_STATE_DIR: join(folder, 'state') };
    const args = [
      'run',
      '--fail-on',
      'nudge',
      process.execPath,
      '--no-warnings',
      join(folder, 'agent.cjs'),
      '3',
      '0',
    ];
    expect((await deloop(args, { cwd: folder, env })).status).toBe(1);
  });

  it('is not to blame for what happens in other runs', async () => {
    const session = newSession('claude-code', ALONE);
    const state = join(session.folder, 'state');
    const folder = newFolder({ 'agent.cjs': AGENT });
    const running = deloop(['run', '--', process.execPath, '-e', 'setTimeout(() => {}, 400)'], {
      cwd: folder,
      env: { DELOOP_STATE_DIR: state },
    });
    loop(session);
    expect((await running).status).toBe(0);
  });

  it('says so when there is no such command', async () => {
    const { status, err } = await deloop(['run', '--', '/nowhere/agent']);
    expect(status).toBe(2);
    expect(err).toMatch(/^deloop: \/nowhere\/agent could not be run: /);
  });

  it('passes signals on, and what becomes of them', async () => {
    const folder = newFolder({ 'agent.cjs': AGENT });
    const child = spawn(
      process.execPath,
      [MAIN, 'run', '--', process.execPath, join(folder, 'agent.cjs'), '0', 'wait'],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, USERPROFILE: folder },
      },
    );
    await new Promise((ready) => child.stdout.once('data', ready));
    child.kill('SIGTERM');
    expect(await new Promise((done) => child.on('close', done))).toBe(42);
  });
});
