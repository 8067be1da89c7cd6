import type { Hooks } from './core/checked-guard.ts';
import type { Guard } from './core/guard.ts';
import { safely } from './core/safely.ts';
import { guardsOf, type Options } from './guards.ts';
import { fastDigestText } from './platform/digest-text.ts';
import { DEFAULT_PRESET, detectorKinds, presetOf } from './presets/registry.ts';
import { withSwarm } from './presets/swarm-rules.ts';
import type { Store } from './stores/store.ts';
import { createMember, type Member } from './swarm/member.ts';
import { type CallListener, callListener, type Seat, takeSeat } from './swarm/seat.ts';
import { resolveSwarm, type SwarmOptions } from './swarm/swarm-options.ts';
import { tellingTallies } from './swarm/telling-tallies.ts';

/** The guards of one process that are in one swarm, and their common way to its tallies. */
export type SwarmOfGuards = {
  readonly guards: (hooks: Hooks) => Guard;
  readonly listener: CallListener;
  readonly member: Member;
  /** This process, as the options name it. */
  readonly worker: string;
  seat(worker: string, session?: string): Seat;
};

export type SwarmParts = {
  readonly store: Store;
  readonly swarm: SwarmOptions;
  readonly options: Omit<Options, 'swarm'>;
  /** The host tells handoffs as events, beside the calls of tools that make them. */
  readonly tellsHandoffs?: boolean | undefined;
};

/** Throws when an option can never work. */
export function joinSwarm({ store, swarm: given, options, tellsHandoffs }: SwarmParts): SwarmOfGuards {
  const { preset = DEFAULT_PRESET, ...rest } = options;
  const swarm = resolveSwarm(given);
  const listener = callListener();
  const whole = withSwarm(presetOf(preset), swarm.budget, swarm.tenantBudget);
  const guards = guardsOf({
    ...rest,
    preset: whole,
    swarm: { tally: listener.tally, worker: swarm.worker },
  });
  const member = createMember(store, swarm, (error) => safely(() => rest.onError?.(error, swarm.name)));
  const isKnown = (kind: string) =>
    rest.detectors === undefined && detectorKinds.some((known) => known.kind === kind);
  const isTelling = tellingTallies(whole, rest.tools, isKnown);
  const shared = { member, swarm, digestText: fastDigestText, isTelling, tellsHandoffs };
  return {
    guards,
    listener,
    member,
    worker: swarm.worker,
    seat: (worker, session) => takeSeat({ ...shared, worker, session }),
  };
}
