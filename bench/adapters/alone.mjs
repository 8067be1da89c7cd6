import { createGuard } from '../../dist/index.js';
import { queryOf, resultOf, STEPS } from './script.mjs';

const RUNS = 400;
const TURNS = 9;

/** Microseconds a step of `createGuard` by itself: a turn, a call, its result. */
export function aloneUs() {
  const results = Array.from({ length: STEPS }, (_, step) => resultOf(queryOf(0, step)));
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const start = process.hrtime.bigint();
    for (let run = 0; run < RUNS; run++) {
      const guard = createGuard();
      for (let step = 0; step < STEPS; step++) {
        const call = { id: `call_${step}`, tool: 'look', args: { query: queryOf(run, step) }, at: step };
        guard.accept({ type: 'turn', text: `Step ${step}.`, at: step });
        guard.before(call);
        guard.after(call, { output: results[step], ok: true, at: step });
      }
    }
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / RUNS / STEPS);
  }
  return best;
}
