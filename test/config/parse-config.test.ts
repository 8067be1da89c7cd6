import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse-config.ts';
import { BAD, GOOD, PRESET } from './samples.ts';

describe('parseConfig', () => {
  it.each(GOOD)('accepts %s', (_what, config) => {
    expect(parseConfig(config, 'deloop.config.json')).toMatchObject(config as object);
  });

  it.each(BAD)('refuses %s, naming file, option, value and range', (_what, config, message) => {
    expect(() => parseConfig(config, 'a/deloop.config.json')).toThrow(
      expect.objectContaining({
        name: 'DeloopError',
        code: 'option',
        message: expect.stringContaining(`a/deloop.config.json: `),
      }),
    );
    expect(() => parseConfig(config, 'f')).toThrow(message);
  });

  it('refuses a preset object with a rung that can never fire', () => {
    const preset = { ...PRESET, ladder: [{ ...PRESET.ladder[0], at: 9 }] };
    expect(() => parseConfig({ preset }, 'f')).toThrow(
      'f: preset "mine": ladder[0] can never fire: call-streak never counts above 8, and at is 9',
    );
  });

  it('refuses what is nested too deeply to be a config', () => {
    const deep = JSON.parse(`{"tools":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(() => parseConfig(deep, 'f')).toThrow('f: the config is nested more than 32 deep');
  });

  it('leaves no mark on any other object', () => {
    const hostile = '{"detectors": {"x": {"__proto__": {"polluted": 1}}}}';
    expect(() => parseConfig(JSON.parse(hostile), 'f')).toThrow('__proto__');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
