import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PATIENCE_MS = 240_000;

/** Runs a command to its end, what it prints in files of `folder`; rejects when it is ended by a signal, or never ends. */
export function execute({ command, args, cwd, env }, folder, to) {
  const output = openSync(join(folder, `${to}.txt`), 'w');
  const errors = openSync(join(folder, `${to}.errors.txt`), 'w');
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', output, errors] });
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.once('error', failed);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (signal !== null) failed(new Error(`${command} ended by ${signal}`));
      else done({ code, text: readFileSync(join(folder, `${to}.txt`), 'utf8') });
    });
  });
}
