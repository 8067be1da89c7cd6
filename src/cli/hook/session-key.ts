/** The folder of states, in the state folder. */
export const SESSIONS = 'sessions';

/** What a session is called among those of all hosts. */
export function sessionKey(host: string, session: string): string {
  return `${host}-${session}`;
}
