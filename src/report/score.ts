import { type Firing, isHard, type Judgement, type LabelledRun } from './judgement.ts';

/** How a guard did over all labelled runs; null = nothing to divide by. */
export type Score = {
  readonly name: string;
  /** Of the runs it fired in, stuck (and caught) or healthy, the share that was stuck. */
  readonly precision: number | null;
  /** The share of the seriously stuck runs that it caught. */
  readonly recall: number | null;
  readonly f1: number | null;
  /** Calls from the onset to the first firing, over the caught runs; -1 = the call before. */
  readonly medianDelay: number | null;
  /** The share of all wasted calls that came after the first firing. */
  readonly callsSaved: number | null;
  /** Healthy runs that it fired in. */
  readonly falsePositives: number;
  /** Of these, those that it stopped, if only for one call. */
  readonly hardFalsePositives: number;
  /** False positives per 1,000 calls of healthy runs. */
  readonly falseAlarmsPer1000: number | null;
  /** Firings in seriously stuck runs before they were stuck. */
  readonly earlyAlarms: number;
  /** Loops that the agent left by itself. */
  readonly brief: { readonly caught: number; readonly blocked: number; readonly total: number };
  /** All measured runs: stuck, brief and healthy. */
  readonly traces: number;
  readonly stuck: number;
  readonly healthy: number;
};

/** The arithmetic over all runs; a run whose label is unsure does not count. */
export function scoreOf(name: string, judgements: readonly Judgement[]): Score {
  const serious = judgements.flatMap(({ run: { label }, counted, early }) =>
    label.verdict === 'stuck' && label.severity === 'serious'
      ? [{ onset: label.onset, end: label.end, first: counted[0], early }]
      : [],
  );
  const brief = judgements.filter(isBrief);
  const healthy = judgements.filter(isHealthy);
  const caught = serious.flatMap(({ first, ...loop }) =>
    first === undefined ? [] : [{ ...loop, call: first.call }],
  );
  const alarms = healthy.filter(fired);
  return {
    name,
    precision: share(caught.length, caught.length + alarms.length),
    recall: share(caught.length, serious.length),
    // The harmonic mean of the two, in counts: 0, not nothing, for a guard that never speaks.
    f1: share(2 * caught.length, caught.length + alarms.length + serious.length),
    medianDelay: median(caught.map(({ call, onset }) => call - onset)),
    callsSaved: share(
      sum(caught.map(({ call, end }) => end - call)),
      sum(serious.map(({ onset, end }) => end - onset + 1)),
    ),
    falsePositives: alarms.length,
    hardFalsePositives: alarms.filter(stopped).length,
    falseAlarmsPer1000: share(1000 * alarms.length, sum(healthy.map(({ run }) => run.calls))),
    earlyAlarms: sum(serious.map(({ early }) => early.length)),
    brief: { caught: brief.filter(fired).length, blocked: brief.filter(stopped).length, total: brief.length },
    traces: serious.length + brief.length + healthy.length,
    stuck: serious.length,
    healthy: healthy.length,
  };
}

/** One run that a guard got wrong. */
export type Mistake = {
  readonly file: string;
  /** What the label says of it. */
  readonly kind: string;
  readonly onset: number | null;
  readonly end: number | null;
  /** The first firing that it is about; of a missed run the first one that came too late, null where none came. */
  readonly call: number | null;
  readonly action: Firing['action'] | null;
  readonly detector: string | null;
  /** How many there were. */
  readonly firings: number;
  /** Whether one of them stopped the agent. */
  readonly hard: boolean;
};
/** Every run that a guard got wrong, in the order of the labels. */
export type Mistakes = {
  readonly missed: readonly Mistake[];
  readonly falseAlarms: readonly Mistake[];
  readonly earlyAlarms: readonly Mistake[];
};

export function mistakesOf(judgements: readonly Judgement[]): Mistakes {
  const serious = judgements.filter(isSerious);
  return {
    missed: serious.filter((judgement) => !fired(judgement)).map(({ run, late }) => mistake(run, late)),
    falseAlarms: judgements
      .filter(isHealthy)
      .filter(fired)
      .map(({ run, counted }) => mistake(run, counted)),
    earlyAlarms: serious.filter(({ early }) => early.length > 0).map(({ run, early }) => mistake(run, early)),
  };
}

function mistake({ file, label }: LabelledRun, firings: readonly Firing[]): Mistake {
  const { onset, end } = label.verdict === 'stuck' ? label : { onset: null, end: null };
  const [first] = firings;
  return {
    file,
    kind: label.kind,
    onset,
    end,
    call: first?.call ?? null,
    action: first?.action ?? null,
    detector: first?.detector ?? null,
    firings: firings.length,
    hard: firings.some(isHard),
  };
}

/** The middle value, or halfway between the two in the middle; null for none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** A part of a whole; null when there is no whole. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function isSerious({ run: { label } }: Judgement): boolean {
  return label.verdict === 'stuck' && label.severity === 'serious';
}

function isBrief({ run: { label } }: Judgement): boolean {
  return label.verdict === 'stuck' && label.severity === 'brief';
}

function isHealthy({ run: { label } }: Judgement): boolean {
  return label.verdict === 'legit';
}

function fired({ counted }: Judgement): boolean {
  return counted.length > 0;
}

function stopped({ counted }: Judgement): boolean {
  return counted.some(isHard);
}
