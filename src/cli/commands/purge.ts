import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { EXIT, type ExitStatus } from '../exit.ts';
import { LOG } from '../hook/log-file.ts';
import { PAUSED } from '../hook/paused.ts';
import { SESSIONS } from '../hook/session-key.ts';
import { parseSince } from '../scan/since.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { counted } from '../text.ts';
import { whyNot } from '../why-not.ts';

type Flags = { readonly before?: string; readonly dryRun?: boolean };

/** Compiled code of the hook; see its loader. */
const CODE = 'code';
const HELP = `
States of sessions are forgotten after seven days, the log after thirty, without this command. What is needed to undo an install stays.

Examples:
  $ deloop purge                     all states, logs, pauses and compiled code
  $ deloop purge --before 7d         what nobody has touched for a week
`;

/** `deloop purge` */
export function purgeCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('purge')
    .description('remove what deloop remembers of sessions, and its log')
    .option('--before <when>', 'only what was last changed before a date, or longer ago than 30m, 12h, 7d')
    .option('--dry-run', 'show what would be removed, and remove nothing')
    .addHelpText('after', HELP)
    .action(async ({ before, dryRun = false }: Flags) => {
      const state = stateFolder(surroundings);
      const latest =
        before === undefined ? Number.POSITIVE_INFINITY : parseSince(before, Date.now(), '--before');
      const kinds: readonly (readonly [kind: string, paths: readonly string[]])[] = [
        ['state', filesIn(join(state, SESSIONS))],
        ['log', filesIn(join(state, LOG))],
        ['compiled file', filesIn(join(state, CODE))],
        ['pause', [join(state, PAUSED)]],
      ];
      for (const [kind, paths] of kinds) {
        const old = paths.filter((path) => (changedAt(path) ?? Number.POSITIVE_INFINITY) < latest);
        const failed = dryRun ? [] : old.flatMap(removed);
        const done = counted(old.length - failed.length, kind);
        await terminal.out(`${done} ${dryRun ? 'would be removed' : 'removed'}\n`);
        for (const why of failed) terminal.err(`deloop: ${why}\n`);
        if (failed.length > 0) leave(EXIT.unreadable);
      }
      await terminal.out(`${state}\n`);
    });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Why it could not be removed; nothing when it could. */
function removed(path: string): readonly string[] {
  try {
    rmSync(path, { force: true });
    return [];
  } catch (error) {
    return [`${path}: ${whyNot(error)}`];
  }
}
