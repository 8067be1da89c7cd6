import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { type SwarmFact, swarmFact, swarmFacts } from './swarm-fact.ts';

export type SwarmFailureOptions = {
  /** Fewer workers than this are a matter for their own guards. */
  readonly minWorkers: number;
};

const UNBOUNDED = 1_000_000;

/** One kind of error that many workers of a swarm run into, whatever they were doing. */
export const swarmFailure: DetectorKind<'swarm-failure', SwarmFailureOptions> = {
  kind: 'swarm-failure',
  defaults: { minWorkers: 3 },
  create(name, { minWorkers }, { floor }): Detector<null> {
    return {
      name,
      events: ['swarm-tally'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: UNBOUNDED,
      observe: (event: AgentEvent): Json => swarmFact(event, 'failure'),
      reduce(state, { call }, observed) {
        const fact = observed as SwarmFact | null;
        if (fact === null || fact.calls < floor || fact.workers < minWorkers) return null;
        return [
          state,
          {
            detector: name,
            subject: `${fact.tool}!${fact.key}`,
            count: fact.calls,
            evidence: call > 0 ? [call] : [],
            facts: swarmFacts(fact, fact.workers),
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const swarmFailureDescribed: DescribedKind = /* @__PURE__ */ described(swarmFailure, {
  about: 'One kind of error that several workers of a swarm run into.',
  options: {
    minWorkers: {
      type: 'integer',
      min: 1,
      max: 1000,
      about: 'How many workers must have run into it.',
    },
  } satisfies OptionSpecs<SwarmFailureOptions>,
});
