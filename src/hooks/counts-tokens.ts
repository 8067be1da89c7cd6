import type { Preset } from '../core/preset.ts';

/** Whether anything in a preset asks for tokens; where nothing does, nobody need look for them. */
export function countsTokens({ detectors }: Preset): boolean {
  return Object.values(detectors).some(({ kind, ...options }) => {
    const { tokens = 'off', money = 'off' } = options as {
      readonly tokens?: unknown;
      readonly money?: unknown;
    };
    return kind === 'budget' && (tokens !== 'off' || money !== 'off');
  });
}
