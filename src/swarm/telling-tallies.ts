import type { Preset } from '../core/preset.ts';
import type { ToolTable } from '../core/tools.ts';
import type { SwarmLimits } from '../presets/swarm-rules.ts';
import type { Count, Note, Totals } from '../stores/board.ts';
import type { MemberNews } from './member.ts';

/** Whether any rule can have something to say to a tally; those that none can are never made. */
export type IsTelling = (kind: Note['kind'], count: Count, news: MemberNews) => boolean;

type Limits = { readonly budget: SwarmLimits; readonly tenantBudget: SwarmLimits };
type Thresholds = { calls: number; wasted: number; failures: number; handoffs: number };

/** What hears tallies: those that speak from a number on, and those that speak when the swarm is stopped or a child refused. */
const HEARERS: { readonly [kind: string]: 'counted' | 'called' | 'used' } = {
  'swarm-repeat': 'counted',
  'swarm-failure': 'counted',
  'handoff-repeat': 'counted',
  'swarm-halt': 'called',
  'spawn-storm': 'called',
  'swarm-budget': 'used',
};
const always: IsTelling = () => true;

/** Exact for the kinds of deloop. `isKnown` = those among which no other hears tallies; with any other, every tally tells. */
export function tellingTallies(
  { detectors, ladder }: Preset,
  tools: ToolTable | undefined,
  isKnown: (kind: string) => boolean,
): IsTelling {
  if (Object.values(tools ?? {}).some((declared) => declared?.at !== undefined)) return always;
  const least: Thresholds = { calls: Infinity, wasted: Infinity, failures: Infinity, handoffs: Infinity };
  for (const [name, settings] of Object.entries(detectors)) {
    const { kind } = settings;
    const hears = HEARERS[kind];
    if (hears === undefined ? !isKnown(kind) : hears === 'used' && hasLimit(settings)) return always;
    if (hears !== 'counted') continue;
    const what = countedBy(settings);
    for (const { on, at } of ladder) if (on === name) least[what] = Math.min(least[what], at);
  }
  return (kind, { calls, wasted, refused }, { control }) => {
    if (control.halted || refused !== '') return true;
    if (kind === 'call') return calls >= least.calls || wasted >= least.wasted;
    if (kind === 'failure') return calls >= least.failures;
    return kind === 'handoff' && calls >= least.handoffs;
  };
}

/** For whoever does not know the preset: those that a rule of any might answer, with room to spare. */
export function likelyTallies({ budget, tenantBudget }: Limits): IsTelling {
  return (kind, { calls, workers, wasted, refused }, { control, totals, tenant }) =>
    control.halted ||
    refused !== '' ||
    wasted > 1 ||
    (calls > 4 && workers > 1) ||
    (kind === 'handoff' && calls > 2) ||
    isHalfUsed(totals, budget) ||
    (tenant != null && isHalfUsed(tenant, tenantBudget));
}

function isHalfUsed(used: Totals, limits: SwarmLimits): boolean {
  return (['calls', 'tokens', 'money'] as const).some((each) => used[each] * 2 >= (limits[each] ?? Infinity));
}

function countedBy({ kind, counts }: Preset['detectors'][string]): keyof Thresholds {
  if (kind === 'handoff-repeat') return 'handoffs';
  if (kind === 'swarm-failure') return 'failures';
  return counts === 'wasted' ? 'wasted' : 'calls';
}

function hasLimit(settings: object): boolean {
  return Object.values(settings).some((value) => typeof value === 'number');
}
