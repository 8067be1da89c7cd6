import { existsSync } from 'node:fs';
import { UsageError } from '../exit.ts';
import type { Source } from '../scan/read-source.ts';
import { sourcesAt } from '../scan/sources.ts';
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
  const [only] = sources;
  if (only === undefined) throw new UsageError(`${name}: there is no such session in it`);
  if (sources.length > 1)
    throw new UsageError(
      `${name} holds ${sources.length} sessions; name one of them, such as ${nameOf(only)}`,
    );
  return only;
}

function nameOf({ path, session }: Source): string {
  return session === undefined ? path : `${path}#${session}`;
}
