import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A process, as far as it takes to tell it from any other that ever had its number. */
export type ProcessFacts = { readonly parent: number; readonly name: string; readonly started: string };

/** How the facts of a process are found; null = it is gone, or the machine does not tell. */
export type LookUp = (pid: number) => ProcessFacts | null;

/** Programs that only start others: whoever started them is meant. */
const LAUNCHERS = /^-?(?:sh|bash|dash|ash|zsh|ksh|fish|env|cmd\.exe|(?:npm|npx|pnpm|yarn|bunx)(?:[ .].*)?)$/;
const MAX_STEPS = 8;
const PATIENCE_MS = 1000;

/**
 * Names the client that runs a server: all the servers of a client are started by one process, at times through a shell
 * or npx. Where the machine does not tell when a process started, its number must do.
 */
export function clientProcess(parent: number, lookUp: LookUp): string {
  let pid = parent;
  for (let step = 0; step < MAX_STEPS; step++) {
    const facts = lookUp(pid);
    if (facts === null) break;
    if (!LAUNCHERS.test(facts.name) || facts.parent <= 1) return `client-${pid}-${facts.started}`;
    pid = facts.parent;
  }
  return `client-${parent}`;
}

export function lookUpFor(platform: string): LookUp {
  if (platform === 'linux') return inProc;
  return platform === 'win32' ? () => null : byPs;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name stands in parentheses and may hold some itself. */
function inProc(pid: number): ProcessFacts | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    return { parent: Number(fields[1]), name, started: `${boot}-${fields[19]}` };
  } catch {
    return null;
  }
}

function byPs(pid: number): ProcessFacts | null {
  try {
    const line = execFileSync('ps', ['-o', 'ppid=,lstart=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    // As in `1 Sun Nov 15 14:54:19 2026 /bin/zsh`.
    const [parent, ...rest] = line.split(/\s+/);
    const started = rest.slice(0, 5).join('-').toLowerCase().replaceAll(':', '-');
    return { parent: Number(parent), name: basename(rest.slice(5).join(' ')), started };
  } catch {
    return null;
  }
}
