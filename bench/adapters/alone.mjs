import { createGuard } from '../../dist/index.js';
import { STEPS, stepOf } from './script.mjs';

const RUNS = 120;
const TURNS = 5;

/** Sessions of a guard by itself, without pause: a turn, a call, its result. */
export function guardAlone(runs = RUNS) {
  for (let run = 0; run < runs; run++) {
    const guard = createGuard();
    for (let step = 0; step < STEPS - 1; step++) {
      const { text, tool, args, output } = stepOf(run, step);
      const call = { id: `call_${run}_${step}`, tool, args, at: step };
      guard.accept({ type: 'turn', text, at: step });
      guard.before(call);
      guard.after(call, { output, ok: true, at: step });
    }
  }
}

/** Microseconds a step, at best. */
export function aloneUs() {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const start = process.hrtime.bigint();
    guardAlone();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / RUNS / STEPS);
  }
  return best;
}
