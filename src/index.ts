import type { Guard } from './core/guard.ts';
import { refuseUnknown } from './core/options.ts';
import { guardsOf, KNOWN, type Options } from './guards.ts';
import { checkSession } from './stores/check-session.ts';
import { checkStore } from './stores/check-store.ts';
import type { Store } from './stores/store.ts';
import { type StoredGuard, storedGuard, type UseGuard, useStored } from './stores/stored-guard.ts';
import { type SwarmGuard, swarmGuard } from './swarm/swarm-guard.ts';
import type { SwarmOptions } from './swarm/swarm-options.ts';
import { joinSwarm, type SwarmOfGuards } from './swarm-of-guards.ts';

export type { Swarm } from './core/checked-guard.ts';
export { DeloopError, type ErrorCode } from './core/errors.ts';
export type { ToolResult } from './core/events.ts';
export { fingerprint } from './core/fingerprint.ts';
export type { Guard, Mode, Tally, ToolCall } from './core/guard.ts';
export type { Preset } from './core/preset.ts';
export { shellReadTarget, similarFingerprint } from './core/similar.ts';
export { createTally, type SwarmTally } from './core/tally.ts';
export type { ToolDeclaration, ToolTable } from './core/tools.ts';
export type {
  Action,
  AgentEvent,
  Decision,
  Finding,
  GuardState,
  Hint,
  Intervention,
  Json,
  Level,
  Rung,
  Status,
  Usage,
} from './core/types.ts';
export type { Options } from './guards.ts';
export { type PresetName, presets } from './presets/registry.ts';
export type { Change, Store, StoredSession } from './stores/store.ts';
export type { StoredGuard } from './stores/stored-guard.ts';
export type { SwarmGuard } from './swarm/swarm-guard.ts';
export type { SwarmOptions } from './swarm/swarm-options.ts';

/** A guard over one run, by the name of a preset. Throws when an option can never work; never throws afterwards. */
export function createGuard(options: Options = {}): Guard {
  return guardsOf(options)(options);
}

export type StoredOptions = Omit<Options, 'state' | 'swarm'> & {
  readonly store: Store;
  /** Whose state it is; guards of the same session share it. */
  readonly session: string;
  /** What the swarm does counts, too; its tallies are in the same store. */
  readonly swarm?: SwarmOptions | undefined;
};

export type SwarmGuardOptions = Omit<Options, 'swarm'> & {
  /** Where the tallies of the swarm are. The state of the guard stays here. */
  readonly store: Store;
  readonly swarm: SwarmOptions;
};

const SHARED: readonly string[] = [...KNOWN.filter((name) => name !== 'state'), 'store'];

/**
 * A guard whose state lives in a store, shared by all processes that use it. Throws when an option can never work; never rejects
 * afterwards: where the store fails, the answer is allow and `onError` hears why.
 */
export function createStoredGuard(options: StoredOptions & { readonly swarm: SwarmOptions }): SwarmGuard;
export function createStoredGuard(options: StoredOptions): StoredGuard;
export function createStoredGuard({ store, session, swarm, ...options }: StoredOptions): StoredGuard {
  refuseUnknown({ store, session, swarm, ...options }, [...SHARED, 'session'], 'createStoredGuard');
  checkStore(store);
  checkSession(session);
  const off = options.mode === 'off';
  const parts = { ...options, store, session, off };
  if (swarm === undefined || off) {
    const guards = guardsOf(options);
    return storedGuard({ ...parts, open: (state, hooks) => guards({ ...hooks, state }) });
  }
  return inSwarm(store, swarm, options, (guards) =>
    useStored({ ...parts, open: (state, hooks) => guards({ ...hooks, state }) }),
  );
}

/**
 * A guard that heeds what the rest of its swarm is doing. Throws when an option can never work; never rejects afterwards, and
 * never waits for the store longer than `swarm.waitMs`: then it goes on with what it knows, and `onError` hears of it once.
 */
export function createSwarmGuard({ store, swarm, ...options }: SwarmGuardOptions): SwarmGuard {
  refuseUnknown({ store, swarm, ...options }, [...SHARED, 'state'], 'createSwarmGuard');
  checkStore(store);
  return inSwarm(store, swarm, options, (guards) => {
    const guard = guards({ ...options, state: options.state });
    return (run) => run(guard);
  });
}

function inSwarm(
  store: Store,
  swarm: SwarmOptions,
  options: Omit<Options, 'swarm'>,
  useOf: (guards: SwarmOfGuards['guards']) => UseGuard,
): SwarmGuard {
  const { guards, listener, member, seat } = joinSwarm({ store, swarm, options });
  const emptyState = () => guards({}).state;
  return swarmGuard({ use: useOf(guards), emptyState, listener, member, seat: seat(swarm.worker) });
}
