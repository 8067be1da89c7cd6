import { applyConfig } from '../../config/apply-config.ts';
import { DeloopError } from '../../core/errors.ts';
import type { Preset } from '../../core/preset.ts';
import { DEFAULT_PRESET, presets } from '../../presets/registry.ts';
import { type DetectorTuning, firstAt } from './tuning.ts';

/** A change to a config, and what it would come to. */
export type Suggestion = {
  readonly at: number;
  /** The part of `deloop.config.json`. */
  readonly config: object;
  /** Sessions in which the detector speaks up now, and would then. */
  readonly now: number;
  readonly later: number;
};

/** The next count at which fewer sessions would hear of a detector; null = there is none that it could count to. */
export function suggestionFor(detector: DetectorTuning, preset: Preset): Suggestion | null {
  const { name, reaches } = detector;
  const first = firstAt(detector);
  const reachedAt = (count: number) => reaches.find((reach) => reach.count >= count)?.sessions ?? 0;
  const now = reachedAt(first);
  const next = reaches.find(({ count, sessions }) => count > first && sessions < now);
  if (next === undefined) return null;
  const detectors = { [name]: { at: next.count } };
  try {
    applyConfig({ preset, detectors }, '');
  } catch (error) {
    if (!(error instanceof DeloopError)) throw error;
    return null;
  }
  const named =
    preset.name === DEFAULT_PRESET || !Object.hasOwn(presets, preset.name) ? {} : { preset: preset.name };
  return { at: next.count, config: { ...named, detectors }, now, later: next.sessions };
}
