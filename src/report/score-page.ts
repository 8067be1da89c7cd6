import { percent, plain, ratio } from './figures.ts';
import { escaped, htmlPage, tableRow } from './html-page.ts';
import { type Dot, scatterPlot } from './scatter-plot.ts';
import type { Mistake, Mistakes, Score } from './score.ts';
import { SCORE_COLUMNS } from './score-table.ts';

/** A score with what lies behind it, where that was asked for. */
export type DetailedScore = Score & { readonly details?: Mistakes };

/** The scores as a page that needs nothing else. */
export function scorePage(scores: readonly DetailedScore[]): string {
  const { stuck, healthy, brief } = scores[0] ?? { stuck: 0, healthy: 0, brief: { total: 0 } };
  return htmlPage(
    'How guards do on labelled runs',
    [
      `<p>Stuck runs: ${stuck}. Healthy runs: ${healthy}. With a short loop: ${brief.total}. Every guard in shadow, pooled over runs.</p>`,
      plotOf(scores),
      '<h2>Figures</h2>',
      `<div class="wide"><table>\n<thead>${tableRow(
        SCORE_COLUMNS.map(({ head, about }) => `<span title="${escaped(about)}">${escaped(head)}</span>`),
        'th',
      )}</thead>\n<tbody>`,
      ...scores.map((score) => tableRow(SCORE_COLUMNS.map(({ cell }) => escaped(cell(score))))),
      '</tbody>\n</table></div>',
      '<dl>',
      ...SCORE_COLUMNS.map(({ head, about }) => `<dt>${escaped(head)}</dt><dd>${escaped(about)}</dd>`),
      '</dl>',
      ...scores.flatMap(({ name, details }) => (details === undefined ? [] : [mistakesOf(name, details)])),
    ].join('\n'),
  );
}

function plotOf(scores: readonly Score[]): string {
  const dots: Dot[] = [];
  const silent: string[] = [];
  for (const score of scores) {
    const { name, precision, recall, medianDelay } = score;
    if (precision === null || medianDelay === null) silent.push(name);
    else dots.push({ name, x: medianDelay, y: precision, size: recall ?? 0, title: titleOf(score) });
  }
  const left =
    silent.length === 0
      ? ''
      : ` Without a place, because they caught nothing: ${silent.map(escaped).join(', ')}.`;
  const plot = scatterPlot(dots, {
    x: 'median delay, in calls after the onset',
    y: 'precision',
    about: 'Precision against median delay, a dot for each preset',
  });
  return `<figure>\n${plot}\n<figcaption>Up and to the left is better; the larger the dot, the higher the recall.${left}</figcaption>\n</figure>`;
}

function titleOf({ name, precision, recall, medianDelay, callsSaved }: Score): string {
  return `${name}: precision ${ratio(precision)}, recall ${ratio(recall)}, delay ${plain(medianDelay)}, ${percent(callsSaved)} saved`;
}

function mistakesOf(name: string, { missed, falseAlarms, earlyAlarms }: Mistakes): string {
  return [
    `<h2>${escaped(name)}</h2>`,
    listed('Missed', missed),
    listed('False alarms', falseAlarms),
    listed('Early alarms', earlyAlarms),
  ].join('\n');
}

function listed(title: string, mistakes: readonly Mistake[]): string {
  const rows = mistakes.map(({ file, kind, onset, end, call, action, detector, firings }) =>
    tableRow(
      [
        file,
        kind,
        onset === null ? '' : `${onset} to ${end}`,
        call === null ? 'never' : `call ${call}`,
        action ?? '',
        detector ?? '',
        String(firings),
      ].map(escaped),
    ),
  );
  const head = tableRow(['run', 'kind', 'stuck at calls', 'fired', 'action', 'detector', 'firings'], 'th');
  return [
    `<details><summary>${title}: ${mistakes.length}</summary>`,
    `<div class="wide"><table class="list">\n<thead>${head}</thead>\n<tbody>`,
    ...rows,
    '</tbody>\n</table></div></details>',
  ].join('\n');
}
