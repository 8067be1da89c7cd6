import { toolRules } from '../../core/tools.ts';
import type { GuardSettings } from '../../hooks/host-guard.ts';
import { detectorKinds } from '../../presets/registry.ts';
import { loadConfig } from '../load-config.ts';
import type { Surroundings } from '../surroundings.ts';

/** How to guard, as the config files and the environment say; throws when they cannot be followed. */
export function readSettings(surroundings: Surroundings): GuardSettings {
  const { preset, mode, attended, tools, messages } = loadConfig(surroundings);
  return { preset, mode, attended, kinds: detectorKinds, rulesFor: toolRules(tools), messages };
}
