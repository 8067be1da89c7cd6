import { escaped } from './html-page.ts';

/** A dot with its name; `size` from 0 to 1 is told by its area. */
export type Dot = {
  readonly name: string;
  readonly x: number;
  /** From 0 to 1. */
  readonly y: number;
  readonly size: number;
  /** Shown when somebody points at it. */
  readonly title: string;
};
type Box = { readonly left: number; readonly right: number; readonly y: number };

const WIDTH = 900;
const HEIGHT = 480;
const EDGE = { left: 56, right: 150, top: 16, bottom: 52 };
const MIN_RADIUS = 3;
const MAX_RADIUS = 11;
/** Of a name in the page's font: wide enough for every letter. */
const LETTER = 7;
const LINE = 14;
/** As many letters as fit beside the plot. */
const MAX_NAME = 19;
const Y_TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const MAX_X_TICKS = 10;

/** Dots over two axes, as SVG; names are moved apart where dots are close. */
export function scatterPlot(
  dots: readonly Dot[],
  axes: { readonly x: string; readonly y: string; readonly about: string },
): string {
  const ticks = ticksFor(dots.map(({ x }) => x));
  const [from, to] = [ticks[0] as number, ticks.at(-1) as number];
  const right = WIDTH - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  const atX = (x: number) => round(EDGE.left + ((x - from) / (to - from)) * (right - EDGE.left));
  const atY = (y: number) => round(bottom - y * (bottom - EDGE.top));
  const vertical = ticks.map(
    (x) =>
      `<line x1="${atX(x)}" y1="${EDGE.top}" x2="${atX(x)}" y2="${bottom}"/><text class="axis" x="${atX(x)}" y="${bottom + 18}" text-anchor="middle">${x}</text>`,
  );
  const horizontal = Y_TICKS.map(
    (y) =>
      `<line x1="${EDGE.left}" y1="${atY(y)}" x2="${right}" y2="${atY(y)}"/><text class="axis" x="${EDGE.left - 8}" y="${atY(y) + 4}" text-anchor="end">${y.toFixed(1)}</text>`,
  );
  const placed: Box[] = [];
  const drawn = dots
    .toSorted((a, b) => b.y - a.y || a.x - b.x)
    .map((dot) => {
      const [x, y] = [atX(dot.x), atY(dot.y)];
      const radius = round(Math.sqrt(MIN_RADIUS ** 2 + (MAX_RADIUS ** 2 - MIN_RADIUS ** 2) * dot.size));
      const name = cut(dot.name);
      const box = freeBox(placed, round(x + MAX_RADIUS + 4), y, [...name].length * LETTER);
      placed.push(box);
      const leader =
        box.y === y
          ? ''
          : `<line class="leader" x1="${x}" y1="${y}" x2="${round(box.left - 2)}" y2="${box.y}"/>`;
      const circle = `<circle cx="${x}" cy="${y}" r="${radius}"><title>${escaped(dot.title)}</title></circle>`;
      return `<g>${leader}${circle}<text x="${box.left}" y="${round(box.y + 4)}">${escaped(name)}</text></g>`;
    });
  const middle = (EDGE.top + bottom) / 2;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(axes.about)}">`,
    ...vertical,
    ...horizontal,
    `<text class="axis" x="${(EDGE.left + right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(axes.x)}</text>`,
    `<text class="axis" x="14" y="${middle}" text-anchor="middle" transform="rotate(-90 14 ${middle})">${escaped(axes.y)}</text>`,
    ...drawn,
    '</svg>',
  ].join('\n');
}

/** The nearest place at or below `y`, or else above it, where the name covers no other. */
function freeBox(placed: readonly Box[], left: number, y: number, width: number): Box {
  const right = left + width;
  const isFree = (at: number) =>
    placed.every((box) => Math.abs(box.y - at) >= LINE || box.right < left || box.left > right);
  for (const step of [LINE / 2, -LINE / 2]) {
    for (let at = y; at >= EDGE.top && at <= HEIGHT - EDGE.bottom; at += step)
      if (isFree(at)) return { left, right, y: round(at) };
  }
  return { left, right, y };
}

/** Whole, evenly spaced numbers around all values, two at least. */
function ticksFor(values: readonly number[]): readonly number[] {
  const low = Math.floor(Math.min(0, ...values));
  const high = Math.max(low + 1, Math.ceil(Math.max(1, ...values)));
  let step = 1;
  for (const factor of stepFactors()) {
    step = factor;
    if ((high - low) / step <= MAX_X_TICKS) break;
  }
  const first = Math.floor(low / step) * step;
  const count = Math.ceil((high - first) / step) + 1;
  return Array.from({ length: count }, (_, index) => first + index * step);
}

/** 1, 2, 5, 10, 20, 50... */
function* stepFactors(): Generator<number, void, void> {
  for (let power = 1; power < Number.MAX_SAFE_INTEGER; power *= 10) yield* [power, 2 * power, 5 * power];
}

function cut(name: string): string {
  const letters = [...name];
  return letters.length <= MAX_NAME ? name : `${letters.slice(0, MAX_NAME - 1).join('')}…`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
