import { isWholeNumber, refuseUnknown, wrong } from '../core/options.ts';
import type { AgentEvent } from '../core/types.ts';
import type { SwarmLimits } from '../presets/swarm-rules.ts';
import type { SpawnLimits } from '../stores/board.ts';
import { WINDOW_MS } from '../stores/board.ts';

/** Who this worker is, and what its swarm may do. */
export type SwarmOptions = {
  /** The swarm; workers of the same name share their tallies. */
  readonly name: string;
  /** This worker, unlike all others of the swarm. Sub-agents are counted as `worker/agent`. */
  readonly worker: string;
  /** Whose swarm it is, in a store that knows no tenants. Default `default`. */
  readonly tenant?: string | undefined;
  /** Counts are forgotten between half of it and all of it later. Whoever comes first decides. Default ten minutes. */
  readonly windowMs?: number | undefined;
  /** How long a call waits for the store. Default 50 milliseconds. */
  readonly waitMs?: number | undefined;
  /** What the whole swarm may use. */
  readonly budget?: SwarmLimits | undefined;
  /** What all swarms of the tenant may use together; rolls this swarm up. */
  readonly tenantBudget?: SwarmLimits | undefined;
  /** Count for the tenant, too. Default only with a `tenantBudget`. */
  readonly rollUp?: boolean | undefined;
  /** Prices of a million tokens, in millionths. */
  readonly prices?:
    | { readonly input?: number; readonly cached?: number; readonly output?: number }
    | undefined;
  /** Children of one agent, agents on one level, levels below the first. Default 64, 1000 and 4. */
  readonly spawn?: Partial<SpawnLimits> | undefined;
  /** How far down this worker is; the first is 0. */
  readonly depth?: number | undefined;
  /** Tools that start an agent, by name or with `*`. */
  readonly spawnTools?: readonly string[] | undefined;
  /** Tools that hand over to the agent whose name stands in place of `*`. Default `transfer_to_*` and `handoff_to_*`. */
  readonly handoffTools?: readonly string[] | undefined;
  /** Whether workers may read a line of each other's errors. Default false: only digests leave the process. */
  readonly shareErrors?: boolean | undefined;
  /** Hears every event that the guard takes, tallies among them: written down, they replay to the same decisions. */
  readonly onEvent?: ((event: AgentEvent, session?: string) => void) | undefined;
};

type Plain = Omit<SwarmOptions, 'onEvent' | 'prices' | 'spawn'>;
export type ResolvedSwarm = { readonly [Name in keyof Plain]-?: NonNullable<Plain[Name]> } & {
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number };
  readonly spawn: SpawnLimits;
  readonly onEvent: SwarmOptions['onEvent'];
};

const KNOWN: readonly string[] = [
  'name',
  'worker',
  'tenant',
  'windowMs',
  'waitMs',
  'budget',
  'tenantBudget',
  'rollUp',
  'prices',
  'spawn',
  'depth',
  'spawnTools',
  'handoffTools',
  'shareErrors',
  'onEvent',
] satisfies (keyof SwarmOptions)[];
/** Characters of the name of a swarm, and of a worker or a tenant. */
export const MAX_SWARM = 400;
export const MAX_WORKER = 64;
const WAIT_MS = 50;
const SPAWN: SpawnLimits = { children: 64, perDepth: 1000, depth: 4 };
/** Of any limit or price. */
export const MOST = 1_000_000_000_000;

/** Throws when an option can never work. */
export function resolveSwarm(options: SwarmOptions): ResolvedSwarm {
  if (typeof options !== 'object' || options === null)
    throw wrong('swarm', options, 'an object with the name of the swarm and of this worker');
  refuseUnknown(options, KNOWN, 'swarm');
  const { name, worker, tenant = 'default', windowMs = WINDOW_MS, waitMs = WAIT_MS, depth = 0 } = options;
  const { budget = {}, tenantBudget = {}, prices = {}, spawn = {}, shareErrors = false } = options;
  const { spawnTools = [], handoffTools = ['transfer_to_*', 'handoff_to_*'], onEvent } = options;
  for (const [key, text, max] of [
    ['name', name, MAX_SWARM],
    ['worker', worker, MAX_WORKER],
    ['tenant', tenant, MAX_WORKER],
  ] as const) {
    if (typeof text !== 'string' || text === '' || text.length > max)
      throw wrong(`swarm.${key}`, text, `a text of 1 to ${max} characters`);
  }
  const limits = { ...SPAWN, ...spawn };
  const numbers: readonly (readonly [string, unknown, number, number])[] = [
    ['windowMs', windowMs, 100, 86_400_000],
    ['waitMs', waitMs, 1, 60_000],
    ['depth', depth, 0, 1000],
    ...Object.entries(limits).map(([key, value]) => [`spawn.${key}`, value, 0, 1e9] as const),
    ...Object.entries(budget).map(([key, value]) => [`budget.${key}`, value, 1, MOST] as const),
    ...Object.entries(tenantBudget).map(([key, value]) => [`tenantBudget.${key}`, value, 1, MOST] as const),
    ...Object.entries(prices).map(([key, value]) => [`prices.${key}`, value, 0, MOST] as const),
  ];
  for (const [key, value, min, max] of numbers) {
    if (!isWholeNumber(value, min, max))
      throw wrong(`swarm.${key}`, value, `a whole number from ${min} to ${max}`);
  }
  return {
    name,
    worker,
    tenant,
    windowMs,
    waitMs,
    budget,
    tenantBudget,
    rollUp: options.rollUp ?? Object.keys(tenantBudget).length > 0,
    prices: { input: 0, cached: 0, output: 0, ...prices },
    spawn: limits,
    depth,
    spawnTools,
    handoffTools,
    shareErrors,
    onEvent,
  };
}
