import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../../../transcripts/fields.ts';
import type { Client } from './clients.ts';
import { prefix, withoutPrefix } from './list-edits.ts';
import { fieldsChanged, remoteSaying, wrappedSaying } from './remote-saying.ts';
import { applied, type Edit, NotReadable, type ServerEntry, type Slot, type Word } from './server-entry.ts';
import { MARKS, standingOf, type Wrapped } from './standing.ts';
import { unwrapRemoteEdits, wrapRemoteEdits } from './wrap-remote.ts';

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
  const made = read(bare, client)
    .filter(chosen)
    .flatMap((entry) => {
      const edits = wrapEditsOf(bare, entry, client, words);
      return edits === null ? [] : [{ entry, edits }];
    });
  const wrapped = applied(
    bare,
    made.flatMap(({ edits }) => edits),
  );
  check(
    bare,
    wrapped,
    client,
    made.map(({ entry }) => entry),
  );
  if (unwrappedText(wrapped, client, chosen) !== bare) throw notSafe();
  return wrapped;
}

/** The text with the chosen servers as they were, to the byte. */
export function unwrappedText(text: string, client: Client, chosen: Chosen): string {
  const made = read(text, client)
    .filter(chosen)
    .flatMap((entry) => {
      const edits = unwrapEditsOf(text, entry, client);
      return edits === null ? [] : [{ entry, edits }];
    });
  const bare = applied(
    text,
    made.flatMap(({ edits }) => edits),
  );
  check(
    text,
    bare,
    client,
    made.map(({ entry }) => entry),
  );
  return bare;
}

/** Null = it stays as it is. */
function wrapEditsOf(
  text: string,
  entry: ServerEntry,
  client: Client,
  words: GuardWords,
): readonly Edit[] | null {
  const standing = standingOf(entry, client);
  if (standing.kind === 'plain') return wrapEdits(text, entry, client, words);
  if (standing.kind !== 'remote') return null;
  const { run, flags } = words(entry.name);
  return wrapRemoteEdits(text, standing.remote, client, [...run, 'mcp', ...flags]);
}

function unwrapEditsOf(text: string, entry: ServerEntry, client: Client): readonly Edit[] | null {
  const standing = standingOf(entry, client);
  if (standing.kind === 'wrapped') return unwrapEdits(text, entry, standing, client);
  if (standing.kind !== 'wrapped-remote') return null;
  const edits = unwrapRemoteEdits(text, entry, standing, client);
  if (edits === null) throw notSafe();
  return edits;
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

/** What a server is, behind the guard or not. */
function ownWords(entry: ServerEntry, client: Client): unknown {
  const standing = standingOf(entry, client);
  switch (standing.kind) {
    case 'plain':
    case 'wrapped':
      return standing.words;
    case 'remote':
      return remoteSaying(standing.remote);
    case 'wrapped-remote':
      return wrappedSaying(standing, entry, client);
    default:
      return null;
  }
}

/** What a text says beside what these servers are, which must be what was read of them. */
function meaningWithout(text: string, client: Client, entries: readonly ServerEntry[]): unknown {
  const meaning = client.notation.meaningOf(text);
  for (const entry of entries) {
    const { path, fields } = entry;
    const server = path.reduce((at: unknown, step) => (isFields(at) ? at[step] : undefined), meaning);
    if (!isFields(server)) throw notSafe();
    for (const name of fieldsChanged(standingOf(entry, client), client)) {
      const said = server[name];
      // Parsers give tables without a prototype.
      if (!isDeepStrictEqual(readingOf(fields.get(name)), isFields(said) ? { ...said } : said))
        throw notSafe();
      Reflect.deleteProperty(server, name);
    }
  }
  return meaning;
}

/** A value as it was read. */
function readingOf(slot: Slot | undefined): unknown {
  if (slot?.members != null)
    return Object.fromEntries(slot.members.map(({ is, value }) => [is, value.text ?? undefined]));
  return slot?.items?.map((item) => item.text) ?? slot?.text;
}

function notSafe(): NotReadable {
  return new NotReadable('it is written in a way that could not be restored to the byte');
}
