import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built command line, as users run it. */
export const MAIN: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export type Finished = { readonly status: number | null; readonly out: string; readonly err: string };
export type RunOptions = {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly stdin?: string;
};

/** A folder of its own, with these files in it. */
export function newFolder(files: { readonly [name: string]: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-test-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Runs `deloop` in a home of its own, so that nothing of this machine has a say. */
export function deloop(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const home = newFolder();
  const env = { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, APPDATA: home, ...options.env };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd ?? home, env });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (status) => done({ status, out, err }));
  });
}

export function jsonLines(text: string): readonly { readonly [field: string]: unknown }[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly [field: string]: unknown });
}

export function toLines(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
