import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { MAX_PERCENT } from './budget.ts';
import { amount } from './swarm-fact.ts';

export type SwarmBudgetOptions = {
  /** Tool calls of the whole swarm. */
  readonly calls: number | 'off';
  readonly tokens: number | 'off';
  /** In millionths of the currency that the prices are in. */
  readonly money: number | 'off';
  /** The same for all swarms of the tenant that are rolled up. */
  readonly tenantCalls: number | 'off';
  readonly tenantTokens: number | 'off';
  readonly tenantMoney: number | 'off';
};

const FULL = 100;
const MAX_LIMIT = 1_000_000_000_000;
const LIMITS = ['calls', 'tokens', 'money', 'tenantCalls', 'tenantTokens', 'tenantMoney'] as const;

type State = { readonly granted: number; readonly told: number };
const INITIAL: State = { granted: 0, told: 0 };

/** How much of what it may use a swarm has used, in percent of the limit it has used most of. */
export const swarmBudget: DetectorKind<'swarm-budget', SwarmBudgetOptions> = {
  kind: 'swarm-budget',
  defaults: {
    calls: 'off',
    tokens: 'off',
    money: 'off',
    tenantCalls: 'off',
    tenantTokens: 'off',
    tenantMoney: 'off',
  },
  create(name, options, { floor }): Detector<State> {
    const limits = LIMITS.filter((limit) => options[limit] !== 'off');
    return {
      name,
      events: limits.length === 0 ? [] : ['swarm-tally', 'control'],
      needs: [],
      initial: INITIAL,
      shape: INITIAL,
      maxCount: MAX_PERCENT,
      blocks: true,
      // What was spent stays spent when a person speaks.
      failures: true,
      observe(event: AgentEvent): Json {
        if (event.type === 'control') return event.do === 'grant' ? amount(event.n) : null;
        if (event.type !== 'swarm-tally') return null;
        const { used, usedByTenant } = event;
        return [
          amount(used?.calls),
          amount(used?.tokens),
          amount(used?.money),
          amount(usedByTenant?.calls),
          amount(usedByTenant?.tokens),
          amount(usedByTenant?.money),
        ];
      },
      reduce(state, { event, call }, fact) {
        if (fact === null) return null;
        const { granted, told } = state;
        if (event === 'control') return [{ granted: granted + (fact as number), told: 0 }, null];
        const used = fact as readonly number[];
        let percent = 0;
        let limit: (typeof LIMITS)[number] = 'calls';
        for (const candidate of limits) {
          const share = usedOf(used, candidate) / (options[candidate] as number);
          const part = Math.floor(share * FULL);
          if (part <= percent) continue;
          percent = part;
          limit = candidate;
        }
        const count = Math.min(percent - granted, MAX_PERCENT);
        // Up to the limit a percentage is news once; a budget that is used up stays so.
        if (count < 1 || (count < FULL && count <= told)) return null;
        const next = { granted, told: count };
        if (count < floor) return [next, null];
        const facts = { limit, used: usedOf(used, limit), of: options[limit] };
        return [next, { detector: name, subject: limit, count, evidence: call > 0 ? [call] : [], facts }];
      },
    };
  },
};

function usedOf(used: readonly number[], limit: (typeof LIMITS)[number]): number {
  return used[LIMITS.indexOf(limit)] as number;
}

const limitSpec = (about: string) =>
  ({ type: 'integer', min: 1, max: MAX_LIMIT, offable: true, about }) as const;

/** With help and checks, for those who read presets from JSON. */
export const swarmBudgetDescribed: DescribedKind = /* @__PURE__ */ described(swarmBudget, {
  about: 'How much a whole swarm has used of its calls, tokens or money, in percent.',
  options: {
    calls: limitSpec('Tool calls of the swarm.'),
    tokens: limitSpec('Tokens of the swarm: input, cached input and output.'),
    money: limitSpec('Money of the swarm, in millionths: 5000000 = 5 dollars, if prices are in dollars.'),
    tenantCalls: limitSpec('Tool calls of all swarms of the tenant.'),
    tenantTokens: limitSpec('Tokens of all swarms of the tenant.'),
    tenantMoney: limitSpec('Money of all swarms of the tenant, in millionths.'),
  } satisfies OptionSpecs<SwarmBudgetOptions>,
});
