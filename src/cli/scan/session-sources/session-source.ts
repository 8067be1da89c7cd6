import type { TranscriptRecord } from '../../../transcripts/format.ts';

/** A session in a place that holds many. */
type ListedSession = { readonly session: string; readonly updatedAt?: number | undefined };

/** A part that should be readable and is not; reading goes on. */
export type OnProblem = (line: number, why: string) => void;

/**
 * A place that holds many sessions. Where it cannot be read at all, both throw a `DeloopError` that tells why; only
 * what is asked for next is read.
 */
export type SessionSource = {
  list(path: string): Iterable<ListedSession>;
  read(path: string, session: string, onProblem?: OnProblem): Iterable<TranscriptRecord>;
};
