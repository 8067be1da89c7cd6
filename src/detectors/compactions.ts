import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector } from '../core/types.ts';

export type CompactionsOptions = {
  /** The latest compactions among which an idle one is looked for. */
  readonly window: number;
};

const UNBOUNDED = 1_000_000;

type State = {
  readonly count: number;
  /** Whether anything has happened since the last compaction. */
  readonly worked: boolean;
  /** Compactions since the last idle one; -1 = there was none. */
  readonly idleAgo: number;
};
const INITIAL: State = { count: 0, worked: true, idleAgo: -1 };

/** How often the context was compacted; `idle` tells whether nothing has happened between two of the latest times. */
export const compactions: DetectorKind<'compactions', CompactionsOptions> = {
  kind: 'compactions',
  defaults: { window: 10 },
  create(name, { window }, { floor }): Detector<State> {
    return {
      name,
      events: ['compaction', 'turn', 'tool-call', 'tool-result', 'user'],
      needs: [],
      initial: INITIAL,
      shape: { count: 0, worked: true, idleAgo: 0 },
      maxCount: UNBOUNDED,
      wakes: TOPIC.other,
      reduce(state, { event, call }) {
        const { worked, idleAgo } = state;
        if (event !== 'compaction')
          return worked ? null : [{ count: state.count, worked: true, idleAgo }, null];
        const count = state.count + 1;
        const ago = !worked ? 0 : idleAgo < 0 ? -1 : idleAgo + 1;
        const next = { count, worked: false, idleAgo: ago };
        if (count < floor) return [next, null];
        // Two of the latest make a pair, so the pair is out of sight one compaction earlier.
        const idle = ago >= 0 && ago < window - 1;
        const evidence = call > 0 ? [call] : [];
        return [next, { detector: name, subject: 'compactions', count, evidence, facts: { idle } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const compactionsDescribed: DescribedKind = /* @__PURE__ */ described(compactions, {
  about: 'Compactions of the context, and whether nothing has happened between two of them.',
  options: {
    window: {
      type: 'integer',
      min: 2,
      max: 1000,
      about: 'Among how many of the latest compactions two with nothing in between are looked for.',
    },
  } satisfies OptionSpecs<CompactionsOptions>,
});
