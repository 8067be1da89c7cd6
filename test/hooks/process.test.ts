import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The command that hosts run. Needs `dist/`. */
const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));

function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'deloop-process-'));
}

function environment(home: string, env: { readonly [name: string]: string } = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    USERPROFILE: home,
    LOCALAPPDATA: home,
    APPDATA: home,
    ...env,
  };
}

function payload(event: string, id: string, more: object = {}): string {
  return JSON.stringify({
    session_id: 's',
    hook_event_name: event,
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: id,
    ...more,
  });
}

function hook(
  home: string,
  input: string,
  args: readonly string[] = ['claude-code'],
  env: { readonly [name: string]: string } = {},
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [HOOK, ...args], {
    input,
    encoding: 'utf8',
    cwd: home,
    env: environment(home, env),
  });
  return { status, stdout, stderr };
}

const SILENT = { status: 0, stdout: '', stderr: '' };

function stateOf(home: string, ...path: readonly string[]): string {
  return join(home, '.local', 'state', 'deloop', ...path);
}

describe('the command', () => {
  it('answers on the standard output, and nowhere else', () => {
    const home = newHome();
    const outputs = Array.from({ length: 3 }, (_, n) => {
      expect(hook(home, payload('PreToolUse', `${n}`))).toEqual(SILENT);
      return hook(home, payload('PostToolUse', `${n}`, { tool_response: { stdout: 'a', stderr: '' } }));
    });
    expect(outputs.slice(0, 2)).toEqual([SILENT, SILENT]);
    expect(outputs[2]).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(outputs[2]?.stdout ?? '')).toHaveProperty('hookSpecificOutput.additionalContext');
  });

  it('keeps its code compiled, for its owner alone', () => {
    const home = newHome();
    hook(home, payload('PreToolUse', '1'));
    const [compiled] = readdirSync(stateOf(home, 'code'));
    expect(compiled).toMatch(/^main-[0-9a-f]{16}-v\d/);
    // What somebody else may have put there is not run.
    const path = stateOf(home, 'code', compiled as string);
    const before = readFileSync(path);
    if (process.platform !== 'win32') chmodSync(stateOf(home, 'code'), 0o777);
    expect(hook(home, payload('PreToolUse', '2'))).toEqual(SILENT);
    chmodSync(stateOf(home, 'code'), 0o700);
    // A damaged one is made anew.
    for (const damage of [Buffer.alloc(before.length), before.subarray(0, 100), Buffer.from('no code')]) {
      writeFileSync(path, damage);
      expect(hook(home, payload('PreToolUse', '3'))).toEqual(SILENT);
      expect(readFileSync(path).length).toBeGreaterThan(1000);
    }
  });

  it.each([
    ['no agent', [], payload('PreToolUse', '1')],
    ['an unknown agent', ['emacs'], payload('PreToolUse', '1')],
    ['nothing to read', ['claude-code'], ''],
    ['no JSON', ['codex'], '{{{'],
    ['unknown flags', ['claude-code', '--what', 'ever'], payload('PreToolUse', '1')],
  ])('ends with 0 and says nothing: %s', (_, args, input) => {
    expect(hook(newHome(), input, args)).toEqual(SILENT);
  });

  it('ends with 0 where nothing can be written', { timeout: 60_000 }, () => {
    const home = newHome();
    writeFileSync(join(home, '.local'), 'a file');
    for (let n = 1; n <= 6; n++) expect(hook(home, payload('PreToolUse', `${n}`))).toEqual(SILENT);
    const elsewhere = newHome();
    expect(
      hook(elsewhere, payload('PreToolUse', '1'), ['claude-code'], { DELOOP_STATE_DIR: '/dev/null/no' }),
    ).toEqual(SILENT);
  });

  it('keeps nothing when it is switched off', () => {
    const home = newHome();
    expect(hook(home, payload('PreToolUse', '1'), ['claude-code'], { DELOOP_MODE: 'off' })).toEqual(SILENT);
    expect(existsSync(join(home, '.local'))).toBe(false);
  });

  it('takes large payloads, and standard inputs that come in pieces', async () => {
    const home = newHome();
    const text = 'x'.repeat(5_000_000);
    expect(hook(home, payload('PostToolUse', '1', { tool_response: { stdout: text, stderr: '' } }))).toEqual(
      SILENT,
    );
    const child = spawn(process.execPath, [HOOK, 'claude-code'], { cwd: home, env: environment(home) });
    const whole = payload('PreToolUse', '2');
    for (const piece of [whole.slice(0, 10), whole.slice(10, 50), whole.slice(50)]) {
      child.stdin.write(piece);
      await new Promise((done) => setTimeout(done, 30));
    }
    child.stdin.end();
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
  });

  it('acts before the detector of its host does, with settings as without', () => {
    const home = newHome();
    writeFileSync(join(home, 'deloop.config.json'), '{ "mode": "enforce" }');
    const call = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
    const answers = Array.from({ length: 4 }, (_, n) => {
      const at = (second: number) => ({ ...call, timestamp: `2026-11-15T12:0${n}:0${second}Z` });
      const { stdout } = hook(home, payload('BeforeTool', '', at(0)), ['gemini-cli']);
      hook(home, payload('AfterTool', '', { ...at(3), tool_response: { llmContent: 'a' } }), ['gemini-cli']);
      return stdout;
    });
    expect(answers.slice(0, 3)).toEqual(['', '', '']);
    expect(JSON.parse(answers[3] ?? '')).toMatchObject({ decision: 'deny' });
  });

  it('reads settings only when there are some', () => {
    const home = newHome();
    mkdirSync(join(home, 'project'));
    writeFileSync(join(home, 'project', 'deloop.config.json'), '{"preset":"zagens"}');
    const cwd = join(home, 'project');
    const outputs = ['1', '2', '3'].map((id) => hook(home, payload('PreToolUse', id, { cwd })).stdout);
    expect(outputs[2]).toContain('deny');
    expect(readdirSync(stateOf(home, 'code')).map((name) => name.split('-')[0])).toEqual([
      'main',
      'settings',
    ]);
  });
});

describe('200 hooks at a time', () => {
  it('are all counted, once', { timeout: 300_000 }, async () => {
    const home = newHome();
    hook(home, payload('PreToolUse', 'first'));
    const ids = Array.from({ length: 200 }, (_, n) => `${n}`);
    const outcomes = await Promise.all(
      ids.map(
        (id) =>
          new Promise<string>((done) => {
            const child = spawn(process.execPath, [HOOK, 'claude-code'], {
              cwd: home,
              env: environment(home),
            });
            let said = '';
            for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
            child.on('close', (status) => done(`${status}${said}`));
            child.stdin.on('error', () => {});
            child.stdin.end(payload('PreToolUse', id, { tool_input: { command: `echo ${id}` } }));
          }),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['0']));
    const [, state] = readFileSync(stateOf(home, 'sessions', 'claude-code-s.json'), 'utf8').split('\n');
    expect(JSON.parse(state as string)).toMatchObject({ guard: { calls: 201 } });
    expect(existsSync(stateOf(home, 'log'))).toBe(false);
    expect(readdirSync(stateOf(home, 'sessions'))).toEqual(['claude-code-s.json']);
  });
});
