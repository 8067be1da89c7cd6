import { describe, expect, it } from 'vitest';
import type { DescribedKind, OptionSpec } from '../../src/core/options.ts';
import { MAX_STRIKES } from '../../src/core/rounds.ts';
import type { Rung } from '../../src/core/types.ts';
import { MAX_AGENTS, MAX_FINISHED, MAX_OPEN, MAX_UNDO } from '../../src/core/world.ts';
import { detectorKinds, presets } from '../../src/presets/registry.ts';
import { withSwarm } from '../../src/presets/swarm-rules.ts';
import { allPages, pageOf, sectionOf, tableOf } from './pages.ts';

const NO_OPTIONS = 'This kind takes no options.';

it('has one page for every kind of detector, and no other', () => {
  const pages = allPages().flatMap(({ name }) => /^docs\/detectors\/(.+)\.md$/.exec(name)?.[1] ?? []);
  expect(pages).toEqual(detectorKinds.map(({ kind }) => kind).sort());
});

it('lists the pages of all kinds by name', () => {
  const links = sectionOf(pageOf('docs/presets.md'), 'Detectors')
    .join(' ')
    .matchAll(/\[([a-z-]+)\]\(([^)]+)\)/g);
  expect(Array.from(links, ([, kind, page]) => [kind, page])).toEqual(
    detectorKinds.map(({ kind }) => [kind, `detectors/${kind}.md`]).sort(),
  );
});

it('has one section for every preset', () => {
  const headings = pageOf('docs/presets.md').lines.filter((line) => line.startsWith('## '));
  for (const name of Object.keys(presets)) expect(headings).toContain(`## ${name}`);
});

it('tells the bounds of a state as they are', () => {
  const bounds = tableOf(pageOf('docs/guide.md'), 'Saving and restoring').slice(1, 6);
  expect(bounds.map(([what, howMany]) => [what, Number.parseInt(howMany ?? '', 10)])).toEqual([
    ['agents', MAX_AGENTS],
    ['open calls', MAX_OPEN],
    ['ids of finished calls', MAX_FINISHED],
    ['agents that can be rewound', MAX_UNDO],
    ['strikes', MAX_STRIKES],
  ]);
});

describe('the section of recommended', () => {
  const { detectors, ladder } = presets.recommended;
  const rows = tableOf(pageOf('docs/presets.md'), 'recommended').flatMap(([rule, link, tells, stops]) => {
    const kind = /^\[([a-z-]+)\]\(detectors\//.exec(link ?? '')?.[1];
    return kind === undefined
      ? []
      : [{ name: /\(`([a-z-]+)`\)$/.exec(rule ?? '')?.[1] ?? kind, tells, stops }];
  });

  it('has a row for every detector', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(detectors).sort());
  });

  it.each(rows)('tells when $name acts', ({ name, tells = '', stops = '' }) => {
    const own = ladder.filter(({ on }) => on === name);
    const [nudges, others] = [own.filter(isNudge), own.filter((rung) => !isNudge(rung))];
    expect(numbersIn(tells)).toEqual(thresholds(nudges));
    expect(numbersIn(stops)).toEqual(thresholds(others));
    expect(stops.includes('block')).toBe(others.some(({ action }) => action === 'block'));
  });

  function isNudge({ action }: Rung): boolean {
    return action === 'nudge';
  }
  /** A threshold of one is told in words. */
  function thresholds(rungs: readonly Rung[]): readonly number[] {
    return [...new Set(rungs.map(({ at }) => at))].filter((at) => at > 1).sort((a, b) => a - b);
  }
  function numbersIn(cell: string): readonly number[] {
    return Array.from(cell.matchAll(/\d+/g), ([number]) => Number(number));
  }
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
  const swarm = withSwarm({ name: 'in a swarm', about: '', detectors: {}, ladder: [] });
  return [...Object.values(presets), swarm].flatMap(({ name, detectors, ladder }) =>
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

function conditionOf({ exactly, every, strikes, below, attended, where }: Rung): string {
  const conditions = Object.entries(where ?? {}).map(([fact, value]) => `\`${fact}: ${value}\``);
  if (exactly === true) conditions.push('exactly then');
  if (every !== undefined) conditions.push(`every ${every}`);
  if (strikes !== undefined) conditions.push(`after ${strikes} delivered`);
  if (below !== undefined) conditions.push(`below ${below} delivered`);
  if (attended !== undefined) conditions.push(attended ? 'attended' : 'unattended');
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
