import { describe, expect, it } from 'vitest';
import { applyConfig } from '../../src/config/apply-config.ts';
import { createGuard } from '../../src/index.ts';
import { DEFAULT_PRESET, presets } from '../../src/presets/registry.ts';
import { PRESET } from './samples.ts';

const rung = (on: string, at: number) => ({ on, at, action: 'nudge', message: 'm' }) as const;

describe('applyConfig', () => {
  it('gives the default preset and enforces when nothing is said', () => {
    const { preset, mode, attended, tools, messages } = applyConfig({}, 'f');
    expect(DEFAULT_PRESET).toBe('recommended');
    expect(preset).toEqual(presets[DEFAULT_PRESET]);
    expect([mode, attended, tools, messages]).toEqual(['enforce', true, {}, {}]);
  });

  it('merges options into what the preset says of a detector', () => {
    const { preset } = applyConfig(
      { preset: 'atomcode', detectors: { 'outcome-repeat': { window: 10 } } },
      'f',
    );
    const { clearedBy } = presets.atomcode.detectors['outcome-repeat'] as { clearedBy?: unknown };
    expect(preset.detectors).toEqual({ 'outcome-repeat': { kind: 'outcome-repeat', window: 10, clearedBy } });
  });

  it('removes a detector with its rungs and its wording', () => {
    const { preset, messages } = applyConfig(
      {
        preset: 'koda',
        detectors: { 'iteration-cap': 'off' },
        messages: { 'iteration-cap': 'x', 'call-streak': 'y' },
      },
      'f',
    );
    expect(Object.keys(preset.detectors)).toEqual(['call-streak']);
    expect(preset.ladder.map(({ on }) => on)).toEqual(['call-streak', 'call-streak']);
    expect(messages).toEqual({ 'call-streak': 'y' });
  });

  it('puts a ladder in the place of the whole ladder', () => {
    const ladder = [rung('outcome-repeat', 2)];
    expect(applyConfig({ preset: 'atomcode', ladder }, 'f').preset.ladder).toEqual(ladder);
  });

  describe('at', () => {
    const thresholds = (detector: string, at: number) =>
      applyConfig({ detectors: { [detector]: { at } } }, 'f')
        .preset.ladder.filter(({ on }) => on === detector)
        .map((rung) => rung.at);

    it('moves the rungs of a detector, as far apart as they were', () => {
      const { ladder } = presets.recommended;
      const before = ladder.filter(({ on }) => on === 'stuck-test').map((rung) => rung.at);
      expect(thresholds('stuck-test', Math.min(...before) + 3)).toEqual(before.map((at) => at + 3));
      expect(thresholds('stuck-test', Math.min(...before) - 2)).toEqual(before.map((at) => at - 2));
    });

    it('leaves the rungs of others, and the options, where they are', () => {
      const { preset } = applyConfig({ detectors: { 'stuck-test': { at: 9 } } }, 'f');
      const others = (ladder: typeof preset.ladder) => ladder.filter(({ on }) => on !== 'stuck-test');
      expect(others(preset.ladder)).toEqual(others(presets.recommended.ladder));
      expect(preset.detectors).toEqual(presets.recommended.detectors);
    });

    it('moves a later rung no further than a count can reach', () => {
      expect(thresholds('restated-plan', 4)).toEqual([5, 4]);
      expect(() => thresholds('restated-plan', 6)).toThrow('restated-plan never counts above 5, and at is 6');
    });
  });

  it('adds a detector that has a kind and a rung', () => {
    const detectors = { 'outcome-repeat': 'off', mine: { kind: 'call-count', window: 9 } } as const;
    const { preset } = applyConfig({ preset: 'atomcode', detectors, ladder: [rung('mine', 2)] }, 'f');
    expect(preset.detectors).toEqual({ mine: { kind: 'call-count', window: 9 } });
  });

  it('takes nothing over from a detector of another kind', () => {
    const detectors = { 'outcome-repeat': { kind: 'call-count' } } as const;
    const { preset } = applyConfig(
      { preset: 'atomcode', detectors, ladder: [rung('outcome-repeat', 2)] },
      'f',
    );
    expect(preset.detectors).toEqual({ 'outcome-repeat': { kind: 'call-count' } });
  });

  it('makes options that a guard takes', () => {
    const applied = applyConfig(
      { preset: { ...PRESET, about: '' }, messages: { 'call-streak': 'Hm.' } },
      'f',
    );
    const guard = createGuard(applied);
    const answers = [1, 2, 3].map((id) => guard.before({ id: `${id}`, tool: 't' }));
    expect(answers.at(-1)).toMatchObject({ action: 'nudge', message: 'Hm.' });
  });

  it('leaves the preset itself as it was', () => {
    const before = JSON.stringify(presets);
    applyConfig({ preset: 'koda', detectors: { 'iteration-cap': 'off', 'call-streak': { window: 9 } } }, 'f');
    expect(JSON.stringify(presets)).toBe(before);
  });

  it.each([
    [
      { preset: 'koda', detectors: { 'outcome-repeat': 'off' } },
      'f: detectors has "outcome-repeat", which preset "koda" does not have; it has call-streak, iteration-cap',
    ],
    [
      { preset: 'attocode', detectors: { 'call-streak': { window: 5 } } },
      'f: preset "attocode": ladder[2] can never fire: call-streak never counts above 5, and at is 6',
    ],
    [{ preset: 'koda', ladder: [rung('call-streak', 5)] }, 'detectors.iteration-cap can never fire: no rung'],
    [
      { preset: 'atomcode', ladder: [rung('call-streak', 5)] },
      'f: preset "atomcode": ladder[0].on is "call-streak"',
    ],
    [
      { preset: 'koda', messages: { 'call-streek': 'x' } },
      'f: messages has no option "call-streek"; known are call-streak',
    ],
    [
      {
        preset: 'koda',
        ladder: [{ ...rung('call-streak', 5), action: 'block' }],
        detectors: { 'iteration-cap': 'off' },
      },
      'is checked after the call has run',
    ],
  ] as const)('refuses %j', (config, message) => {
    expect(() => applyConfig(config, 'f')).toThrow(message);
  });
});
