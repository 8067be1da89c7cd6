import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DeloopError } from '../../../core/errors.ts';
import { VERSION } from '../../version.ts';

/** The words that start deloop. */
export type Launcher = readonly [program: string, ...args: string[]];

const NPX_CACHE = /[\\/]_npx[\\/]/;

/** This very deloop, with the Node that runs it: a client that was not started from a shell may find neither by name. */
export function ownLauncher(): Launcher {
  return [process.execPath, mainPath()];
}

/** Whatever machine it is: npx finds deloop, or fetches this version of it. */
export function npxLauncher(platform: string): Launcher {
  const npx: Launcher = ['npx', '-y', `deloop@${VERSION}`];
  // On Windows npx is a script, which no program can start by itself.
  return platform === 'win32' ? ['cmd', '/c', ...npx] : npx;
}

/** Whether this deloop lies where it may be cleared away. */
export function isPassing(): boolean {
  return NPX_CACHE.test(mainPath());
}

/** From wherever the code that asks was built to. */
function mainPath(): string {
  const places = ['./main.js', '../cli/main.js', '../../../../dist/cli/main.js'];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found === undefined)
    throw new DeloopError('option', 'the command of deloop is not there: install the package again');
  return found;
}
