import type { Preset } from '../../core/preset.ts';
import type { Rung } from '../../core/types.ts';

/** The first time something comes again. */
const LOWEST_COUNT = 2;

/**
 * The preset with a rung under those of each detector that only observes: detectors keep quiet below their lowest rung.
 * It comes last, so that every other rung still decides as before.
 */
export function listeningPreset(preset: Preset): Preset {
  const low = Object.keys(preset.detectors).flatMap((on): Rung[] => {
    const own = preset.ladder.filter((rung) => rung.on === on);
    const heard = own.some(({ at }) => at <= LOWEST_COUNT);
    return heard ? [] : [{ on, at: LOWEST_COUNT, action: 'observe', message: '{count}' }];
  });
  return { ...preset, ladder: [...preset.ladder, ...low] };
}
