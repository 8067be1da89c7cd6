import { DeloopError, show } from '../core/errors.ts';
import type { DescribedKind } from '../core/options.ts';
import type { Preset } from '../core/preset.ts';
import { callCountDescribed } from '../detectors/call-count.ts';
import { callStreakDescribed } from '../detectors/call-streak.ts';
import { explorationDescribed } from '../detectors/exploration.ts';
import { failureStreakDescribed } from '../detectors/failure-streak.ts';
import { idleRoundsDescribed } from '../detectors/idle-rounds.ts';
import { iterationCapDescribed } from '../detectors/iteration-cap.ts';
import { outcomeRepeatDescribed } from '../detectors/outcome-repeat.ts';
import { similarStreakDescribed } from '../detectors/similar-streak.ts';
import { swarmRepeatDescribed } from '../detectors/swarm-repeat.ts';
import { testFailuresDescribed } from '../detectors/test-failures.ts';
import { textStreakDescribed } from '../detectors/text-streak.ts';
import { atomcode } from './atomcode.ts';
import { attocode } from './attocode.ts';
import { deepseekTui } from './deepseek-tui.ts';
import { koda } from './koda.ts';
import { zagens } from './zagens.ts';

/** Every kind of detector that a preset read from JSON may name, with what can be said of it. */
export const detectorKinds: readonly DescribedKind[] = [
  callCountDescribed,
  callStreakDescribed,
  explorationDescribed,
  failureStreakDescribed,
  idleRoundsDescribed,
  iterationCapDescribed,
  outcomeRepeatDescribed,
  similarStreakDescribed,
  swarmRepeatDescribed,
  testFailuresDescribed,
  textStreakDescribed,
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
