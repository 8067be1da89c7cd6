import type { Client } from './clients.ts';
import { prefix, withoutPrefix } from './list-edits.ts';
import { type RemoteEntry, transportIn, variablesIn } from './remote-entry.ts';
import type { Edit, Member, ServerEntry, Slot, Span } from './server-entry.ts';
import { remoteFlags, URL_VARIABLE, variablesFor, type WrappedRemote } from './wrapped-remote.ts';

/** What makes a command of a server somewhere else; null = the way it is written does not let it. */
export function wrapRemoteEdits(
  text: string,
  remote: RemoteEntry,
  { notation, commandList, words }: Client,
  guard: readonly string[],
): readonly Edit[] | null {
  const { field, address, type, headers, bearer, fromEnvironment, helper } = remote;
  const names = (headers?.members ?? []).map(({ is }) => is);
  const variables = variablesFor(names);
  const fromOthers = variablesIn(remote);
  const hidden = [bearer, fromEnvironment]
    .flatMap((slot) => slot ?? [])
    .map((slot) => notation.hide?.(text, slot) ?? null);
  if (hidden.includes(null)) return null;
  const flags = remoteFlags({
    field,
    type: type?.text ?? null,
    hasHeaders: headers !== undefined,
    headers: [...names.map((name, index) => [name, variables[index] as string] as const), ...fromOthers],
    bearer: bearer?.text ?? null,
    helper: helper?.text ?? null,
    transport: transportIn(remote),
  });
  const passed = [
    ...(bearer?.text == null ? [] : [bearer.text]),
    ...fromOthers.map(([, variable]) => variable),
  ];
  const own = text.slice(address.key, address.name.start);
  const written = (name: string, value: string) => `${own}${notation.nameOf(name)}${notation.is}${value}`;
  const [program = '', ...args] = [...guard, ...flags].map(notation.literal);
  const member = `${renamed(text, address.name, URL_VARIABLE)}${text.slice(address.name.end, address.end)}`;
  const block = [
    ...(commandList
      ? [written('command', `[${[program, ...args].join(', ')}]`)]
      : [written('command', program), written('args', `[${args.join(', ')}]`)]),
    ...(passed.length === 0 ? [] : [written('env_vars', `[${passed.map(notation.literal).join(', ')}]`)]),
    ...(headers === undefined ? [written(words.env, `{ ${member} }`)] : []),
  ];
  return [
    { start: address.key, end: address.end, text: block.join(notation.between(text, address)) },
    ...(type === undefined ? [] : [{ start: type.start, end: type.end, text: notation.literal(words.type) }]),
    ...(headers === undefined ? [] : headersToVariables(text, headers, words.env, variables, member)),
    ...(hidden as readonly Edit[]),
  ];
}

function headersToVariables(
  text: string,
  headers: Slot,
  env: string,
  variables: readonly string[],
  member: string,
): readonly Edit[] {
  const members = headers.members ?? [];
  const first = headers.isBlock
    ? {
        start: lineEnd(text, headers.start),
        end: lineEnd(text, headers.start),
        text: `${eolOf(text)}${member}`,
      }
    : prefix(text, listed(headers), [member]);
  return [
    { ...headers.name, text: renamed(text, headers.name, env) },
    first,
    ...members.map(({ name }, index) => ({ ...name, text: renamed(text, name, variables[index] as string) })),
  ];
}

/** The way back; null = somebody has changed too much. */
export function unwrapRemoteEdits(
  text: string,
  { fields, path }: ServerEntry,
  wrapped: WrappedRemote,
  { notation, words }: Client,
): readonly Edit[] | null {
  const { field, type, hasHeaders, env, address } = wrapped;
  const command = fields.get('command') as Slot;
  const kind = fields.get('type');
  const own = text.slice(command.key, command.name.start);
  const restored = `${own}${renamed(text, address.name, field)}${text.slice(address.name.end, address.value.end)}`;
  const ours = ['command', 'args', 'env_vars'].flatMap((name) => fields.get(name) ?? []);
  const runs = adjacent(text, hasHeaders ? ours : [...ours, env]);
  const back = hasHeaders ? variablesToHeaders(text, wrapped, words.headers) : [];
  // Variables of somebody else's have no place in an entry with an address.
  if (back === null || (!hasHeaders && env.members?.length !== 1)) return null;
  return [
    ...runs.map((run) =>
      run.includes(command)
        ? { start: run[0]?.key as number, end: run.at(-1)?.end as number, text: restored }
        : dropped(text, { start: run[0]?.key as number, end: run.at(-1)?.end as number }),
    ),
    ...(type === null || kind === undefined
      ? []
      : [{ start: kind.start, end: kind.end, text: notation.literal(type) }]),
    ...back,
    ...notation.unhide(text, path),
  ];
}

function variablesToHeaders(
  text: string,
  { env, address, headers }: WrappedRemote,
  table: string,
): readonly Edit[] | null {
  const members = (env.members ?? []).filter((member) => member !== address);
  const known = new Map(headers);
  const names = members.map(({ is }) => known.get(is));
  if (names.includes(undefined)) return null;
  return [
    { ...env.name, text: renamed(text, env.name, table) },
    withoutAddress(text, env, address),
    ...members.map((member, index) => ({
      ...member.name,
      text: renamed(text, member.name, names[index] as string),
    })),
  ];
}

/** Another name in the place of one, in quotes of the same kind: these tell how it was written. */
function renamed(text: string, { start }: Span, name: string): string {
  const quote = text[start] ?? '';
  if (quote === '"') return JSON.stringify(name);
  return quote === "'" ? `'${name}'` : name;
}

function withoutAddress(text: string, env: Slot, address: Member): Edit {
  const { start } = address.name;
  const end = address.value.end;
  if (env.isBlock) return { start: lineStart(text, start) - eolOf(text).length, end, text: '' };
  const members = env.members ?? [];
  const index = members.indexOf(address);
  if (index === 0) return withoutPrefix(text, listed(env), 0);
  return { start: members[index - 1]?.value.end as number, end, text: '' };
}

/** Fields that stand side by side, with nothing but commas between them. */
function adjacent(text: string, slots: readonly Slot[]): readonly (readonly Slot[])[] {
  const runs: Slot[][] = [];
  for (const slot of slots.toSorted((one, other) => one.key - other.key)) {
    const last = runs.at(-1)?.at(-1);
    const isNext = last !== undefined && /^[\s,]*$/.test(text.slice(last.end, slot.key));
    if (isNext) runs.at(-1)?.push(slot);
    else runs.push([slot]);
  }
  return runs;
}

/** Takes a field out, with the comma that it needs no more. */
function dropped(text: string, { start, end }: Span): Edit {
  const behind = /^\s*,\s*/.exec(text.slice(end));
  if (behind !== null) return { start, end: end + behind[0].length, text: '' };
  const before = text.slice(0, start).trimEnd();
  return { start: before.length - (before.endsWith(',') ? 1 : 0), end, text: '' };
}

function listed({ start, members }: Slot): { readonly start: number; readonly items: readonly Span[] } {
  return { start, items: (members ?? []).map(({ name, value }) => ({ start: name.start, end: value.end })) };
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Before the line end. */
function lineEnd(text: string, at: number): number {
  return at + (/^[^\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
}
