import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { type Start, windowsCommand } from './windows-command.ts';

/** How the server ended; `failure` = it never ran. */
export type ServerEnd =
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly failure: NodeJS.ErrnoException };

export type ServerProcess = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<ServerEnd>;
  /** Reaches the server and whatever it has started. */
  kill(signal: NodeJS.Signals): void;
  /** Told to end, and made to when it does not: with it ends what it has started. */
  dismiss(signal?: NodeJS.Signals): void;
};

/** Less than the two seconds that the official clients wait before they kill. */
const PATIENCE_MS = 1000;

/** Starts the server; what it says to people goes where ours goes. */
export function startServer(command: string, args: readonly string[]): ServerProcess {
  const grouped = process.platform !== 'win32';
  const start: Start = grouped
    ? { file: command, args, verbatim: false }
    : windowsCommand(command, args, { env: process.env, isFile });
  const child = spawn(start.file, start.args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own, so that a launcher such as npx cannot leave the server behind.
    detached: grouped,
    windowsHide: true,
    windowsVerbatimArguments: start.verbatim,
  });
  let dismissed = false;

  function kill(signal: NodeJS.Signals): void {
    if (child.pid === undefined) return;
    try {
      if (grouped) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // It is gone already.
    }
  }

  const ended = new Promise<ServerEnd>((resolve) => {
    child.once('error', (failure) => {
      if (child.pid === undefined) resolve({ failure });
    });
    child.once('exit', (code, signal) => {
      if (dismissed) kill('SIGKILL');
      resolve({ code, signal });
    });
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    kill,
    dismiss(signal = 'SIGTERM') {
      kill(signal);
      if (dismissed) return;
      dismissed = true;
      setTimeout(() => kill('SIGKILL'), PATIENCE_MS).unref();
    },
  };
}

/** As shells tell it. */
export function statusOf({ code, signal }: Extract<ServerEnd, { code: unknown }>): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
