import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, EventType, Finding, Json } from '../core/types.ts';

export type BudgetOptions = {
  /** Tool calls. */
  readonly calls: number | 'off';
  /** Tokens of all responses, input and output. */
  readonly tokens: number | 'off';
  /** In millionths of the currency that the prices are in. */
  readonly money: number | 'off';
  /** Time at work: from event to event, without the time until a person's message. */
  readonly timeMs: number | 'off';
  /** Prices of a million tokens, in millionths. */
  readonly inputPrice: number;
  readonly cachedPrice: number;
  readonly outputPrice: number;
  /** Whether a person's message starts the budget anew. */
  readonly per: 'run' | 'task';
};

const MILLION = 1_000_000;
/** The greatest percentage reported. */
export const MAX_PERCENT = 1000;
const FULL = 100;
const MAX_LIMIT = 1_000_000_000_000;

type State = {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
  readonly timeMs: number;
  /** When the last event was; 0 = not known. */
  readonly at: number;
  /** Percentage points that a person has added. */
  readonly granted: number;
  /** The percentage reported last. */
  readonly told: number;
  /** The number of the agent's last call: those in between were made by others of the run. */
  readonly last: number;
};
const INITIAL: State = { calls: 0, tokens: 0, money: 0, timeMs: 0, at: 0, granted: 0, told: 0, last: 0 };
const LIMITS = ['calls', 'tokens', 'money', 'timeMs'] as const;

/** How much of what it may use the run has used, in percent of the limit it has used most of. */
export const budget: DetectorKind<'budget', BudgetOptions> = {
  kind: 'budget',
  defaults: {
    calls: 'off',
    tokens: 'off',
    money: 'off',
    timeMs: 'off',
    inputPrice: 0,
    cachedPrice: 0,
    outputPrice: 0,
    per: 'run',
  },
  create(name, options, { floor }): Detector<State> {
    const { inputPrice, cachedPrice, outputPrice, per } = options;
    const limits = LIMITS.filter((limit) => options[limit] !== 'off');
    const events: EventType[] =
      limits.length === 0 ? [] : ['tool-call', 'tool-result', 'turn', 'user', 'control'];
    // Pieces of text come often: they matter only to the clock.
    if (options.timeMs !== 'off') events.push('text-delta');

    function judged(state: State, call: number): readonly [State, Finding | null] {
      let percent = 0;
      let limit = '';
      for (const candidate of limits) {
        const used = Math.floor((state[candidate] * FULL) / (options[candidate] as number));
        if (used <= percent) continue;
        percent = used;
        limit = candidate;
      }
      const count = Math.min(percent - state.granted, MAX_PERCENT);
      // Up to the limit a percentage is news once; a budget that is used up stays so.
      if (count < 1 || (count < FULL && count <= state.told)) return [state, null];
      const { calls, tokens, money, timeMs, at, granted, last } = state;
      const next = { calls, tokens, money, timeMs, at, granted, told: count, last };
      if (count < floor) return [next, null];
      const facts = { limit, used: state[limit as 'calls'], of: options[limit as 'calls'] };
      return [next, { detector: name, subject: limit, count, evidence: call > 0 ? [call] : [], facts }];
    }
    return {
      name,
      events,
      needs: [],
      initial: INITIAL,
      shape: INITIAL,
      maxCount: MAX_PERCENT,
      blocks: true,
      // What was spent stays spent when a person speaks.
      failures: per === 'run',
      observe(event: AgentEvent): Json {
        const at = Number.isFinite(event.at) ? (event.at as number) : 0;
        if (event.type === 'control') return [0, event.n ?? 0, 0];
        if (event.type !== 'turn') return [at, 0, 0];
        const input = amount(event.usage?.input);
        const output = amount(event.usage?.output);
        const cached = amount(event.usage?.cachedInput);
        const cost = input * inputPrice + cached * cachedPrice + output * outputPrice;
        return [at, input + cached + output, Math.ceil(cost / MILLION)];
      },
      reduce(state, { event, call }, fact) {
        const [now, amountOf, cost] = fact as readonly [at: number, amount: number, cost: number];
        const { calls, tokens, money, timeMs, granted, told, last } = state;
        if (event === 'control')
          return [
            { calls, tokens, money, timeMs, at: state.at, granted: granted + amountOf, told: 0, last },
            null,
          ];
        const at = now > 0 ? now : state.at;
        if (event === 'user' && per === 'task')
          return [{ calls: 0, tokens: 0, money: 0, timeMs: 0, at, granted: 0, told: 0, last }, null];
        const passed = event === 'user' || state.at === 0 ? 0 : Math.max(0, at - state.at);
        const others = event === 'tool-call' && per === 'run' && last > 0 ? Math.max(0, call - last - 1) : 0;
        const spent = {
          calls: calls + others,
          tokens: tokens + amountOf,
          money: money + cost,
          timeMs: timeMs + passed,
          at,
          granted,
          told,
          last,
        };
        if (event === 'user') return [spent, null];
        const [next, finding] = judged(spent, call);
        if (event !== 'tool-call') return [next, finding];
        // The call itself is paid for after the judgement: a limit of n lets n calls run.
        const paid = {
          calls: next.calls + 1,
          tokens: next.tokens,
          money: next.money,
          timeMs: next.timeMs,
          at,
          granted,
          told: next.told,
          last: call,
        };
        return [paid, finding];
      },
    };
  },
};

/** Hosts may send anything. */
function amount(tokens: unknown): number {
  return typeof tokens === 'number' && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}

/** With help and checks, for those who read presets from JSON. */
export const budgetDescribed: DescribedKind = /* @__PURE__ */ described(budget, {
  about: 'How much the run has used of its calls, tokens, money or time, in percent.',
  options: {
    calls: {
      type: 'integer',
      min: 1,
      max: MAX_LIMIT,
      offable: true,
      about: 'Tool calls.',
    },
    tokens: {
      type: 'integer',
      min: 1,
      max: MAX_LIMIT,
      offable: true,
      about: 'Tokens of all responses: input, cached input and output.',
    },
    money: {
      type: 'integer',
      min: 1,
      max: MAX_LIMIT,
      offable: true,
      about: 'Money, in millionths: 5000000 = 5 dollars, if prices are in dollars.',
    },
    timeMs: {
      type: 'integer',
      min: 1,
      max: MAX_LIMIT,
      offable: true,
      about: 'Milliseconds at work, without the time until a person answers.',
    },
    inputPrice: {
      type: 'integer',
      min: 0,
      max: MAX_LIMIT,
      about: 'What a million input tokens cost, in millionths: 3000000 = 3 dollars.',
    },
    cachedPrice: {
      type: 'integer',
      min: 0,
      max: MAX_LIMIT,
      about: 'What a million tokens of cached input cost.',
    },
    outputPrice: {
      type: 'integer',
      min: 0,
      max: MAX_LIMIT,
      about: 'What a million output tokens cost.',
    },
    per: {
      type: 'choice',
      of: ['run', 'task'],
      about: "Whether the budget is for the whole run, or starts anew at a person's message.",
    },
  } satisfies OptionSpecs<BudgetOptions>,
});
