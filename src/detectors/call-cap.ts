import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type CallCapOptions = {
  /** A call made so often, whatever stands in between, means that the agent is stuck. */
  readonly repeats: number;
  /** Different calls remembered; the least recently made is forgotten first. */
  readonly window: number;
};

type Row = readonly [key: number, count: number];
/** `rows` = the calls, least recently made first. */
type State = { readonly total: number; readonly stuck: boolean; readonly rows: readonly Row[] };
const INITIAL: State = { total: 0, stuck: false, rows: [] };

/** Calls since the run began; `stuck` tells whether one of them keeps coming back. */
export const callCap: DetectorKind<'call-cap', CallCapOptions> = {
  kind: 'call-cap',
  defaults: { repeats: 6, window: 32 },
  create(name, { repeats, window }, { floor }): Detector<State> {
    function counted({ total, rows }: State, key: number): State {
      const index = rows.findIndex((row) => row[0] === key);
      const count = (rows[index]?.[1] ?? 0) + 1;
      // Once stuck, it stays so: nothing more needs to be remembered.
      if (count >= repeats) return { total, stuck: true, rows: [] };
      const oldest = rows.length < window ? -1 : 0;
      const gone = index < 0 ? oldest : index;
      const kept = rows.filter((_row, place) => place !== gone);
      kept.push([key, count]);
      return { total, stuck: false, rows: kept };
    }
    return {
      name,
      events: ['tool-call'],
      needs: ['exact'],
      initial: INITIAL,
      shape: { total: 0, stuck: true, rows: [[0, 0]] },
      maxCount: UNBOUNDED,
      blocks: true,
      reduce({ total, stuck, rows }, { exact, call, poll }) {
        const more = { total: total + 1, stuck, rows };
        const next = poll || stuck ? more : counted(more, exact);
        if (next.total < floor) return [next, null];
        const facts = { stuck: next.stuck, fresh: next.stuck && !stuck };
        return [next, { detector: name, subject: 'calls', count: next.total, evidence: [call], facts }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const callCapDescribed: DescribedKind = /* @__PURE__ */ described(callCap, {
  about: 'Calls since the run began, and whether one of them keeps coming back.',
  options: {
    repeats: {
      type: 'integer',
      min: 2,
      max: 1000,
      about: 'How often one call must have been made for the fact `stuck` to be true.',
    },
    window: { type: 'integer', min: 1, max: 48, about: 'How many different calls are remembered.' },
  } satisfies OptionSpecs<CallCapOptions>,
});
