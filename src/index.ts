import { type CheckedOptions, createCheckedGuard } from './core/checked-guard.ts';
import type { Guard } from './core/guard.ts';
import { refuseUnknown } from './core/options.ts';
import type { Preset } from './core/preset.ts';
import { fastDigestText } from './platform/digest-text.ts';
import { DEFAULT_PRESET, detectorKinds, type PresetName, presetOf } from './presets/registry.ts';

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
export { type PresetName, presets } from './presets/registry.ts';

export type Options = Omit<CheckedOptions, 'preset' | 'described' | 'digestText'> & {
  /** A preset's name or the preset itself. */
  readonly preset?: PresetName | Preset | undefined;
};

const KNOWN: readonly string[] = [
  'preset',
  'mode',
  'state',
  'tools',
  'attended',
  'messages',
  'swarm',
  'detectors',
  'onDecision',
  'onError',
] satisfies (keyof Options)[];

/** A guard over one run, by the name of a preset. Throws when an option can never work; never throws afterwards. */
export function createGuard(options: Options = {}): Guard {
  refuseUnknown(options, KNOWN, 'createGuard');
  const { preset = DEFAULT_PRESET, ...rest } = options;
  return createCheckedGuard({
    ...rest,
    preset: presetOf(preset),
    described: detectorKinds,
    digestText: fastDigestText,
  });
}
