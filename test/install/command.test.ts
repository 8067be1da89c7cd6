import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hookCommand, hookScript } from '../../src/cli/install/hook-command.ts';
import { installStatus } from '../../src/cli/install/install-status.ts';
import { install, newContext, of } from './contexts.ts';

/** Needs `dist/`. */
const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const GONE = '/gone/for/ever';
const SHELLS = ['/bin/sh', '/bin/bash', '/usr/bin/fish', '/bin/zsh'].filter(
  (shell) => spawnSync(shell, ['-c', 'true']).status === 0,
);

function folderWithNode(): string {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-path-'));
  symlinkSync(process.execPath, join(folder, 'node'));
  symlinkSync('/bin/cat', join(folder, 'cat'));
  return folder;
}

/** Identical calls, of which the third is answered; what was said last. */
function looped(
  shell: string,
  command: string,
  path: string,
  calls = 3,
): { status: number | null; said: string } {
  const home = mkdtempSync(join(tmpdir(), 'deloop-command-'));
  let said = '';
  let status: number | null = null;
  for (let n = 1; n <= calls; n++)
    for (const event of ['PreToolUse', 'PostToolUse']) {
      const payload = {
        session_id: 's',
        hook_event_name: event,
        tool_name: 'Bash',
        tool_input: { command: "echo 'größer'" },
        tool_use_id: `${n}`,
        ...(event === 'PostToolUse' ? { tool_response: { stdout: 'same', stderr: '' } } : {}),
      };
      const run = spawnSync(shell, ['-c', command], {
        input: JSON.stringify(payload),
        encoding: 'utf8',
        cwd: home,
        env: { PATH: path, HOME: home },
      });
      [status, said] = [run.status, run.stdout + run.stderr];
      if (status !== 0 || (n < 3 && said !== '')) return { status, said };
    }
  return { status, said };
}

describe.each(SHELLS)('what a host runs, in %s', (shell) => {
  it('answers', () => {
    const command = hookCommand('claude-code', false, { node: process.execPath, hook: HOOK }, 'sh');
    const { status, said } = looped(shell, command, '/nowhere');
    expect(status).toBe(0);
    expect(JSON.parse(said)).toHaveProperty('hookSpecificOutput.additionalContext');
  });

  it('answers when its Node is gone, with the one of the path', () => {
    const command = hookCommand('claude-code', false, { node: `${GONE}/it's node`, hook: HOOK }, 'sh');
    const { status, said } = looped(shell, command, folderWithNode());
    expect(status).toBe(0);
    expect(JSON.parse(said.slice(said.indexOf('{')))).toHaveProperty('hookSpecificOutput.additionalContext');
  });

  it('ends with 0 when the package is gone', () => {
    const command = hookCommand(
      'copilot-cli',
      false,
      { node: process.execPath, hook: `${GONE}/hook.cjs` },
      'sh',
    );
    expect(looped(shell, command, folderWithNode(), 1)).toEqual({ status: 0, said: '' });
  });

  it('ends with 0 when all is gone', () => {
    const command = hookCommand(
      'copilot-cli',
      false,
      { node: `${GONE}/node`, hook: `${GONE}/hook.cjs` },
      'sh',
    );
    expect(looped(shell, command, '/nowhere', 1).status).toBe(0);
  });
});

describe('a hook that Node runs', () => {
  it('answers, and is silent when the package is gone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'deloop-script-'));
    const run = (hook: string) => {
      const path = join(folder, 'PreToolUse.cjs');
      writeFileSync(path, hookScript('claude-code', false, { node: '', hook }));
      return looped('/bin/sh', `node '${path}'`, folderWithNode());
    };
    expect(run(HOOK).said).toContain('additionalContext');
    expect(run(`${GONE}/hook.cjs`)).toEqual({ status: 0, said: '' });
  });
});

describe('a plugin whose package is gone', () => {
  const load = async (agent: string, hook: string) => {
    const context = newContext({ hook });
    install(agent, context);
    const { hooks } = installStatus(of(agent), context);
    const entry = hooks.findLast(({ path }) => path.endsWith('.js'));
    return import(pathToFileURL(entry?.path ?? '').href);
  };

  it('does nothing, and harms nobody', async () => {
    const gone = join(GONE, 'hook.cjs');
    expect(await (await load('opencode', gone)).deloop({})).toEqual({});
    expect(await (await load('pi', gone)).default({})).toBeUndefined();
    expect((await load('openclaw', gone)).default.register({})).toBeUndefined();
  });

  it('is not the same as one whose package is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deloop-plugins-'));
    const hook = join(folder, 'hook.cjs');
    for (const agent of ['opencode', 'pi', 'openclaw']) {
      const path = join(folder, 'plugins', `${agent}.js`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        'export const deloop = (given, options) => { given.seen = options; return given; };',
      );
    }
    for (const agent of ['opencode', 'pi', 'openclaw']) {
      const module = await load(agent, hook);
      const given: { seen?: object } = {};
      await (module.deloop ?? module.default.register ?? module.default)(given);
      expect(given.seen, agent).toEqual({ shadow: false });
    }
  });
});
