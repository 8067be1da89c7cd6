import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { whyNot } from '../why-not.ts';

const EXTENSION = '.jsonl';
const STANDARD_INPUT = '-';

/** The files named, and every trace in and under the folders named, each once; `complain` hears of what is not there. */
export function findTraces(
  paths: readonly string[],
  complain: (path: string, why: string) => void,
): readonly string[] {
  const found = new Map<string, string>();
  const add = (file: string) => {
    const place = resolve(file);
    if (!found.has(place)) found.set(place, file);
  };
  for (const path of paths) {
    try {
      if (path !== STANDARD_INPUT && statSync(path).isDirectory())
        for (const file of under(path, complain)) add(file);
      else add(path);
    } catch (error) {
      complain(path, whyNot(error));
    }
  }
  return [...found.values()];
}

/** In the order of their names, whatever the file system's is; linked folders are left alone, for they may go round in circles. */
function* under(
  folder: string,
  complain: (path: string, why: string) => void,
): Generator<string, void, void> {
  let entries: ReturnType<typeof entriesOf> = [];
  try {
    entries = entriesOf(folder);
  } catch (error) {
    complain(folder, whyNot(error));
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* under(path, complain);
    else if (entry.name.endsWith(EXTENSION) && (entry.isFile() || isFile(path))) yield path;
  }
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
  );
}

function isFile(link: string): boolean {
  try {
    return statSync(link).isFile();
  } catch {
    return false;
  }
}
