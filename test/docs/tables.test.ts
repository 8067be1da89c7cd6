import { describe, expect, it } from 'vitest';
import type { DescribedKind, OptionSpec } from '../../src/core/options.ts';
import type { Rung } from '../../src/core/types.ts';
import { detectorKinds, presets } from '../../src/presets/registry.ts';
import { allPages, pageOf, sectionOf, tableOf } from './pages.ts';

const NO_OPTIONS = 'This kind takes no options.';

it('has one page for every kind of detector, and no other', () => {
  const pages = allPages().flatMap(({ name }) => /^docs\/detectors\/(.+)\.md$/.exec(name)?.[1] ?? []);
  expect(pages).toEqual(detectorKinds.map(({ kind }) => kind).sort());
});

it('has one section for every preset', () => {
  const headings = pageOf('docs/presets.md').lines.filter((line) => line.startsWith('## '));
  for (const name of Object.keys(presets)) expect(headings).toContain(`## ${name}`);
});

describe.each(detectorKinds)('the page of $kind', (kind) => {
  const page = pageOf(`docs/detectors/${kind.kind}.md`);

  it('lists the options of the code', () => {
    const options = Object.entries(kind.options);
    const defaults = new Map<string, unknown>(Object.entries(kind.defaults));
    expect([...defaults.keys()]).toEqual(options.map(([name]) => name));
    if (options.length === 0) {
      expect(sectionOf(page, 'Options')).toEqual([NO_OPTIONS]);
      return;
    }
    expect(tableOf(page, 'Options')).toEqual([
      ['option', 'default', 'values', 'meaning'],
      ...options.map(([name, spec]) => [
        `\`${name}\``,
        code(defaults.get(name)),
        valuesOf(spec),
        spec.about.replaceAll('|', '\\|'),
      ]),
    ]);
  });

  it('lists the thresholds of the presets', () => {
    expect(tableOf(page, 'Thresholds').map((row) => row.slice(0, 6))).toEqual([
      ['preset', 'detector', 'at', 'only', 'action', 'level'],
      ...thresholdsOf(kind),
    ]);
  });

  it('names a source for every threshold', () => {
    for (const row of tableOf(page, 'Thresholds')) expect(row[6]).toMatch(/\w/);
  });
});

function thresholdsOf({ kind }: DescribedKind): readonly (readonly string[])[] {
  return Object.values(presets).flatMap(({ name, detectors, ladder }) =>
    ladder
      .filter(({ on }) => detectors[on]?.kind === kind)
      .map((rung) => [
        name,
        `\`${rung.on}\``,
        String(rung.at),
        conditionOf(rung),
        rung.action,
        rung.level ?? '',
      ]),
  );
}

function conditionOf({ exactly, every, strikes, where }: Rung): string {
  const conditions = Object.entries(where ?? {}).map(([fact, value]) => `\`${fact}: ${value}\``);
  if (exactly === true) conditions.push('exactly then');
  if (every !== undefined) conditions.push(`every ${every}`);
  if (strikes !== undefined) conditions.push(`after ${strikes} delivered`);
  return conditions.join(', ');
}

function valuesOf(spec: OptionSpec): string {
  switch (spec.type) {
    case 'integer':
      return `${spec.min} to ${spec.max}${spec.offable === true ? ', or `"off"`' : ''}`;
    case 'choice':
      return spec.of.map(code).join(', ');
    case 'names':
      return 'a list of names';
  }
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll(',', ', ')}\``;
}
