import { escaped } from './html-page.ts';
import type { Share } from './scan-report.ts';
import { counted } from './text.ts';
import { visibleStart } from './visible.ts';
import type { WasteMeasure } from './waste-measure.ts';

const MAX_ROWS = 8;
const MAX_NAME = 60;

/** Which names the waste has, the most wasteful first, each with a bar. */
export function shareBars(
  { title, unnamed }: { readonly title: string; readonly unnamed: string },
  shares: readonly Share[],
  measure: WasteMeasure,
): string {
  const looping = shares.filter(({ loops }) => loops > 0);
  const sorted = looping.toSorted(
    (a, b) => (measure.of(b.wasted) ?? -1) - (measure.of(a.wasted) ?? -1) || b.loops - a.loops,
  );
  const most = sorted.reduce((high, { wasted }) => Math.max(high, measure.of(wasted) ?? 0), 0);
  const more = sorted.length - MAX_ROWS;
  return [
    `<div class="shares"><h3>${escaped(title)}</h3>`,
    '<ul>',
    ...sorted
      .slice(0, MAX_ROWS)
      .map((share) => row(share.name === '' ? { ...share, name: unnamed } : share, measure, most)),
    '</ul>',
    more > 0 ? `<p>and ${more} more</p>` : '',
    '</div>',
  ].join('\n');
}

function row({ name, loops, wasted }: Share, measure: WasteMeasure, most: number): string {
  const value = measure.of(wasted);
  const width = value === null || most === 0 ? 0 : Math.max(0.5, Math.round((value / most) * 1_000) / 10);
  const figure =
    value === null
      ? `<span class="unknown">${measure.name} unknown</span>`
      : `<span class="figure">${escaped(measure.word(value))}</span>`;
  const rest = [counted(loops, 'loop'), ...(measure.name === 'calls' ? [] : [counted(wasted.calls, 'call')])];
  return [
    `<li><span class="name">${escaped(visibleStart(name, MAX_NAME))}</span> ${figure}`,
    `<svg class="bar" height="6" aria-hidden="true"><rect class="track" width="100%" height="6" rx="3"/><rect width="${width}%" height="6" rx="3"/></svg>`,
    `<span class="rest">${escaped(rest.join(', '))}</span></li>`,
  ].join('\n');
}
