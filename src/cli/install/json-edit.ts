import { type Node, parseTree } from 'jsonc-parser';

/** One way down into a JSON document: names of members, numbers of elements. */
export type JsonPath = readonly (string | number)[];

type Layout = {
  readonly eol: string;
  /** One step of indentation; empty = the file has no lines. */
  readonly unit: string;
};

/**
 * The text with one more member or element at the end of a container, and not a byte of it changed otherwise. Null = there is no such
 * container. Comments stay where they are: one behind the last item stays behind it.
 */
export function appended(text: string, path: JsonPath, name: string | null, value: unknown): string | null {
  const container = nodeAt(text, path);
  if (container === undefined || container.type !== (name === null ? 'array' : 'object')) return null;
  const layout = layoutOf(text);
  const children = container.children ?? [];
  const last = children.at(-1);
  const base = indentAt(text, container.offset);
  const own =
    last === undefined || !startsLine(text, last.offset) ? base + layout.unit : indentAt(text, last.offset);
  const item = itemText(name, value, own, layout);
  if (last === undefined) return inEmpty(text, container, item, base, own, layout);
  const end = last.offset + last.length;
  const { comma, rest } = behind(text, end, container.offset + container.length - 1);
  const lead = layout.unit === '' ? '' : `${layout.eol}${own}`;
  if (comma >= 0) {
    const at = Math.max(rest, comma + 1);
    return `${text.slice(0, at)}${lead}${item},${text.slice(at)}`;
  }
  return `${text.slice(0, end)},${text.slice(end, rest)}${lead}${item}${text.slice(rest)}`;
}

/** The text without one member or element, and with everything that others wrote around it. */
export function removed(text: string, path: JsonPath): string {
  const node = nodeAt(text, path);
  if (node === undefined) return text;
  const item = node.parent?.type === 'property' ? node.parent : node;
  const container = item.parent as Node;
  const siblings = container.children as Node[];
  const index = siblings.indexOf(item);
  const end = item.offset + item.length;
  const next = siblings[index + 1];
  if (next !== undefined) return text.slice(0, item.offset) + text.slice(next.offset);
  const close = container.offset + container.length - 1;
  const before = siblings[index - 1];
  const from = before === undefined ? container.offset + 1 : before.offset + before.length;
  const { comma, rest } = behind(text, from, item.offset);
  const trailing = behind(text, end, close).comma;
  const tail = text.slice(trailing >= 0 ? trailing + 1 : end);
  // With a comma behind it, the one before stays: it has become the one behind the last.
  if (before === undefined || trailing >= 0) return text.slice(0, Math.max(rest, comma + 1)) + tail;
  return text.slice(0, comma) + text.slice(comma + 1, Math.max(rest, comma + 1)) + tail;
}

/** A whole document of one's own. */
export function documentOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function nodeAt(text: string, path: JsonPath): Node | undefined {
  let node = parseTree(text, [], { allowTrailingComma: true });
  for (const step of path) {
    if (typeof step === 'number') node = node?.type === 'array' ? node.children?.[step] : undefined;
    else
      node =
        node?.type === 'object'
          ? node.children?.findLast((member) => member.children?.[0]?.value === step)?.children?.[1]
          : undefined;
  }
  return node;
}

function inEmpty(
  text: string,
  container: Node,
  item: string,
  base: string,
  own: string,
  layout: Layout,
): string {
  const at = container.offset + 1;
  const inside = text.slice(at, container.offset + container.length - 1);
  if (layout.unit === '') return text.slice(0, at) + item + text.slice(at);
  const close = inside.includes('\n') ? '' : `${layout.eol}${base}`;
  return `${text.slice(0, at)}${layout.eol}${own}${item}${close}${text.slice(at)}`;
}

/**
 * What follows an item: where its comma is (-1 = none), and where the line goes on with neither a comment nor a comma of the
 * item's any more.
 */
function behind(text: string, from: number, to: number): { readonly comma: number; readonly rest: number } {
  let comma = -1;
  let rest = from;
  let sameLine = true;
  for (let at = from; at < to; ) {
    const end = tokenEnd(text, at);
    if (text[at] === ',') comma = at;
    if (text[at] === '\n') sameLine = false;
    else if (sameLine && text.slice(at, end).trim() !== '') rest = end;
    at = end;
  }
  return { comma, rest };
}

/** Where a comment, or else the character, ends. */
function tokenEnd(text: string, at: number): number {
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end - (text[end - 1] === '\r' ? 1 : 0);
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  return at + 1;
}

function layoutOf(text: string): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const [, unit = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { eol, unit: text.trim().includes('\n') || text.trim().length < 3 ? unit : '' };
}

/** The white space that the line begins with. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function startsLine(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return start > 0 && text.slice(start, offset).trim() === '';
}

function itemText(name: string | null, value: unknown, own: string, { eol, unit }: Layout): string {
  const compact = unit === '';
  const written = compact ? JSON.stringify(value) : JSON.stringify(value, null, unit);
  const text = written.replaceAll('\n', `${eol}${own}`);
  return name === null ? text : `${JSON.stringify(name)}:${compact ? '' : ' '}${text}`;
}
