import { type DetectorKind, definePreset, type Preset } from '../core/preset.ts';
import type { AgentEvent, Detector } from '../core/types.ts';

const MOST_HEARD = 1000;

/** A preset that counts what it hears of one thing, reports each time, and does nothing about it. */
function hearing(what: string, isHeard: (event: AgentEvent) => boolean): Preset {
  const heard: DetectorKind<'heard', Record<never, never>> = {
    kind: 'heard',
    defaults: {},
    create: (name): Detector<number> => ({
      name,
      events: ['user', 'turn', 'text-delta'],
      needs: [],
      initial: 0,
      shape: 0,
      maxCount: MOST_HEARD,
      observe: (event) => isHeard(event) || null,
      reduce(before, { call }, fact) {
        if (fact === null) return null;
        const count = Math.min(before + 1, MOST_HEARD);
        return [count, { detector: name, subject: what, count, evidence: call > 0 ? [call] : [] }];
      },
    }),
  };
  return definePreset([heard], {
    name: `hearing ${what}`,
    about: `Reports ${what}.`,
    userBoundary: 'keep',
    detectors: { heard: { kind: 'heard' } },
    ladder: [{ on: 'heard', at: 1, action: 'observe', message: 'Heard: {subject}, {count}.' }],
  });
}

export const hearingPeople: Preset = hearing(
  'messages of a person',
  (event) => event.type === 'user' && event.by !== 'host',
);

export const hearingThoughts: Preset = hearing('what the model thinks', (event) =>
  event.type === 'turn'
    ? (event.reasoning ?? '') !== ''
    : event.type === 'text-delta' && event.channel === 'reasoning',
);
