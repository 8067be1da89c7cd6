import { escaped } from './html-page.ts';
import { ENDINGS, isFailure } from './loop-words.ts';
import type { Loop, TimelineCall } from './scan-report.ts';
import { counted } from './text.ts';
import { placeOf } from './timeline.ts';
import { visible, visibleStart } from './visible.ts';

const MAX_MESSAGE = 2_000;
const MAX_LABEL = 240;
const MAX_NAME = 80;
/** Of an output: so many characters of its beginning and of its end. */
const HEAD = 360;
const TAIL = 200;
/** Rows at the loop's beginning, around each step of the guard, and at its end. */
const FIRST = 5;
const AROUND = 2;
const LAST = 3;

/** What a loop consists of: what the guard would have said, and the calls with what came back. */
export function loopEvidence(loop: Loop, timeline: readonly TimelineCall[]): string {
  const { firstCall, lastCall, actedAt, strongestAt } = loop;
  const own = timeline
    .filter(({ call }) => call >= firstCall && call <= lastCall)
    .toSorted((a, b) => a.call - b.call);
  const chosen = own.filter(({ call }, index) => {
    const isNear = (step: number) => Math.abs(call - step) <= AROUND;
    return index < FIRST || index >= own.length - LAST || isNear(actedAt) || isNear(strongestAt);
  });
  const rows: string[] = [];
  const seen = new Map<string, number>();
  let next = firstCall;
  for (const call of chosen) {
    if (call.call > next) rows.push(leftOut(call.call - next));
    rows.push(row(call, loop, seen));
    next = call.call + 1;
  }
  if (lastCall >= next) rows.push(leftOut(lastCall - next + 1));
  return [
    '<div class="evidence">',
    said(loop),
    '<table><thead><tr><th scope="col">call</th><th scope="col">ended</th><th scope="col">what was called, and what came back</th></tr></thead>',
    '<tbody>',
    ...rows,
    '</tbody></table>',
    '</div>',
  ].join('\n');
}

function said({ actedAt, detector, message }: Loop): string {
  const by = `detector <code>${escaped(visibleStart(detector, MAX_NAME))}</code>`;
  if (message.trim() === '') return `<p>At call ${actedAt} the guard would have acted (${by}).</p>`;
  const words = lines(visibleStart(message, MAX_MESSAGE));
  return `<p>At call ${actedAt} the guard would have said (${by}):</p>\n<blockquote>${words}</blockquote>`;
}

/** `seen` = outputs that were shown, with the call; the same again is only said. */
function row(call: TimelineCall, loop: Loop, seen: Map<string, number>): string {
  const { status, at, action, tool, label } = call;
  const time = timeOf(at);
  const place = placeOf(call.call, [loop]);
  return [
    `<tr class="${place}"><th scope="row">${call.call}${time === '' ? '' : `<time>${time}</time>`}</th>`,
    `<td${isFailure(status) ? ' class="failed"' : ''}>${ENDINGS[status]}</td>`,
    `<td>${action === null ? '' : `<strong class="step">${STEPS[action]}</strong>`}`,
    `<code><b>${escaped(visibleStart(tool, MAX_NAME))}</b> ${escaped(visibleStart(label, MAX_LABEL))}</code>`,
    `${outputOf(call, seen)}</td></tr>`,
  ].join('');
}

const STEPS = {
  nudge: 'here the guard nudges',
  block: 'here the guard blocks',
  ask: 'here the guard asks a person',
  halt: 'here the guard halts the run',
} as const;

function outputOf({ call, output }: TimelineCall, seen: Map<string, number>): string {
  if (output.trim() === '') return '';
  const before = seen.get(output);
  if (before !== undefined) return `<p class="same">the same output as call ${before}</p>`;
  seen.set(output, call);
  const middle = output.length - HEAD - TAIL;
  // A little more than the limit is shown whole: a note would take as much room.
  const text =
    middle <= TAIL
      ? visible(output)
      : `${visibleStart(output.slice(0, HEAD), HEAD)}\n… ${counted(middle, 'character')} …\n${visible(output.slice(-TAIL))}`;
  return `<pre>${lines(text)}</pre>`;
}

function leftOut(calls: number): string {
  return `<tr class="left-out"><td colspan="3">${counted(calls, 'call')} not listed</td></tr>`;
}

/** `09:12:07` in UTC; empty = not known. */
function timeOf(at: number | null): string {
  const instant = new Date(at ?? Number.NaN);
  return Number.isNaN(instant.getTime()) ? '' : instant.toISOString().slice(11, 19);
}

/** Escaped, with its line ends. */
function lines(text: string): string {
  return text.split('\n').map(escaped).join('\n');
}
