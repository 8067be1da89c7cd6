import { isAbsolute, join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** Where deloop keeps what lives between runs: states of sessions, the log of decisions. */
export function stateFolder({ env, home, platform }: Surroundings): string {
  const own = env['DELOOP_STATE_DIR'] ?? '';
  if (isAbsolute(own)) return own;
  const windows = platform === 'win32';
  const named = env[windows ? 'LOCALAPPDATA' : 'XDG_STATE_HOME'] ?? '';
  // The XDG specification says to ignore a path that is not absolute.
  if (isAbsolute(named)) return join(named, 'deloop');
  return windows ? join(home, 'AppData', 'Local', 'deloop') : join(home, '.local', 'state', 'deloop');
}
