import { deloop } from '../../dist/adapters/generic/index.js';
import { STEPS, stepOf } from './script.mjs';

const RUNS = 120;
const TURNS = 5;
const USAGE = { input: 2000, output: 60, cachedInput: 600 };

/** Sessions of a guard by itself, without pause, as adapters tell them: a turn, a call, its result. */
export function guardAlone(options = {}) {
  const guard = deloop(options);
  for (let n = 0; n < RUNS; n++) {
    const run = guard.of(`session ${n}`);
    for (let step = 0; step < STEPS - 1; step++) {
      const { text, tool, args, output } = stepOf(n, step);
      const call = { id: `call_${n}_${step}`, tool, args };
      run.turn({ text, reasoning: '', usage: USAGE });
      run.before(call);
      run.after(call, { output });
    }
  }
}

/** Microseconds a step, at best. */
export function aloneUs(options) {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const start = process.hrtime.bigint();
    guardAlone(options);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / RUNS / STEPS);
  }
  return best;
}
