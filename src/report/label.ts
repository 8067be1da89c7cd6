import { show } from '../core/errors.ts';
import { isWholeNumber } from '../core/options.ts';

/** What a stuck run is labelled with: `onset` = the first wasted call, `end` = the last, both from 1. */
type StuckLabel = LabelHead & {
  readonly verdict: 'stuck';
  /** `brief` = the agent got out alone, so only a nudge would be welcome. */
  readonly severity: 'serious' | 'brief';
  readonly onset: number;
  readonly end: number;
};
/** What a reader says of a recorded run; `unsure` is never measured. */
export type Label = StuckLabel | (LabelHead & { readonly verdict: 'legit' | 'unsure' });

type LabelHead = {
  /** The name of its file, without `.jsonl`. */
  readonly trace: string;
  /** The folder it lies in, from the folder of all runs; empty = that folder itself. */
  readonly source: string;
  /** The sort of loop, or of healthy repetition; empty = not said. */
  readonly kind: string;
};

const VERDICTS = ['stuck', 'legit', 'unsure'] as const;
const SEVERITIES = ['serious', 'brief'] as const;

/** A label read from JSON, or in words what is wrong with it. */
export function toLabel(raw: unknown): Label | string {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return 'a label must be an object';
  const { trace, source, kind, verdict, severity, onset, end } = raw as { readonly [name: string]: unknown };
  if (typeof trace !== 'string' || trace === '') return `trace is ${show(trace)}; it must be a file name`;
  if (source !== undefined && source !== null && typeof source !== 'string')
    return `source is ${show(source)}; it must be a folder`;
  const head: LabelHead = { trace, source: source ?? '', kind: typeof kind === 'string' ? kind : '' };
  const named = VERDICTS.find((known) => known === verdict);
  if (named === undefined) return `verdict is ${show(verdict)}; it must be one of ${VERDICTS.join(', ')}`;
  if (named !== 'stuck') return { ...head, verdict: named };
  const weight = SEVERITIES.find((known) => known === severity);
  if (weight === undefined)
    return `severity is ${show(severity)}; of a stuck run it must be one of ${SEVERITIES.join(', ')}`;
  if (!isCall(onset)) return `onset is ${show(onset)}; of a stuck run it must be the number of a call`;
  // A loop of texts alone wastes no call: it may end at the call before its onset.
  if (!isCall(end) || end < onset - 1)
    return `end is ${show(end)}; of a stuck run it must be the number of a call, not before its onset`;
  return { ...head, verdict: named, severity: weight, onset, end };
}

function isCall(value: unknown): value is number {
  return isWholeNumber(value, 0, Number.MAX_SAFE_INTEGER);
}
