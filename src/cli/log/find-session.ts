import { join } from 'node:path';
import { openSessionFiles } from '../../stores/session-files.ts';
import { UsageError } from '../exit.ts';
import { SESSIONS, sessionKey } from '../hook/session-key.ts';
import { readLog } from './read-log.ts';
import { reportOf } from './session-log.ts';

const HOST = /^(?:claude-code|codex|gemini-cli|qwen-code|copilot-cli|cline|cursor|opencode|pi|openclaw)-/;

export type FoundSession = { readonly key: string; readonly name: string };

/** The one session whose id begins so, with its agent's name before it or without; throws when there is none, or more than one. */
export function findSession(state: string, wanted: string): FoundSession {
  const found = sessionsIn(state).filter(
    ({ key, name }) => name.startsWith(wanted) || key.startsWith(wanted),
  );
  const [first, second] = found;
  if (first === undefined) {
    const known = sessionsIn(state)
      .slice(0, 5)
      .map(({ name }) => name);
    const hint = known.length === 0 ? 'no session is known' : `the last ones are ${known.join(', ')}`;
    throw new UsageError(`session is "${wanted}"; ${hint}`);
  }
  if (second !== undefined && first.name !== wanted && first.key !== wanted)
    throw new UsageError(
      `session is "${wanted}", which is the beginning of ${found.length}: ${first.name}, ${second.name}${found.length > 2 ? ', ...' : ''}`,
    );
  return first;
}

/** Those with a state, the most recent first, then those of the log. */
function sessionsIn(state: string): readonly FoundSession[] {
  const stored = openSessionFiles({ folder: join(state, SESSIONS) })
    .list()
    .map(({ session: key }) => ({ key, name: key.replace(HOST, '') }));
  const others = reportOf(readLog(state, 0).lines)
    .sessions.map(({ host, session }) => ({ key: sessionKey(host, session), name: session }))
    .filter(({ key }) => !stored.some((one) => one.key === key));
  return [...stored, ...others];
}
