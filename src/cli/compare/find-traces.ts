import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isTranscript, TRANSCRIPT_ENDINGS } from '../transcript-files.ts';
import { type Complain, walk } from '../walk.ts';
import { whyNot } from '../why-not.ts';

const EXTENSION = '.jsonl';
/** Full of files that end like a transcript and are none. */
const PASSED_OVER = ['node_modules', '.git'];
const STANDARD_INPUT = '-';

/** The files named, and every trace and other transcript in and under the folders named, each once; `complain` hears of what is not there. */
export function findTraces(paths: readonly string[], complain: Complain): readonly string[] {
  const found = new Map<string, string>();
  const add = (file: string) => {
    const place = resolve(file);
    if (!found.has(place)) found.set(place, file);
  };
  for (const path of paths) {
    try {
      if (path !== STANDARD_INPUT && statSync(path).isDirectory()) {
        for (const { path: file, name, isFolder, above } of walk(path, complain)) {
          if (!isFolder && (name.endsWith(EXTENSION) || isOther(file, name, above))) add(file);
        }
      } else add(path);
    } catch (error) {
      complain(path, whyNot(error));
    }
  }
  return [...found.values()];
}

/** A transcript that is not called like a trace; most files that are called like it are something else. */
function isOther(file: string, name: string, above: readonly string[]): boolean {
  if (!TRANSCRIPT_ENDINGS.some((ending) => name.endsWith(ending))) return false;
  return !above.some((folder) => PASSED_OVER.includes(folder)) && isTranscript(file);
}
