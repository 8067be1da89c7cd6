import { parse, TomlError } from 'smol-toml';
import {
  type Edit,
  type ListPath,
  type Notation,
  NotReadable,
  type ServerEntry,
  type Slot,
  type Span,
} from './server-entry.ts';
import { type Assignment, assignmentsIn, memberOf } from './toml-spans.ts';

export const tomlNotation: Notation = {
  read(text, lists) {
    meaningOf(text);
    return lists.flatMap((list) => entriesIn(text, list));
  },
  meaningOf,
  literal: tomlText,
  addArgs,
  dropArgs,
  nameOf: (text) => text,
  is: ' = ',
  between,
  hide,
  unhide,
};

/** Before lines that only `unwrap` is to read. */
const HIDDEN = '#deloop ';

// TOML wants one more character escaped than JSON does.
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

function meaningOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    const why = first.replace('Invalid TOML document: ', '');
    throw new NotReadable(`it is not TOML (${why})`, `${error.line}:${error.column}`);
  }
}

function entriesIn(text: string, list: ListPath): readonly ServerEntry[] {
  const servers = new Map<string, Map<string, Slot>>();
  for (const assignment of assignmentsIn(text)) {
    const { path, slot } = assignment;
    const [name, field, inner, ...deeper] = path.slice(list.length);
    if (name === undefined || field === undefined || list.some((step, index) => path[index] !== step))
      continue;
    const fields = servers.get(name) ?? new Map<string, Slot>();
    servers.set(name, fields);
    const table = fields.get(field);
    if (inner === undefined) fields.set(field, slot);
    // What is in a table on one line is there already.
    else if (table?.isBlock === true && deeper.length === 0) fields.set(field, extended(table, assignment));
  }
  return [...servers].map(([name, fields]) => ({ name, path: [...list, name], fields }));
}

function extended(table: Slot, assignment: Assignment): Slot {
  return { ...table, end: assignment.slot.end, members: [...(table.members ?? []), memberOf(assignment)] };
}

/** On a line of its own; in a table on one line, behind the command. */
function addArgs(text: string, { key, start, end }: Slot, list: string): Edit {
  const name = text.slice(key, start).replace(/(["']?)command\1\s*=\s*$/, 'args = ');
  const lineStart = text.lastIndexOf('\n', key - 1) + 1;
  const indent = text.slice(lineStart, key);
  if (indent.trim() !== '') return { start: end, end, text: `, ${name}${list}` };
  const lineEnd = /\r?\n|$/.exec(text.slice(end)) as RegExpExecArray;
  const at = end + lineEnd.index;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { start: at, end: at, text: `${eol}${indent}${name}${list}` };
}

function dropArgs(text: string, command: Slot, { key, end }: Slot): Edit | null {
  const lineStart = text.lastIndexOf('\n', key - 1) + 1;
  if (text.slice(lineStart, key).trim() !== '')
    return text.slice(command.end, key) === ', ' ? { start: command.end, end, text: '' } : null;
  const before = text.slice(0, lineStart);
  return { start: lineStart - (before.endsWith('\r\n') ? 2 : 1), end, text: '' };
}

function between(text: string, { key }: Slot): string {
  const indent = text.slice(text.lastIndexOf('\n', key - 1) + 1, key);
  return indent.trim() === '' ? `${text.includes('\r\n') ? '\r\n' : '\n'}${indent}` : ', ';
}

/** Lines become comments; what shares its line with something else cannot be hidden. */
function hide(text: string, { key, end }: Slot): Edit | null {
  const start = text.lastIndexOf('\n', key - 1) + 1;
  const rest = /[^\n]*/.exec(text.slice(end))?.[0] ?? '';
  if (text.slice(start, key).trim() !== '' || !/^\s*(?:#.*)?$/.test(rest.trimEnd())) return null;
  const lines = text.slice(start, end).split('\n');
  return { start, end, text: lines.map((line) => HIDDEN + line).join('\n') };
}

function unhide(text: string, server: readonly string[]): readonly Edit[] {
  const lines = linesOf(text, server);
  return lines.flatMap(({ start, end }) =>
    text.startsWith(HIDDEN, start) && end > start ? [{ start, end: start + HIDDEN.length, text: '' }] : [],
  );
}

/** The lines of a server: from where its first table starts to where another's does. */
function linesOf(text: string, server: readonly string[]): readonly Span[] {
  const tables = assignmentsIn(text).filter(({ slot }) => slot.isBlock);
  const isOwn = ({ path }: Assignment) => server.every((step, index) => path[index] === step);
  return tables.flatMap((table, index) => {
    if (!isOwn(table)) return [];
    const stop = tables[index + 1]?.slot.key ?? text.length;
    const spans: Span[] = [];
    for (let start = table.slot.key; start < stop; ) {
      const feed = text.indexOf('\n', start);
      const end = feed < 0 || feed >= stop ? stop : feed + 1;
      spans.push({ start, end });
      start = end;
    }
    return spans;
  });
}
