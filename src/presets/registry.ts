import { DeloopError, show } from '../core/errors.ts';
import type { AnyKind, Preset } from '../core/preset.ts';
import { callCount } from '../detectors/call-count.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { exploration } from '../detectors/exploration.ts';
import { failureStreak } from '../detectors/failure-streak.ts';
import { idleRounds } from '../detectors/idle-rounds.ts';
import { iterationCap } from '../detectors/iteration-cap.ts';
import { outcomeRepeat } from '../detectors/outcome-repeat.ts';
import { swarmRepeat } from '../detectors/swarm-repeat.ts';
import { testFailures } from '../detectors/test-failures.ts';
import { textStreak } from '../detectors/text-streak.ts';
import { atomcode } from './atomcode.ts';
import { attocode } from './attocode.ts';
import { deepseekTui } from './deepseek-tui.ts';
import { koda } from './koda.ts';
import { zagens } from './zagens.ts';

/** Every kind of detector that a preset read from JSON may name. */
export const detectorKinds: readonly AnyKind[] = [
  callCount,
  callStreak,
  exploration,
  failureStreak,
  idleRounds,
  iterationCap,
  outcomeRepeat,
  swarmRepeat,
  testFailures,
  textStreak,
];

/** Every preset by name, as plain JSON. */
export const presets: {
  readonly koda: Preset;
  readonly attocode: Preset;
  readonly atomcode: Preset;
  readonly zagens: Preset;
  readonly 'deepseek-tui': Preset;
} = { koda, attocode, atomcode, zagens, 'deepseek-tui': deepseekTui };
export type PresetName = keyof typeof presets;

export const DEFAULT_PRESET: PresetName = 'atomcode';

/** A preset by its name, or the object itself. */
export function presetOf(preset: PresetName | Preset): Preset {
  if (typeof preset !== 'string') return preset;
  if (Object.hasOwn(presets, preset)) return presets[preset];
  throw new DeloopError(
    'option',
    `preset is ${show(preset)}; it must be one of ${Object.keys(presets).join(', ')}`,
  );
}
