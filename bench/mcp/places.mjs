import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const isMovable = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;

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
