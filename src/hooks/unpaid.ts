import type { Usage } from '../core/types.ts';
import type { AgentNotes } from './hook-state.ts';
import type { Spent } from './host.ts';

/** Responses that may be told of again: agents write one down in pieces, or once more when its calls have ended. */
const MAX_COUNTED = 8;

/** Notes the tokens of responses: each response once, with what was told of it last. */
export function count(notes: AgentNotes, spent: readonly Spent[]): void {
  for (const { id, usage } of spent) {
    const index = notes.counted.findIndex(([known]) => known === id);
    const [, ...before] = notes.counted[index] ?? ['', 0, 0, 0];
    const now = [usage.input, usage.cachedInput ?? 0, usage.output] as const;
    if (index >= 0) notes.counted.splice(index, 1);
    notes.counted = [...notes.counted, [id, ...now] as const].slice(-MAX_COUNTED);
    const [input, cached, output] = notes.unpaid;
    notes.unpaid = [
      input + Math.max(0, now[0] - before[0]),
      cached + Math.max(0, now[1] - before[1]),
      output + Math.max(0, now[2] - before[2]),
    ];
  }
}

/** The tokens that the guard has not been told of, which it is now; undefined = there are none. */
export function takeUsage(notes: AgentNotes): Usage | undefined {
  const [input, cachedInput, output] = notes.unpaid;
  if (input + cachedInput + output === 0) return undefined;
  notes.unpaid = [0, 0, 0];
  return { input, cachedInput, output };
}
