import { spawnSync } from 'node:child_process';
import type { InstalledHook } from '../install/install-status.ts';
import type { Surroundings } from '../surroundings.ts';

export type HookRun = {
  /** Null = it did not end by itself. */
  readonly status: number | null;
  readonly stdout: string;
  /** Why it could not be run; empty = it could. */
  readonly fault: string;
};

/** Hosts give a hook as much. */
const TIMEOUT_MS = 30_000;

/** Runs what is installed as the host does: its command in the host's shell, its file with what runs it. */
export function runHookText(
  agent: string,
  { path, event, text }: InstalledHook,
  payload: object,
  surroundings: Surroundings,
): HookRun {
  const [program, ...args] = event === '' ? fileRunner(path) : [...shellOf(agent, surroundings), text];
  const { status, stdout, error } = spawnSync(program as string, args, {
    input: JSON.stringify(payload),
    encoding: 'utf8',
    cwd: surroundings.cwd,
    env: surroundings.env as NodeJS.ProcessEnv,
    timeout: TIMEOUT_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
    // A command of cmd.exe is quoted by its own rules.
    windowsVerbatimArguments: agent === 'codex',
  });
  return { status, stdout: stdout ?? '', fault: error?.message ?? '' };
}

function shellOf(agent: string, { env, platform }: Surroundings): readonly string[] {
  if (platform === 'win32') {
    if (agent === 'codex') return [env['COMSPEC'] || 'cmd.exe', '/C'];
    if (agent !== 'claude-code') return ['powershell.exe', '-NoProfile', '-Command'];
  }
  // Codex takes the shell of its user, as a login shell.
  if (agent === 'codex') return [env['SHELL'] || '/bin/sh', '-lc'];
  return ['bash', '-c'];
}

function fileRunner(path: string): readonly string[] {
  return path.endsWith('.cjs') ? ['node', path] : ['/bin/sh', path];
}
