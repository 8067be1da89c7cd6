import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGuard, type Preset, presets } from '../../src/index.ts';
import { detectorKinds } from '../../src/presets/registry.ts';
import { withSwarm } from '../../src/presets/swarm-rules.ts';
import { type Count, NO_CONTROL } from '../../src/stores/board.ts';
import { NOTHING } from '../../src/stores/tally.ts';
import { type MemberNews, tallyEvent } from '../../src/swarm/member.ts';
import { tellingTallies } from '../../src/swarm/telling-tallies.ts';

const isKnown = (kind: string) => detectorKinds.some((known) => known.kind === kind);
const totals = { calls: 9, tokens: 9, money: 9, active: 9, agents: 9 };
const news = (halted = false): MemberNews => ({
  counts: [],
  totals,
  control: { ...NO_CONTROL, halted },
  local: false,
});
const few = fc.integer({ min: 0, max: 12 });
const counts = fc
  .record({ calls: few, workers: few, wasted: few, wasters: few, failures: few })
  .chain((numbers) =>
    fc
      .constantFrom('', '', '', 'children')
      .map((refused): Count => ({ ...NOTHING, ...numbers, refused }) as Count),
  );
const notes = fc.constantFrom(
  { kind: 'call', worker: 'ann', key: 'k' } as const,
  { kind: 'failure', worker: 'ann', key: 'k' } as const,
  { kind: 'handoff', worker: 'ann', to: 'ben' } as const,
  {
    kind: 'spawn',
    worker: 'ann',
    to: 'ben',
    depth: 0,
    limits: { children: 1, perDepth: 1, depth: 1 },
  } as const,
);

describe('tallies that are not made', () => {
  it.each(['recommended', 'attocode', 'koda'] as const)(
    'would have been answered with allow (%s)',
    (name) => {
      const preset = withSwarm(presets[name]);
      const isTelling = tellingTallies(preset, undefined, isKnown);
      let [left, made] = [0, 0];
      fc.assert(
        fc.property(notes, counts, fc.boolean(), (note, count, halted) => {
          if (isTelling(note.kind, count, news(halted))) {
            made += 1;
            return;
          }
          left += 1;
          const event = tallyEvent(note, count, news(halted), { tool: 'look' });
          expect(createGuard({ preset }).accept(event).action).toBe('allow');
        }),
        { numRuns: 400 },
      );
      expect(Math.min(left, made)).toBeGreaterThan(20);
    },
  );

  it('are those below the lowest rung, one by one', () => {
    const isTelling = tellingTallies(withSwarm(presets.recommended), undefined, isKnown);
    const tells = (kind: Parameters<typeof isTelling>[0], count: Partial<Count>, halted = false) =>
      isTelling(kind, { ...NOTHING, ...count }, news(halted));
    expect([4, 5].map((wasted) => tells('call', { calls: 99, wasted }))).toEqual([false, true]);
    expect([7, 8].map((calls) => tells('failure', { calls }))).toEqual([false, true]);
    expect([5, 6].map((calls) => tells('handoff', { calls }))).toEqual([false, true]);
    expect(tells('spawn', { calls: 99 })).toBe(false);
    expect(tells('spawn', { refused: 'depth' })).toBe(true);
    expect(tells('call', {}, true)).toBe(true);
    const calls = tellingTallies(withSwarm(presets.attocode), undefined, isKnown);
    expect([9, 10].map((n) => calls('call', { ...NOTHING, calls: n }, news()))).toEqual([false, true]);
  });

  it('are none where a rule of the user may want them', () => {
    const preset = withSwarm(presets.recommended);
    const silent = ['call', NOTHING, news()] as const;
    const own: Preset = { ...preset, detectors: { ...preset.detectors, mine: { kind: 'of-my-own' } } };
    expect(tellingTallies(preset, undefined, isKnown)(...silent)).toBe(false);
    expect(tellingTallies(preset, { look: { poll: true } }, isKnown)(...silent)).toBe(false);
    expect(tellingTallies(own, undefined, isKnown)(...silent)).toBe(true);
    expect(tellingTallies(preset, { look: { at: { nudge: 2 } } }, isKnown)(...silent)).toBe(true);
    for (const limits of [[{ calls: 9 }], [{}, { tokens: 9 }]] as const)
      expect(tellingTallies(withSwarm(presets.recommended, ...limits), undefined, isKnown)(...silent)).toBe(
        true,
      );
  });
});
