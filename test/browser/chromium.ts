import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const INSTALL_MS = 5 * 60_000;

/** The Chromium of this machine, installed if that can be done; undefined = there is none, and the log says why. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const chosen = env['CHROMIUM_PATH'];
  if (chosen) {
    if (isProgram(chosen)) return chosen;
    throw new Error(`CHROMIUM_PATH is ${JSON.stringify(chosen)}, which is not a program`);
  }
  const found = inPath(env) ?? (install() ? inPath(env) : undefined);
  if (found !== undefined) return found;
  const why = `No Chromium: none of ${NAMES.join(', ')} is in PATH, and apt-get could not install it. Set CHROMIUM_PATH.`;
  if (env['CI'] === 'true') throw new Error(why);
  console.warn(`\n!!! ${why} The tests in a browser are SKIPPED. !!!\n`);
  return undefined;
}

/** Root has no sandbox, and containers often have a small /dev/shm. */
export function launch(executablePath: string): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...sandbox, '--disable-dev-shm-usage'] });
}

function inPath(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Only where apt-get may run without a question: Debian, as root or with a sudo that asks for no password. */
function install(): boolean {
  if (!existsSync('/etc/debian_version')) return false;
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const lists = [...asRoot, 'apt-get', 'update'];
  const packages = [...asRoot, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', 'install', '-y'];
  const chosen = [...packages, '--no-install-recommends', 'chromium'];
  console.warn(`No Chromium in PATH: ${chosen.join(' ')}`);
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
  if (status !== 0) console.warn(error?.message ?? stderr.trim().split('\n').at(-1));
  return status === 0;
}
