import type { Firing } from './judgement.ts';
import { median, share } from './score.ts';

/** What one guard did in one run that it fired in. */
export type Spoken = {
  readonly preset: string;
  readonly firings: number;
  readonly firstCall: number;
  readonly firstAction: Firing['action'];
  /** What found it first. */
  readonly detector: string;
  readonly lastCall: number;
  readonly lastAction: Firing['action'];
};
/** A run, and the guards that fired in it. */
export type ComparedRun = {
  readonly file: string;
  readonly calls: number;
  readonly fired: readonly Spoken[];
};

/** What one guard did over all runs. */
export type PresetSummary = {
  readonly name: string;
  /** Runs that it fired in. */
  readonly fired: number;
  /** Over these runs; null = it never fired. */
  readonly medianFirstCall: number | null;
  /** How many of these runs ended with which of its actions. */
  readonly lastActions: { readonly [Name in Firing['action']]: number };
};

/** Guards side by side; rows and columns of both matrices are in the order of `presets`. */
export type Comparison = {
  readonly runs: readonly ComparedRun[];
  readonly presets: readonly PresetSummary[];
  /** The share of runs in which both fire or both stay silent; null = there are no runs. */
  readonly agreement: readonly (readonly (number | null)[])[];
  /** In how many runs both fire. */
  readonly together: readonly (readonly number[])[];
};

/** Adds one firing to what is known of a guard in a run. */
export function heard(preset: string, before: Spoken | undefined, firing: Firing): Spoken {
  const { call, action, detector } = firing;
  if (before === undefined)
    return {
      preset,
      firings: 1,
      firstCall: call,
      firstAction: action,
      detector,
      lastCall: call,
      lastAction: action,
    };
  return { ...before, firings: before.firings + 1, lastCall: call, lastAction: action };
}

export function compare(names: readonly string[], runs: readonly ComparedRun[]): Comparison {
  const firedIn = new Map<string, Set<number>>(names.map((name) => [name, new Set()]));
  runs.forEach(({ fired }, index) => {
    for (const { preset } of fired) firedIn.get(preset)?.add(index);
  });
  const sets = names.map((name) => firedIn.get(name) as ReadonlySet<number>);
  const together = sets.map((first) => sets.map((second) => shared(first, second)));
  return {
    runs,
    presets: names.map((name) => summaryOf(name, runs)),
    agreement: sets.map((first, row) =>
      sets.map((second, column) => {
        const both = together[row]?.[column] as number;
        const onlyOne = first.size + second.size - 2 * both;
        return share(runs.length - onlyOne, runs.length);
      }),
    ),
    together,
  };
}

function summaryOf(name: string, runs: readonly ComparedRun[]): PresetSummary {
  const own = runs.flatMap(({ fired }) => fired.filter(({ preset }) => preset === name));
  const ending = (action: Firing['action']) => own.filter(({ lastAction }) => lastAction === action).length;
  return {
    name,
    fired: own.length,
    medianFirstCall: median(own.map(({ firstCall }) => firstCall)),
    lastActions: { nudge: ending('nudge'), block: ending('block'), ask: ending('ask'), halt: ending('halt') },
  };
}

function shared(first: ReadonlySet<number>, second: ReadonlySet<number>): number {
  let count = 0;
  for (const index of first) if (second.has(index)) count += 1;
  return count;
}
