import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type ThoughtStreakOptions = {
  /** Compare only the beginning of a thought. */
  readonly characters: number;
};

type State = { readonly key: number; readonly count: number };
const INITIAL: State = { key: 0, count: 0 };

/** The same piece of reasoning streamed again and again, with no tool call in between. */
export const thoughtStreak: DetectorKind<'thought-streak', ThoughtStreakOptions> = {
  kind: 'thought-streak',
  defaults: { characters: 200 },
  create(name, { characters }, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['text-delta', 'tool-call'],
      needs: [],
      initial: INITIAL,
      shape: { key: 0, count: 0 },
      maxCount: UNBOUNDED,
      observe(event: AgentEvent): Json {
        if (event.type !== 'text-delta' || event.channel !== 'reasoning') return null;
        const thought = event.text.trim().slice(0, characters).toLowerCase();
        return thought === '' ? null : digestText(thought);
      },
      reduce(state, { event, call }, thought) {
        if (event === 'tool-call') return state.count === 0 ? null : [INITIAL, null];
        if (thought === null) return null;
        const key = thought as number;
        const next = { key, count: key === state.key ? state.count + 1 : 1 };
        // One thought is no run.
        if (next.count < 2 || next.count < floor) return [next, null];
        const evidence = call > 0 ? [call] : [];
        return [next, { detector: name, subject: 'thought', count: next.count, evidence }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const thoughtStreakDescribed: DescribedKind = /* @__PURE__ */ described(thoughtStreak, {
  about: 'The same piece of reasoning streamed again and again, with no tool call in between.',
  options: {
    characters: {
      type: 'integer',
      min: 1,
      max: 10_000,
      about: 'Compare only so many characters of a thought, from its beginning.',
    },
  } satisfies OptionSpecs<ThoughtStreakOptions>,
});
