import { keepFor } from './keep-for.ts';
import type { Verdict } from './verdict.ts';

/** Where reading the messages of one agent has come to, for another process to go on from: JSON, and no payloads. */
export type Bookmark = {
  /** Empty = the main agent. */
  readonly agent: string;
  /** Messages that were read. */
  readonly read: number;
  /** A digest of the last response or result among them, and of each message behind it. */
  readonly last: number;
  readonly loose?: readonly number[];
  /** Words of ours that may come back as a message of the user. */
  readonly nudges: readonly string[];
  /** What was said to the calls that had no result yet, in their order. */
  readonly verdicts: readonly Verdict[];
  readonly answered: boolean;
  readonly ran: boolean;
  /** A digest of what was shown last, and of what was said. */
  readonly shown: number;
  readonly said?: number;
};

/** The bookmarks of a run, by agent. */
export type Bookmarks = Map<string, Bookmark>;

/** More sub-agents than a guard remembers. */
export const MAX_BOOKMARKS = 64;
const VERDICTS: readonly unknown[] = ['run', 'answer', 'hold', 'stop'] satisfies readonly Verdict['do'][];

export function putIn(bookmarks: Bookmarks, bookmark: Bookmark): void {
  keepFor(bookmarks, bookmark.agent, bookmark, MAX_BOOKMARKS);
}

export function replaceBookmarks(bookmarks: Bookmarks, saved: readonly Bookmark[]): void {
  bookmarks.clear();
  for (const bookmark of saved) putIn(bookmarks, bookmark);
}

/** Whether it is what was saved of one. */
export function isBookmark(saved: unknown): saved is Bookmark {
  if (typeof saved !== 'object' || saved === null) return false;
  const {
    agent,
    read,
    last,
    loose = [],
    nudges,
    verdicts,
    shown,
    said = 0,
  } = saved as { readonly [name: string]: unknown };
  return (
    typeof agent === 'string' &&
    [read, last, shown, said].every(Number.isSafeInteger) &&
    Array.isArray(loose) &&
    loose.every(Number.isSafeInteger) &&
    Array.isArray(nudges) &&
    nudges.every((nudge) => typeof nudge === 'string') &&
    Array.isArray(verdicts) &&
    verdicts.every(isVerdict)
  );
}

function isVerdict(saved: unknown): boolean {
  const { do: what, text } = (saved ?? {}) as { readonly do?: unknown; readonly text?: unknown };
  return VERDICTS.includes(what) && (what === 'run' || typeof text === 'string');
}
