import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import {
  type Edit,
  type ListPath,
  type Member,
  type Notation,
  NotReadable,
  type ServerEntry,
  type Slot,
  type Span,
  type Word,
} from './server-entry.ts';

/** JSON as JSON.parse takes it. */
export const jsonNotation: Notation = notation(false);
/** JSON with comments and trailing commas. */
export const jsoncNotation: Notation = notation(true);

function notation(lenient: boolean): Notation {
  return {
    read: (text, lists) => {
      const root = rootOf(text, lenient);
      return lists.flatMap((list) => listsAt(root, list, [])).flatMap(entriesIn);
    },
    meaningOf: (text) => getNodeValue(rootOf(text, lenient)),
    literal: (text) => JSON.stringify(text),
    addArgs,
    dropArgs,
    nameOf: (text) => JSON.stringify(text),
    is: ': ',
    between: (text, like) => `,${leadOf(text, like)}`,
    hide: null,
    unhide: () => [],
  };
}

function rootOf(text: string, lenient: boolean): Node {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: lenient, disallowComments: !lenient });
  } catch (error) {
    if (error instanceof RangeError) throw new NotReadable('it is nested too deep');
    throw error;
  }
  const [fault] = errors;
  if (fault !== undefined) {
    const before = text.slice(0, fault.offset).split('\n');
    const at = `${before.length}:${(before.at(-1) as string).length + 1}`;
    throw new NotReadable(`it is not JSON (${printParseErrorCode(fault.error)})`, at);
  }
  if (root?.type !== 'object') throw new NotReadable('it holds no JSON object');
  return root;
}

type Found = { readonly node: Node; readonly path: readonly string[] };

/** Objects whose members are all objects, as the members of a list of servers are. */
function listsAt(node: Node, [step, ...rest]: ListPath, path: readonly string[]): readonly Found[] {
  if (node.type !== 'object') return [];
  if (step === undefined) {
    const plain = membersOf(node).every(({ value }) => value.type === 'object');
    return plain ? [{ node, path }] : [];
  }
  return membersOf(node)
    .filter(({ name }) => step === '*' || name === step)
    .flatMap(({ name, value }) => listsAt(value, rest, [...path, name]));
}

function entriesIn({ node, path }: Found): readonly ServerEntry[] {
  return membersOf(node).map(({ name, value }) => ({
    name,
    path: [...path, name],
    fields: new Map(membersOf(value).map((member) => [member.name, slotOf(member)])),
  }));
}

type Pair = { readonly name: string; readonly key: Span; readonly value: Node };

/** Of several with one name the last. */
function membersOf({ children = [] }: Node): readonly Pair[] {
  const members = new Map<string, Pair>();
  for (const { children: pair = [] } of children) {
    const [named, value] = pair;
    if (named === undefined || value === undefined) continue;
    const name = String(named.value);
    members.set(name, { name, key: spanOf(named), value });
  }
  return [...members.values()];
}

function slotOf({ key, value }: Pair): Slot {
  const items = value.type === 'array' ? (value.children ?? []).map(wordOf) : null;
  const members = value.type === 'object' ? membersOf(value).map(memberOf) : null;
  return { key: key.start, name: key, ...wordOf(value), items, members, isBlock: false };
}

function memberOf({ name, key, value }: Pair): Member {
  return { name: key, is: name, value: wordOf(value) };
}

function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

function wordOf({ offset, length, type, value }: Node): Word {
  return { start: offset, end: offset + length, text: type === 'string' ? String(value) : null };
}

function addArgs(text: string, command: Slot, list: string): Edit {
  const { end } = command;
  return { start: end, end, text: `,${leadOf(text, command)}"args": ${list}` };
}

/** The white space before a field that stands in a line of its own; else a blank. */
function leadOf(text: string, { key }: Slot): string {
  const before = text.slice(0, key);
  const lead = before.slice(before.trimEnd().length);
  return lead.includes('\n') ? lead : ' ';
}

function dropArgs(text: string, command: Slot, { key, end }: Slot): Edit | null {
  const between = text.slice(command.end, key).trim();
  return between === ',' ? { start: command.end, end, text: '' } : null;
}
