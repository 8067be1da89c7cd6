import { join } from 'node:path';
import { Command } from 'commander';
import { wrong } from '../../core/options.ts';
import { createFileStore } from '../../stores/file.ts';
import { UsageError } from '../exit.ts';
import { type Pause, readPauses, writePauses } from '../hook/paused.ts';
import { SESSIONS } from '../hook/session-key.ts';
import { findSession } from '../log/find-session.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

type Flags = { readonly session?: string; readonly for?: string };

const UNITS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const HELP = `
The guard stands aside at once, in sessions that run too, and forgets what it has counted in them: when it is back, it begins anew.

Examples:
  $ deloop pause                     until deloop resume
  $ deloop pause --for 30m           for half an hour
  $ deloop pause --session 3f2a      in one session; its id is in deloop log

For one run alone, there is the environment: DELOOP_MODE=off codex
`;

/** `deloop pause` */
export function pauseCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return new Command('pause')
    .description('let agents do as they like for a while')
    .option('--session <id>', 'in this session alone; the beginning of its id is enough')
    .option('--for <time>', 'for so long: 30m, 2h, 1d; without it, until deloop resume')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const state = stateFolder(surroundings);
      const now = Date.now();
      const session = flags.session === undefined ? null : findSession(state, flags.session).key;
      const until = flags.for === undefined ? null : now + milliseconds(flags.for);
      const others = readPauses(state, now).filter((pause) => pause.session !== session);
      writePauses(state, [...others, { session, since: now, until }]);
      await forget(state, session);
      await terminal.out(`The guard stands aside ${where(session)}, ${untilText(until)}.\n`);
    });
}

/** `deloop resume` */
export function resumeCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return new Command('resume')
    .description('end a pause')
    .option('--session <id>', "end this session's alone; the beginning of its id is enough")
    .action(async ({ session }: Flags) => {
      const state = stateFolder(surroundings);
      const all = readPauses(state, Date.now());
      const ended = session === undefined ? all : all.filter((pause) => isOf(pause, session));
      if (ended.length === 0)
        throw new UsageError(
          session === undefined ? 'nothing is paused' : `session is "${session}"; no such session is paused`,
        );
      writePauses(
        state,
        all.filter((pause) => !ended.includes(pause)),
      );
      await terminal.out(`The guard is back ${ended.map((pause) => where(pause.session)).join(', ')}.\n`);
      const [left] = readPauses(state, Date.now());
      if (left !== undefined) await terminal.out(`It still stands aside ${where(left.session)}.\n`);
    });
}

function isOf({ session }: Pause, wanted: string): boolean {
  return session !== null && (session.startsWith(wanted) || session.includes(`-${wanted}`));
}

/** What was counted before a pause must not be held against the agent after it. */
async function forget(state: string, session: string | null): Promise<void> {
  const store = createFileStore({ folder: join(state, SESSIONS) });
  const keys = session === null ? (await store.list()).map((one) => one.session) : [session];
  for (const key of keys) await store.delete(key);
}

function where(session: string | null): string {
  return session === null ? 'in every session' : `in ${session}`;
}

function untilText(until: number | null): string {
  if (until === null) return 'until deloop resume';
  return `until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function milliseconds(told: string): number {
  const [, number, unit] = /^(\d{1,5})([mhd])$/.exec(told) ?? [];
  const time = Number(number) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (!(time > 0)) throw wrong('--for', told, 'so long: 30m, 2h, 1d');
  return time;
}
