import type picocolors from 'picocolors';
import { displayWidth, fitted, fittedEnd } from './display-width.ts';
import { UNKNOWN, whole } from './figures.ts';
import { lengthOf, rangeOf, repeatedCall, startOf, stepsOf } from './loop-words.ts';
import type { Loop, ScanReport } from './scan-report.ts';
import { loopingSessions, totalsOf } from './scan-totals.ts';
import { spentWords, tokensOf } from './spent.ts';
import { counted, printable } from './text.ts';
import { visibleStart } from './visible.ts';

type Colors = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'green' | 'yellow' | 'magenta' | 'cyan' | 'red'
>;
/** Parts of a line in the order of their places, each with its colour. */
type Part = readonly [text: string, paint?: (text: string) => string];

/** As in the table of `replay`. */
const PAINTS = { nudge: 'yellow', block: 'magenta', ask: 'cyan', halt: 'red' } as const;
const MAX_LOOPS = 10;
const MAX_REASONS = 5;
const MAX_NAMES = 3;
/** Before a loop's number, and before what belongs to it. */
const INDENT = '    ';
const UNDER_TOTALS = ' '.repeat(10);
/** Longer than any terminal is wide. */
const MAX_TEXT = 1_000;

const IDEAS: readonly {
  readonly command: string;
  readonly about: string;
  suits(report: ScanReport): boolean;
}[] = [
  {
    command: 'deloop scan PATH',
    about: 'a file, or a folder with transcripts',
    suits: ({ sessions }) => sessions === 0,
  },
  {
    command: 'deloop scan --html loops.html',
    about: 'every session drawn, with evidence',
    suits: ({ loops }) => loops.length > 0,
  },
  {
    command: 'deloop replay FILE',
    about: 'one of them, call by call',
    suits: ({ loops }) => loops.length > 0,
  },
  {
    command: 'deloop scan --prices FILE',
    about: 'prices of your own',
    suits: ({ totals: { wasted } }) => wasted.usd === null && tokensOf(wasted) !== null,
  },
  {
    command: 'deloop scan --preset NAME',
    about: 'another guard; deloop presets lists them',
    suits: ({ sessions }) => sessions > 0,
  },
];

/** What a scan found, for a terminal of `width` columns. */
export function scanText(report: ScanReport, width: number, colors: Colors): string {
  const { loops } = report;
  const blocks = [
    headline(report, width, colors),
    loops.length === 0 ? [] : totals(report, width, colors),
    loops.length === 0 ? [] : worst(loops, width, colors),
    leftOut(report.skipped, width, colors),
    next(report, width, colors),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `${block.join('\n')}\n`)
    .join('\n');
}

function headline(report: ScanReport, width: number, { bold, green, yellow }: Colors): readonly string[] {
  const { sessions, loops, totals, cancelled, preset } = report;
  const early = cancelled
    ? wrapped([['Stopped before the end: this is what was read until then.', yellow]], width, '')
    : [];
  if (sessions === 0) return [...early, bold('No session was found.')];
  const read = `${counted(sessions, 'session')} with ${counted(totals.calls, 'call')}`;
  const guard = `"${fitted(line(preset), 30)}"`;
  if (loops.length === 0) {
    const good = `No loop found in ${read}.`;
    const rest = `Good news: the guard ${guard} saw nothing go round in circles.`;
    return [...early, ...wrapped([[good, (text) => green(bold(text))], [rest]], width, '')];
  }
  const found = `${counted(loops.length, 'loop')} in ${whole(loopingSessions(loops))} of ${read};`;
  return [...early, ...wrapped([[found, bold], [`the guard is ${guard}.`]], width, '')];
}

function totals(report: ScanReport, width: number, { bold, dim }: Colors): readonly string[] {
  const sums = totalsOf(report);
  const column = Math.max(...sums.map(({ wasted }) => wasted.length));
  return sums.flatMap(({ name, wasted, of, note }) => {
    const known = wasted === UNKNOWN ? [] : ['wasted', of].filter((text) => text !== '');
    const prices = name === 'money' && known.length > 0 && report.pricesOf !== null;
    const head = [`  ${name.padEnd(8)}${bold(wasted.padStart(column))}`, ...known].join(' ');
    const notes = [note, prices ? `prices of ${fitted(line(report.pricesOf ?? ''), 30)}` : ''];
    return [
      head,
      ...notes.filter((text) => text !== '').flatMap((text) => wrapped([[text, dim]], width, UNDER_TOTALS)),
    ];
  });
}

function worst(loops: readonly Loop[], width: number, colors: Colors): readonly string[] {
  const shown = loops.slice(0, MAX_LOOPS);
  const more = loops.length - shown.length;
  return [
    colors.bold(
      more > 0
        ? `The ${shown.length} worst of ${counted(loops.length, 'loop')}`
        : 'The loops, the worst first',
    ),
    '',
    ...shown.flatMap((loop, index) => [...loopLines(loop, index + 1, width, colors), '']),
    ...(more > 0 ? [`${whole(more)} more: --json or --html FILE`] : []),
  ].slice(0, more > 0 ? undefined : -1);
}

function loopLines(loop: Loop, number: number, width: number, colors: Colors): readonly string[] {
  const { bold, dim } = colors;
  const { tool, rest } = repeatedCall(loop);
  const call = [line(tool), line(rest)].filter((text) => text !== '').join('  ');
  const paint = colors[PAINTS[loop.strongest]];
  const inner = width - INDENT.length;
  return [
    `${`${number}. `.padStart(INDENT.length)}${bold(fitted(call === '' ? line(loop.subject) : call, inner))}`,
    ...wrapped(
      [
        [
          `${lengthOf(loop)} (${loop.calls === 0 ? rangeOf(loop) : `${loop.firstCall} to ${loop.lastCall}`}),`,
        ],
        [`${fitted(line(loop.agent), 30)},`],
        [`${fitted(startOf(loop.startedAt === null ? null : line(loop.startedAt)), 30)},`],
        [fitted(line(loop.detector), 40)],
      ],
      width,
      INDENT,
    ),
    ...wrapped([[`${stepsOf(loop)};`, paint], ['wasted:'], [spentWords(loop.wasted)]], width, INDENT),
    `${INDENT}${dim(fittedEnd(line(loop.file), inner))}`,
  ];
}

function leftOut(skipped: ScanReport['skipped'], width: number, { bold, dim }: Colors): readonly string[] {
  if (skipped.length === 0) return [];
  const byReason = new Map<string, string[]>();
  for (const { file, why } of skipped) {
    const files = byReason.get(why) ?? [];
    files.push(file);
    byReason.set(why, files);
  }
  const reasons = [...byReason].toSorted(([, a], [, b]) => b.length - a.length);
  const columns = String(reasons[0]?.[1].length ?? 0).length;
  const rest = reasons.slice(MAX_REASONS);
  return [
    bold(`${counted(skipped.length, 'file')} left out`),
    ...reasons.slice(0, MAX_REASONS).flatMap(([why, files]) => {
      const names = files.slice(0, MAX_NAMES).map((file) => line(file).replace(/^.*[\\/](?=.)/, ''));
      const more = files.length > MAX_NAMES ? [`and ${whole(files.length - MAX_NAMES)} more`] : [];
      const indent = ' '.repeat(columns + 4);
      return [
        `  ${String(files.length).padStart(columns)}  ${fitted(line(why), width - columns - 4)}`,
        `${indent}${dim(fitted([...names, ...more].join(', '), width - indent.length))}`,
      ];
    }),
    ...(rest.length === 0
      ? []
      : [
          `  ${whole(rest.reduce((sum, [, files]) => sum + files.length, 0))} more for other reasons: --json`,
        ]),
  ];
}

function next(report: ScanReport, width: number, { bold, dim }: Colors): readonly string[] {
  const ideas = IDEAS.filter(({ suits }) => suits(report));
  const column = Math.max(...ideas.map(({ command }) => command.length)) + 2;
  const left = width - column - 2;
  return [
    bold('Try next'),
    ...ideas.map(({ command, about }) => `  ${command.padEnd(column)}${dim(fitted(about, left))}`),
  ];
}

/** Words on as many lines as they need; a part is broken only between words. */
function wrapped(parts: readonly Part[], width: number, indent: string): readonly string[] {
  const lines: string[] = [];
  let current = indent;
  let used = indent.length;
  let isEmpty = true;
  for (const [text, paint = String] of parts)
    for (const word of text.split(' ')) {
      const columns = displayWidth(word);
      if (!isEmpty && used + 1 + columns > width) {
        lines.push(current);
        [current, used, isEmpty] = [indent, indent.length, true];
      }
      current += isEmpty ? paint(word) : ` ${paint(word)}`;
      used += columns + (isEmpty ? 0 : 1);
      isEmpty = false;
    }
  return [...lines, current];
}

/** Text from a transcript as a part of one line. */
function line(text: string): string {
  return printable(visibleStart(text, MAX_TEXT)).trim();
}
