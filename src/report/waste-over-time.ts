import { dayOf, type Period, periodFor } from './calendar.ts';
import { escaped } from './html-page.ts';
import type { Share, Spent } from './scan-report.ts';
import { spentWords, together } from './spent.ts';
import { counted } from './text.ts';
import type { WasteMeasure } from './waste-measure.ts';

type Bar = { readonly slot: number; readonly loops: number; readonly wasted: Spent };
type Dated = Share & { readonly day: number };

const MIN_SLOTS = 14;
const MAX_SLOTS = 62;
const HEIGHT = 188;
const TOP = 12;
const BOTTOM = 158;
/** Of its slot's width. */
const BAR = 0.74;

/** Bars over a calendar, as a figure; empty = no session with a loop tells when it was. Widths are shares, so that letters keep their size. */
export function wasteOverTime(byDay: readonly Share[], measure: WasteMeasure): string {
  const looping = byDay.filter(({ loops }) => loops > 0);
  const dated = looping.flatMap((share) => {
    const day = dayOf(share.name);
    return day === undefined ? [] : [{ ...share, day }];
  });
  if (dated.length === 0) return '';
  const days = dated.map(({ day }) => day).toSorted((a, b) => a - b);
  const [from, to] = [days[0] as number, days.at(-1) as number];
  const period = periodFor(from, to, MAX_SLOTS);
  const bars = barsOf(dated, period);
  const last = period.slotOf(to);
  const first = Math.min(period.slotOf(from), last - MIN_SLOTS + 1);
  const values = bars.map(({ wasted }) => measure.of(wasted));
  const highest = Math.max(...values.map((value) => value ?? 0));
  const title = `${TITLES[measure.name]} by ${period.name}`;
  const worst = bars[values.indexOf(highest)];
  const most = worst === undefined ? '' : `; most in ${period.label(worst.slot)}: ${measure.word(highest)}`;
  const undated = looping.filter(({ name }) => dayOf(name) === undefined);
  const notes = [
    `${title} in which a session began.`,
    undated.length > 0 ? `${undatedWords(undated)} not in it.` : '',
    values.includes(null) ? 'A ? stands where it is not known.' : '',
  ];
  return [
    '<figure>',
    `<svg class="chart" height="${HEIGHT}" role="img" aria-label="${escaped(`${title}, ${period.label(first)} to ${period.label(last)}${most}`)}">`,
    ...drawn(bars, { first, last, ceiling: niceCeiling(highest) }, period, measure),
    '</svg>',
    `<figcaption>${escaped(notes.filter((note) => note !== '').join(' '))}</figcaption>`,
    '</figure>',
  ].join('\n');
}

const TITLES = { money: 'Money wasted', tokens: 'Tokens wasted', calls: 'Calls wasted' } as const;

function drawn(
  bars: readonly Bar[],
  { first, last, ceiling }: { readonly first: number; readonly last: number; readonly ceiling: number },
  period: Period,
  measure: WasteMeasure,
): readonly string[] {
  const slots = last - first + 1;
  const atX = (slot: number) => round(((slot - first) / slots) * 100);
  const atY = (value: number) => round(BOTTOM - (value / ceiling) * (BOTTOM - TOP));
  const lines = [ceiling, ceiling / 2].map((value) => {
    const word = escaped(measure.short(value));
    return `<line x1="0" y1="${atY(value)}" x2="100%" y2="${atY(value)}"/><text class="axis" x="-10" y="${atY(value) + 4}" text-anchor="end">${word}</text>`;
  });
  const columns = bars.map(({ slot, loops, wasted }) => {
    const value = measure.of(wasted);
    const words = `${period.label(slot)}: ${spentWords(wasted)} in ${counted(loops, 'loop')}`;
    const title = `<title>${escaped(words)}</title>`;
    if (value === null)
      return `<text x="${atX(slot + 0.5)}%" y="${BOTTOM - 6}" text-anchor="middle">?${title}</text>`;
    // Something so small that it would not be seen is drawn all the same.
    const y = Math.min(BOTTOM - 2, atY(value));
    return `<rect x="${atX(slot + (1 - BAR) / 2)}%" y="${y}" width="${round((BAR / slots) * 100)}%" height="${round(BOTTOM - y)}">${title}</rect>`;
  });
  const middle = Math.floor((first + last) / 2);
  return [
    ...lines,
    ...columns,
    `<line class="base" x1="0" y1="${BOTTOM}" x2="100%" y2="${BOTTOM}"/>`,
    tick(0, 'start', period.label(first)),
    tick(atX(middle + 0.5), 'middle', period.label(middle)),
    tick(100, 'end', period.label(last)),
  ];
}

function barsOf(shares: readonly Dated[], { slotOf }: Period): readonly Bar[] {
  const bySlot = new Map<number, Dated[]>();
  for (const share of shares) {
    const slot = slotOf(share.day);
    const others = bySlot.get(slot);
    if (others === undefined) bySlot.set(slot, [share]);
    else others.push(share);
  }
  return [...bySlot].map(([slot, own]) => ({
    slot,
    loops: own.reduce((sum, { loops }) => sum + loops, 0),
    wasted: together(own.map(({ wasted }) => wasted)),
  }));
}

function undatedWords(shares: readonly Share[]): string {
  const loops = shares.reduce((sum, share) => sum + share.loops, 0);
  return `${counted(loops, 'loop')} of sessions without a date ${loops === 1 ? 'is' : 'are'}`;
}

function tick(x: number, anchor: 'start' | 'middle' | 'end', label: string): string {
  return `<text class="axis" x="${x}%" y="${BOTTOM + 20}" text-anchor="${anchor}">${escaped(label)}</text>`;
}

/** A short number at or above the value, whose half is short too. */
function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 3, 4, 6, 8].find((factor) => factor * power >= value) ?? 10);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
