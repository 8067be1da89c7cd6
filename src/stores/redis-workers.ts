import { decodeName, encodeName, remembered } from './redis-names.ts';

/** Sixty-four characters, each of which may take five. */
const MAX_WORKER = 320;

/** A worker's name as a part of keys and values. */
export const workerOf: (name: string) => string = remembered((name) => encodeName(name, MAX_WORKER));

/** What `workerOf` was given. */
export const nameOf: (worker: string) => string = remembered(decodeName);

/** The names of a list, as the scripts keep it: with a space between them. */
export const namesOf: (joined: string) => readonly string[] = remembered((joined) =>
  joined === '' ? [] : joined.split(' ').map(decodeName),
);
