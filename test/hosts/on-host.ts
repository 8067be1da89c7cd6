import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { blocksOf, pageOf, ROOT } from '../docs/pages.ts';
import { tried } from '../docs/snippets.ts';

const run = promisify(execFile);
const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
const PATIENCE_MS = 300_000;

export type HostTests = {
  readonly suite: () => Promise<unknown>;
  /** The name of its example and of its page: `examples/<name>/index.mjs`, `docs/adapters/<name>.md`. */
  readonly shown?: string;
};

/**
 * Installs the packages of `test/hosts/<host>` where they are missing, then loads the suite that needs them, and checks the types of
 * what is in that folder, the page and the example. A host that cannot be installed fails alone and with one line; without a
 * network it is skipped, except in CI.
 */
export async function onHost(host: string, { suite, shown }: HostTests): Promise<void> {
  const folder = join(import.meta.dirname, host);
  const broken = await install(folder).then(
    () => null,
    (error: { readonly stderr?: string; readonly message?: string }) =>
      String(error.stderr || error.message || error),
  );
  if (broken === null) {
    await suite();
    it(`${host}: the types of the real packages fit`, { timeout: PATIENCE_MS }, () =>
      typesHold(folder, shown),
    );
    if (shown === undefined) return;
    it(`${host}: examples/${shown} runs to its end`, { timeout: PATIENCE_MS }, () => exampleRuns(shown));
    return;
  }
  const line = `test/hosts/${host} could not be installed: ${firstError(broken)}`;
  if (NO_NETWORK.test(broken) && process.env['CI'] !== 'true') {
    console.warn(`SKIPPED: ${line}`);
    it(`${host} (no network)`, (context) => context.skip(line));
  } else
    it(`${host} is installed`, () => {
      throw new Error(line);
    });
}

async function install(folder: string): Promise<void> {
  if (await isInstalled(folder)) return;
  const lock = join(folder, '.installing');
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch {
      if (Date.now() > until) throw new Error(`${lock} is there; remove it if nothing is being installed`);
      await wait(500);
    }
  }
  try {
    if (await isInstalled(folder)) return;
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['ci', '--prefix', folder, ...options], { cwd: folder, maxBuffer: 2 ** 24 });
    await cp(join(folder, 'package-lock.json'), installedLock(folder));
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** What is installed is what the lockfile says. */
async function isInstalled(folder: string): Promise<boolean> {
  try {
    await stat(join(folder, 'node_modules'));
    const [wanted, installed] = await Promise.all([
      readFile(join(folder, 'package-lock.json'), 'utf8'),
      readFile(installedLock(folder), 'utf8'),
    ]);
    return wanted === installed;
  } catch {
    return false;
  }
}

function installedLock(folder: string): string {
  return join(folder, 'node_modules', '.installed-lock.json');
}

/** Whether the folder compiles, together with what the page shows. */
async function typesHold(folder: string, page: string | undefined): Promise<void> {
  const blocks = page === undefined ? [] : blocksOf(pageOf(`docs/adapters/${page}.md`), 'ts');
  const complaints = await tried(
    blocks,
    () => run(process.execPath, [TSC, '--noEmit', '-p', folder]).catch((error: { stdout: string }) => error),
    folder,
  );
  expect(complaints.stdout).toBe('');
}

async function exampleRuns(name: string): Promise<void> {
  if (!existsSync(join(ROOT, 'dist/index.js')))
    throw new Error('dist/ is missing: run `npm run build` first');
  const files = ['--import', './examples/hosts.mjs', `examples/${name}/index.mjs`];
  await run(process.execPath, files, { cwd: ROOT });
}

function firstError(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error/i.test(line)) ?? lines[0] ?? 'for no known reason';
}
