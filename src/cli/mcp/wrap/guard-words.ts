import { resolve } from 'node:path';
import { type PresetName, presetOf } from '../../../presets/registry.ts';
import { UsageError } from '../../exit.ts';
import { loadConfig } from '../../load-config.ts';
import type { Surroundings } from '../../surroundings.ts';
import { isPassing, npxLauncher, ownLauncher } from './launcher.ts';
import type { GuardWords } from './wrap-text.ts';

/** How the servers are to be guarded. */
export type GuardFlags = {
  readonly preset?: string;
  readonly config?: string;
  readonly log?: string;
  readonly shadow?: boolean;
  readonly share: boolean;
  readonly store?: string;
  readonly npx?: boolean;
};

/** What stands before a server's own command; throws when a guard with these flags could not start. */
export function guardWords(flags: GuardFlags, surroundings: Surroundings): GuardWords {
  const { preset, config, log, shadow, share, store, npx } = flags;
  const { cwd, platform } = surroundings;
  if (store !== undefined && !share) throw new UsageError('--store and --no-share exclude each other');
  if (preset !== undefined) presetOf(preset as PresetName);
  loadConfig(surroundings, { file: config === undefined ? undefined : resolve(cwd, config) });
  const run = npx === true || isPassing() ? npxLauncher(platform) : ownLauncher();
  const own = [
    ...(share ? [store === undefined ? '--share' : `--store=${resolve(cwd, store)}`] : []),
    ...(preset === undefined ? [] : [`--preset=${preset}`]),
    ...(config === undefined ? [] : [`--config=${resolve(cwd, config)}`]),
    ...(shadow === true ? ['--shadow'] : []),
    ...(log === undefined ? [] : [`--log=${resolve(cwd, log)}`]),
  ];
  return (server) => ({ run, flags: [`--name=${server}`, ...own] });
}
