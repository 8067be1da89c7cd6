import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';

export type TextStreakOptions = {
  /** The iterations the host allows: on the last one a text is the answer that is wanted. */
  readonly maxIterations: number | 'off';
};

const UNBOUNDED = 1_000_000;

type State = {
  readonly count: number;
  readonly rounds: number;
  readonly spoke: boolean;
  readonly called: boolean;
};
const INITIAL: State = { count: 0, rounds: 0, spoke: false, called: false };

/** Model turns without any tool call, one after the other. */
export const textStreak: DetectorKind<'text-streak', TextStreakOptions> = {
  kind: 'text-streak',
  defaults: { maxIterations: 'off' },
  create(name, { maxIterations }, { floor }): Detector<State> {
    const lastIteration = maxIterations === 'off' ? Number.POSITIVE_INFINITY : maxIterations - 1;
    return {
      name,
      events: ['turn', 'tool-call', 'round-done', 'user'],
      needs: [],
      initial: INITIAL,
      shape: { count: 0, rounds: 0, spoke: true, called: true },
      maxCount: UNBOUNDED,
      reduce(state, { event, call }) {
        if (event === 'user') return [INITIAL, null];
        const { spoke, called } = state;
        if (event === 'turn')
          return [{ count: state.count, rounds: state.rounds, spoke: true, called: false }, null];
        if (event === 'tool-call' && called) return null;
        if (event === 'tool-call') return [{ count: 0, rounds: state.rounds, spoke, called: true }, null];
        const rounds = state.rounds + 1;
        const count = spoke && !called ? state.count + 1 : 0;
        const next = { count, rounds, spoke: false, called: false };
        if (count < floor || rounds >= lastIteration) return [next, null];
        return [next, { detector: name, subject: 'text', count, evidence: call > 0 ? [call] : [] }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const textStreakDescribed: DescribedKind = /* @__PURE__ */ described(textStreak, {
  about: 'Model turns without a tool call, one after the other.',
  options: {
    maxIterations: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      offable: true,
      about: "The host's own cap: on the last iteration before it, a text is welcome.",
    },
  } satisfies OptionSpecs<TextStreakOptions>,
});
