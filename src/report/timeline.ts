import { NOT_RUN } from '../core/endings.ts';
import type { Action } from '../core/types.ts';
import { escaped } from './html-page.ts';
import { ENDINGS, isFailure, rangeOf, stepsOf } from './loop-words.ts';
import type { Loop, LoopingSession, TimelineCall } from './scan-report.ts';
import { counted } from './text.ts';
import { visibleStart } from './visible.ts';

/** Where a call stands: outside of every loop, in one, or in one from where the guard would have acted. */
type Place = 'free' | 'loop' | 'waste';
type Ending = 'ran' | 'failed' | 'unrun';
/** Ten calls in a row; the page puts as many of them side by side as fit. */
type Group = { readonly first: number; readonly calls: readonly (TimelineCall | undefined)[] };

const IN_GROUP = 10;
const PITCH = 14;
const CELL = 11;
const GAP = 8;
const GROUP_WIDTH: number = IN_GROUP * PITCH + GAP;
const HEIGHT = 50;
const CELL_TOP = 18;
/** Where the number of a group's first call stands. */
const NUMBER = 43;
const MAX_CALLS = 600;
const MAX_LABEL = 60;
/** Loops that the picture's name tells of. */
const MAX_TOLD = 8;
const LETTERS = { nudge: 'N', block: 'B', ask: 'A', halt: 'H' } as const;

const PLACES: readonly Place[] = ['free', 'loop', 'waste'];
const MARKS: { readonly [ending in Ending]: string } = {
  ran: '',
  failed: '<path class="cross" d="M3 3l5 5M8 3l-5 5"/>',
  unrun: '<path class="cross" d="M2.5 5.5h6"/>',
};
const BOX = `x=".5" y=".5" width="${CELL - 1}" height="${CELL - 1}" rx="2"`;

/** The shapes of all timelines of a page, once. */
export const TIMELINE_SHAPES: string = [
  '<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>',
  '<pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="stripe" d="M0 0v4"/></pattern>',
  ...PLACES.flatMap((place) =>
    Object.entries(MARKS).map(([ending, mark]) => {
      const hatch = place === 'waste' ? `<rect class="hatch" ${BOX}/>` : '';
      return `<g id="${place}-${ending}" class="${place} ${ending}"><rect class="box" ${BOX}/>${hatch}${mark}</g>`;
    }),
  ),
  `<g id="left-out"><circle class="dot" cx="${CELL / 2}" cy="${CELL / 2}" r="1"/></g>`,
  '<g id="again"><path class="pin" d="M2.5 5h6L5.5 10z"/></g>',
  ...Object.entries(LETTERS).map(
    ([action, letter]) =>
      `<g id="${action}"><path class="pin" d="M0-3a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2V5a2 2 0 0 1-2 2H8L5.5 10 3 7H2A2 2 0 0 1 0 5z"/><text class="letter" x="5.5" y="4.4" text-anchor="middle">${letter}</text></g>`,
  ),
  '</defs></svg>',
].join('');

/** What the shapes mean. */
export function timelineLegend(): string {
  const entries: readonly (readonly [shape: string, meaning: string])[] = [
    ['free-ran', 'a call'],
    ['free-failed', 'it failed'],
    ['free-unrun', 'it was not run'],
    ['loop-ran', 'in a loop'],
    ['waste-ran', 'wasted: the guard would have acted by then'],
    ['nudge', 'the guard nudges'],
    ['block', 'blocks'],
    ['ask', 'asks a person'],
    ['halt', 'halts'],
    ['again', 'does so again'],
  ];
  const items = entries.map(([shape, meaning]) => {
    const top = shape in LETTERS || shape === 'again' ? 6 : 2;
    return `<li><svg width="${CELL + 1}" height="17" aria-hidden="true"><use href="#${shape}" y="${top}"/></svg>${meaning}</li>`;
  });
  return `<ul class="legend" aria-label="Signs in the pictures">\n${items.join('\n')}\n</ul>`;
}

/** The calls of a session, one cell each; loops and the steps of the guard stand out by colour and by shape. */
export function timelinePicture(session: LoopingSession): string {
  const { calls, loops } = session;
  const shown = session.timeline.toSorted((a, b) => a.call - b.call).slice(0, MAX_CALLS);
  const parts: string[] = [];
  let next = 1;
  let before: Action | undefined;
  for (const { first, calls: own } of groupsOf(shown)) {
    if (first > next) parts.push(gap(first - next));
    const drawn = group({ first, calls: own }, session, before);
    parts.push(drawn.svg);
    before = drawn.last;
    next = first + IN_GROUP;
  }
  if (calls >= next) parts.push(gap(calls - next + 1));
  const told = loops.slice(0, MAX_TOLD).map((loop) => `a loop in ${rangeOf(loop)}, ${stepsOf(loop)}`);
  const more = loops.length - told.length;
  const rest = more > 0 ? [`${counted(more, 'loop')} more`] : [];
  const about = [counted(calls, 'call'), ...told, ...rest].join('; ');
  return `<div class="timeline" role="img" aria-label="${escaped(about)}">\n${parts.join('\n')}\n</div>`;
}

/** `last` = what the guard did last, for the next group. */
function group(
  { first, calls }: Group,
  { calls: all, loops }: LoopingSession,
  before: Action | undefined,
): { readonly svg: string; readonly last: Action | undefined } {
  let last = before;
  const cells: string[] = [];
  const pins: string[] = [];
  for (const [index, call] of calls.entries()) {
    const number = first + index;
    if (number > all && call === undefined) break;
    const x = index * PITCH + (PITCH - CELL) / 2;
    if (call === undefined) {
      cells.push(`<use href="#left-out" x="${x}" y="${CELL_TOP}"/>`);
      continue;
    }
    const place = placeOf(number, loops);
    cells.push(
      `<use href="#${place}-${endingOf(call)}" x="${x}" y="${CELL_TOP}"><title>${escaped(titleOf(call))}</title></use>`,
    );
    if (call.action === null) continue;
    // Where the guard says the same at every call, one letter is enough.
    pins.push(`<use href="#${call.action === last ? 'again' : call.action}" x="${x}" y="${CELL_TOP - 13}"/>`);
    last = call.action;
  }
  const scale = `<text class="axis" x="1.5" y="${NUMBER}">${first}</text>`;
  const svg = `<svg width="${GROUP_WIDTH}" height="${HEIGHT}">${scale}${bands(first, loops)}${cells.join('')}${pins.join('')}</svg>`;
  return { svg, last };
}

/** Behind the calls of a loop, through to the next group where it goes on. */
function bands(first: number, loops: readonly Loop[]): string {
  return loops
    .map(({ firstCall, lastCall }) => {
      const from = Math.max(first, firstCall) - first;
      const to = Math.min(first + IN_GROUP - 1, lastCall) - first;
      if (to < from) return '';
      const goesOn = lastCall > first + IN_GROUP - 1;
      const width = goesOn ? GROUP_WIDTH - from * PITCH : (to - from + 1) * PITCH;
      return `<rect class="band" x="${from * PITCH}" y="${CELL_TOP - 3}" width="${width}" height="${CELL + 6}"/>`;
    })
    .join('');
}

function groupsOf(calls: readonly TimelineCall[]): readonly Group[] {
  const groups = new Map<number, (TimelineCall | undefined)[]>();
  for (const call of calls) {
    const first = Math.floor((call.call - 1) / IN_GROUP) * IN_GROUP + 1;
    const own = groups.get(first) ?? Array.from({ length: IN_GROUP });
    own[call.call - first] = call;
    groups.set(first, own);
  }
  return [...groups].map(([first, own]) => ({ first, calls: own }));
}

function gap(calls: number): string {
  return `<span class="gap">${counted(calls, 'call')} not drawn</span>`;
}

/** Where a call stands among the loops of its session. */
export function placeOf(call: number, loops: readonly Loop[]): Place {
  const own = loops.find(({ firstCall, lastCall }) => call >= firstCall && call <= lastCall);
  if (own === undefined) return 'free';
  return call >= own.actedAt ? 'waste' : 'loop';
}

function endingOf({ status }: TimelineCall): Ending {
  if (isFailure(status)) return 'failed';
  return NOT_RUN.includes(status) ? 'unrun' : 'ran';
}

function titleOf({ call, tool, label, status, action }: TimelineCall): string {
  const what = visibleStart([tool, label].filter((text) => text !== '').join(' '), MAX_LABEL);
  return `${call}: ${what}; ${ENDINGS[status]}${action === null ? '' : `; the guard: ${action}`}`;
}
