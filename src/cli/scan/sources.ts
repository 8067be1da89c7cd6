import { realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DeloopError } from '../../core/errors.ts';
import { TRANSCRIPT_ENDINGS } from '../transcript-files.ts';
import { type Complain, walk } from '../walk.ts';
import { whyNot } from '../why-not.ts';
import { findSessions } from './find-sessions.ts';
import type { PlaceKind } from './known-places.ts';
import type { Place } from './places.ts';
import { type Source, STORES } from './read-source.ts';
import { isOpenFolder } from './session-sources/open-folder.ts';

/** A session to scan, and whether the user named it: what is named must be readable. */
export type WantedSource = Source & { readonly named: boolean };

const DATABASE_ENDINGS = ['.db', '.sqlite'];
const KNOWN_DATABASE = /^(?:opencode.{0,100}\.db|openclaw.{0,100}\.sqlite)$/;
/** Never worth a look, and often huge. */
const PASSED_OVER = new Set(['node_modules', '.git']);

/** The sessions in the places where agents keep them, of those that changed since. */
export function sourcesIn(
  places: readonly Place[],
  since: number,
  complain: Complain,
): readonly WantedSource[] {
  const sources: WantedSource[] = [];
  for (const { kind, path, size, modifiedAt } of findSessions(places, complain)) {
    if (STORES[kind] !== undefined)
      for (const stored of storedIn(kind, path, since, complain)) sources.push(stored);
    else if (modifiedAt >= since) sources.push({ kind, path, size, named: false });
  }
  // What opencode moved into its database it left where it was, too.
  const moved = new Set(sources.filter(isInDatabase).map(({ session }) => session));
  return sources.filter((source) => source.kind !== 'opencode-storage' || !moved.has(source.session));
}

function isInDatabase({ kind }: Source): boolean {
  return kind === 'opencode-database';
}

/** The sessions at, in and under the paths that the user gave, each once. */
export function sourcesAt(
  paths: readonly string[],
  since: number,
  complain: Complain,
): readonly WantedSource[] {
  const sources: WantedSource[] = [];
  const added = new Set<string>();
  const add = (kind: PlaceKind, path: string, stats: Stats, named: boolean) => {
    const place = realPath(path);
    if (added.has(place)) return;
    added.add(place);
    if (STORES[kind] !== undefined) sources.push(...storedIn(kind, path, since, complain));
    else if (stats.mtimeMs >= since) {
      const size = kind === 'files' ? stats.size : 0;
      sources.push({ kind, path, size, named });
    }
  };
  for (const path of paths) {
    const stats = statsOf(path, complain);
    if (stats === null) continue;
    if (!stats.isDirectory()) {
      add(fileKind(path), path, stats, true);
      continue;
    }
    const own = folderKind(path);
    if (own !== null) {
      add(own, path, stats, true);
      continue;
    }
    const enters = (name: string, inner: string) => !PASSED_OVER.has(name) && folderKind(inner) === null;
    for (const { path: inner, name, isFolder } of walk(path, complain, enters)) {
      const kind = isFolder ? folderKind(inner) : mayHold(name) ? fileKind(inner) : null;
      if (kind === null) continue;
      const found = statsOf(inner, complain);
      if (found !== null) add(kind, inner, found, false);
    }
  }
  return sources;
}

function* storedIn(
  kind: PlaceKind,
  path: string,
  since: number,
  complain: Complain,
): Generator<WantedSource, void, void> {
  try {
    for (const { session, updatedAt } of STORES[kind]?.source.list(path) ?? []) {
      if ((updatedAt ?? Number.POSITIVE_INFINITY) >= since)
        yield { kind, path, session, size: 0, named: false };
    }
  } catch (error) {
    if (!(error instanceof DeloopError)) throw error;
    complain(path, error.message);
  }
}

/** Whether a file may hold a session, by its name; a database only if it is one of those that we know. */
function mayHold(name: string): boolean {
  return TRANSCRIPT_ENDINGS.some((ending) => name.endsWith(ending)) || KNOWN_DATABASE.test(name);
}

function fileKind(path: string): PlaceKind {
  if (!DATABASE_ENDINGS.some((ending) => path.endsWith(ending))) return 'files';
  return basename(path).startsWith('openclaw') ? 'openclaw-database' : 'opencode-database';
}

/** A folder that is one session, or that keeps many in files of their own; null = any folder. */
function folderKind(path: string): PlaceKind | null {
  if (basename(path) === 'storage' && isFolder(join(path, 'session')) && isFolder(join(path, 'message')))
    return 'opencode-storage';
  return basename(path) !== 'events' && isFolder(join(path, 'events')) && isOpenFolder(path)
    ? 'folder'
    : null;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Two names of one file are one session. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function statsOf(path: string, complain: Complain): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    complain(path, whyNot(error));
    return null;
  }
}
