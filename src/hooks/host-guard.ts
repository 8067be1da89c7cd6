import { type Guard, type GuardOptions, guardOn, type Mode } from '../core/guard.ts';
import { compilePlan, type RulesFor } from '../core/plan.ts';
import { type AnyKind, kindsOf, type Preset } from '../core/preset.ts';
import { parseState } from '../core/snapshot.ts';
import { fastDigestText } from '../platform/digest-text.ts';
import type { Host } from './host.ts';
import { hostPreset } from './host-preset.ts';

/** How to guard, as far as anybody may choose. */
export type GuardSettings = {
  readonly preset: Preset;
  readonly mode: Mode;
  readonly attended: boolean;
  /** Kinds of detectors for a preset that carries none. */
  readonly kinds?: readonly AnyKind[];
  readonly rulesFor?: RulesFor;
  readonly messages?: { readonly [detectorOrRung: string]: string };
};

/** The guard of a session in a host, as it was left; throws when its state cannot be restored. */
export function hostGuard(
  host: Host,
  settings: GuardSettings,
  saved: unknown,
  hooks: Pick<GuardOptions, 'onDecision' | 'onError' | 'followUp'>,
): Guard {
  const { preset, mode, kinds = kindsOf(preset), rulesFor, messages } = settings;
  const attended = settings.attended && host.asks;
  const plan = compilePlan(hostPreset(preset, host), {
    kinds,
    rulesFor,
    messages,
    attended,
    digestText: fastDigestText,
  });
  const state = saved === null ? undefined : parseState(plan, saved);
  return guardOn(plan, { mode, attended, state, ...hooks });
}
