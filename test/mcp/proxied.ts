import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN, newFolder } from '../cli/run-cli.ts';

export const SCRIPTED: string = fileURLToPath(new URL('./servers/scripted.mjs', import.meta.url));

const TAIL = 10_000;

/** The built proxy in front of a command. */
export type Proxied = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly folder: string;
  send(message: object | string): void;
  /** Waits until a text has come, at the end of what has come so far. */
  until(text: string): Promise<void>;
  /** How it ended, and all it said. */
  readonly ended: Promise<{
    readonly status: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly out: Buffer;
    readonly err: string;
  }>;
  /** The process id that the server has written down. */
  pid(): number;
};

/** Needs `dist/`: run `npm run build` first. */
export function proxied(command: readonly string[], flags: readonly string[] = []): Proxied {
  return started([...flags, '--', ...command]);
}

/** The same in front of an address, for a client that starts a command. */
export function fronted(
  url: URL,
  flags: readonly string[] = [],
  env: { readonly [name: string]: string } = {},
): Proxied {
  return started(['--url', String(url), ...flags], env);
}

function started(args: readonly string[], more: { readonly [name: string]: string } = {}): Proxied {
  const folder = newFolder();
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder, ...more };
  const child = spawn(process.execPath, [MAIN, 'mcp', ...args], { cwd: folder, env });
  const out: Buffer[] = [];
  let err = '';
  child.stdin.on('error', () => {});
  let tail = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out.push(chunk);
    tail = (tail + chunk.toString('latin1')).slice(-TAIL);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Awaited<Proxied['ended']>>((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal, out: Buffer.concat(out), err }));
  });
  return {
    child,
    folder,
    send(message) {
      child.stdin.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
    },
    async until(text) {
      while (!tail.includes(text)) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`it ended before it said ${text}: ${tail} ${err}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    ended,
    pid: () => Number(readFileSync(join(folder, 'pid'), 'utf8')),
  };
}

/** The scripted server in a mode, its process id in the file `pid` of the folder it runs in. */
export function scripted(mode: string, value = '', flags: readonly string[] = []): Proxied {
  return proxied([process.execPath, SCRIPTED, mode, 'pid', value], flags);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a process is gone, however long a busy machine takes; a zombie is gone. */
export async function gone(pid: number): Promise<void> {
  while (isAlive(pid) && !isZombie(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
