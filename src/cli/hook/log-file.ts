import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Action, Level } from '../../core/types.ts';

/** A line of the log is without anything of what the agent read or wrote. */
type Logged = {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly host: string;
  readonly session: string;
  readonly agent?: string | undefined;
  readonly call: number;
  /** What the host was answered at that place; `none` in shadow mode, and where it could only be done later. */
  readonly did: 'none' | 'nudge' | 'block' | 'ask' | 'halt';
  /** The call did not run. */
  readonly refused: boolean;
  /** Of tool and arguments, where it is about a call. */
  readonly digest?: string | undefined;
  /** Where the host writes the session down. */
  readonly transcript?: string | undefined;
  /** The run of `deloop run` that it happened in. */
  readonly run?: string | undefined;
  readonly message: string;
};
/** What a guard decided. */
export type LoggedDecision = Logged & {
  readonly type: 'decision';
  readonly action: Action;
  readonly mode: 'enforce' | 'shadow';
  readonly level?: Level | undefined;
  readonly detector: string;
  readonly subject: string;
  readonly count: number;
};
/** A call that did not run because of what was decided before it. */
export type LoggedRefusal = Logged & { readonly type: 'refusal' };
/** Why a hook let something pass that it could not judge. */
export type LoggedProblem = {
  readonly type: 'problem';
  readonly at: number;
  readonly host: string;
  readonly session?: string | undefined;
  readonly message: string;
};
export type LogLine = LoggedDecision | LoggedRefusal | LoggedProblem;

/** The folder of the log, in the state folder: one file a day. */
export const LOG = 'log';
export const LOG_ENDING = '.jsonl';
const DAY_MS = 86_400_000;
/** A day's log is kept for so long. */
const KEPT_DAYS = 30;
/** So much of the log's end is looked at for a problem that was told before. */
const TAIL_BYTES = 16_384;

/** Adds lines to the log of their day. One that cannot be written is lost: the log must not stop an agent. */
export function writeLog(folder: string, lines: readonly LogLine[]): void {
  const [first] = lines;
  if (first === undefined) return;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const path = pathOf(folder, first.at);
  try {
    const begins = statSync(path, { throwIfNoEntry: false }) === undefined;
    if (begins) mkdirSync(join(folder, LOG), { recursive: true, mode: 0o700 });
    appendFileSync(path, text, { mode: 0o600 });
    if (begins) cleanLog(folder, first.at);
  } catch {
    // There is nowhere left to tell it.
  }
}

/** Tells of a problem, unless it is what was told last of this session. */
export function writeProblem(folder: string, problem: LoggedProblem): void {
  const told = tailOf(pathOf(folder, problem.at)).some((line) => isSame(line, problem));
  if (!told) writeLog(folder, [problem]);
}

function isSame(line: string, { session, message }: LoggedProblem): boolean {
  return (
    line.includes('"type":"problem"') &&
    line.includes(JSON.stringify(message)) &&
    (session === undefined || line.includes(JSON.stringify(session)))
  );
}

function tailOf(path: string): readonly string[] {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(file, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
      return bytes.toString('utf8').split('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

function pathOf(folder: string, at: number): string {
  return join(folder, LOG, `${new Date(at).toISOString().slice(0, 10)}${LOG_ENDING}`);
}

/** Removes days that nobody will ask for any more. It happens when a day begins. */
function cleanLog(folder: string, now: number): void {
  const oldest = new Date(now - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
  for (const name of readdirSync(join(folder, LOG)))
    if (name.endsWith(LOG_ENDING) && name < oldest) rmSync(join(folder, LOG, name), { force: true });
}
