import type { Run } from './run.ts';

/** The value, once everything up to now is saved: mostly at once, because an await costs more than most of what adapters do. */
export function whenSaved<Value>(run: Run, agent: string | undefined, value: Value): Value | Promise<Value> {
  return run.isIdle(agent) ? value : run.saved().then(() => value);
}
