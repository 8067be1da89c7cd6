import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
const OPTIONS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
];
/** How long another process may take that installs the same folder. */
const PATIENCE_MS = 600_000;

/** `broken` = why the packages cannot be had, in one line; `skip` = for want of a network, and nobody insists on them. */
export type Installed = null | { readonly broken: string; readonly skip: boolean };

/** Installs the packages of a folder as its lockfile says, where they are not there yet; null = they are there. */
export async function install(folder: string): Promise<Installed> {
  const wanted = await readFile(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'node_modules', '.installed');
  const isThere = async () => (await readFile(mark, 'utf8').catch(() => null)) === wanted;
  if (await isThere()) return null;
  try {
    await alone(join(folder, '.installing'), async () => {
      if (await isThere()) return;
      await run('npm', ['ci', ...OPTIONS], { cwd: folder, maxBuffer: 2 ** 24 });
      await writeFile(mark, wanted);
    });
    return null;
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message?: string };
    const said = stderr || message || String(error);
    return {
      broken: `${folder} could not be installed: ${briefly(said)}`,
      skip: NO_NETWORK.test(said) && process.env['CI'] !== 'true',
    };
  }
}

/** One at a time, over all processes: a folder can be made only once. */
async function alone(lock: string, work: () => Promise<void>): Promise<void> {
  while (!(await made(lock))) {
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
    // Whoever made it was killed.
    if (Date.now() - mtimeMs > PATIENCE_MS) await rm(lock, { recursive: true, force: true });
    else await wait(200);
  }
  try {
    await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function made(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'EEXIST') return false;
    throw error;
  }
}

/** What npm says is wrong, in one line. */
function briefly(text: string): string {
  const lines = text.split('\n').flatMap((line) => /error\s+(\S.*)/i.exec(line)?.[1] ?? []);
  return lines.slice(0, 2).join(', ') || text.trim().split('\n')[0] || 'for no known reason';
}
