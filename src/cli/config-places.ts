import { isAbsolute, join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

export const CONFIG_NAME = 'deloop.config.json';

/** The user's own config, whether or not it is there. */
export function userConfigPath({ env, platform, home }: Surroundings): string {
  const named = env[platform === 'win32' ? 'APPDATA' : 'XDG_CONFIG_HOME'] ?? '';
  // The XDG specification says to ignore a path that is not absolute.
  const folder = isAbsolute(named) ? named : join(home, '.config');
  return join(folder, 'deloop', 'config.json');
}
