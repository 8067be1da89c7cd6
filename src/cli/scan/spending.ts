import type { Usage } from '../../core/types.ts';
import { type PriceTable, priceOf } from '../../report/prices.ts';
import type { Spent } from '../../report/scan-report.ts';

type Range = readonly [first: number, last: number];

/** What a session has spent so far: tokens by turn, split over the calls of each. The main agent's name is empty. */
export type Spending = {
  turn(usage: Usage | undefined, model: string | undefined, agent?: string): void;
  call(agent?: string): void;
  /** The turn that is open; 0 = none yet. */
  readonly turns: number;
  /** An agent's own of these calls, and its turns without a call among these turns, ends included. */
  between(calls: Range, turns: Range, agent?: string): Spent;
  /** Of all agents. */
  total(): Spent;
};

/** Rows of numbers, for a session may have millions of turns. NaN = unknown. */
type Turns = {
  readonly input: number[];
  readonly output: number[];
  readonly cachedInput: number[];
  readonly usd: number[];
  readonly calls: number[];
  readonly agent: number[];
};

export function createSpending(prices: PriceTable): Spending {
  const turns: Turns = { input: [], output: [], cachedInput: [], usd: [], calls: [], agent: [] };
  const turnOfCall: number[] = [0];
  /** The turn that each agent has begun last. */
  const open = new Map<string, number>();
  const agents = new Map<string, number>();

  function numberOf(agent: string): number {
    const known = agents.get(agent) ?? agents.size;
    agents.set(agent, known);
    return known;
  }

  function begin(usage: Usage | undefined, model: string | undefined, agent: string): void {
    open.set(agent, turns.calls.length);
    turns.input.push(usage?.input ?? Number.NaN);
    turns.output.push(usage?.output ?? Number.NaN);
    turns.cachedInput.push(usage?.cachedInput ?? 0);
    turns.usd.push(usage === undefined ? Number.NaN : (priceOf(model, usage, prices) ?? Number.NaN));
    turns.calls.push(0);
    turns.agent.push(numberOf(agent));
  }
  // The first stands for calls before any turn.
  begin(undefined, undefined, '');

  function between([firstCall, lastCall]: Range, [firstTurn, lastTurn]: Range, agent: number | null): Spent {
    const sum = createSum(turns);
    let calls = 0;
    for (let call = Math.max(1, firstCall); call <= Math.min(lastCall, turnOfCall.length - 1); call++) {
      const turn = turnOfCall[call] as number;
      if (agent !== null && turns.agent[turn] !== agent) continue;
      calls += 1;
      sum.add(turn, 1 / (turns.calls[turn] as number));
    }
    for (let turn = firstTurn; turn <= Math.min(lastTurn, turns.calls.length - 1); turn++) {
      if (turns.calls[turn] === 0 && (agent === null || turns.agent[turn] === agent)) sum.add(turn, 1);
    }
    return sum.spent(calls);
  }

  return {
    turn(usage, model, agent = '') {
      begin(usage, model, agent);
    },
    call(agent = '') {
      // A sub-agent of which no turn is told.
      if (!open.has(agent)) begin(undefined, undefined, agent);
      const turn = open.get(agent) as number;
      (turns.calls[turn] as number) += 1;
      turnOfCall.push(turn);
    },
    get turns() {
      return turns.calls.length - 1;
    },
    between(calls, range, agent = '') {
      return between(calls, range, numberOf(agent));
    },
    total() {
      return between([1, turnOfCall.length - 1], [0, turns.calls.length - 1], null);
    },
  };
}

/** Adds up shares of turns; what is not known adds nothing, and where nothing is known, neither is the sum. */
function createSum(turns: Turns) {
  let [input, output, cachedInput, usd] = [0, 0, 0, 0];
  let [hasTokens, hasPrice] = [false, false];
  return {
    add(turn: number, share: number): void {
      const sent = turns.input[turn] as number;
      if (Number.isNaN(sent)) return;
      hasTokens = true;
      input += sent * share;
      output += (turns.output[turn] as number) * share;
      cachedInput += (turns.cachedInput[turn] as number) * share;
      const price = turns.usd[turn] as number;
      if (Number.isNaN(price)) return;
      hasPrice = true;
      usd += price * share;
    },
    spent(calls: number): Spent {
      const tokens = (sum: number) => (hasTokens ? Math.round(sum) : null);
      return {
        calls,
        input: tokens(input),
        output: tokens(output),
        cachedInput: tokens(cachedInput),
        usd: hasPrice ? usd : null,
      };
    },
  };
}
