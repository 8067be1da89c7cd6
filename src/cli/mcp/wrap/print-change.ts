import { lineDiff } from '../../install/line-diff.ts';
import type { Terminal } from '../../terminal.ts';
import { printable, shortened } from '../../text.ts';
import type { ConfigFile } from './config-file.ts';
import type { ServerEntry } from './server-entry.ts';
import { type Standing, standingOf } from './standing.ts';

/** Characters of a line that are shown before its first change. */
const CONTEXT = 30;
/** A longer line is cut, in widths of the terminal. */
const MAX_WIDTHS = 4;

/** Every server of a file and how it stands, a line each. */
export function serverLines({ client, entries }: ConfigFile, { width }: Terminal): string {
  const names = entries.map(nameOf);
  const column = Math.max(...names.map((name) => name.length)) + 2;
  return entries
    .map((entry, index) => {
      const name = names[index] as string;
      return `${shortened(`  ${name.padEnd(column)}${described(standingOf(entry, client))}`, width)}\n`;
    })
    .join('');
}

/** The change as a diff; without the lines around it, which may hold keys and passwords. */
export function changeLines(
  { path, text }: ConfigFile,
  next: string,
  { outColors, width }: Terminal,
): string {
  const lines = lineDiff(text, next);
  const skipped = skippedStart(lines, MAX_WIDTHS * width);
  const shown = lines.map((line) => {
    const kept = skipped === 0 ? line : `${line.slice(0, 2)}…${line.slice(skipped)}`;
    const cut = shortened(kept, MAX_WIDTHS * width);
    return line.startsWith('-') ? outColors.red(cut) : outColors.green(cut);
  });
  return `${[`--- ${printable(path)}`, `+++ ${printable(path)}`, ...shown].join('\n')}\n`;
}

/** Where lines are too long to be shown, what they all begin with is left out. */
function skippedStart(lines: readonly string[], most: number): number {
  const [first = '', ...others] = lines;
  if (lines.every((line) => line.length <= most)) return 0;
  let same = 2;
  while (same < first.length && others.every((line) => line[same] === first[same])) same += 1;
  return same - CONTEXT < 2 ? 0 : same - CONTEXT;
}

function nameOf({ name, path }: ServerEntry): string {
  const [list, project] = path;
  return printable(list === 'projects' ? `${name} (${project})` : name);
}

function described(standing: Standing): string {
  switch (standing.kind) {
    case 'plain':
      return standing.words.join(' ');
    case 'wrapped':
      return `behind the guard: ${standing.words.join(' ')}`;
    case 'by-hand':
      return 'behind a deloop that was put there by hand; it stays as it is';
    case 'remote':
      return whereOf(standing.remote.address.text ?? '');
    case 'wrapped-remote':
      return `behind the guard: ${whereOf(standing.url)}`;
    case 'odd':
      return `${standing.why}; it stays as it is`;
  }
}

/** An address without what may be secret in it. */
function whereOf(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*$/s, '');
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
