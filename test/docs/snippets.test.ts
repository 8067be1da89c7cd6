import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allPages, type Block, blocksOf, type Page, ROOT } from './pages.ts';
import { complaints, isSketch, printed, promisedOutput, tried } from './snippets.ts';

/** The pages of frameworks need their packages, and are checked in test/hosts. */
const isOfHost = ({ name }: Page) =>
  readdirSync(join(ROOT, 'test', 'hosts')).some(
    (host) => name === join('docs', 'adapters', `${host.replace(/-\d+$/, '')}.md`),
  );
/** So do blocks of other pages that use them. */
const usesHost = ({ text }: Block) => /from '(?!deloop|node:)/.test(text);
const snippets = allPages()
  .filter((page) => !isOfHost(page))
  .flatMap((page) => blocksOf(page, 'ts'))
  .filter((block) => !usesHost(block));

it('compiles every ts block of the docs', { timeout: 60_000 }, async () => {
  const found = await tried(snippets, complaints);
  expect(
    found.map((line) =>
      line.replace(/^.*snippet-(\d+)\.mts/, (_whole, index: string) => {
        const { page, line: at } = snippets[Number(index)] as (typeof snippets)[number];
        return `${page}:${at}, line`;
      }),
    ),
  ).toEqual([]);
});

it.each(snippets.filter((snippet) => !isSketch(snippet)))(
  '$page:$line prints what its comments say',
  async (snippet) => {
    expect(await tried([snippet], ([file]) => printed(file as string))).toEqual(promisedOutput(snippet));
  },
);
