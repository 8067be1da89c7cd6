import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { announce } from '../announce.ts';
import { blocksOf, pageOf, ROOT } from '../docs/pages.ts';
import { TSC, tried } from '../docs/snippets.ts';
import { install } from './install.ts';

const run = promisify(execFile);
const PATIENCE_MS = 300_000;

export type HostTests = {
  readonly suite: () => Promise<unknown>;
  /** The name of its example and of its page: `examples/<name>/index.mjs`, `docs/adapters/<name>.md`. */
  readonly shown?: string;
  /** Another page that shows code for these packages. */
  readonly page?: string;
};

/**
 * Whether the packages of `test/hosts/<host>` are there, installed where they were missing. A host that cannot be installed fails alone
 * and with one line; without a network it is skipped, except in CI.
 */
export async function hasPackages(host: string): Promise<boolean> {
  const missing = await install(join(import.meta.dirname, host));
  if (missing === null) return true;
  const { broken, skip } = missing;
  if (skip) {
    announce(`SKIPPED: ${broken}`);
    it(`${host} (no network)`, (context) => context.skip(broken));
  } else
    it(`${host} is installed`, () => {
      throw new Error(broken);
    });
  return false;
}

/** Loads the suite that needs the packages of a host, and checks the types of what is in its folder, its page and its example. */
export async function onHost(
  host: string,
  { suite, shown, page = pageFor(shown) }: HostTests,
): Promise<void> {
  if (!(await hasPackages(host))) return;
  const folder = join(import.meta.dirname, host);
  await suite();
  it(`${host}: the types of the real packages fit`, { timeout: PATIENCE_MS }, () => typesHold(folder, page));
  if (shown === undefined) return;
  it(`${host}: examples/${shown} runs to its end`, { timeout: PATIENCE_MS }, () => exampleRuns(shown));
}

function pageFor(shown: string | undefined): string | undefined {
  return shown && `docs/adapters/${shown}.md`;
}

/** Whether the folder compiles, together with what the page shows. */
async function typesHold(folder: string, page: string | undefined): Promise<void> {
  const blocks = page === undefined ? [] : blocksOf(pageOf(page), 'ts');
  const complaints = await tried(
    blocks,
    () =>
      run(process.execPath, [...TSC, '--noEmit', '-p', folder]).catch((error: { stdout: string }) => error),
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
