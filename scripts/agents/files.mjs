import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The texts of all files under a folder with this ending, in the order of their paths. */
export function filesUnder(folder, ending) {
  return pathsUnder(folder, ending).map((path) => readFileSync(path, 'utf8'));
}

export function pathsUnder(folder, ending) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => join(folder, path));
}

export function writeText(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export const writeJson = (path, value) => writeText(path, `${JSON.stringify(value, null, 2)}\n`);

/** The values of JSON Lines. */
export const linesOf = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
