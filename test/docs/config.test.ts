import { expect, it } from 'vitest';
import { applyConfig } from '../../src/config/apply-config.ts';
import { SETTINGS } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { type Block, blocksOf, pageOf, tableOf } from './pages.ts';

const page = pageOf('docs/config.md');

/** Every `json` block of the page is a config that works, unless `Refused: why` stands under it. */
it.each(blocksOf(page, 'json'))('$page:$line is taken or refused as the page says', (block) => {
  const refusal = /^Refused: (.+)$/.exec(block.below)?.[1];
  if (refusal === undefined) expect(() => apply(block)).not.toThrow();
  else expect(() => apply(block)).toThrow(refusal);
});

it('lists every field', () => {
  const names = tableOf(page, 'Fields')
    .slice(1)
    .map(([name]) => name);
  expect(names).toEqual(['$schema', ...SETTINGS, 'locked'].map((name) => `\`${name}\``));
});

function apply({ text }: Block): void {
  applyConfig(parseConfig(JSON.parse(text), 'example'), 'example');
}
