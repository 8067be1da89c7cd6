import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { detectorKinds, presets } from '../../src/presets/registry.ts';
import { BAD, GOOD } from './samples.ts';

const validate = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  // The parts that detectors share would be compiled hundreds of times.
  inlineRefs: false,
}).compile(configSchema() as object);

describe('the JSON Schema of deloop.config.json', () => {
  it('is the one that is published (run: npm run schema)', () => {
    const published = readFileSync(
      new URL('../../schema/deloop.config.schema.json', import.meta.url),
      'utf8',
    );
    expect(published).toBe(`${JSON.stringify(configSchema(), null, 2)}\n`);
  });

  it.each(GOOD)('accepts %s, as parseConfig does', (_what, config) => {
    validate(config);
    expect(validate.errors).toBeNull();
  });

  it.each(BAD)('refuses %s, as parseConfig does', (_what, config) => {
    expect(validate(JSON.parse(JSON.stringify(config)))).toBe(false);
  });

  it.each(Object.entries(presets))('accepts preset %s written out', (_name, preset) => {
    validate({ preset: JSON.parse(JSON.stringify(preset)) });
    expect(validate.errors).toBeNull();
  });

  it('knows every option of every detector, with its help', () => {
    const { $defs } = configSchema() as {
      $defs: { [kind: string]: { description: string; properties: object } };
    };
    for (const { kind, about, options } of detectorKinds) {
      expect($defs[kind]?.description).toBe(about);
      expect($defs[kind]?.properties).toMatchObject(
        Object.fromEntries(
          Object.entries(options).map(([name, spec]) => [name, { description: spec.about }]),
        ),
      );
    }
  });
});
