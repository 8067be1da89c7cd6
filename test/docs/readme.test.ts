import { expect, it } from 'vitest';
import { blocksOf, pageOf } from './pages.ts';
import { printed, promisedOutput, tried } from './snippets.ts';

it('prints what the comments of the first snippet say', async () => {
  const [first] = blocksOf(pageOf('README.md'), 'ts');
  if (first === undefined) throw new Error('README.md has no ts block');
  const promised = promisedOutput(first);
  expect(promised.length).toBeGreaterThan(0);
  expect(await tried([first], ([file]) => printed(file as string))).toEqual(promised);
});

it('names every command it tells the reader to run', () => {
  const { scripts } = JSON.parse(pageOf('package.json').lines.join('\n')) as {
    scripts: Record<string, string>;
  };
  const text = pageOf('README.md').lines.join('\n');
  for (const [, script] of text.matchAll(/npm run ([a-z:]+)/g))
    expect(Object.keys(scripts)).toContain(script);
});
