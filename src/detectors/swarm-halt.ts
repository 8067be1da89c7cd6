import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';

export type SwarmHaltOptions = Record<never, never>;

const MAX_TEXT = 200;

/** Somebody has stopped the whole swarm. */
export const swarmHalt: DetectorKind<'swarm-halt', SwarmHaltOptions> = {
  kind: 'swarm-halt',
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
      observe(event: AgentEvent): Json {
        if (event.type !== 'swarm-tally' || !event.halted) return null;
        const { why, by } = event.halted;
        return { why: String(why).slice(0, MAX_TEXT), by: String(by).slice(0, MAX_TEXT) };
      },
      reduce(state, { call }, fact) {
        if (fact === null) return null;
        const facts = fact as { readonly why: string; readonly by: string };
        return [
          state,
          { detector: name, subject: 'swarm', count: 1, evidence: call > 0 ? [call] : [], facts },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const swarmHaltDescribed: DescribedKind = /* @__PURE__ */ described(swarmHalt, {
  about: 'A swarm that somebody has stopped.',
  options: {},
});
