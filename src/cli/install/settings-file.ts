import type { ParseError } from 'jsonc-parser';
import { parse, printParseErrorCode } from 'jsonc-parser';
import { DeloopError } from '../../core/errors.ts';
import { isFields } from '../../transcripts/fields.ts';
import { isOurs } from './hook-command.ts';
import { appended, documentOf, type JsonPath, nodeAt, removed } from './json-edit.ts';

/** A hook to be added: `hooks.<event>` gets `entry` as its last element. */
export type HookEntry = { readonly event: string; readonly entry: { readonly [field: string]: unknown } };

/** What a file of settings may hold beside JSON. */
export type Dialect = 'json' | 'jsonc';

type Value = { readonly [name: string]: unknown };

/** The text with our entries, and nothing else changed; throws when it is no file to be changed safely. */
export function withHooks(
  text: string | null,
  entries: readonly HookEntry[],
  skeleton: Value,
  dialect: Dialect,
  where: string,
): string {
  if (text === null || text.trim() === '') {
    const hooks = Object.fromEntries(entries.map(({ event, entry }) => [event, [entry]]));
    return documentOf({ ...skeleton, hooks });
  }
  const [mark, body] = text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text];
  const before = settingsIn(body, dialect, where);
  let after = body;
  for (const [name, value] of Object.entries(skeleton))
    if (!Object.hasOwn(before, name)) after = added(after, [], name, value, where);
  if (before['hooks'] === undefined) after = added(after, [], 'hooks', {}, where);
  for (const { event, entry } of entries) {
    if (nodeAt(after, ['hooks', event]) === undefined) after = added(after, ['hooks'], event, [entry], where);
    else after = added(after, ['hooks', event], null, entry, where);
  }
  verify(before, settingsIn(after, dialect, where), entries, skeleton, where);
  return mark + after;
}

/** The text without any entry of ours, whoever wrote it down how. `made` = what was not there before: it goes when it is empty. */
export function withoutHooks(
  text: string,
  dialect: Dialect,
  where: string,
  made: (path: JsonPath) => boolean,
): string {
  const [mark, body] = text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text];
  let after = body;
  settingsIn(after, dialect, where);
  for (let path = firstOfOurs(after); path !== null; path = firstOfOurs(after)) {
    // A group goes with the last of its commands: its matcher is for nothing then.
    const alone = path.length > 3 && (nodeAt(after, path.slice(0, -1))?.children ?? []).length === 1;
    const gone = alone ? path.slice(0, 3) : path;
    after = removed(after, gone);
    for (
      let parent = gone.slice(0, -1);
      parent.length > 0 && parent.length < 3;
      parent = parent.slice(0, -1)
    ) {
      if ((nodeAt(after, parent)?.children ?? []).length > 0 || !made(parent)) break;
      after = removed(after, parent);
    }
  }
  return mark + after;
}

/** Every command of ours in a text, by event. */
export function hooksIn(text: string): readonly { readonly event: string; readonly command: string }[] {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const value: unknown = parse(body, [], { allowTrailingComma: true });
  const found: { event: string; command: string }[] = [];
  for (const [event, path] of entriesIn(value)) {
    const command = commandAt(value, path);
    if (isOurs(command)) found.push({ event, command });
  }
  return found;
}

function firstOfOurs(text: string): JsonPath | null {
  const value: unknown = parse(text, [], { allowTrailingComma: true });
  for (const [, path] of entriesIn(value)) if (isOurs(commandAt(value, path))) return path;
  return null;
}

/** Where commands stand: `hooks.EVENT[n]`, or in a group, `hooks.EVENT[n].hooks[m]`. */
function entriesIn(value: unknown): readonly (readonly [event: string, path: JsonPath])[] {
  if (!isFields(value) || !isFields(value['hooks'])) return [];
  return Object.entries(value['hooks']).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown, n: number): [string, JsonPath][] => {
      const inner = isFields(entry) ? entry['hooks'] : undefined;
      if (!Array.isArray(inner)) return [[event, ['hooks', event, n]]];
      return inner.map((_, m): [string, JsonPath] => [event, ['hooks', event, n, 'hooks', m]]);
    }),
  );
}

function commandAt(value: unknown, path: JsonPath): unknown {
  let at = value;
  for (const step of path) at = (at as Value | undefined)?.[step];
  if (!isFields(at)) return undefined;
  const { command, bash, powershell } = at;
  return command ?? bash ?? powershell;
}

/** What the text says; throws when the host could not read it, or when `hooks` is something else than hooks. */
function settingsIn(text: string, dialect: Dialect, where: string): Value {
  const errors: ParseError[] = [];
  const lenient = dialect === 'jsonc';
  const value: unknown = parse(text, errors, { allowTrailingComma: lenient, disallowComments: !lenient });
  const [fault] = errors;
  if (fault !== undefined) {
    const before = text.slice(0, fault.offset).split('\n');
    const column = (before.at(-1) as string).length + 1;
    throw refusal(`${where}:${before.length}:${column}`, `is not JSON (${printParseErrorCode(fault.error)})`);
  }
  if (!isFields(value)) throw refusal(where, 'holds no JSON object');
  const { hooks } = value;
  if (hooks !== undefined && !isFields(hooks)) throw refusal(where, 'has "hooks" that are no object');
  for (const [event, list] of Object.entries(hooks ?? {}))
    if (!Array.isArray(list) && isEvent(event)) throw refusal(where, `has "hooks.${event}" that is no list`);
  return value;
}

/** Other members of `hooks` are settings of the host's own. */
function isEvent(name: string): boolean {
  return /^(?:Pre|Post|User|Before|After|pre|post|before|permission)/.test(name);
}

function added(text: string, path: JsonPath, name: string | null, value: unknown, where: string): string {
  const next = appended(text, path, name, value);
  if (next === null) throw refusal(where, `cannot be changed at ${path.join('.') || 'its root'}`);
  return next;
}

/** The last look before anything is written: the file says what it said, and what was to be added. */
function verify(
  before: Value,
  after: Value,
  entries: readonly HookEntry[],
  skeleton: Value,
  where: string,
): void {
  const hooks: { [event: string]: unknown } = { ...(before['hooks'] as Value | undefined) };
  for (const { event, entry } of entries) {
    const list = hooks[event];
    hooks[event] = [...(Array.isArray(list) ? list : []), entry];
  }
  if (!same({ ...skeleton, ...before, hooks }, after))
    throw refusal(where, 'would not say what it said before; it was left as it is');
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

function refusal(where: string, why: string): DeloopError {
  return new DeloopError('option', `${where} ${why}; nothing was changed`);
}
