import { DeloopError, show } from '../core/errors.ts';

const MAX_LENGTH = 512;

/** Refuses what cannot name a session. */
export function checkSession(session: unknown): void {
  if (typeof session === 'string' && session !== '' && session.length <= MAX_LENGTH) return;
  throw new DeloopError(
    'option',
    `session is ${show(session)}; it must be a text of 1 to ${MAX_LENGTH} characters`,
  );
}
