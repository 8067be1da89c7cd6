import { parse } from 'smol-toml';
import { type Member, NotReadable, type Slot, type Span, type Word } from './server-entry.ts';

/** A value that is given a name, or a table under its name in brackets: `path` is the whole of it, that of its table included. */
export type Assignment = { readonly path: readonly string[]; readonly slot: Slot };

type Value = Pick<Slot, 'start' | 'end' | 'text' | 'items'>;

const SKIPPED = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const SPACES = /[ \t]*/y;
const BARE_KEY = /[A-Za-z0-9_-]*/y;
const OTHER_VALUE = /[^,\]}#\r\n]*/y;

/**
 * Every value that a TOML text gives a name, and where it stands; what is in lists of tables is left out. The text must be
 * TOML: this finds places and checks nothing.
 */
export function assignmentsIn(text: string): readonly Assignment[] {
  const found: Assignment[] = [];
  /** Null = an element of a list. */
  let table: readonly string[] | null = [];
  for (let at = past(SKIPPED, text, 0); at < text.length; at = past(SKIPPED, text, at)) {
    if (text[at] === '[') {
      const depth = text[at + 1] === '[' ? 2 : 1;
      const { names, name, end } = namesAt(text, at + depth);
      table = depth === 2 ? null : names;
      const behind = end + depth;
      if (table !== null) found.push({ path: names, slot: blockAt(at, behind, name) });
      at = behind;
      continue;
    }
    const assigned = assignmentAt(text, at, table ?? []);
    if (table !== null) found.push(...assigned);
    at = endOf(assigned);
  }
  return found;
}

/** A table in lines of its own; what is in it stands behind it. */
function blockAt(key: number, end: number, name: Span): Slot {
  return { key, name, start: end, end, text: null, items: null, members: [], isBlock: true };
}

/** The assignment that starts here, and behind it those in the table that it may give. */
function assignmentAt(text: string, start: number, table: readonly string[]): readonly Assignment[] {
  const { names, name, end } = namesAt(text, start);
  const path = [...table, ...names];
  const inner: Assignment[] = [];
  const value = valueAt(text, past(SPACES, text, end + 1), path, inner);
  const isTable = text[value.start] === '{';
  const members = isTable ? inner.filter((one) => one.path.length === path.length + 1).map(memberOf) : null;
  return [{ path, slot: { key: start, name, members, isBlock: false, ...value } }, ...inner];
}

export function memberOf({ path, slot }: Assignment): Member {
  const { name, start, end, text } = slot;
  return { name, is: path.at(-1) as string, value: { start, end, text } };
}

function endOf([first]: readonly Assignment[]): number {
  return (first as Assignment).slot.end;
}

/** The names before a `=` or a `]`; `name` is where the last one stands, `end` where they end. */
function namesAt(
  text: string,
  start: number,
): { readonly names: readonly string[]; readonly name: Span; readonly end: number } {
  const names: string[] = [];
  for (let at = start; ; at += 1) {
    at = past(SPACES, text, at);
    const quoted = text[at] === '"' || text[at] === "'";
    const end = quoted ? endOfText(text, at) : past(BARE_KEY, text, at);
    const written = text.slice(at, end);
    names.push(quoted ? textOf(written) : written);
    const name = { start: at, end };
    at = past(SPACES, text, end);
    if (text[at] !== '.') return { names, name, end: at };
  }
}

/** The value at `start`; assignments in it, if it is a table, go to `inner`. */
function valueAt(text: string, start: number, path: readonly string[], inner: Assignment[]): Value {
  switch (text[start]) {
    case '"':
    case "'": {
      const end = endOfText(text, start);
      return { start, end, text: textOf(text.slice(start, end)), items: null };
    }
    case '[': {
      const items: Word[] = [];
      const end = endOfParts(text, start, (at) => {
        const item = valueAt(text, at, path, []);
        items.push({ start: at, end: item.end, text: item.text });
        return item.end;
      });
      return { start, end, text: null, items };
    }
    case '{': {
      const end = endOfParts(text, start, (at) => {
        const assigned = assignmentAt(text, at, path);
        inner.push(...assigned);
        return endOf(assigned);
      });
      return { start, end, text: null, items: null };
    }
    default: {
      const end = start + text.slice(start, past(OTHER_VALUE, text, start)).trimEnd().length;
      return { start, end, text: null, items: null };
    }
  }
}

/** Goes through what stands between brackets; `part` gives where one ends. */
function endOfParts(text: string, start: number, part: (at: number) => number): number {
  let at = past(SKIPPED, text, start + 1);
  while (text[at] !== ']' && text[at] !== '}') {
    const end = part(at);
    if (end <= at) throw lost(text, at);
    at = past(SKIPPED, text, end);
    if (text[at] === ',') at = past(SKIPPED, text, at + 1);
  }
  return at + 1;
}

function endOfText(text: string, start: number): number {
  const quote = text[start] as string;
  const close = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  let at = start + close.length;
  for (; !text.startsWith(close, at); at += quote === '"' && text[at] === '\\' ? 2 : 1)
    if (at >= text.length) throw lost(text, start);
  at += close.length;
  // Three quotes close a text, and it may end with two of its own.
  if (close.length === 3) while (text[at] === quote) at += 1;
  return at;
}

function textOf(literal: string): string {
  return String(parse(`text = ${literal}`)['text']);
}

function past(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

function lost(text: string, at: number): NotReadable {
  return new NotReadable('its TOML is not understood', String(text.slice(0, at).split('\n').length));
}
