import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const isMovable = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;
const canBeApart = spawnSync('setsid', ['true']).status === 0;
const APART = 'DELOOP_BENCH_APART';

/**
 * Where a process sleeps decides what it costs to wake it, and the scheduler draws lots. So what stands between has a core of its
 * own, beside client and server, as it has on a machine with cores to spare; where this cannot be had, it is left to chance.
 */
export const isPlaced = isMovable;

/** A command on one core. */
export function onCore(core, command) {
  return isMovable ? ['taskset', '-c', String(core), ...command] : command;
}

/** This process, too. */
export function stayOnCore(core) {
  if (isMovable) spawnSync('taskset', ['-a', '-p', '-c', String(core), String(process.pid)]);
}

/**
 * Schedulers share time between sessions first, and the guard starts its server in a session of its own; so must the others, to be
 * measured alike.
 */
export function inOwnSession(command) {
  return canBeApart ? ['setsid', ...command] : command;
}

/** Runs this program again in a session of its own, where it may ask for time without taking any along; gives its status. */
export function runApart() {
  if (!canBeApart || process.env[APART] !== undefined) return null;
  const { status } = spawnSync('setsid', ['-w', process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [APART]: 'yes' },
  });
  return status ?? 1;
}

/** Whatever else the machine does comes after this process and all that it has started, where the scheduler lets us say so. */
export function askForTime(pid = process.pid) {
  if (process.env[APART] === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, '-15');
    for (const child of readdirSync('/proc'))
      if (/^\d+$/.test(child) && parentOf(child) === pid) askForTime(Number(child));
  } catch {
    // Only Linux has it, and only for the superuser.
  }
}

function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
  } catch {
    return null;
  }
}
