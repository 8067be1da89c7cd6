import { spawn } from 'node:child_process';
import { UsageError } from '../exit.ts';
import { whyNot } from '../why-not.ts';

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Runs a command in the place of this one: it has the terminal, and is sent every signal that this process is sent. */
export function runAgent(
  command: string,
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  // Windows finds commands such as npm's by a shell alone, to which nobody but us quotes anything.
  const shell = process.platform === 'win32';
  const [file = '', ...given] = shell ? [command, ...args].map(quoted) : [command, ...args];
  const child = spawn(file, given, { stdio: 'inherit', env, shell });
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
    child.once('exit', (code, signal) => {
      over();
      done({ code, signal });
    });
  });
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}
