import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { type SwarmFact, swarmFact } from './swarm-fact.ts';

export type HandoffRepeatOptions = Record<never, never>;

const UNBOUNDED = 1_000_000;

/** Two agents that hand the work to each other and back, and neither gets anywhere. */
export const handoffRepeat: DetectorKind<'handoff-repeat', HandoffRepeatOptions> = {
  kind: 'handoff-repeat',
  defaults: {},
  create(name, _, { floor }): Detector<null> {
    return {
      name,
      events: ['swarm-tally'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: UNBOUNDED,
      blocks: true,
      observe: (event: AgentEvent): Json => swarmFact(event, 'handoff'),
      reduce(state, { call }, observed) {
        const fact = observed as SwarmFact | null;
        if (fact === null || fact.calls < floor) return null;
        const { key, calls, first, names } = fact;
        const evidence = call > 0 ? [call] : [];
        return [state, { detector: name, subject: key, count: calls, evidence, facts: { first, names } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const handoffRepeatDescribed: DescribedKind = /* @__PURE__ */ described(handoffRepeat, {
  about: 'Two agents that hand the work to each other and back, and neither gets anywhere.',
  options: {},
});
