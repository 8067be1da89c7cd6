import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFIG_NAME, userConfigPath } from '../config-places.ts';
import { fileExists } from '../small-file.ts';
import type { Surroundings } from '../surroundings.ts';

const VARIABLES = [
  'DELOOP_MANAGED_CONFIG',
  'DELOOP_PRESET',
  'DELOOP_MODE',
  'DELOOP_ATTENDED',
  'DELOOP_SWARM',
];

/** Whether anybody has a say in how to guard. To find out costs a fraction of what reading it does. */
export function configPresent(surroundings: Surroundings): boolean {
  const { cwd, env } = surroundings;
  if (VARIABLES.some((name) => env[name])) return true;
  if (fileExists(userConfigPath(surroundings))) return true;
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (fileExists(join(folder, CONFIG_NAME)) || mentioned(join(folder, 'package.json'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function mentioned(manifest: string): boolean {
  try {
    return readFileSync(manifest, 'utf8').includes('"deloop"');
  } catch {
    return false;
  }
}
