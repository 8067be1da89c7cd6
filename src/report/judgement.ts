import type { Action } from '../core/types.ts';
import type { Label } from './label.ts';

/** A decision that a run would have felt; `call` as `deloop replay` numbers it. */
export type Firing = {
  readonly call: number;
  readonly action: Exclude<Action, 'observe'>;
  readonly detector: string;
};

/** A run that was read by a person and replayed. */
export type LabelledRun = { readonly file: string; readonly calls: number; readonly label: Label };

/** What one guard made of one labelled run. */
export type Judgement = {
  readonly run: LabelledRun;
  /** What counts, in the order it fell: in a stuck run what fell while it was stuck, in a healthy one everything. */
  readonly counted: readonly Firing[];
  /** Before a stuck run was stuck. */
  readonly early: readonly Firing[];
  /** After a stuck run had got out, or was left alone. */
  readonly late: readonly Firing[];
};

/** Sorts what a guard did in a run by the run's label; the call before the onset is early enough to count. */
export function judge(run: LabelledRun, firings: readonly Firing[]): Judgement {
  const { label } = run;
  if (label.verdict !== 'stuck') return { run, counted: firings, early: [], late: [] };
  const { onset, end } = label;
  const isEarly = ({ call }: Firing) => call < onset - 1;
  const isLate = ({ call }: Firing) => call > end;
  return {
    run,
    counted: firings.filter((firing) => !isEarly(firing) && !isLate(firing)),
    early: firings.filter(isEarly),
    late: firings.filter((firing) => !isEarly(firing) && isLate(firing)),
  };
}

/** More than words: the agent was stopped, if only for one call. */
export function isHard({ action }: Firing): boolean {
  return action !== 'nudge';
}
