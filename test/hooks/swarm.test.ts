import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findRedis, type RedisServer, startRedis } from '../hosts/redis-server.ts';
import { newSession, type Session, word } from './play.ts';

const execute = promisify(execFile);
const DIST = new URL('../../dist/', import.meta.url).pathname;
const redis = findRedis();

type Answer = { readonly [field: string]: unknown } | null;
type Status = {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
  readonly active: number;
};

/** The command that hosts run, as a process of its own. */
function hook(agent: string, payload: object, env: NodeJS.ProcessEnv): Promise<Answer> {
  return new Promise((done, fail) => {
    const child: ChildProcess = spawn(process.execPath, [join(DIST, 'hook.cjs'), agent], { env });
    let out = '';
    child.stdout?.on('data', (text: Buffer) => {
      out += text.toString();
    });
    child.once('error', fail);
    child.once('close', (code) => {
      if (code !== 0) fail(new Error(`the hook ended with ${code}`));
      else done(out === '' ? null : (JSON.parse(out) as Answer));
    });
    child.stdin?.end(JSON.stringify(payload));
  });
}

describe.skipIf(redis === undefined)('a fleet of coding agents', () => {
  let server: RedisServer;
  let swarm = '';
  let swarms = 0;

  beforeAll(async () => {
    server = await startRedis(redis as string);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    swarms += 1;
    swarm = `night ${swarms}`;
  });

  function environment(more: NodeJS.ProcessEnv = {}): { [name: string]: string } {
    const url = `redis://127.0.0.1:${server.port}`;
    const env = { DELOOP_REDIS_URL: url, DELOOP_TENANT: 'acme', DELOOP_SWARM: swarm, ...more };
    return env as { [name: string]: string };
  }

  /** Patience, so that a busy machine changes no answer. */
  const PATIENT = { 'deloop.config.json': JSON.stringify({ swarm: { waitMs: 5000 } }) };

  async function deloop(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, ...environment() };
    const { stdout } = await execute(process.execPath, [join(DIST, 'cli/main.js'), 'swarm', ...args], {
      env,
    });
    return stdout;
  }

  async function status(): Promise<Status> {
    return JSON.parse(await deloop('status', swarm, '--json')) as Status;
  }

  /** A worker: Codex, whose shell fails in the same way. */
  function worker(
    name: string,
    files: { readonly [path: string]: string } = PATIENT,
    env: NodeJS.ProcessEnv = {},
  ) {
    const session = newSession('codex', { files, env: environment(env) });
    let calls = 0;
    return {
      session,
      async call(command = 'npm ci', response = 'npm: command not found'): Promise<string> {
        calls += 1;
        const made = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `t${calls}` };
        const common = { session_id: name, cwd: session.folder, ...made };
        const before = await session.ask({ ...common, hook_event_name: 'PreToolUse' });
        if (word(before) === 'deny') return `deny ${textOf(before)}`;
        const after = await session.ask({
          ...common,
          hook_event_name: 'PostToolUse',
          tool_response: response,
        });
        return [before, after].map((answer) => (answer === null ? '-' : textOf(answer))).join(' ');
      },
    };
  }

  it('is told of a dead end of the others by processes of its own, and kept from it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deloop-fleet-'));
    writeFileSync(join(folder, 'deloop.config.json'), PATIENT['deloop.config.json']);
    const env = { ...process.env, ...environment(), HOME: folder, DELOOP_STATE_DIR: join(folder, 'state') };
    const answers: string[] = [];
    for (let n = 1; n <= 12; n++) {
      const made = { tool_name: 'Bash', tool_input: { command: 'npm ci' }, tool_use_id: `t${n}` };
      const common = { session_id: `session ${n % 4}`, cwd: folder, ...made };
      const before = await hook('codex', { ...common, hook_event_name: 'PreToolUse' }, env);
      answers.push(word(before));
      if (word(before) === 'deny')
        expect(textOf(before)).toMatch(/^\[deloop\] Not run: 4 workers of this swarm/);
      else
        await hook(
          'codex',
          { ...common, hook_event_name: 'PostToolUse', tool_response: 'npm: command not found' },
          env,
        );
    }
    expect(answers).toEqual(['-', '-', '-', '-', '-', '-', 'tell', 'tell', 'tell', 'tell', 'tell', 'deny']);
    expect(await status()).toMatchObject({ calls: 12, active: 4 });
    expect(readdirSync(join(folder, 'state', 'sessions'))).toHaveLength(4);
  });

  it('is counted once for each of many hooks at a time of one session', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deloop-fleet-'));
    const env = { ...process.env, ...environment(), HOME: folder, DELOOP_STATE_DIR: join(folder, 'state') };
    const call = (n: number) =>
      hook(
        'codex',
        {
          session_id: 's',
          cwd: folder,
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_input: { command: `cat ${n}` },
          tool_use_id: `t${n}`,
        },
        env,
      );
    await Promise.all(Array.from({ length: 8 }, (_, n) => call(n)));
    const waiting = () => waitingIn(readFileSync(join(folder, 'state', 'sessions', 'codex-s.json'), 'utf8'));
    // Whatever could not be told in time goes along with the next; it may have been counted, and only the answer come too late.
    let made = 8;
    while (made < 20) {
      const { calls } = await status();
      expect(calls).toBeLessThanOrEqual(made);
      expect(calls + waiting()).toBeGreaterThanOrEqual(made);
      if (waiting() === 0) break;
      await call(made++);
    }
    expect(waiting()).toBe(0);
    expect((await status()).calls).toBe(made);
  });

  it.each([
    ['codex', 'deny', 'PreToolUse', 'tool_use_id'],
    ['claude-code', 'halt', 'PreToolUse', 'tool_use_id'],
    ['gemini-cli', 'halt', 'BeforeTool', 'none'],
    ['qwen-code', 'deny', 'PreToolUse', 'tool_call_id'],
    ['cline', 'halt', 'tool_call', 'none'],
  ])(
    'stops at the next call when it is halted (%s), and goes on when it is released',
    async (agent, stop, event, id) => {
      const session = newSession(agent, { files: PATIENT, env: environment() });
      let calls = 0;
      const call = async () => {
        calls += 1;
        const at = new Date(Date.parse('2026-11-15T12:00:00Z') + calls * 3000).toISOString();
        const input = { path: `src/${calls}.ts` };
        const payload =
          agent === 'cline'
            ? {
                hookName: event,
                taskId: 's',
                tool_call: { id: `t${calls}`, name: 'read_file', input },
                timestamp: at,
              }
            : {
                session_id: 's',
                cwd: session.folder,
                hook_event_name: event,
                tool_name: 'read_file',
                tool_input: input,
                timestamp: at,
                [id]: `t${calls}`,
              };
        return word(await session.ask(payload));
      };
      expect(await call()).toBe('-');
      await deloop('halt', swarm, '--why', 'wrong branch', '--by', 'ann');
      expect([await call(), await call()]).toEqual([stop, stop]);
      if (agent === 'qwen-code') {
        const turn = {
          session_id: 's',
          cwd: session.folder,
          hook_event_name: 'UserPromptSubmit',
          prompt: '',
        };
        expect(word(await session.ask(turn))).toBe('block');
      }
      const [last] = session.log().slice(-1);
      expect(last).toMatchObject({
        action: 'halt',
        message: 'The whole swarm was stopped by ann: wrong branch',
      });
      await deloop('release', swarm);
      expect([await call(), await call()]).toEqual(['-', '-']);
    },
  );

  it('goes on while Redis is away, says so once, keeps to a halt, and tells later what it did', async () => {
    const own = await startRedis(redis as string, ['--appendonly', 'yes', '--appendfsync', 'always']);
    const { session, call } = worker('alone', PATIENT, { DELOOP_REDIS_URL: `redis://127.0.0.1:${own.port}` });
    try {
      expect(await call('ls 1', 'a')).toBe('- -');
      await own.kill();
      for (const n of [2, 3, 4]) expect(await call(`ls ${n}`, `${n}`)).toBe('- -');
      const problems = () => session.log().filter(({ type }) => type === 'problem');
      expect(problems()).toMatchObject([{ message: expect.stringContaining('Redis') }]);
      await own.restart();
      expect(await call('ls 5', '5')).toBe('- -');
      const env = { ...process.env, DELOOP_TENANT: 'acme' };
      const flags = ['--redis', `redis://127.0.0.1:${own.port}`];
      const main = join(DIST, 'cli/main.js');
      const { stdout } = await execute(
        process.execPath,
        [main, 'swarm', 'status', swarm, '--json', ...flags],
        { env },
      );
      expect(JSON.parse(stdout)).toMatchObject({ calls: 5 });
      await execute(process.execPath, [main, 'swarm', 'halt', swarm, '--why', 'enough', ...flags], { env });
      expect(await call('ls 6', '6')).toMatch(/^deny .*: enough$/);
      await own.kill();
      expect(await call('ls 7', '7')).toMatch(/^deny .*: enough$/);
      expect(problems()).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  it('waits no longer than it may for a server that says nothing', async () => {
    const silent: Server = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((ready) => silent.once('listening', ready));
    const { port } = silent.address() as { port: number };
    try {
      const { session, call } = worker('alone', {}, { DELOOP_REDIS_URL: `redis://127.0.0.1:${port}` });
      expect(await call('ls', 'a')).toBe('- -');
      expect(await call('ls', 'a')).toBe('- -');
      expect(await call('ls', 'a')).toMatch(/has given the same result 3 times/);
      expect(session.log().filter(({ type }) => type === 'problem')).toMatchObject([
        { message: expect.stringMatching(/has not answered within 50 ms/) },
      ]);
    } finally {
      silent.close();
    }
  });

  it('counts what all of it took, by the transcripts, and stops at its budget', async () => {
    const options = { waitMs: 5000, prices: { input: 1_000_000 }, budget: { money: 2000 } };
    const files = { 'deloop.config.json': JSON.stringify({ attended: false, swarm: options }) };
    const sessions = ['a', 'b'].map(() => newSession('qwen-code', { files, env: environment() }));
    const answers: string[] = [];
    for (let n = 1; n <= 6; n++) {
      const session = sessions[n % 2] as Session;
      const path = join(session.folder, 'session.jsonl');
      const common = { session_id: `s${n % 2}`, cwd: session.folder, transcript_path: path };
      if (n <= 2) await session.ask({ ...common, hook_event_name: 'UserPromptSubmit', prompt: 'Go on.' });
      const usageMetadata = { promptTokenCount: 500, candidatesTokenCount: 5, totalTokenCount: 505 };
      const record = {
        uuid: `u${n}`,
        sessionId: 's',
        type: 'assistant',
        message: { parts: [] },
        usageMetadata,
      };
      writeFileSync(path, `${JSON.stringify(record)}\n`, { flag: 'a' });
      answers.push(
        word(
          await session.ask({
            ...common,
            hook_event_name: 'PreToolUse',
            tool_name: 'read_file',
            tool_input: { path: `${n}` },
            tool_call_id: `t${n}`,
          }),
        ),
      );
    }
    // The fourth response makes it 2000. Where nobody can be asked, the call is refused.
    expect(answers).toEqual(['-', '-', '-', 'deny', 'deny', 'deny']);
    // What is refused without a question to the swarm is told with the next call that is one.
    expect(await status()).toMatchObject({ tokens: 2525, money: 2500 });
  });

  it('is a fleet of one machine where the store is a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deloop-fleet-'));
    const config = { store: { folder }, swarm: { name: 'here', waitMs: 5000 } };
    const files = { '.config/deloop/config.json': JSON.stringify(config) };
    const none = { DELOOP_REDIS_URL: '', DELOOP_SWARM: '' };
    const workers = ['a', 'b', 'c'].map((name) => worker(name, files, none));
    const answers: string[] = [];
    for (let n = 0; n < 7; n++) answers.push(await (workers[n % 3] as (typeof workers)[number]).call());
    expect(answers.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => '- -'));
    expect(answers[6]).toMatch(/3 workers of this swarm have tried this very call/);
  });

  it('is looked after by commands that find it in the config', async () => {
    const home = mkdtempSync(join(tmpdir(), 'deloop-fleet-'));
    mkdirSync(join(home, '.config', 'deloop'), { recursive: true });
    const store = { redis: `redis://127.0.0.1:${server.port}`, tenant: 'acme' };
    const config = join(home, '.config', 'deloop', 'config.json');
    writeFileSync(config, JSON.stringify({ store, swarm: { name: swarm } }));
    const env = { PATH: process.env['PATH'], HOME: home };
    const run = async (...args: readonly string[]) => {
      const done = await execute(process.execPath, [join(DIST, 'cli/main.js'), ...args], { env, cwd: home });
      return done.stdout + done.stderr;
    };
    expect(await run('swarm', 'halt', swarm, '--why', 'lunch', '--by', 'ann')).toContain('is halted');
    expect(await run('doctor')).toContain(`the swarm "${swarm}" was stopped by ann: lunch`);
    await run('swarm', 'release', swarm);
    expect(await run('doctor')).toContain(`ok    swarm: "${swarm}" of the tenant "acme"`);
    writeFileSync(
      config,
      JSON.stringify({ store: { redis: 'redis://127.0.0.1:1' }, swarm: { name: swarm } }),
    );
    expect(await run('doctor')).toContain('cannot be reached');
    writeFileSync(config, JSON.stringify({ swarm: { name: swarm } }));
    expect(await run('doctor')).toContain('has no store: set DELOOP_REDIS_URL');
  });

  it('is none where a project names the store, and says why where nobody does', async () => {
    const url = `redis://127.0.0.1:${server.port}`;
    const config = { store: { redis: url }, swarm: { name: swarm } };
    const none = { DELOOP_REDIS_URL: '', DELOOP_SWARM: '', DELOOP_TENANT: '' };
    const { session, call } = worker('a', { 'deloop.config.json': JSON.stringify(config) }, none);
    expect(await call()).toBe('- -');
    expect(await call()).toBe('- -');
    expect(session.log()).toMatchObject([
      { type: 'problem', message: expect.stringContaining('has no store') },
    ]);
    expect(await server.cli('EXISTS', `deloop:{default:${encoded(swarm)}}:s`)).toBe('0');
  });

  it('has plugins among its workers, over one connection each', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deloop-fleet-'));
    writeFileSync(join(folder, 'deloop.config.json'), PATIENT['deloop.config.json']);
    const before = { ...process.env };
    Object.assign(process.env, environment({ DELOOP_STATE_DIR: join(folder, 'state') }));
    try {
      const { deloop: plugin } = (await import(join(DIST, 'plugins/pi.js'))) as {
        readonly deloop: (pi: object) => void;
      };
      const handlers: { [event: string]: (event: object, context: object) => unknown } = {};
      plugin({
        on: (event: string, handler: (event: object, context: object) => unknown) => {
          handlers[event] = handler;
        },
        sendMessage: () => {},
      });
      const told: unknown[] = [];
      for (let n = 0; n < 7; n++) {
        const context = { cwd: folder, sessionManager: { getSessionId: () => `p${n % 4}` } };
        const about = { toolName: 'bash', toolCallId: `c${n}`, input: { command: 'npm ci' } };
        await handlers['turn_start']?.({ type: 'turn_start' }, context);
        await handlers['tool_call']?.({ type: 'tool_call', ...about }, context);
        const content = [{ type: 'text', text: 'npm: command not found\n\nCommand exited with code 127' }];
        told.push(
          await handlers['tool_result']?.({ type: 'tool_result', ...about, content, isError: true }, context),
        );
      }
      expect(told.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => undefined));
      expect(JSON.stringify(told[6])).toContain('4 workers of this swarm have tried this very call to bash');
      const clients = await server.cli('CLIENT', 'LIST', 'TYPE', 'normal');
      expect(clients.split('\n').filter((line) => line.includes('cmd=evalsha')).length).toBeGreaterThan(0);
    } finally {
      for (const name of Object.keys(environment({ DELOOP_STATE_DIR: '' }))) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});

function textOf(answer: Answer): string {
  const { hookSpecificOutput } = (answer ?? {}) as { hookSpecificOutput?: { [name: string]: string } };
  return hookSpecificOutput?.['permissionDecisionReason'] ?? hookSpecificOutput?.['additionalContext'] ?? '';
}

function waitingIn(state: string): number {
  const { swarm } = JSON.parse(state.slice(state.indexOf('\n') + 1)) as {
    readonly swarm: { readonly own: { readonly waiting: readonly { readonly kind: string }[] } };
  };
  return swarm.own.waiting.filter(({ kind }) => kind === 'call').length;
}

function encoded(name: string): string {
  return name.replace(/[^\w.-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
