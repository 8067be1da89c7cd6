import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { mergeConfigs } from '../../src/config/merge-configs.ts';
import { DEFAULT_PRESET } from '../../src/presets/registry.ts';

const layer = (where: string, config: Config) => ({ where, config });
const managed = (config: Config) => ({ where: 'managed', config, managed: true });
const merged = (...configs: readonly Config[]) =>
  mergeConfigs(configs.map((config, index) => layer(`${index}`, config))).config;

describe('mergeConfigs', () => {
  it('lets the higher layer win, field by field', () => {
    expect(merged({ preset: 'koda', mode: 'shadow' }, { mode: 'off' })).toEqual({
      preset: 'koda',
      mode: 'off',
    });
  });

  it('merges tools and options of detectors, the patterns of the higher layer first', () => {
    const low = { tools: { '*': { poll: true }, a: { noop: true, at: { halt: 9 } } } };
    const high = { tools: { a: { at: { block: 2 } }, 'b*': { exempt: true } } };
    const { tools } = merged(low, high);
    expect(tools).toEqual({
      a: { noop: true, at: { block: 2, halt: 9 } },
      'b*': { exempt: true },
      '*': { poll: true },
    });
    expect(Object.keys(tools ?? {})).toEqual(['a', 'b*', '*']);
  });

  it('replaces a detector that was off, and a ladder as a whole', () => {
    const rung = { on: 'x', at: 1, action: 'nudge', message: 'm' } as const;
    const low: Config = { detectors: { x: 'off' }, ladder: [rung, rung] };
    expect(merged(low, { detectors: { x: { window: 3 } }, ladder: [rung] })).toEqual({
      detectors: { x: { window: 3 } },
      ladder: [rung],
    });
  });

  it('leaves behind what was written for another preset', () => {
    const low: Config = {
      preset: 'koda',
      detectors: { 'iteration-cap': 'off' },
      messages: { a: 'b' },
      mode: 'shadow',
    };
    expect(merged(low, { preset: 'zagens' })).toEqual({ preset: 'zagens', mode: 'shadow' });
    expect(merged(low, { preset: 'koda' })).toEqual(low);
    expect(merged({ messages: { a: 'b' } }, { preset: DEFAULT_PRESET })).toHaveProperty('messages');
  });

  it('puts unlocked fields of the managed file below every other layer', () => {
    const { config } = mergeConfigs([
      managed({ mode: 'shadow', attended: false }),
      layer('user', { mode: 'off' }),
    ]);
    expect(config).toEqual({ mode: 'off', attended: false });
  });

  it('lets locked fields win as a whole', () => {
    const { config, where } = mergeConfigs([
      managed({ mode: 'enforce', tools: { a: { poll: true } }, locked: ['mode', 'tools'] }),
      layer('project', { mode: 'off', tools: { b: { exempt: true } } }),
      layer('the command line', { mode: 'shadow', attended: false }),
    ]);
    expect(config).toEqual({ mode: 'enforce', tools: { a: { poll: true } }, attended: false });
    expect(where).toBe('managed + project + the command line');
  });

  it('ignores under a locked preset what is said for another one', () => {
    const { config } = mergeConfigs([
      managed({ preset: 'koda', detectors: { 'iteration-cap': 'off' }, locked: ['preset'] }),
      layer('project', { preset: 'zagens', detectors: { 'call-count': { window: 9 } }, mode: 'shadow' }),
    ]);
    expect(config).toEqual({ preset: 'koda', detectors: { 'iteration-cap': 'off' }, mode: 'shadow' });
  });

  it('ignores locks anywhere else', () => {
    const { config } = mergeConfigs([
      layer('p', { mode: 'off', locked: ['mode'] }),
      layer('f', { mode: 'shadow' }),
    ]);
    expect(config).toEqual({ mode: 'shadow' });
  });

  it('never reaches a prototype', () => {
    const evil = JSON.parse(
      '{"tools": {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}}',
    );
    merged(evil, evil, { tools: {} });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
