import type { Client } from './clients.ts';
import type { Member, ServerEntry, Slot } from './server-entry.ts';

/** A server somewhere else, behind the guard by `wrap`. */
export type WrappedRemote = {
  readonly kind: 'wrapped-remote';
  readonly url: string;
  /** What the field with its address was called, and its type, where it had one. */
  readonly field: string;
  readonly type: string | null;
  /** It had a table of headers, which is the one of variables now. */
  readonly hasHeaders: boolean;
  /** The headers, behind their variables. */
  readonly headers: readonly (readonly [variable: string, header: string])[];
  /** The variable with a token. */
  readonly bearer: string | null;
  readonly env: Slot;
  /** Where the address is. */
  readonly address: Member;
};

/** Flags that `wrap` writes and knows its own work by; the first is the last word. */
const REMOTE_MARK = '--wrapped-remote=';
const TYPE_MARK = '--wrapped-type=';
const HEADER = '--header-env=';
const BEARER = '--bearer-env=';
const WITH_HEADERS = '+headers';
/** The variable with the address: it may be a secret, and commands can be seen by everybody on a machine. */
export const URL_VARIABLE = 'DELOOP_MCP_URL';

/** The flags that tell the guard of a server, and `unwrap` of its entry. */
export function remoteFlags(told: {
  readonly field: string;
  readonly type: string | null;
  readonly hasHeaders: boolean;
  /** Names of headers, and the variables with their values. */
  readonly headers: readonly (readonly [header: string, variable: string])[];
  readonly bearer: string | null;
  readonly helper: string | null;
  readonly transport: string | null;
}): readonly string[] {
  const { field, type, hasHeaders, headers, bearer, helper, transport } = told;
  return [
    `--url-env=${URL_VARIABLE}`,
    ...(transport === null ? [] : [`--via=${transport}`]),
    ...headers.map(([header, variable]) => `${HEADER}${header}=${variable}`),
    ...(bearer === null ? [] : [BEARER + bearer]),
    ...(helper === null ? [] : [`--headers-helper=${helper}`]),
    ...(type === null ? [] : [`${TYPE_MARK}${type}`]),
    `${REMOTE_MARK}${field}${hasHeaders ? WITH_HEADERS : ''}`,
  ];
}

/** Null = it is none. */
export function wrappedRemoteOf(
  { fields }: ServerEntry,
  words: readonly string[],
  client: Client,
): WrappedRemote | null {
  const guard = words.indexOf('mcp', 1);
  const mark = words.at(-1) ?? '';
  const flags = words.slice(guard + 1);
  const env = fields.get(client.words.env);
  const address = env?.members?.find(({ is }) => is === URL_VARIABLE);
  const url = address?.value.text ?? null;
  if (guard < 1 || !mark.startsWith(REMOTE_MARK) || !flags.every((word) => word.startsWith('--')))
    return null;
  if (env === undefined || address === undefined || url === null) return null;
  const told = mark.slice(REMOTE_MARK.length);
  const flagOf = (start: string) => flags.find((word) => word.startsWith(start))?.slice(start.length) ?? null;
  return {
    kind: 'wrapped-remote',
    url,
    field: told.replace(WITH_HEADERS, ''),
    type: flagOf(TYPE_MARK),
    bearer: flagOf(BEARER),
    hasHeaders: told.endsWith(WITH_HEADERS),
    headers: flags.filter((word) => word.startsWith(HEADER)).map(variableAndHeader),
    env,
    address,
  };
}

/** A name for each header that any shell lets through. */
export function variablesFor(headers: readonly string[]): readonly string[] {
  const taken = new Set<string>([URL_VARIABLE]);
  return headers.map((header) => {
    const plain = `DELOOP_HEADER_${header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}_${number}`;
    taken.add(name);
    return name;
  });
}

function variableAndHeader(word: string): readonly [variable: string, header: string] {
  const at = word.lastIndexOf('=');
  return [word.slice(at + 1), word.slice(HEADER.length, at)];
}
