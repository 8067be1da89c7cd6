import type { Usage } from '../../core/types.ts';
import { usageOf } from './shapes.ts';

/** Of the tokens that the SDK adds up for a run, those that came since the last look. */
export type UsageMeter = (total: unknown) => Usage;

export function createUsageMeter(): UsageMeter {
  const seen = new WeakMap<object, Usage>();
  return (total) => {
    const now = usageOf(total);
    if (typeof total !== 'object' || total === null) return now;
    const before = seen.get(total);
    seen.set(total, now);
    if (before === undefined) return now;
    return {
      input: Math.max(0, now.input - before.input),
      output: Math.max(0, now.output - before.output),
      cachedInput: Math.max(0, (now.cachedInput ?? 0) - (before.cachedInput ?? 0)),
    };
  };
}
