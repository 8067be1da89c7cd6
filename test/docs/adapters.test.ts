import { expect, it } from 'vitest';
import { allPages, blocksOf } from './pages.ts';

/** Lines of the first thing that a page shows. */
const MOST = 14;
const pages = allPages().filter(({ name }) => /^docs\/adapters\/(?!index)/.test(name));

it.each(pages.map((page) => [page.name, page] as const))('%s shows its use in under 15 lines', (_, page) => {
  const [first] = blocksOf(page, 'ts');
  const lines = first?.text.split('\n').length ?? 0;
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThanOrEqual(MOST);
});
