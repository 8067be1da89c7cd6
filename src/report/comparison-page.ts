import type { Comparison } from './comparison.ts';
import { percent, plain } from './figures.ts';
import { escaped, htmlPage, tableRow } from './html-page.ts';

/** Guards side by side, as a page that needs nothing else. */
export function comparisonPage({ runs, presets, agreement }: Comparison): string {
  const names = presets.map(({ name }) => escaped(name));
  return htmlPage(
    'Guards side by side',
    [
      `<p>Runs: ${runs.length}. Every guard in shadow.</p>`,
      '<div class="wide"><table>',
      `<thead>${tableRow(['preset', 'runs it fired in', 'first call, median', 'last action: nudge', 'block', 'ask', 'halt'], 'th')}</thead>\n<tbody>`,
      ...presets.map(({ name, fired, medianFirstCall, lastActions: { nudge, block, ask, halt } }) =>
        tableRow([
          escaped(name),
          String(fired),
          plain(medianFirstCall),
          ...[nudge, block, ask, halt].map(String),
        ]),
      ),
      '</tbody>\n</table></div>',
      '<h2>How often they agree</h2>\n<p>The share of runs in which both fire or both stay silent.</p>',
      `<div class="wide"><table>\n<thead>${tableRow(['', ...names], 'th')}</thead>\n<tbody>`,
      ...agreement.map((row, index) => tableRow([names[index] ?? '', ...row.map(percent)])),
      '</tbody>\n</table></div>',
      '<h2>Where they fired</h2>',
      '<div class="wide"><table class="list">',
      `<thead>${tableRow(['run', 'preset', 'firings', 'first', 'detector', 'last'], 'th')}</thead>\n<tbody>`,
      ...runs.flatMap(({ file, fired }) =>
        fired.map(({ preset, firings, firstAction, firstCall, detector, lastAction, lastCall }) =>
          tableRow(
            [
              file,
              preset,
              String(firings),
              `${firstAction} at call ${firstCall}`,
              detector,
              `${lastAction} at call ${lastCall}`,
            ].map(escaped),
          ),
        ),
      ),
      '</tbody>\n</table></div>',
    ].join('\n'),
  );
}
