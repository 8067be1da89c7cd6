import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { vi } from 'vitest';
import { type Block, ROOT } from './pages.ts';

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

/** The compiler's complaints about the files, as lines of text. */
export function complaints(files: readonly string[]): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram({
    rootNames: files,
    options: { ...options, isolatedDeclarations: false, rewriteRelativeImportExtensions: false },
  });
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || files.includes(file.fileName))
    .map(({ file, start, messageText }) => {
      const where = file === undefined ? '' : `${file.getLineAndCharacterOfPosition(start ?? 0).line + 1}: `;
      return `${file?.fileName ?? ''} ${where}${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
