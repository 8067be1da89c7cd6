import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DeloopError } from '../../core/errors.ts';

/** The command of the package, from wherever the code that asks was built to. */
export function hookPath(): string {
  const places = ['../hook.cjs', '../../hook.cjs', '../../dist/hook.cjs', '../../../dist/hook.cjs'];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found === undefined)
    throw new DeloopError('option', 'the hook of deloop is not there: install the package again');
  return found;
}
