import type { Mistake, Mistakes, Score } from '../../report/score.ts';
import { SCORE_COLUMNS } from '../../report/score-table.ts';
import { inColumns } from '../side-by-side/columns.ts';
import type { Colors } from '../terminal.ts';
import { counted, printable } from '../text.ts';

/** The scores as a table, with what its columns mean. */
export function scoresText(scores: readonly Score[], calls: number, { bold, dim }: Colors): string {
  const [head = '', ...rows] = inColumns([
    SCORE_COLUMNS.map((column) => column.head),
    ...scores.map((score) => SCORE_COLUMNS.map(({ cell }) => cell(score))),
  ]);
  const { stuck = 0, healthy = 0, brief = { total: 0 } } = scores[0] ?? {};
  const width = Math.max(...SCORE_COLUMNS.map((column) => column.head.length)) + 2;
  const legend = SCORE_COLUMNS.slice(1).map((column) => dim(`${column.head.padEnd(width)}${column.about}`));
  return [
    `${counted(stuck, 'stuck run')}, ${counted(healthy, 'healthy run')}, ${brief.total} with a short loop; ${counted(calls, 'call')}.`,
    '',
    bold(head),
    ...rows,
    '',
    ...legend,
    '',
  ].join('\n');
}

/** Every run that a guard got wrong, for reading. */
export function mistakesText(name: string, mistakes: Mistakes, { bold }: Colors): string {
  return [
    '',
    bold(printable(name)),
    ...listed('missed', mistakes.missed),
    ...listed('false alarm', mistakes.falseAlarms),
    ...listed('early alarm', mistakes.earlyAlarms),
    '',
  ].join('\n');
}

function listed(title: string, mistakes: readonly Mistake[]): readonly string[] {
  return mistakes.map((mistake) => `  ${title}  ${printable(mistake.file)}  ${told(mistake)}`);
}

function told({ kind, onset, end, call, action, detector, firings }: Mistake): string {
  const where = onset === null ? '' : `stuck at calls ${onset} to ${end}`;
  const more = firings > 1 ? `, ${firings} firings` : '';
  const what = call === null ? '' : `${action} at call ${call} (${detector}${more})`;
  return printable([kind, where, what].filter((part) => part !== '').join('; '));
}
