import { describe, it } from 'vitest';
import { presets } from '../../src/presets/registry.ts';
import { testPreset } from '../../src/testing/test-preset.ts';

for (const preset of Object.values(presets)) testPreset(preset, { describe, it });
