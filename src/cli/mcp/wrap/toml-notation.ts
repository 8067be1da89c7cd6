import { parse, TomlError } from 'smol-toml';
import {
  type Edit,
  type ListPath,
  type Notation,
  NotReadable,
  type ServerEntry,
  type Slot,
} from './server-entry.ts';
import { assignmentsIn } from './toml-spans.ts';

export const tomlNotation: Notation = {
  read(text, lists) {
    meaningOf(text);
    return lists.flatMap((list) => entriesIn(text, list));
  },
  meaningOf,
  // TOML wants one more character escaped than JSON does.
  literal: (text) => JSON.stringify(text).replaceAll('\x7f', '\\u007f'),
  addArgs,
  dropArgs,
};

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
  for (const { path, slot } of assignmentsIn(text)) {
    const [name, field, ...deeper] = path.slice(list.length);
    if (name === undefined || field === undefined || list.some((step, index) => path[index] !== step))
      continue;
    const fields = servers.get(name) ?? new Map<string, Slot>();
    servers.set(name, fields);
    if (deeper.length === 0) fields.set(field, slot);
  }
  return [...servers].map(([name, fields]) => ({ name, path: [...list, name], fields }));
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
