import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';

export type SwarmRepeatOptions = {
  /** Fewer workers than this are a matter for their own guards. */
  readonly minWorkers: number;
};

const UNBOUNDED = 1_000_000;

/** One call made often by a whole swarm, as a tally counted it. */
export const swarmRepeat: DetectorKind<'swarm-repeat', SwarmRepeatOptions> = {
  kind: 'swarm-repeat',
  defaults: { minWorkers: 2 },
  create(name, { minWorkers }, { floor }): Detector<null> {
    return {
      name,
      events: ['swarm-tally'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: UNBOUNDED,
      observe(event: AgentEvent): Json {
        if (event.type !== 'swarm-tally') return null;
        return {
          key: event.key.slice(0, 64),
          calls: event.calls,
          workers: event.workers,
          tool: event.tool?.slice(0, 64) ?? '',
        };
      },
      reduce(state, { call }, fact) {
        const { key, calls, workers, tool } = fact as {
          key: string;
          calls: number;
          workers: number;
          tool: string;
        };
        if (calls < floor || workers < minWorkers) return null;
        const subject = `${tool}#${key}`;
        return [
          state,
          {
            detector: name,
            subject,
            count: calls,
            evidence: call > 0 ? [call] : [],
            facts: { tool, workers },
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
  } satisfies OptionSpecs<SwarmRepeatOptions>,
});
