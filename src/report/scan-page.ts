import { dayOf } from './calendar.ts';
import { whole } from './figures.ts';
import { escaped, htmlPage } from './html-page.ts';
import { sessionKey, startOf } from './loop-words.ts';
import type { ScanReport } from './scan-report.ts';
import { SCAN_STYLE } from './scan-style.ts';
import { loopingSessions, totalsOf } from './scan-totals.ts';
import { callWords, sessionCard } from './session-card.ts';
import { shareBars } from './share-bars.ts';
import { counted } from './text.ts';
import { TIMELINE_SHAPES, timelineLegend } from './timeline.ts';
import { visibleStart } from './visible.ts';
import { wasteMeasure } from './waste-measure.ts';
import { wasteOverTime } from './waste-over-time.ts';

const MAX_SESSIONS = 100;
const MAX_LOOPS = 500;
const MAX_SKIPPED = 200;
const MAX_NAME = 60;
const MAX_PATH = 400;

/** What a scan found as one page that needs nothing else: no script, no other file, no network. */
export function scanPage(report: ScanReport): string {
  const { loops, sessions } = report;
  const title =
    loops.length === 0
      ? sessions === 0
        ? 'No session was found'
        : `No loop in ${counted(sessions, 'session')}`
      : `${counted(loops.length, 'loop')} in ${counted(sessions, 'session')}`;
  const parts = [
    about(report),
    ...(loops.length === 0 ? [goodNews(report)] : found(report)),
    leftOut(report),
  ];
  const skip = loops.length === 0 ? '' : '<a class="skip" href="#sessions">Skip to the sessions</a>';
  const body = [skip, '<main>', ...parts, '</main>', loops.length === 0 ? '' : foot(report)]
    .filter((part) => part !== '')
    .join('\n');
  return htmlPage(title, body, SCAN_STYLE);
}

function about(report: ScanReport): string {
  const days = report.byDay.map(({ name }) => name).filter((name) => dayOf(name) !== undefined);
  const facts = [
    counted(report.totals.calls, 'call'),
    ...(days.length === 0 ? [] : [days.length === 1 ? days[0] : `${days[0]} to ${days.at(-1)}`]),
    `guard: ${visibleStart(report.preset, MAX_NAME)}`,
  ];
  const early = report.cancelled
    ? '\n<p class="early" role="note">The scan was stopped before its end: this is what was read until then.</p>'
    : '';
  return `<p class="lead">${facts.map((fact) => escaped(fact ?? '')).join(' · ')}</p>${early}`;
}

function goodNews({ sessions, preset }: ScanReport): string {
  const text =
    sessions === 0
      ? 'Name a file or a folder with transcripts: deloop scan PATH.'
      : `Good news: the guard “${visibleStart(preset, MAX_NAME)}” saw nothing go round in circles.`;
  return `<p class="good">${escaped(text)}</p>`;
}

function found(report: ScanReport): readonly string[] {
  const measure = wasteMeasure(report.loops);
  const overTime = wasteOverTime(report.byDay, measure);
  const drawn = report.looping.slice(0, MAX_SESSIONS);
  const looping = loopingSessions(report.loops);
  const ids = new Map(drawn.map((session, index) => [sessionKey(session), `session-${index + 1}`]));
  const only = drawn.length < looping ? ` The ${drawn.length} worst of ${whole(looping)} are drawn.` : '';
  return [
    tiles(report, looping),
    ...(overTime === '' ? [] : [`<section>\n<h2>Waste over time</h2>\n${overTime}\n</section>`]),
    '<section>\n<h2>Where it comes from</h2>\n<div class="columns">',
    shareBars({ title: 'By agent', unnamed: 'no agent' }, report.byAgent, measure),
    shareBars({ title: 'By detector', unnamed: 'no detector' }, report.byDetector, measure),
    shareBars({ title: 'By tool', unnamed: 'no tool: text' }, report.byTool, measure),
    '</div>\n</section>',
    TIMELINE_SHAPES,
    '<section id="sessions" tabindex="-1">\n<h2>Sessions, the worst first</h2>',
    `<p>One cell is one call.${only} Open a loop to see its calls.</p>`,
    timelineLegend(),
    ...drawn.map((session, index) => sessionCard(session, `session-${index + 1}`, measure)),
    '</section>',
    every(report, ids, measure),
  ];
}

function tiles(report: ScanReport, looping: number): string {
  const loops = tile(
    'loops',
    whole(report.loops.length),
    `in ${whole(looping)} of ${counted(report.sessions, 'session')}`,
    '',
  );
  const sums = totalsOf(report).map(({ name, wasted, of, note }) => {
    const prices =
      name === 'money' && report.pricesOf !== null
        ? `prices of ${visibleStart(report.pricesOf, MAX_NAME)}`
        : '';
    return tile(`${name} wasted`, wasted, of, [note, prices].filter((text) => text !== '').join('; '));
  });
  return `<dl class="tiles">\n${[loops, ...sums].join('\n')}\n</dl>`;
}

function tile(name: string, value: string, of: string, note: string): string {
  const rest = [
    of === '' ? '' : `<span>${escaped(of)}</span>`,
    note === '' ? '' : `<small>${escaped(note)}</small>`,
  ];
  return `<div><dt>${name}</dt><dd><strong${/^\D/.test(value) && !value.startsWith('$') ? ' class="word"' : ''}>${escaped(value)}</strong>${rest.join('')}</dd></div>`;
}

/** All loops in a list, with links to the sessions that are drawn. */
function every(
  { loops }: ScanReport,
  ids: ReadonlyMap<string, string>,
  measure: ReturnType<typeof wasteMeasure>,
): string {
  const rows = loops.slice(0, MAX_LOOPS).map((loop) => {
    const id = ids.get(sessionKey(loop));
    const call = callWords(loop);
    const cells = [
      measure.word(measure.of(loop.wasted)),
      whole(loop.calls),
      visibleStart(loop.detector, MAX_NAME),
      visibleStart(loop.agent, MAX_NAME),
      visibleStart(startOf(loop.startedAt), MAX_NAME),
    ];
    const link = id === undefined ? call : `<a href="#${id}">${call}</a>`;
    return `<tr><th scope="row">${link}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  const heads = ['call', 'wasted', 'calls', 'detector', 'agent', 'session began'];
  const more = loops.length - MAX_LOOPS;
  return [
    `<section>\n<h2>Every loop</h2>\n<details class="list"><summary>${counted(loops.length, 'loop')} as a list</summary>`,
    '<div class="wide" role="region" aria-label="Every loop" tabindex="0"><table class="every">',
    `<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>\n<tbody>`,
    ...rows,
    '</tbody></table></div>',
    more > 0 ? `<p>${whole(more)} more: see --json.</p>` : '',
    '</details>\n</section>',
  ].join('\n');
}

function leftOut({ skipped }: ScanReport): string {
  if (skipped.length === 0) return '';
  const rows = skipped
    .slice(0, MAX_SKIPPED)
    .map(
      ({ file, why }) =>
        `<li><code>${escaped(visibleStart(file, MAX_PATH))}</code> ${escaped(visibleStart(why, MAX_PATH))}</li>`,
    );
  const more = skipped.length - MAX_SKIPPED;
  return [
    `<section>\n<h2>Left out</h2>\n<details class="list"><summary>${counted(skipped.length, 'file')} could not be used</summary>`,
    '<ul class="skipped">',
    ...rows,
    '</ul>',
    more > 0 ? `<p>${whole(more)} more: see --json.</p>` : '',
    '</details>\n</section>',
  ].join('\n');
}

function foot({ pricesOf }: ScanReport): string {
  const prices = pricesOf === null ? '' : ' Money is these tokens at list prices.';
  return `<footer><p>Waste is what a loop spent from the call at which the guard would have acted to its end, by the transcripts’ own records; nothing is guessed.${prices} Times are UTC. Written by deloop scan.</p></footer>`;
}
