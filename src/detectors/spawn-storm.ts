import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { type SwarmFact, swarmFact } from './swarm-fact.ts';

export type SpawnStormOptions = Record<never, never>;

/** A child that must not start: there are too many of its parent, too many on its level, or it would be too far down. */
export const spawnStorm: DetectorKind<'spawn-storm', SpawnStormOptions> = {
  kind: 'spawn-storm',
  defaults: {},
  create(name): Detector<null> {
    return {
      name,
      events: ['swarm-tally'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: 1,
      blocks: true,
      observe: (event: AgentEvent): Json => swarmFact(event, 'spawn'),
      reduce(state, { call }, observed) {
        const fact = observed as SwarmFact | null;
        if (fact === null || fact.refused === '') return null;
        const { key, refused: limit, calls: children, depth, atDepth } = fact;
        return [
          state,
          {
            detector: name,
            subject: key,
            count: 1,
            evidence: call > 0 ? [call] : [],
            facts: { limit, children, depth, atDepth },
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const spawnStormDescribed: DescribedKind = /* @__PURE__ */ described(spawnStorm, {
  about: 'A child agent beyond what its parent, its level or the depth of the swarm may have.',
  options: {},
});
