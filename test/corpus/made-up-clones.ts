import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files of a repository; what is not text is written as JSON. */
export type Files = { readonly [path: string]: unknown };

export const CHECKPOINTS = 'entire/checkpoints/v1';

/** Makes a repository with one commit where a clone of it would be. */
export function makeClone(clones: string, repository: string, branch: string, files: Files): void {
  const folder = join(clones, repository);
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  git(folder, 'init', '-q');
  git(folder, 'checkout', '-q', '-b', branch);
  git(folder, 'add', '-A');
  git(folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'made up');
}

/** One JSON value a line. */
export function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** A checkpoint of a session, as Entire stores it. */
export function checkpoint(place: string, session: string, transcript: string): Files {
  return { [`${place}/full.jsonl`]: transcript, [`${place}/metadata.json`]: { session_id: session } };
}

function git(folder: string, ...args: readonly string[]): void {
  // Nothing of this machine's settings: no hooks, no signing.
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-C', folder, ...args], { env });
}
