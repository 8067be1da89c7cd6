import { percent, plain, ratio } from './figures.ts';
import type { Score } from './score.ts';

/** The columns of a table of scores: their heads, what they mean, and their cells as text. */
export const SCORE_COLUMNS: readonly {
  readonly head: string;
  readonly about: string;
  cell(score: Score): string;
}[] = [
  { head: 'preset', about: 'the guard', cell: ({ name }) => name },
  {
    head: 'precision',
    about: 'of the runs it fired in, the share that was stuck',
    cell: ({ precision }) => ratio(precision),
  },
  { head: 'recall', about: 'the share of stuck runs it caught', cell: ({ recall }) => ratio(recall) },
  { head: 'F1', about: 'the harmonic mean of these two', cell: ({ f1 }) => ratio(f1) },
  {
    head: 'delay',
    about: 'calls from the onset to the first firing, median',
    cell: ({ medianDelay }) => plain(medianDelay),
  },
  {
    head: 'saved',
    about: 'the share of all wasted calls that came after it',
    cell: ({ callsSaved }) => percent(callsSaved),
  },
  {
    head: 'false',
    about: 'healthy runs it fired in',
    cell: ({ falsePositives }) => String(falsePositives),
  },
  {
    head: 'hard',
    about: 'healthy runs it blocked, asked about or halted',
    cell: ({ hardFalsePositives }) => String(hardFalsePositives),
  },
  {
    head: '/1000',
    about: 'false alarms per 1,000 calls of healthy runs',
    cell: ({ falseAlarmsPer1000 }) => plain(falseAlarmsPer1000),
  },
  {
    head: 'early',
    about: 'firings in stuck runs before they were stuck',
    cell: ({ earlyAlarms }) => String(earlyAlarms),
  },
  {
    head: 'brief',
    about: 'short loops that were caught, of all of them',
    cell: ({ brief }) => `${brief.caught} of ${brief.total}`,
  },
  {
    head: 'blocked',
    about: 'short loops that were blocked, asked about or halted',
    cell: ({ brief }) => String(brief.blocked),
  },
];
