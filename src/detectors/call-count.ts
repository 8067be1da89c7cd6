import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Entry, Finding } from '../core/types.ts';
import { clears } from './clearing.ts';
import { callSubject } from './trail.ts';

export type CallCountOptions = {
  /** Tools whose success changes the world, so that every count starts anew. */
  readonly clearedBy: readonly string[];
  /** Whether the host's word that the world moved starts every count anew. */
  readonly stateChange: 'clears' | 'ignored';
  /** Different calls remembered; the least recently made is forgotten first. */
  readonly window: number;
};

/** A call: its digest, how often it was made, and when it was made last and before that (0 = never). */
type Row = readonly [key: number, count: number, previous: number, last: number];
type State = readonly Row[];
const INITIAL: State = [];
const NEW: Row = [0, 0, 0, 0];
const UNBOUNDED = 1_000_000;

/** Where the call stands; if it is not there, where it goes: at the end, or in the place of the one made longest ago. */
function placeOf(state: State, key: number, window: number): number {
  let oldest = 0;
  for (let index = 0; index < state.length; index++) {
    const row = state[index] as Row;
    if (row[0] === key) return index;
    if (row[3] < (state[oldest] as Row)[3]) oldest = index;
  }
  return state.length < window ? state.length : oldest;
}

/** The same call anywhere in the run, however many others stand in between. */
export const callCount: DetectorKind<'call-count', CallCountOptions> = {
  kind: 'call-count',
  defaults: { clearedBy: [], stateChange: 'clears', window: 48 },
  create(name, { clearedBy, stateChange, window }, { floor }): Detector<State> {
    function counted(state: State, { call, tool, exact }: Entry): readonly [State, Finding | null] {
      const place = placeOf(state, exact, window);
      const found = state[place];
      const [, before, older, previous] = found?.[0] === exact ? found : NEW;
      const count = before + 1;
      const next = state.slice();
      next[place] = [exact, count, previous, call];
      // A first call repeats nothing.
      if (count < 2 || count < floor) return [next, null];
      const evidence = [older, previous, call].filter((seen) => seen > 0);
      return [next, { detector: name, subject: callSubject(tool, exact), count, evidence, facts: { tool } }];
    }
    return {
      name,
      events: ['tool-call', 'tool-result', 'state-change'],
      needs: ['exact'],
      initial: INITIAL,
      shape: [[0, 0, 0, 0]],
      maxCount: UNBOUNDED,
      blocks: true,
      reduce(state, entry) {
        if (entry.event === 'tool-call') return entry.poll ? null : counted(state, entry);
        const moved = entry.event === 'state-change' && stateChange === 'clears';
        return moved || clears(entry, clearedBy) ? [INITIAL, null] : null;
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const callCountDescribed: DescribedKind = /* @__PURE__ */ described(callCount, {
  about: 'The same call made often, whatever stands in between, until the world changes.',
  options: {
    clearedBy: { type: 'names', about: 'Tools whose success starts every count anew.' },
    stateChange: {
      type: 'choice',
      of: ['clears', 'ignored'],
      about: 'Whether a state-change event starts every count anew.',
    },
    window: {
      type: 'integer',
      min: 2,
      max: 48,
      about: 'How many different calls are remembered.',
    },
  } satisfies OptionSpecs<CallCountOptions>,
});
