import { NOT_RUN } from '../core/endings.ts';
import { createLedger, weighs } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector, Entry, Finding } from '../core/types.ts';

export type CompactionsOptions = {
  /** The latest compactions among which an idle one is looked for. */
  readonly window: number;
  /** `fruitless` = only those in a row between which nothing came but what was known. */
  readonly counts: 'all' | 'fruitless';
};

const UNBOUNDED = 1_000_000;

type State = {
  readonly count: number;
  /** Whether anything has happened since the last compaction; of fruitless ones, anything new. */
  readonly worked: boolean;
  /** Compactions since the last idle one; -1 = there was none. Of fruitless ones: 0 = what was known came again since the last, -1 = it did not. */
  readonly idleAgo: number;
};
const INITIAL: State = { count: 0, worked: true, idleAgo: -1 };

/** How often the context was compacted; `idle` tells whether nothing has happened between two of the latest times. */
export const compactions: DetectorKind<'compactions', CompactionsOptions> = {
  kind: 'compactions',
  defaults: { window: 10, counts: 'all' },
  create(name, { window, counts }, { floor }): Detector<State> {
    function found(count: number, call: number, idle: boolean): Finding | null {
      if (count < floor) return null;
      const evidence = call > 0 ? [call] : [];
      return { detector: name, subject: 'compactions', count, evidence, facts: { idle } };
    }
    if (counts === 'fruitless')
      return {
        name,
        events: ['compaction', 'tool-result', 'state-change', 'user'],
        needs: [],
        initial: INITIAL,
        shape: { count: 0, worked: true, idleAgo: 0 },
        maxCount: UNBOUNDED,
        wakes: TOPIC.other,
        ledger: createLedger,
        reduce(state, entry) {
          const { count, worked, idleAgo } = state;
          if (entry.event !== 'compaction') {
            const told = broughtBy(entry);
            if (told === null || worked) return null;
            if (told === 'new') return [{ count, worked: true, idleAgo }, null];
            return idleAgo === 0 ? null : [{ count, worked, idleAgo: 0 }, null];
          }
          // Where nothing came at all nothing is known of it.
          const next = worked ? 1 : count + (idleAgo === 0 ? 1 : 0);
          return [{ count: next, worked: false, idleAgo: -1 }, found(next, entry.call, next > 1)];
        },
      };
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
        // Two of the latest make a pair, so the pair is out of sight one compaction earlier.
        const idle = ago >= 0 && ago < window - 1;
        return [next, found(count, call, idle)];
      },
    };
  },
};

/** What came with it; null = it tells nothing. */
function broughtBy({ event, sight }: Entry): 'new' | 'known' | null {
  if (event !== 'tool-result') return 'new';
  if (sight === null || !weighs(sight.kind) || NOT_RUN.includes(sight.status)) return null;
  return sight.repeats.length > 0 && sight.effect !== 'new' ? 'known' : 'new';
}

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
    counts: {
      type: 'choice',
      of: ['all', 'fruitless'],
      about: 'Which are counted: all, or those in a row between which nothing came but what was known.',
    },
  } satisfies OptionSpecs<CompactionsOptions>,
});
