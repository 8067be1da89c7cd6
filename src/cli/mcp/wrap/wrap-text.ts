import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../../../transcripts/fields.ts';
import type { Client } from './clients.ts';
import { applied, type Edit, NotReadable, type ServerEntry, type Slot, type Word } from './server-entry.ts';
import { MARKS, standingOf, type Wrapped } from './standing.ts';

/** The words before the server's own command, without its mark: what runs the guard, and its flags. */
export type GuardWords = (server: string) => {
  readonly run: readonly string[];
  readonly flags: readonly string[];
};

/** Which servers; those that are not named stay as they are. */
export type Chosen = (entry: ServerEntry) => boolean;

/** The text with the chosen servers behind the guard. What is behind it already gets the words of today. Throws when it could not be undone. */
export function wrappedText(text: string, client: Client, chosen: Chosen, words: GuardWords): string {
  const bare = unwrappedText(text, client, chosen);
  const plain = read(bare, client).filter(
    (entry) => chosen(entry) && standingOf(entry, client.commandList).kind === 'plain',
  );
  const wrapped = applied(
    bare,
    plain.flatMap((entry) => wrapEdits(bare, entry, client, words)),
  );
  check(bare, wrapped, client, plain);
  if (unwrappedText(wrapped, client, chosen) !== bare) throw notSafe();
  return wrapped;
}

/** The text with the chosen servers as they were, to the byte. */
export function unwrappedText(text: string, client: Client, chosen: Chosen): string {
  const wrapped = read(text, client).flatMap((entry) => {
    const standing = standingOf(entry, client.commandList);
    return standing.kind === 'wrapped' && chosen(entry) ? [{ entry, standing }] : [];
  });
  const bare = applied(
    text,
    wrapped.flatMap(({ entry, standing }) => unwrapEdits(text, entry, standing, client)),
  );
  check(
    text,
    bare,
    client,
    wrapped.map(({ entry }) => entry),
  );
  return bare;
}

function read(text: string, { notation, lists }: Client): readonly ServerEntry[] {
  return notation.read(text, lists);
}

function wrapEdits(
  text: string,
  { name, fields }: ServerEntry,
  { notation, commandList }: Client,
  words: GuardWords,
): readonly Edit[] {
  const command = fields.get('command') as Slot;
  const args = fields.get('args');
  const [program = '', ...rest] = guardWords(words, name, !commandList && args === undefined);
  const literals = rest.map(notation.literal);
  if (commandList) return [prefix(text, command, [notation.literal(program), ...literals])];
  const own = [...literals, text.slice(command.start, command.end)];
  return [
    { start: command.start, end: command.end, text: notation.literal(program) },
    args === undefined ? notation.addArgs(text, command, `[${own.join(', ')}]`) : prefix(text, args, own),
  ];
}

function guardWords(words: GuardWords, server: string, alone: boolean): readonly string[] {
  const { run, flags } = words(server);
  return [...run, 'mcp', ...flags, alone ? MARKS.alone : MARKS.wrapped];
}

/** Elements before those that are there, laid out as these are. */
function prefix(text: string, { start, items }: Slot, literals: readonly string[]): Edit {
  const at = start + 1;
  const lead = leadOf(text, at, items?.[0]?.start);
  const joined = literals.join(', ');
  if (items?.length === 0) return { start: at, end: at, text: joined };
  return { start: at, end: at, text: lead === '' ? `${joined}, ` : `${lead}${joined},` };
}

/** The other way round: see `prefix`. */
function withoutPrefix(text: string, { start, items }: Slot, last: number): Edit {
  const at = start + 1;
  const end = items?.[last]?.end ?? at;
  const next = items?.[last + 1];
  if (next === undefined) return { start: at, end, text: '' };
  const comma = text.indexOf(',', end) + 1;
  const space = leadOf(text, at, items?.[0]?.start) === '' && text[comma] === ' ' ? 1 : 0;
  return { start: at, end: comma + space, text: '' };
}

/** The white space before the first element; none where there is more than that. */
function leadOf(text: string, from: number, to = from): string {
  const lead = text.slice(from, to);
  return lead.trim() === '' ? lead : '';
}

function unwrapEdits(
  text: string,
  { fields }: ServerEntry,
  { list, separator, alone }: Wrapped,
  { notation, commandList }: Client,
): readonly Edit[] {
  if (commandList) return [withoutPrefix(text, list, separator)];
  const command = fields.get('command') as Slot;
  const own = list.items?.[separator + 1] as Word;
  const added = alone && list.items?.length === separator + 2 ? notation.dropArgs(text, command, list) : null;
  return [
    { start: command.start, end: command.end, text: text.slice(own.start, own.end) },
    added ?? withoutPrefix(text, list, separator + 1),
  ];
}

/** The last look before anything is written: it says what it said, and only the guard has come or gone. */
function check(before: string, after: string, client: Client, changed: readonly ServerEntry[]): void {
  if (after !== before && !isSafe(before, after, client, changed)) throw notSafe();
}

function isSafe(before: string, after: string, client: Client, changed: readonly ServerEntry[]): boolean {
  const now = new Map(readAgain(after, client).map((entry) => [JSON.stringify(entry.path), entry]));
  const then = changed.map((entry) => [entry, now.get(JSON.stringify(entry.path))] as const);
  const same = then.every(
    ([entry, other]) =>
      other !== undefined && isDeepStrictEqual(ownWords(entry, client), ownWords(other, client)),
  );
  const rest = [
    meaningWithout(before, client, changed),
    meaningWithout(
      after,
      client,
      then.flatMap(([, other]) => other ?? []),
    ),
  ];
  return same && isDeepStrictEqual(rest[0], rest[1]);
}

/** What is wrong with a text that we have made is no fault of the file. */
function readAgain(text: string, client: Client): readonly ServerEntry[] {
  try {
    return read(text, client);
  } catch (error) {
    throw error instanceof NotReadable ? notSafe() : error;
  }
}

/** The server's command, behind the guard or not. */
function ownWords(entry: ServerEntry, { commandList }: Client): readonly string[] | null {
  const standing = standingOf(entry, commandList);
  return standing.kind === 'plain' || standing.kind === 'wrapped' ? standing.words : null;
}

/** What a text says beside the commands of these servers, which must be what was read of them. */
function meaningWithout(text: string, { notation }: Client, entries: readonly ServerEntry[]): unknown {
  const meaning = notation.meaningOf(text);
  for (const { path, fields } of entries) {
    const server = path.reduce((at: unknown, step) => (isFields(at) ? at[step] : undefined), meaning);
    if (!isFields(server)) throw notSafe();
    for (const name of ['command', 'args']) {
      const slot = fields.get(name);
      const read = slot?.items?.map((item) => item.text) ?? slot?.text;
      if (!isDeepStrictEqual(read, server[name])) throw notSafe();
      Reflect.deleteProperty(server, name);
    }
  }
  return meaning;
}

function notSafe(): NotReadable {
  return new NotReadable('it is written in a way that could not be restored to the byte');
}
