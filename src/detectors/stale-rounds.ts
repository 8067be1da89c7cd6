import { NOT_RUN } from '../core/endings.ts';
import { createLedger, weighs } from '../core/ledger.ts';
import { LONG_RESULT } from '../core/ledger-reading.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector, Entry, Finding, Sight } from '../core/types.ts';
import { MAX_EVIDENCE } from './trail.ts';

export type StaleRoundsOptions = {
  /** Rounds looked at. */
  readonly window: number;
  /** Whether questions to which there was no answer count, too. */
  readonly empties: 'ignored' | 'counted';
};

const FRESH = 0;
const STALE = 1;
/** Another thing was answered in the same few words, as many are. */
const SOFT = 2;
/** A question to which there was no answer. */
const EMPTY = 3;
/** `failure` = digest of a failed outcome, 0 for a success. */
type Row = readonly [round: number, stale: number, call: number, key: number, failure: number];
type State = readonly Row[];
const INITIAL: State = [];

/**
 * Rounds that brought nothing new, whatever they did: the same calls with the same results, the same error in other
 * words. It sees cycles of any length, in any order, with other calls in between.
 */
export const staleRounds: DetectorKind<'stale-rounds', StaleRoundsOptions> = {
  kind: 'stale-rounds',
  defaults: { window: 8, empties: 'ignored' },
  create(name, { window, empties }, { floor }): Detector<State> {
    function found(rows: State, entry: Entry, sight: Sight, when: 'before' | 'after'): Finding | null {
      const stale = rows.filter((row) => row[1] !== FRESH);
      const calls = stale.map((row) => row[2]);
      if (calls.length < floor || isSimple(stale)) return null;
      const soft = isMostly(stale, SOFT);
      return {
        detector: name,
        // Work through a list changes the world now and then, and is told once.
        subject: soft ? 'list' : `epoch ${sight.epoch}`,
        count: calls.length,
        evidence: calls.slice(-MAX_EVIDENCE),
        facts: { tool: entry.tool, when, window, soft, empty: isMostly(stale, EMPTY) },
      };
    }
    return {
      name,
      events: ['tool-call', 'tool-result', 'state-change'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, 0, 0, 0]],
      maxCount: window,
      blocks: true,
      ledger: createLedger,
      reduce(state, entry) {
        const { event, sight, round, call } = entry;
        if (event === 'state-change' || sight?.effect === 'new') return [INITIAL, null];
        if (sight === null) return null;
        const last = state.at(-1);
        const own = last?.[0] === round ? last : undefined;
        // One new result makes the whole round worth it.
        const worthIt = own?.[1] === FRESH;
        // Only a member of the loop: it has ended the same way twice already.
        if (event === 'tool-call' && (worthIt || sight.repeats.length < 3)) return null;
        const earlier = own === undefined ? state.slice(-(window - 1)) : state.slice(0, -1);
        if (event === 'tool-call') {
          const failure = state.findLast((row) => row[3] === sight.key)?.[4] ?? 0;
          return [
            state,
            found([...earlier, [round, STALE, call, sight.key, failure]], entry, sight, 'before'),
          ];
        }
        let row = own;
        const counts = weighs(sight.kind) || (sight.empty && empties === 'counted');
        if (counts && !sight.outage && !NOT_RUN.includes(sight.status)) {
          const failure = sight.family === 0 ? 0 : sight.outcome;
          row = [round, worthIt ? FRESH : markOf(sight, empties), call, sight.key, failure];
        }
        if (!row) return null;
        const next: State = [...earlier, row];
        return [next, row[1] === FRESH || sight.open ? null : found(next, entry, sight, 'after')];
      },
    };
  },
};

function markOf({ stale, soft, empty, family, size }: Sight, empties: StaleRoundsOptions['empties']): number {
  const counted = empties === 'counted';
  if (!stale) return empty && counted ? EMPTY : FRESH;
  if (!soft || family !== 0) return STALE;
  // A whole page that stays as it is, whatever is handled on it.
  return counted && size >= LONG_RESULT ? EMPTY : SOFT;
}

function isMostly(rows: readonly Row[], mark: number): boolean {
  return rows.filter((row) => row[1] === mark).length * 2 > rows.length;
}

/** One call again and again, or one failure: detectors of their own see these. */
function isSimple([first, ...rest]: readonly Row[]): boolean {
  if (rest.every((row) => row[3] === first?.[3])) return true;
  return first?.[4] !== 0 && rest.every((row) => row[4] === first?.[4]);
}

/** With help and checks, for those who read presets from JSON. */
export const staleRoundsDescribed: DescribedKind = /* @__PURE__ */ described(staleRounds, {
  about: 'Rounds among the last few that brought nothing new, whatever their calls were.',
  options: {
    window: { type: 'integer', min: 3, max: 32, about: 'How many rounds are looked at.' },
    empties: {
      type: 'choice',
      of: ['ignored', 'counted'],
      about:
        'Whether questions to which there was no answer count, too: in other words they may be the same.',
    },
  } satisfies OptionSpecs<StaleRoundsOptions>,
});
