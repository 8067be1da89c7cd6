import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';

export type IdleRoundsOptions = Record<never, never>;

const UNBOUNDED = 1_000_000;

type State = { readonly rounds: number; readonly called: boolean };
const INITIAL: State = { rounds: 0, called: false };

/** Iterations that pass without a single tool call since the run began. */
export const idleRounds: DetectorKind<'idle-rounds', IdleRoundsOptions> = {
  kind: 'idle-rounds',
  defaults: {},
  create(name, _options, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-call', 'round-done', 'user'],
      needs: [],
      initial: INITIAL,
      shape: { rounds: 0, called: true },
      maxCount: UNBOUNDED,
      reduce(state, { event }) {
        if (event === 'user') return [INITIAL, null];
        if (state.called) return null;
        if (event === 'tool-call') return [{ rounds: 0, called: true }, null];
        const next = { rounds: state.rounds + 1, called: false };
        if (next.rounds < floor) return [next, null];
        return [next, { detector: name, subject: 'iterations', count: next.rounds, evidence: [] }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const idleRoundsDescribed: DescribedKind = /* @__PURE__ */ described(idleRounds, {
  about: 'Iterations without a single tool call since the run began.',
  options: {},
});
