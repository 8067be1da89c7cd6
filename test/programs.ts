import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { announce } from './announce.ts';

const INSTALL_MS = 5 * 60_000;

/** Where the first of these programs is that there is. */
export function inPath(env: NodeJS.ProcessEnv, names: readonly string[]): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Only where apt-get may run without a question: Debian, as root or with a sudo that asks for no password. */
export function installPackage(name: string): boolean {
  if (!existsSync('/etc/debian_version')) return false;
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const lists = [...asRoot, 'apt-get', 'update'];
  const packages = [...asRoot, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', 'install', '-y'];
  const chosen = [...packages, '--no-install-recommends', name];
  announce(`No ${name} in PATH: ${chosen.join(' ')}`);
  // A list that is too old names packages that are gone: then fetch it and try again.
  return succeeds(chosen) || (succeeds(lists) && succeeds(chosen));
}

function succeeds([program = '', ...args]: readonly string[]): boolean {
  const { status, stderr, error } = spawnSync(program, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: INSTALL_MS,
  });
  if (status !== 0) announce(error?.message ?? stderr.trim().split('\n').at(-1) ?? '');
  return status === 0;
}
