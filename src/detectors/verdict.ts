import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Entry, Finding, Json } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type VerdictOptions = {
  /** From so many percent on, a verdict says that the agent is stuck. */
  readonly confidence: number;
  /** The turn at which a judge is due for the first time; `off` = never. */
  readonly first: number | 'off';
  /** Turns until the next time, while no verdict has said otherwise. */
  readonly interval: number;
  /** Turns until the next time after a verdict of almost enough. */
  readonly shortest: number;
  /** Turns until the next time after a verdict of 0. */
  readonly longest: number;
};

/** `asked` = the turn at which a judge was due last, `due` how often it was; `stuck` = verdicts in a row. */
type State = {
  readonly turns: number;
  readonly asked: number;
  readonly interval: number;
  readonly due: number;
  readonly stuck: number;
};

/** What a model says of the run, and when it is time to ask it; the host does the asking. */
export const verdict: DetectorKind<'verdict', VerdictOptions> = {
  kind: 'verdict',
  defaults: { confidence: 90, first: 30, interval: 10, shortest: 5, longest: 15 },
  create(name, options): Detector<State> {
    const first = options.first === 'off' ? Number.POSITIVE_INFINITY : options.first;
    const finding = (why: string, count: number, call: number, facts: { [fact: string]: Json }): Finding => ({
      detector: name,
      subject: why,
      count,
      evidence: call > 0 ? [call] : [],
      facts: { why, ...facts },
    });
    function atTurn(state: State, { call }: Entry): readonly [State, Finding | null] {
      const { asked, interval, due, stuck } = state;
      const turns = state.turns + 1;
      if (turns < first || turns - asked < interval) return [{ turns, asked, interval, due, stuck }, null];
      const next = { turns, asked: turns, interval, due: due + 1, stuck };
      return [next, finding('due', next.due, call, { turns })];
    }
    function atVerdict(state: State, { call }: Entry, told: number): readonly [State, Finding | null] {
      const { turns, asked, due } = state;
      const sure = Math.min(1, told);
      if (sure < options.confidence / 100) {
        const { shortest, longest } = options;
        const interval = Math.round(shortest + (longest - shortest) * (1 - sure));
        return [{ turns, asked, interval, due, stuck: 0 }, null];
      }
      const stuck = state.stuck + 1;
      const next = { turns, asked, interval: state.interval, due, stuck };
      return [next, finding('stuck', stuck, call, { confidence: Math.round(sure * 100) })];
    }
    return {
      name,
      events: ['turn', 'verdict'],
      needs: [],
      initial: { turns: 0, asked: 0, interval: options.interval, due: 0, stuck: 0 },
      shape: { turns: 0, asked: 0, interval: 0, due: 0, stuck: 0 },
      maxCount: UNBOUNDED,
      observe(event: AgentEvent): Json {
        return event.type === 'verdict' ? event.stuck : null;
      },
      reduce(state, entry, told) {
        return entry.event === 'turn' ? atTurn(state, entry) : atVerdict(state, entry, Number(told));
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const verdictDescribed: DescribedKind = /* @__PURE__ */ described(verdict, {
  about: 'What a model as judge says of the run, and when it is time to ask it.',
  options: {
    confidence: {
      type: 'integer',
      min: 1,
      max: 100,
      about: 'The percentage from which a verdict says that the agent is stuck.',
    },
    first: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      offable: true,
      about: 'The turn since the last user message at which a judge is due for the first time.',
    },
    interval: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      about: 'Turns from one time to the next while no verdict has come.',
    },
    shortest: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      about: 'Turns to the next time after a verdict close to 1.',
    },
    longest: {
      type: 'integer',
      min: 1,
      max: UNBOUNDED,
      about: 'Turns to the next time after a verdict of 0.',
    },
  } satisfies OptionSpecs<VerdictOptions>,
});
