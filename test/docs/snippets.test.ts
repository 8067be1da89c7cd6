import { expect, it } from 'vitest';
import { allPages, blocksOf } from './pages.ts';
import { complaints, isSketch, printed, promisedOutput, tried } from './snippets.ts';

const snippets = allPages().flatMap((page) => blocksOf(page, 'ts'));

it('compiles every ts block of the docs', { timeout: 60_000 }, async () => {
  const found = await tried(snippets, (files) =>
    complaints(files).map((line) =>
      line.replace(/^.*snippet-(\d+)\.mts/, (_whole, index: string) => {
        const { page, line: at } = snippets[Number(index)] as (typeof snippets)[number];
        return `${page}:${at}, line`;
      }),
    ),
  );
  expect(found).toEqual([]);
});

it.each(snippets.filter((snippet) => !isSketch(snippet)))(
  '$page:$line prints what its comments say',
  async (snippet) => {
    expect(await tried([snippet], ([file]) => printed(file as string))).toEqual(promisedOutput(snippet));
  },
);
