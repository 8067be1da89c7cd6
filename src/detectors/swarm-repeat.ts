import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { type SwarmFact, swarmFact, swarmFacts } from './swarm-fact.ts';

export type SwarmRepeatOptions = {
  /** Fewer workers than this are a matter for their own guards. */
  readonly minWorkers: number;
  /** `calls` = every call; `wasted` = failures that the swarm had already, since anybody got through. */
  readonly counts: 'calls' | 'wasted';
};

const UNBOUNDED = 1_000_000;

/** One call made often by a whole swarm, as a tally counted it. */
export const swarmRepeat: DetectorKind<'swarm-repeat', SwarmRepeatOptions> = {
  kind: 'swarm-repeat',
  defaults: { minWorkers: 2, counts: 'calls' },
  create(name, { minWorkers, counts }, { floor }): Detector<null> {
    return {
      name,
      events: ['swarm-tally'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: UNBOUNDED,
      blocks: true,
      observe: (event: AgentEvent): Json => swarmFact(event, 'call'),
      reduce(state, { call }, observed) {
        const fact = observed as SwarmFact | null;
        if (fact === null) return null;
        const [count, workers] =
          counts === 'calls' ? [fact.calls, fact.workers] : [fact.wasted, fact.wasters];
        if (count < floor || workers < minWorkers) return null;
        return [
          state,
          {
            detector: name,
            subject: `${fact.tool}#${fact.key}`,
            count,
            evidence: call > 0 ? [call] : [],
            facts: swarmFacts(fact, workers),
          },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const swarmRepeatDescribed: DescribedKind = /* @__PURE__ */ described(swarmRepeat, {
  about: 'One call that several workers of a swarm make again and again.',
  options: {
    minWorkers: {
      type: 'integer',
      min: 1,
      max: 1000,
      about: 'How many workers must have made the call.',
    },
    counts: {
      type: 'choice',
      of: ['calls', 'wasted'],
      about: 'Every call, or only failures that the swarm had already.',
    },
  } satisfies OptionSpecs<SwarmRepeatOptions>,
});
