import { type DescribedKind, described } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';

export type IterationCapOptions = Record<never, never>;

/** Tool names shown to the person who decides. */
const SHOWN_NAMES = 5;
/** How far a person may let the agent go on. */
const CONTINUATIONS = [0, 50, 200];
const UNBOUNDED = 1_000_000;

type State = { readonly used: number; readonly granted: number; readonly recent: readonly string[] };
const INITIAL: State = { used: 0, granted: 0, recent: [] };

/** Iterations of the main agent since the last user message, less those that a person has granted. */
export const iterationCap: DetectorKind<'iteration-cap', IterationCapOptions> = {
  kind: 'iteration-cap',
  defaults: {},
  create(name, _options, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-call', 'round-done', 'user', 'control'],
      needs: [],
      initial: INITIAL,
      shape: { used: 0, granted: 0, recent: [''] },
      maxCount: UNBOUNDED,
      observe(event: AgentEvent): Json {
        return event.type === 'control' ? (event.n ?? null) : null;
      },
      reduce(state, { event, tool, call, main }, more) {
        const { used, granted, recent } = state;
        if (!main) return null;
        if (event === 'user') return [{ used: 0, granted: 0, recent }, null];
        if (event === 'control') return [{ used, granted: granted + Number(more ?? 0), recent }, null];
        if (event === 'tool-call')
          return [{ used, granted, recent: [...recent.slice(1 - SHOWN_NAMES), tool] }, null];
        const next = { used: used + 1, granted, recent };
        const count = next.used - granted;
        if (count < floor) return [next, null];
        const facts = { used: next.used, recent, continuations: CONTINUATIONS };
        return [
          next,
          { detector: name, subject: 'iterations', count, evidence: call > 0 ? [call] : [], facts },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const iterationCapDescribed: DescribedKind = /* @__PURE__ */ described(iterationCap, {
  about: 'Iterations of the main agent since the last user message, less those that were granted.',
  options: {},
});
