import { expect, it } from 'vitest';
import { detectorKinds, presets } from '../../src/presets/registry.ts';
import { allPages, blocksOf, pageOf } from './pages.ts';
import { printed, promisedOutput, tried } from './snippets.ts';

it('prints what the comments of the first snippet say', async () => {
  const [first] = blocksOf(pageOf('README.md'), 'ts');
  if (first === undefined) throw new Error('README.md has no ts block');
  const promised = promisedOutput(first);
  expect(promised.length).toBeGreaterThan(0);
  expect(await tried([first], ([file]) => printed(file as string))).toEqual(promised);
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
