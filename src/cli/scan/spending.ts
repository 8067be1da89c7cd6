import type { Usage } from '../../core/types.ts';
import { type PriceTable, priceOf } from '../../report/prices.ts';
import type { Spent } from '../../report/scan-report.ts';

/** What a session has spent so far: tokens by turn, split over the calls of each. */
export type Spending = {
  turn(usage: Usage | undefined, model: string | undefined): void;
  call(): void;
  /** The turn that is open; 0 = none yet. */
  readonly turns: number;
  /** Of these calls, and of the turns without a call among these turns, ends included. */
  between(
    calls: readonly [first: number, last: number],
    turns: readonly [first: number, last: number],
  ): Spent;
};

type Turn = { readonly usage: Usage | null; readonly usd: number | null; firstCall: number; calls: number };

export function createSpending(prices: PriceTable): Spending {
  /** The first stands for calls before any turn. */
  const turns: Turn[] = [{ usage: null, usd: null, firstCall: 1, calls: 0 }];
  let calls = 0;

  return {
    turn(usage, model) {
      const usd = usage === undefined ? null : priceOf(model, usage, prices);
      turns.push({ usage: usage ?? null, usd, firstCall: calls + 1, calls: 0 });
    },
    call() {
      calls += 1;
      (turns.at(-1) as Turn).calls += 1;
    },
    get turns() {
      return turns.length - 1;
    },
    between([firstCall, lastCall], [firstTurn, lastTurn]) {
      const calls = Math.max(0, lastCall - firstCall + 1);
      let tokens: Required<Usage> | null = null;
      let usd: number | null = null;
      for (const turn of turns.slice(firstTurn, lastTurn + 1)) {
        const share = shareOf(turn, firstCall, lastCall);
        if (share === 0 || turn.usage === null) continue;
        tokens = added(tokens, turn.usage, share);
        if (turn.usd !== null) usd = (usd ?? 0) + turn.usd * share;
      }
      if (tokens === null) return { calls, input: null, output: null, cachedInput: null, usd };
      const { input, output, cachedInput } = tokens;
      return {
        calls,
        input: Math.round(input),
        output: Math.round(output),
        cachedInput: Math.round(cachedInput),
        usd,
      };
    },
  };
}

/** How much of a turn belongs to these calls; a turn without a call belongs to those around it. */
function shareOf({ firstCall, calls }: Turn, first: number, last: number): number {
  if (calls === 0) return 1;
  const inside = Math.min(firstCall + calls - 1, last) - Math.max(firstCall, first) + 1;
  return Math.max(0, inside) / calls;
}

function added(sum: Required<Usage> | null, usage: Usage, share: number): Required<Usage> {
  return {
    input: (sum?.input ?? 0) + usage.input * share,
    output: (sum?.output ?? 0) + usage.output * share,
    cachedInput: (sum?.cachedInput ?? 0) + (usage.cachedInput ?? 0) * share,
  };
}
