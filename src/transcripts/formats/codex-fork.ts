import { type Fields, fieldsOf, instantOf, nameOf } from '../fields.ts';

/** What a rollout repeats of the session that it was forked from. */
export type CodexFork = {
  /** Whether a record, of those that come in order, is a copy. */
  isCopied(type: unknown, payload: Fields, at: number | undefined): boolean;
};

/**
 * As in all formats that mark it, nothing of a copy is told again: it was paid for, and looped or not, in the parent.
 * Copies come first and have the times of the copying, in most versions; what marks them is that the turn they belong
 * to started before the fork did. Where nothing marks them they are told.
 */
export function createCodexFork(): CodexFork {
  let session: string | undefined;
  let startedAt: number | undefined;
  let isFork = false;
  let copied = false;

  function readMeta({ id, timestamp, forked_from_id, parent_thread_id, source }: Fields): void {
    if (session !== undefined) {
      // After the copies, some versions introduce the session once more.
      if (id === session) copied = false;
      else isFork = true;
      return;
    }
    session = nameOf(id);
    startedAt = instantOf(timestamp);
    isFork = forked_from_id != null || parent_thread_id != null || fieldsOf(source)['subagent'] !== undefined;
  }

  return {
    isCopied(type, payload, at) {
      if (type === 'session_meta') readMeta(payload);
      if (!isFork || startedAt === undefined || type === 'session_meta' || type === 'turn_context')
        return false;
      if (type === 'event_msg' && payload['type'] === 'task_started') {
        const turnAt = instantOf(payload['started_at']);
        // Whole seconds.
        if (turnAt !== undefined) copied = turnAt + 1000 <= startedAt;
      }
      return copied || (at !== undefined && at < startedAt);
    },
  };
}
