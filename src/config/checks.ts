import { DeloopError } from '../core/errors.ts';
import { wrong } from '../core/options.ts';

export type Fields = { readonly [name: string]: unknown };

/** Nothing in a config needs more; a deeper one could exhaust the stack of whoever walks it. */
const MAX_DEPTH = 32;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsAt(value: unknown, where: string, expected: string): Fields {
  if (!isFields(value)) throw wrong(where, value, expected);
  return value;
}

/** Refuses what could change the prototype of an object that copies it, and what is nested too deeply. */
export function refuseHostile(value: unknown, where: string, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw new DeloopError('option', `${where} is nested more than ${MAX_DEPTH} deep`);
  for (const [name, item] of Object.entries(value)) {
    if (name === '__proto__') throw new DeloopError('option', `${where} has a field "__proto__"; remove it`);
    refuseHostile(item, where, depth + 1);
  }
}

/** Puts the name of the file before what went wrong in it. */
export function inFile<Result>(where: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DeloopError)) throw error;
    throw new DeloopError(error.code, `${where}: ${error.message}`, { cause: error });
  }
}
