import type { ComparedRun, Comparison, PresetSummary } from '../../report/comparison.ts';
import { plain } from '../../report/figures.ts';
import { inColumns } from '../side-by-side/columns.ts';
import type { Colors } from '../terminal.ts';
import { counted, printable } from '../text.ts';

/** What each guard did over all runs, and how often each two of them agree. */
export function comparisonText({ runs, presets, agreement }: Comparison, { bold, dim }: Colors): string {
  if (runs.length === 0) return 'No run was read.\n';
  const calls = runs.reduce((sum, run) => sum + run.calls, 0);
  const [head = '', ...rows] = inColumns([
    ['preset', 'fired in', 'first call', 'nudge', 'block', 'ask', 'halt'],
    ...presets.map(summaryRow),
  ]);
  const numbers = presets.map((_, index) => String(index + 1));
  const [ruler = '', ...matrix] = inColumns([
    ['', ...numbers],
    ...agreement.map((row, index) => [
      `${index + 1} ${presets[index]?.name}`,
      ...row.map((value) => plain(value === null ? null : Math.round(value * 100))),
    ]),
  ]);
  return [
    `${counted(runs.length, 'run')}, ${counted(calls, 'call')}.`,
    '',
    bold(head),
    ...rows,
    dim('fired in: runs; first call: median over these; then with which action the last firing of a run was'),
    '',
    bold(ruler),
    ...matrix,
    dim('percent of the runs in which both fire or both stay silent'),
    '',
  ].join('\n');
}

/** Every run that a guard fired in, for reading. */
export function runsText(runs: readonly ComparedRun[], { bold }: Colors): string {
  return runs
    .filter(({ fired }) => fired.length > 0)
    .map(({ file, calls, fired }) => {
      const rows = inColumns(
        fired.map(({ preset, firings, firstAction, firstCall, detector, lastAction, lastCall }) => [
          preset,
          `${firstAction} at ${firstCall}`,
          detector,
          firings === 1 ? '' : `last ${lastAction} at ${lastCall}`,
          firings === 1 ? '' : `${firings} firings`,
        ]),
      );
      return `\n${bold(printable(file))} (${counted(calls, 'call')})\n${rows.map((row) => `  ${row}\n`).join('')}`;
    })
    .join('');
}

function summaryRow({ name, fired, medianFirstCall, lastActions }: PresetSummary): readonly string[] {
  const { nudge, block, ask, halt } = lastActions;
  return [name, String(fired), plain(medianFirstCall), ...[nudge, block, ask, halt].map(String)];
}
