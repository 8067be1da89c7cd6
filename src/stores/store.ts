import type { Json } from '../core/types.ts';
import type { Board } from './board.ts';

/**
 * What becomes of a session's state: the saved one (null = none, or none that can be read) in, the next one and an
 * answer out. It must be pure: a store may call it again when somebody else came first, and only the last answer counts.
 */
export type Change<Answer> = (saved: unknown) => readonly [next: Json, answer: Answer];

export type StoredSession = {
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly bytes: number;
};

/**
 * Where the state of sessions lives between calls. Every promise is settled within a bounded time, and rejects with a
 * `DeloopError` of the code `store` when the store cannot be used: then nothing has changed, and the next call may work.
 */
export type Store = {
  /** Changes one session's state. Nobody else changes it in between, in this process or in another that shares the store. */
  update<Answer>(session: string, change: Change<Answer>): Promise<Answer>;
  /** Forgets a session; one that is not there is forgotten already. */
  delete(session: string): Promise<void>;
  /** Every session that has not expired, the most recently changed first. */
  list(): Promise<readonly StoredSession[]>;
  /** The tallies of swarms, where the store has a better way to keep them than as the state of a session. */
  readonly board?: Board;
};

/** Characters of JSON; a longer state is refused. `recommended` with 32 busy agents stays under 256 KB. */
export const MAX_STATE_LENGTH = 524_288;
/** A session that nobody has changed for so long is forgotten: seven days. */
export const EXPIRES_AFTER_MS = 604_800_000;
/** The session changed least recently is forgotten beyond so many. */
export const MAX_SESSIONS = 1000;
