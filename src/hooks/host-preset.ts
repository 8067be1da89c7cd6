import type { Preset } from '../core/preset.ts';
import type { Rung } from '../core/types.ts';
import { recommended } from '../presets/recommended.ts';
import type { Host } from './host.ts';

const NOT_RUN = /^Not run: /;

/**
 * A preset as it works in a host: what it cannot do becomes what it can, and what would come too late comes in time. The kinds of
 * detectors that the preset carries stay behind.
 */
export function hostPreset(preset: Preset, host: Host): Preset {
  return { ...preset, ladder: preset.ladder.map((rung) => possible(inTime(rung, host), host)) };
}

/** A host's own detector of identical calls counts blocked ones, too; so a repeat is refused one call before it acts. Rungs of the user's stay. */
function inTime(rung: Rung, { actsAt }: Host): Rung {
  if (actsAt === undefined || rung.on !== 'no-progress' || rung.action === 'nudge') return rung;
  return rung.at >= actsAt && isOurs(rung) ? { ...rung, at: actsAt - 1 } : rung;
}

/** Settings come from a file of their own, with a `recommended` of their own, so that a rung is known by what it says. */
function isOurs(rung: Rung): boolean {
  const text = JSON.stringify(rung);
  return recommended.ladder.some((ours) => ours.on === rung.on && JSON.stringify(ours) === text);
}

/** Where no call can be refused, the model is told at the same point, in words that are true there. */
function possible(rung: Rung, { blocks }: Host): Rung {
  if (blocks || rung.action !== 'block') return rung;
  return { ...rung, action: 'nudge', message: rung.message.replace(NOT_RUN, 'Of no use: ') };
}
