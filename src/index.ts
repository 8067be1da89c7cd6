import type { Guard } from './core/guard.ts';
import { guardsOf, type Options } from './guards.ts';

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

/** A guard over one run, by the name of a preset. Throws when an option can never work; never throws afterwards. */
export function createGuard(options: Options = {}): Guard {
  return guardsOf(options)(options);
}
