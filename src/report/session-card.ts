import { escaped } from './html-page.ts';
import { loopEvidence } from './loop-evidence.ts';
import { lengthOf, rangeOf, repeatedCall, startOf, stepsOf } from './loop-words.ts';
import type { Loop, LoopingSession, Spent } from './scan-report.ts';
import { spentParts, spentWords, together } from './spent.ts';
import { counted } from './text.ts';
import { timelinePicture } from './timeline.ts';
import { visibleStart } from './visible.ts';
import type { WasteMeasure } from './waste-measure.ts';

const MAX_CALL = 160;
const MAX_NAME = 60;
const MAX_PATH = 400;
const MAX_LOOPS = 8;

/** A session with its picture, and behind it, folded, what each loop consists of. `id` is where links find it. */
export function sessionCard(session: LoopingSession, id: string, measure: WasteMeasure): string {
  const { agent, model, project, startedAt, calls, file, loops } = session;
  const wasted = together(loops.map((loop) => loop.wasted));
  const facts = [
    `<strong>${shown(agent, MAX_NAME)}</strong>`,
    ...(model === null ? [] : [shown(model, MAX_NAME)]),
    shown(startOf(startedAt), MAX_NAME),
    counted(calls, 'call'),
  ];
  const more = loops.length - MAX_LOOPS;
  return [
    `<article class="session" id="${id}" aria-labelledby="${id}-name">`,
    '<header>',
    `<p class="facts">${facts.join('<span class="dot" aria-hidden="true"> · </span>')}</p>`,
    `<h3 id="${id}-name">${loops[0] === undefined ? shown(file, MAX_PATH) : callWords(loops[0])}</h3>`,
    costOf(wasted, measure),
    '</header>',
    timelinePicture(session),
    ...loops.slice(0, MAX_LOOPS).map((loop) => foldedLoop(loop, session)),
    more > 0 ? `<p class="more">${counted(more, 'loop')} more in this session: see --json.</p>` : '',
    `<p class="file">${project === null ? '' : `<span>${shown(project, MAX_PATH)}</span>`}<span>${shown(file, MAX_PATH)}</span></p>`,
    '</article>',
  ].join('\n');
}

/** The repeated call as HTML. */
export function callWords(loop: Loop): string {
  const { tool, rest } = repeatedCall(loop);
  const name = tool === '' ? '' : `<span class="tool">${shown(tool, MAX_NAME)}</span>`;
  return [name, rest === '' ? '' : `<code>${shown(rest, MAX_CALL)}</code>`]
    .filter((part) => part !== '')
    .join(' ');
}

/** The measure of the page, or calls where that is not known; the rest smaller. */
function costOf(wasted: Spent, measure: WasteMeasure): string {
  const [calls = '', ...others] = spentParts(wasted);
  const value = measure.of(wasted);
  const first = value === null ? calls : measure.word(value);
  const rest = [calls, ...others].filter((part) => part !== first);
  return `<p class="cost"><strong>${escaped(first)}</strong> wasted<br><span>${escaped(rest.join(', '))}</span></p>`;
}

function foldedLoop(loop: Loop, session: LoopingSession): string {
  const parts = [
    `<strong>${lengthOf(loop)} in circles</strong>`,
    rangeOf(loop),
    stepsOf(loop),
    `${spentWords(loop.wasted)} wasted`,
  ];
  const [head, ...rest] = parts;
  return [
    `<details><summary><span>${head} <span class="rest">${escaped(rest.join('; '))}</span></span></summary>`,
    loopEvidence(loop, session.timeline),
    '</details>',
  ].join('\n');
}

function shown(text: string, limit: number): string {
  return escaped(visibleStart(text, limit));
}
