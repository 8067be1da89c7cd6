import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Complain, walk } from '../walk.ts';
import { whyNot } from '../why-not.ts';
import type { PlaceKind } from './known-places.ts';
import type { Place } from './places.ts';

/** A session, or a store of many, that is there. */
export type FoundSession = {
  readonly agent: string;
  readonly path: string;
  readonly kind: PlaceKind;
  /** Bytes; 0 where only reading all of it would tell. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
};

/** The sessions that are there, place by place and in the order of their names. `complain` hears of what cannot be read. */
export function* findSessions(
  places: readonly Place[],
  complain: Complain,
): Generator<FoundSession, void, void> {
  for (const place of places) {
    const { kind, path, pattern } = place;
    if (kind === 'opencode-storage') yield* found(place, path, join(path, 'session'), complain);
    else if (pattern.length === 0) yield* found(place, path, path, complain);
    else if (statsOf(path, complain)?.isDirectory() === true) {
      yield* kind === 'folder' ? foldersIn(place, complain) : filesIn(place, complain);
    }
  }
}

function* filesIn(place: Place, complain: Complain): Generator<FoundSession, void, void> {
  const { path, pattern, inside, except = [] } = place;
  for (const { path: file, name, isFolder, above } of walk(path, complain)) {
    if (isFolder || except.includes(name) || !pattern.some((end) => name.endsWith(end))) continue;
    if (inside === undefined || above.some((folder) => inside.includes(folder))) {
      yield* found(place, file, file, complain);
    }
  }
}

function* foldersIn(place: Place, complain: Complain): Generator<FoundSession, void, void> {
  const { path, pattern } = place;
  for (const { path: inner, name, isFolder } of walk(path, complain, (each) => !pattern.includes(each))) {
    if (isFolder && pattern.includes(name)) yield* found(place, dirname(inner), inner, complain);
  }
}

/** `path` as a session, if `witness` is there, which tells how old it is. */
function* found(
  { agent, kind }: Place,
  path: string,
  witness: string,
  complain: Complain,
): Generator<FoundSession, void, void> {
  const stats = statsOf(witness, complain);
  if (stats === null) return;
  const isStore = kind === 'folder' || kind === 'opencode-storage';
  yield { agent, path, kind, size: isStore ? 0 : stats.size, modifiedAt: stats.mtimeMs };
}

/** Null = not there, which is nothing to complain of: most agents are not, and a session may go at any time. */
function statsOf(path: string, complain: Complain): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') complain(path, whyNot(error));
    return null;
  }
}
