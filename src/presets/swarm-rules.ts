import type { Preset } from '../core/preset.ts';
import type { Rung } from '../core/types.ts';

/** Limits for a whole swarm, or for all swarms of a tenant; `money` in millionths. */
export type SwarmLimits = {
  readonly calls?: number | undefined;
  readonly tokens?: number | undefined;
  readonly money?: number | undefined;
};

/** What stops a swarm comes before all else. */
const FIRST: readonly Rung[] = [
  {
    on: 'swarm-halt',
    at: 1,
    action: 'halt',
    level: 'critical',
    message: 'The whole swarm was stopped by {by}: {why}',
  },
  {
    on: 'swarm-budget',
    at: 100, // percent
    action: 'ask',
    level: 'critical',
    hint: 'last-turn',
    message:
      'The budget of the swarm is used up ({limit}: {used} of {of}). Report what is done and what is left.',
    prompt: 'The budget of the swarm is used up ({limit}: {used} of {of}). Let this agent go on?',
  },
  {
    on: 'spawn-storm',
    at: 1,
    action: 'block',
    level: 'warning',
    message:
      'No further agent was started: the swarm allows no more here ({limit}; {children} children of this agent, {atDepth} on level {depth}). Do this part yourself, or with the agents that are there.',
  },
];

/** A worker's own loop is told first; then what the swarm knows. */
const LAST: readonly Rung[] = [
  {
    on: 'dead-end',
    at: 10, // failures that the swarm had already, of three workers and more: twice what was told
    action: 'block',
    level: 'critical',
    message:
      'Not run: {workers} workers of this swarm have tried this very call to {tool}, {first} first, and {found}. Take another way, or report that this one is closed.',
  },
  {
    on: 'dead-end',
    at: 5,
    action: 'nudge',
    level: 'warning',
    message:
      '{workers} workers of this swarm have tried this very call to {tool} already, {first} first, lately {names}, and {found}. Use what they found out, or take another way.',
  },
  {
    on: 'handoff-repeat',
    at: 12, // three rounds more after the nudge has had time to work
    action: 'ask',
    level: 'critical',
    hint: 'last-turn',
    message:
      '{names} have handed the work to each other {count} times, and neither has got anywhere. Somebody must decide what is missing.',
    prompt:
      '{names} have handed the work to each other {count} times, and neither has got anywhere. Let them go on?',
  },
  {
    on: 'handoff-repeat',
    at: 6, // A to B and back, three times
    action: 'nudge',
    level: 'warning',
    message:
      '{names} have handed the work to each other {count} times, and neither has got anywhere. Do a part of it now, or say what is missing, instead of handing it on.',
  },
  {
    on: 'swarm-failure',
    at: 24, // a nudge that has not helped, three times over
    action: 'nudge',
    level: 'critical',
    message:
      '{workers} workers of this swarm have now run into the same error {count} times, {first} first ({names} lately). It will not go away by trying: stop using {tool} and report the error.',
  },
  {
    on: 'swarm-failure',
    at: 8,
    below: 1,
    action: 'nudge',
    level: 'warning',
    message:
      '{workers} workers of this swarm have run into the same error with {tool}, {count} times in all, {first} first: {found}. It is not about your task: look for the common cause, or work around it.',
  },
  {
    on: 'swarm-budget',
    at: 80, // percent
    below: 1,
    action: 'nudge',
    level: 'info',
    message:
      'The swarm has used {used} of {of} ({limit}). Bring your part to an end that can be handed over.',
  },
];

/** A preset that also heeds what the swarm has come to; a rule that it has of its own stays. */
export function withSwarm(preset: Preset, own: SwarmLimits = {}, tenant: SwarmLimits = {}): Preset {
  const budget = {
    kind: 'swarm-budget',
    calls: own.calls ?? 'off',
    tokens: own.tokens ?? 'off',
    money: own.money ?? 'off',
    tenantCalls: tenant.calls ?? 'off',
    tenantTokens: tenant.tokens ?? 'off',
    tenantMoney: tenant.money ?? 'off',
  };
  const detectors: Preset['detectors'] = {
    'swarm-halt': { kind: 'swarm-halt' },
    'swarm-budget': budget,
    'spawn-storm': { kind: 'spawn-storm' },
    'dead-end': { kind: 'swarm-repeat', counts: 'wasted', minWorkers: 3 },
    'handoff-repeat': { kind: 'handoff-repeat' },
    'swarm-failure': { kind: 'swarm-failure' },
  };
  const isNew = ({ on }: Rung) => !Object.hasOwn(preset.detectors, on);
  return {
    ...preset,
    detectors: { ...detectors, ...preset.detectors },
    ladder: [...FIRST.filter(isNew), ...preset.ladder, ...LAST.filter(isNew)],
  };
}
