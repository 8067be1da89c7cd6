import { dollars, tokens } from './figures.ts';
import type { Spent } from './scan-report.ts';
import { counted } from './text.ts';

/** Input, output and what came from a cache; null = nothing is known. */
export function tokensOf({ input, output, cachedInput }: Spent): number | null {
  return [input, output, cachedInput].reduce(sum);
}

/** Sums of what is known. */
export function together(all: readonly Spent[]): Spent {
  const total = (key: Exclude<keyof Spent, 'calls'>) => all.map((spent) => spent[key]).reduce(sum, null);
  return {
    calls: all.reduce((calls, spent) => calls + spent.calls, 0),
    input: total('input'),
    output: total('output'),
    cachedInput: total('cachedInput'),
    usd: total('usd'),
  };
}

/** Calls, tokens and money in words. */
export function spentParts(spent: Spent): readonly string[] {
  const all = tokensOf(spent);
  const calls = counted(spent.calls, 'call');
  if (all === null && spent.usd === null) return [calls, 'tokens and price unknown'];
  const known = all === null ? 'tokens unknown' : `${tokens(all)} tokens`;
  return [calls, known, spent.usd === null ? 'price unknown' : dollars(spent.usd)];
}

/** `58 calls, 1.2M tokens, $4.10`. */
export function spentWords(spent: Spent): string {
  return spentParts(spent).join(', ');
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : one + other;
}
