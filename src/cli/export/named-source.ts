import { existsSync } from 'node:fs';
import { UsageError } from '../exit.ts';
import type { Source } from '../scan/read-source.ts';
import { sourcesAt, type WantedSource } from '../scan/sources.ts';
import { isTranscript } from '../transcript-files.ts';
import type { Complain } from '../walk.ts';

/** The one session of this name, as `deloop scan` prints it: a file, a folder, or `PATH#SESSION`; null = not readable. */
export function namedSource(name: string, complain: Complain): Source | null {
  const mark = name.lastIndexOf('#');
  const within = mark > 0 && !existsSync(name);
  const path = within ? name.slice(0, mark) : name;
  const session = within ? name.slice(mark + 1) : undefined;
  let readable = true;
  const all = sourcesAt([path], 0, (file, why) => {
    readable = false;
    complain(file, why);
  });
  if (!readable) return null;
  const sources = session === undefined ? all : all.filter((source) => source.session === session);
  const [only, another] = firstTwo(sources);
  if (only === undefined) throw new UsageError(`${name}: there is no such session in it`);
  if (another !== undefined)
    throw new UsageError(`${name} holds more than one session; name one of them, such as ${nameOf(only)}`);
  return only;
}

/** A folder may hold thousands of files, so no more of them are looked into than it takes. */
function firstTwo(sources: readonly WantedSource[]): readonly WantedSource[] {
  const found: WantedSource[] = [];
  for (const source of sources) {
    if (isSession(source)) found.push(source);
    if (found.length === 2) break;
  }
  return found;
}

/** A file that merely lies in a folder may be anything; one that was named is read, which tells why it is none. */
function isSession({ named, kind, path }: WantedSource): boolean {
  return named || kind !== 'files' || isTranscript(path);
}

function nameOf({ path, session }: Source): string {
  return session === undefined ? path : `${path}#${session}`;
}
