import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** A page of the docs; `name` is its path from the root of the repository. */
export type Page = { readonly name: string; readonly lines: readonly string[] };
/** A fenced block; `above` and `below` are the nearest lines around it that are not empty. */
export type Block = {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly above: string;
  readonly below: string;
};

export function pageOf(name: string): Page {
  return { name, lines: readFileSync(join(ROOT, name), 'utf8').split('\n') };
}

/** README.md, every page under docs/ and every example's own page. */
export function allPages(): readonly Page[] {
  const under = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => join(folder, file))
      .sort();
  return ['README.md', ...under('docs'), ...under('examples')].map(pageOf);
}

export function blocksOf({ name, lines }: Page, language: string): readonly Block[] {
  const blocks: Block[] = [];
  for (let start = 0; start < lines.length; start++) {
    const fence = /^```(\w*)$/.exec(lines[start] as string);
    if (fence === null) continue;
    const end = lines.indexOf('```', start + 1);
    if (end < 0) throw new Error(`${name}:${start + 1}: the block never ends`);
    if (fence[1] === language)
      blocks.push({
        page: name,
        line: start + 1,
        language,
        text: lines.slice(start + 1, end).join('\n'),
        above: lines.slice(0, start).findLast((line) => line.trim() !== '') ?? '',
        below: lines.slice(end + 1).find((line) => line.trim() !== '') ?? '',
      });
    start = end;
  }
  return blocks;
}

/** The lines under a second-level heading, empty ones left out. */
export function sectionOf({ name, lines }: Page, heading: string): readonly string[] {
  const start = lines.indexOf(`## ${heading}`);
  if (start < 0) throw new Error(`${name} has no section "${heading}"`);
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return lines.slice(start + 1, end < 0 ? lines.length : end).filter((line) => line.trim() !== '');
}

/** The cells of a section's table, its head first and the ruler left out. */
export function tableOf(page: Page, heading: string): readonly (readonly string[])[] {
  return sectionOf(page, heading)
    .filter((line) => line.startsWith('|') && !/^\|[ :|-]+\|$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
