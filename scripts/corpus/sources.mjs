import { codingSessions } from './sources/coding-sessions.mjs';
import { entireio } from './sources/entireio.mjs';
import { hotpotqa } from './sources/hotpotqa.mjs';
import { intercode } from './sources/intercode.mjs';
import { tauBench } from './sources/tau-bench.mjs';
import { tau2 } from './sources/tau2.mjs';
import { trail } from './sources/trail.mjs';
import { whoWhen } from './sources/who-when.mjs';

/**
 * Public recordings of one kind: `runs` finds them in a clone of a repository.
 * @typedef {import('./clone.mjs').Place & { runs: (clone: import('./clone.mjs').Clone) => AsyncIterable<import('./trace.mjs').Run> }} Origin
 * @typedef {{ name: string, origins: Origin[] }} Source
 */

/** @type {Source[]} */
export const sources = [entireio, codingSessions, intercode, tauBench, hotpotqa, trail, whoWhen, tau2];
