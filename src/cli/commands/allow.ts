import { join } from 'node:path';
import { Command } from 'commander';
import type { Json } from '../../core/types.ts';
import { newHookState, parseHookState } from '../../hooks/hook-state.ts';
import { allowCall } from '../../hooks/take-signal.ts';
import { createFileStore } from '../../stores/file.ts';
import { UsageError } from '../exit.ts';
import { SESSIONS, sessionKey } from '../hook/session-key.ts';
import { findSession } from '../log/find-session.ts';
import { readLog } from '../log/read-log.ts';
import { type LoggedAnswer, reportOf, type SessionLog } from '../log/session-log.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

const HELP = `
CALL is the number that deloop log shows, or "last". The call may run as often as the agent likes for the rest of the session: the same
tool with the same arguments. A run that was stopped because of it goes on.

Examples:
  $ deloop allow last                      the last call that was refused, whatever the session
  $ deloop allow 7 --session 3f2a          call 7 of a session
`;

/** `deloop allow CALL` */
export function allowCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return new Command('allow')
    .description('let a call run that the guard refuses, for the rest of its session')
    .argument('<call>', 'its number, as deloop log shows it, or "last"')
    .option(
      '--session <id>',
      'the session; the beginning of its id is enough. Without it, the last one in the log',
    )
    .addHelpText('after', HELP)
    .action(async (wanted: string, { session }: { session?: string }) => {
      const state = stateFolder(surroundings);
      const log = sessionOf(state, session);
      const { call, digest } = callOf(log, wanted);
      const key = sessionKey(log.host, log.session);
      await createFileStore({ folder: join(state, SESSIONS) }).update(key, (saved) => {
        const next = saved === null ? newHookState() : parseHookState(saved);
        allowCall(next, digest);
        return [next as unknown as Json, null];
      });
      await terminal.out(`Call ${call} of ${key} may run from now on.\n`);
    });
}

function sessionOf(state: string, wanted: string | undefined): SessionLog {
  const { sessions } = reportOf(readLog(state, 0).lines);
  const key = wanted === undefined ? undefined : findSession(state, wanted).key;
  const found =
    key === undefined
      ? sessions.find(({ answers }) => answers.some(isHeld))
      : sessions.find(({ host, session }) => sessionKey(host, session) === key);
  if (found !== undefined) return found;
  throw new UsageError(
    key === undefined ? 'no call was refused in any session' : `no call was refused in ${key}`,
  );
}

function callOf(log: SessionLog, wanted: string): { readonly call: number; readonly digest: string } {
  const held = log.answers.filter(isHeld);
  const found = wanted === 'last' ? held.at(-1) : held.findLast(({ call }) => String(call) === wanted);
  if (found?.digest !== undefined) return { call: found.call, digest: found.digest };
  const calls = [...new Set(held.map(({ call }) => call))];
  const known = calls.length === 0 ? 'none was refused' : `refused were ${calls.slice(-10).join(', ')}`;
  throw new UsageError(`call is "${wanted}"; in ${log.session} ${known}`);
}

/** Something was, or would have been, done about a call that could be let pass. */
function isHeld(answer: LoggedAnswer): boolean {
  if (answer.digest === undefined) return false;
  return answer.type === 'refusal' || answer.action !== 'nudge';
}
