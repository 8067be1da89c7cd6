import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { type Block, ROOT } from './pages.ts';

const run = promisify(execFile);
/**
 * The compiler in machine code: five times as quick. What is built is built with the one before it. On several threads it would check
 * the same types once on each, while other tests want the processors.
 */
export const TSC: readonly string[] = [join(ROOT, 'node_modules/typescript-7/bin/tsc'), '--singleThreaded'];

/** The code with the package's entries read from the sources. */
function onSources(code: string): string {
  return code.replaceAll(
    /(from )'deloop(\/[a-z/-]+)?'/g,
    (_whole, from: string, entry = '') => `${from}${JSON.stringify(sourceOf(entry))}`,
  );
}

function sourceOf(entry: string): string {
  if (entry.startsWith('/presets/')) return join(ROOT, 'src', `${entry}.ts`);
  const adapter = join(ROOT, 'src', 'adapters', entry, 'index.ts');
  return entry !== '' && existsSync(adapter) ? adapter : join(ROOT, 'src', entry, 'index.ts');
}

/** What the comments of a snippet say it prints: everything after `// => `, one line each. */
export function promisedOutput({ text }: Block): readonly string[] {
  return text.split('\n').flatMap((line) => /\/\/ => (.*)$/.exec(line)?.[1] ?? []);
}

/** Whether a snippet only declares what the reader has, and so cannot run on its own. */
export function isSketch({ text }: Block): boolean {
  return /^declare /m.test(text);
}

/** Writes each snippet to a file of its own, for as long as `use` takes; `place` = where its packages can be found. */
export async function tried<Result>(
  blocks: readonly Block[],
  use: (files: readonly string[]) => Result | Promise<Result>,
  place: string = tmpdir(),
): Promise<Result> {
  const folder = mkdtempSync(join(place, 'deloop-docs-'));
  try {
    const files = blocks.map((block, index) => {
      const file = join(folder, `snippet-${index}.mts`);
      writeFileSync(file, onSources(block.text));
      return file;
    });
    return await use(files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What one file prints. */
export async function printed(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => {
    lines.push(...parts.map(asText).join(' ').split('\n'));
  });
  try {
    await import(file);
  } finally {
    log.mockRestore();
  }
  return lines;
}

/** The compiler's complaints about the files, which lie in one folder, as lines of text. */
export async function complaints(files: readonly string[]): Promise<readonly string[]> {
  const config = join(files[0] as string, '..', 'tsconfig.json');
  const options = {
    isolatedDeclarations: false,
    rewriteRelativeImportExtensions: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: options, files, include: [] }),
  );
  const { stdout } = await run(process.execPath, [...TSC, '-p', config, '--pretty', 'false']).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout.split('\n').filter((line) => line !== '');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
