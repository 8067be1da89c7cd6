import { resolve } from 'node:path';
import type { StoreConfig, SwarmConfig } from '../../config/config.ts';
import { swarmOptions } from '../../config/parse-swarm.ts';
import { toolRules } from '../../core/tools.ts';
import { detectorKinds } from '../../presets/registry.ts';
import { withSwarm } from '../../presets/swarm-rules.ts';
import { loadConfig } from '../load-config.ts';
import type { Surroundings } from '../surroundings.ts';
import type { HookSettings, SwarmSettings } from './hook-settings.ts';

/** How to guard, as the config files and the environment say; throws when they cannot be followed. */
export function readSettings(surroundings: Surroundings): HookSettings {
  const { preset, mode, attended, tools, messages, shared } = loadConfig(surroundings);
  const settings = { preset, mode, attended, kinds: detectorKinds, rulesFor: toolRules(tools), messages };
  const { swarm = 'off', store = {} } = shared;
  if (swarm === 'off' || swarm.name === undefined) return settings;
  if (store.redis === undefined && store.folder === undefined)
    return {
      ...settings,
      problems: [
        `the swarm ${JSON.stringify(swarm.name)} has no store: set DELOOP_REDIS_URL, or "store" in your own config`,
      ],
    };
  const { budget, tenantBudget } = swarm;
  return {
    ...settings,
    preset: withSwarm(preset, budget, tenantBudget),
    swarm: swarmSettings(swarm, store, surroundings),
  };
}

function swarmSettings(
  swarm: Exclude<SwarmConfig, 'off'>,
  { redis, folder, tenant = 'default', prefix = 'deloop' }: StoreConfig,
  { home }: Surroundings,
): SwarmSettings {
  const { worker, ...options } = swarmOptions(swarm, '');
  return {
    options: { ...options, ...(worker === '' ? {} : { worker }) },
    redis,
    folder: folder === undefined ? undefined : resolve(home, folder),
    tenant,
    prefix,
  };
}
