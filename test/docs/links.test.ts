import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { allPages, pageOf, ROOT } from './pages.ts';

it('links only to files and headings that exist', () => {
  const broken: string[] = [];
  for (const { name, lines } of [...allPages(), pageOf('CONTRIBUTING.md'), pageOf('CHANGELOG.md')]) {
    for (const [, target = ''] of lines.join('\n').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', heading] = target.split('#');
      const file = path === '' ? name : normalize(join(dirname(name), path));
      const found = existsSync(join(ROOT, file));
      if (!found || (heading !== undefined && !anchorsOf(file).includes(heading)))
        broken.push(`${name}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

function anchorsOf(file: string): readonly string[] {
  return pageOf(file)
    .lines.filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
}
