import { join, resolve } from 'node:path';
import { checkSession } from '../../../stores/check-session.ts';
import { openSessionFiles, type SessionFiles } from '../../../stores/session-files.ts';
import { UsageError } from '../../exit.ts';
import { stateFolder } from '../../state-folder.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { McpFlags } from '../flags.ts';
import { clientProcess, lookUpFor } from './client-process.ts';

/** The state that several proxies have in common: where it lies, and under which name. */
export type Sharing = { readonly files: SessionFiles; readonly session: string };

/** Null = this proxy is on its own. */
export function sharingOf(
  { share, store, session, port }: McpFlags,
  surroundings: Surroundings,
  parent: number,
  say: (text: string) => void,
): Sharing | null {
  const { cwd, env, platform } = surroundings;
  const named = session ?? (env['DELOOP_SESSION'] || undefined);
  if (!share && store === undefined && session === undefined) return null;
  if (port !== undefined && named === undefined)
    throw new UsageError(
      'with --port nobody can tell whose sessions are shared: name them with --session NAME',
    );
  if (named !== undefined) checkSession(named);
  const folder = store === undefined ? join(stateFolder(surroundings), 'mcp') : resolve(cwd, store);
  return {
    files: openSessionFiles({ folder, onProblem: ({ message }) => say(message) }),
    session: named ?? clientProcess(parent, lookUpFor(platform)),
  };
}
