import { FORMATS } from '../../transcripts/formats.ts';
import { type FoundSession, findSessions } from '../scan/find-sessions.ts';
import type { Place } from '../scan/places.ts';
import { STORES } from '../scan/read-source.ts';
import type { Complain } from '../walk.ts';
import { createLiveSession, type LiveOptions, type LiveSession } from './live-session.ts';

/** Follows every session in some places. */
export type Watcher = {
  /** Looks once; `now` in milliseconds since the epoch. */
  poll(now: number): void;
  /** Sessions that are followed. */
  readonly live: number;
  /** Sessions that were written to since it began. */
  readonly active: number;
};

export type WatchOptions = Omit<LiveOptions, 'formats'> & {
  readonly places: readonly Place[];
  readonly complain: Complain;
};

/** A session that was not written to for so long is over, until it goes on. */
const RECENT_MS = 3_600_000;
const MAX_LIVE = 200;
/** The search for new sessions takes no more than one part in so many of the time. */
const PARTS = 50;

/**
 * What was there before the first look is read without a word. It asks the file system at each look, for new names and
 * for sizes: events of the file system do not come from network drives, nor from some containers.
 */
export function createWatcher({ places, complain, ...options }: WatchOptions): Watcher {
  const followed = places.filter(({ kind }) => STORES[kind] === undefined);
  const live = new Map<string, LiveSession>();
  /** Known before they are followed: their past is no news. */
  const there = new Set<string>();
  const complained = new Set<string>();
  let began = Number.NaN;
  let nextSearch = 0;
  const active = new Set<string>();

  function search(now: number): void {
    const first = Number.isNaN(began);
    const started = Date.now();
    const fresh: FoundSession[] = [];
    for (const found of findSessions(followed, complainOnce)) {
      if (first) there.add(found.path);
      if (!live.has(found.path) && found.modifiedAt >= now - RECENT_MS) fresh.push(found);
    }
    fresh.sort((one, other) => other.modifiedAt - one.modifiedAt);
    for (const found of fresh) {
      if (live.size >= MAX_LIVE && found.modifiedAt <= oldest().modifiedAt) break;
      open(found);
    }
    nextSearch = now + PARTS * (Date.now() - started);
    if (first) began = now;
  }

  function open(found: FoundSession): void {
    const { agent, path } = found;
    const formats = FORMATS.filter(({ name }) => agent === '' || name === agent);
    const session = createLiveSession(found, { ...options, formats });
    if (!session.poll(there.has(path))) return;
    live.set(path, session);
    if (!there.has(path) || found.modifiedAt > began) active.add(path);
    if (live.size > MAX_LIVE) drop(oldest().path);
  }

  function drop(path: string): void {
    live.delete(path);
    there.add(path);
  }

  function oldest(): { readonly path: string; readonly modifiedAt: number } {
    let found = { path: '', modifiedAt: Number.POSITIVE_INFINITY };
    for (const [path, { modifiedAt }] of live)
      if (modifiedAt < found.modifiedAt) found = { path, modifiedAt };
    return found;
  }

  function complainOnce(path: string, why: string): void {
    if (complained.has(path)) return;
    complained.add(path);
    complain(path, why);
  }

  return {
    poll(now) {
      for (const [path, session] of live) {
        const before = session.modifiedAt;
        session.poll();
        if (session.modifiedAt > before) active.add(path);
        // One that is gone may come again: some programs write a file anew by taking the old one away first.
        if (session.modifiedAt < now - RECENT_MS) drop(path);
      }
      if (now >= nextSearch) search(now);
    },
    get live() {
      return live.size;
    },
    get active() {
      return active.size;
    },
  };
}
