import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Complain, walk } from '../walk.ts';
import { whyNot } from '../why-not.ts';

const EXTENSION = '.jsonl';
const STANDARD_INPUT = '-';

/** The files named, and every trace in and under the folders named, each once; `complain` hears of what is not there. */
export function findTraces(paths: readonly string[], complain: Complain): readonly string[] {
  const found = new Map<string, string>();
  const add = (file: string) => {
    const place = resolve(file);
    if (!found.has(place)) found.set(place, file);
  };
  for (const path of paths) {
    try {
      if (path !== STANDARD_INPUT && statSync(path).isDirectory()) {
        for (const { path: file, name, isFolder } of walk(path, complain)) {
          if (!isFolder && name.endsWith(EXTENSION)) add(file);
        }
      } else add(path);
    } catch (error) {
      complain(path, whyNot(error));
    }
  }
  return [...found.values()];
}
