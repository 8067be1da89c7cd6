import { lineDiff } from '../../install/line-diff.ts';
import type { Terminal } from '../../terminal.ts';
import { printable, shortened } from '../../text.ts';
import type { Client } from './clients.ts';
import type { ConfigFile } from './config-file.ts';
import type { ServerEntry, Slot, Word } from './server-entry.ts';
import { type Standing, standingOf } from './standing.ts';

/** Characters of a line that are shown before its first change. */
const CONTEXT = 30;
const HIDDEN = '"…"';
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

/** The change as a diff; without the lines around it, which may hold keys and passwords, and without the values of headers. */
export function changeLines(
  { path, text, client }: ConfigFile,
  next: string,
  { outColors, width }: Terminal,
): string {
  const secrets = [...secretsIn(text, client), ...secretsIn(next, client)];
  const lines = lineDiff(text, next).map((line) =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), line),
  );
  const skipped = skippedStart(lines, MAX_WIDTHS * width);
  const shown = lines.map((line) => {
    const kept = skipped === 0 ? line : `${line.slice(0, 2)}…${line.slice(skipped)}`;
    const cut = shortened(kept, MAX_WIDTHS * width);
    return line.startsWith('-') ? outColors.red(cut) : outColors.green(cut);
  });
  return `${[`--- ${printable(path)}`, `+++ ${printable(path)}`, ...shown].join('\n')}\n`;
}

/** Values as they are written that nobody should read over a shoulder: those of headers, and addresses with more than a path. */
function secretsIn(text: string, client: Client): readonly string[] {
  return client.notation.read(text, client.lists).flatMap((entry) => {
    const standing = standingOf(entry, client);
    if (standing.kind === 'remote') {
      const { headers, address } = standing.remote;
      return written(text, [...valuesIn(headers), ...(hasMore(address) ? [address] : [])]);
    }
    if (standing.kind !== 'wrapped-remote') return [];
    const others = valuesIn(standing.env).filter((value) => value !== standing.address.value);
    return written(text, [...others, ...(hasMore(standing.address.value) ? [standing.address.value] : [])]);
  });
}

function valuesIn(table: Slot | undefined): readonly Word[] {
  return (table?.members ?? []).map(({ value }) => value);
}

function written(text: string, values: readonly Word[]): readonly string[] {
  return values.filter((value) => value.text !== '').map(({ start, end }) => text.slice(start, end));
}

function hasMore({ text }: Word): boolean {
  return /[?#@]/.test(text ?? '');
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
