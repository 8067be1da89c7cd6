import { NOT_RUN } from '../core/endings.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { Detector } from '../core/types.ts';
import { extended } from './trail.ts';

export type OutageOptions = Record<never, never>;

const MAX_TOOLS = 4;
const MOST = 1_000_000;

type Row = readonly [tool: number, round: number, count: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];

/** A service that fails again and again: rate limits, overload, lost connections. The agent is not stuck; it should wait. */
export const outage: DetectorKind<'outage', OutageOptions> = {
  kind: 'outage',
  defaults: {},
  create(name, _, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, [0]]],
      maxCount: MOST,
      wakes: TOPIC.outage,
      ledger: createLedger,
      reduce(state, { tool, call, round, sight }) {
        if (sight === null || NOT_RUN.includes(sight.status)) return null;
        const key = digestText(tool);
        const known = state.find((row) => row[0] === key);
        const others = state.filter((row) => row[0] !== key);
        if (!sight.outage) return known === undefined ? null : [others, null];
        if (known?.[1] === round) return null;
        const count = (known?.[2] ?? 0) + 1;
        const calls = extended(known?.[3] ?? [], call);
        const next: State = [[key, round, count, calls], ...others.slice(0, MAX_TOOLS - 1)];
        if (count < floor) return [next, null];
        return [next, { detector: name, subject: tool, count, evidence: calls, facts: { tool } }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const outageDescribed: DescribedKind = /* @__PURE__ */ described(outage, {
  about: 'A service that fails in round after round: rate limits, overload, lost connections.',
  options: {} satisfies OptionSpecs<OutageOptions>,
});
