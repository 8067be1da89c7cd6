import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { UsageError } from '../exit.ts';
import { whyNot } from '../why-not.ts';

/** How a command ended: with a status, or by a signal. */
export type Ended = { readonly status: number } | { readonly signal: NodeJS.Signals };

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Runs a command in the place of this one: it has the terminal, and is sent every signal that this process is sent. */
export function runAgent(
  command: string,
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Promise<Ended> {
  // Windows finds commands such as npm's by a shell alone.
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { stdio: 'inherit', env, shell });
  const pass = (signal: NodeJS.Signals) => {
    child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, pass);
  return new Promise((done, failed) => {
    const over = () => {
      for (const signal of PASSED_ON) process.off(signal, pass);
    };
    child.once('error', (error) => {
      over();
      failed(new UsageError(`${command} could not be run: ${whyNot(error)}`));
    });
    child.once('exit', (status, signal) => {
      over();
      done(signal === null ? { status: status ?? 0 } : { signal });
    });
  });
}

/** As shells tell it. */
export function statusOf(ended: Ended): number {
  return 'status' in ended ? ended.status : 128 + (constants.signals[ended.signal] ?? 0);
}
