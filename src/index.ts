import type { Guard } from './core/guard.ts';
import { refuseUnknown } from './core/options.ts';
import { guardsOf, KNOWN, type Options } from './guards.ts';
import { checkSession } from './stores/check-session.ts';
import { checkStore } from './stores/check-store.ts';
import type { Store } from './stores/store.ts';
import { type StoredGuard, storedGuard } from './stores/stored-guard.ts';

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

/** A guard over one run, by the name of a preset. Throws when an option can never work; never throws afterwards. */
export function createGuard(options: Options = {}): Guard {
  return guardsOf(options)(options);
}

export type StoredOptions = Omit<Options, 'state' | 'swarm'> & {
  readonly store: Store;
  /** Whose state it is; guards of the same session share it. */
  readonly session: string;
};

const STORED: readonly string[] = [
  ...KNOWN.filter((name) => name !== 'state' && name !== 'swarm'),
  'store',
  'session',
];

/**
 * A guard whose state lives in a store, shared by all processes that use it. Throws when an option can never work; never rejects
 * afterwards: where the store fails, the answer is allow and `onError` hears why.
 */
export function createStoredGuard({ store, session, ...options }: StoredOptions): StoredGuard {
  refuseUnknown({ store, session, ...options }, STORED, 'createStoredGuard');
  checkStore(store);
  checkSession(session);
  const guards = guardsOf(options);
  const off = options.mode === 'off';
  return storedGuard({
    ...options,
    store,
    session,
    off,
    open: (state, hooks) => guards({ ...hooks, state }),
  });
}
