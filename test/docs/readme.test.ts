import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { detectorKinds, presets } from '../../src/presets/registry.ts';
import { FORMATS } from '../../src/transcripts/formats.ts';
import { allPages, blocksOf, pageOf, ROOT } from './pages.ts';
import { printed, promisedOutput, tried } from './snippets.ts';

it('prints what the comments of the first snippet say', async () => {
  const [first] = blocksOf(pageOf('README.md'), 'ts');
  if (first === undefined) throw new Error('README.md has no ts block');
  const promised = promisedOutput(first);
  expect(promised.length).toBeGreaterThan(0);
  expect(await tried([first], ([file]) => printed(file as string))).toEqual(promised);
});

/** Needs `dist/`: run `npm run build` first. */
it('shows what its first command prints on a machine without sessions', { timeout: 30_000 }, () => {
  const [shown] = blocksOf(pageOf('README.md'), 'text');
  const { scripts } = JSON.parse(pageOf('package.json').lines.join('\n')) as { scripts: { start: string } };
  const [, ...args] = scripts.start.split(' ');
  const home = mkdtempSync(join(tmpdir(), 'deloop-readme-'));
  try {
    const env = { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, APPDATA: home };
    const printed = execFileSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8', stdio: 'pipe' });
    expect(printed.slice(0, shown?.text.length)).toBe(shown?.text);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

it('has a row for every format of a transcript', () => {
  const text = pageOf('docs/transcripts.md').lines.join('\n');
  for (const { name } of FORMATS) expect(text).toMatch(new RegExp(`^\\|[^|]+\\| \`${name}\` +\\|`, 'm'));
});

it('counts the presets and the kinds of detectors as they are', () => {
  const text = pageOf('README.md').lines.join('\n');
  expect(text).toContain(
    `${detectorKinds.length} kinds of detectors, ${Object.keys(presets).length} presets`,
  );
  const shown = text.match(/^\| \[`[a-z-]+`\]\(docs\/presets\.md#/gm) ?? [];
  expect(text).toContain(`\n${Object.keys(presets).length - shown.length} more guards`);
});

it.each([...allPages(), pageOf('CONTRIBUTING.md')])('$name names only scripts that exist', ({ lines }) => {
  const { scripts } = JSON.parse(pageOf('package.json').lines.join('\n')) as {
    scripts: Record<string, string>;
  };
  for (const [, script] of lines.join('\n').matchAll(/npm run ([a-z:]+)/g))
    expect(Object.keys(scripts)).toContain(script);
});
