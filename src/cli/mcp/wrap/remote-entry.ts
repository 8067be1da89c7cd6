import type { Client } from './clients.ts';
import type { ServerEntry, Slot } from './server-entry.ts';

/** A server somewhere else, as a client has written it down. */
export type RemoteEntry = {
  /** The name of the field with its address. */
  readonly field: string;
  readonly address: Slot;
  readonly type: Slot | undefined;
  /** The table of headers. */
  readonly headers: Slot | undefined;
  /** The variable with a token, which a client such as Codex reads itself. */
  readonly bearer: Slot | undefined;
  /** Headers by the variables that hold their values, likewise. */
  readonly fromEnvironment: Slot | undefined;
  /** A command that prints headers, of Claude Code. It stays where it is: a command's entry has no use for it. */
  readonly helper: Slot | undefined;
};

const ADDRESSES: readonly string[] = ['url', 'httpUrl', 'serverUrl'];
const OVER_HTTP: readonly string[] = ['http', 'streamable-http', 'streamableHttp', 'streamable_http'];
const TYPES: readonly string[] = [...OVER_HTTP, 'sse', 'remote'];
/** Settings by which a client proves by its own means who asks. */
const OWN_SIGN_IN: readonly string[] = ['oauth', 'auth', 'authProviderType', 'scopes', 'oauth_resource'];

/** Null = it has no address. */
export function remoteOf({ fields }: ServerEntry, { words }: Client): RemoteEntry | null {
  const field = ADDRESSES.find((name) => fields.has(name));
  if (field === undefined || fields.has('command')) return null;
  return {
    field,
    address: fields.get(field) as Slot,
    type: fields.get('type'),
    headers: fields.get(words.headers),
    bearer: fields.get('bearer_token_env_var'),
    fromEnvironment: fields.get('env_http_headers'),
    helper: fields.get('headersHelper'),
  };
}

/** Why a server somewhere else cannot be put behind the guard; null = it can. */
export function whyNotWrapped(entry: ServerEntry, remote: RemoteEntry, client: Client): string | null {
  const { fields } = entry;
  const { address, type, headers, bearer, fromEnvironment, helper } = remote;
  if (address.text === null) return 'its address is no text';
  if (type !== undefined && !TYPES.includes(type.text ?? '')) return 'its type is none that is known';
  const signIn = OWN_SIGN_IN.find((name) => fields.has(name));
  if (signIn !== undefined) return `its client signs in to it by settings of its own (${signIn})`;
  const clash = ['args', client.words.env, 'env_vars'].find((name) => fields.has(name));
  if (clash !== undefined) return `it has ${clash}, as a command does`;
  for (const table of [headers, fromEnvironment])
    if (table !== undefined && !isTexts(table)) return 'its headers are not all texts';
  if (bearer !== undefined && bearer.text === null) return 'its bearer_token_env_var is no text';
  if (helper !== undefined && helper.text === null) return 'its headersHelper is no text';
  return null;
}

/** The transport that an entry names, for `--via`; null = it is to be found out. */
export function transportIn({ field, type }: RemoteEntry): 'http' | 'sse' | null {
  if (type?.text === 'sse') return 'sse';
  return field === 'httpUrl' || OVER_HTTP.includes(type?.text ?? '') ? 'http' : null;
}

/** The headers of an entry that come from variables, as `--header-env` has them. */
export function variablesIn({
  fromEnvironment,
}: RemoteEntry): readonly (readonly [header: string, variable: string])[] {
  return (fromEnvironment?.members ?? []).map(({ is, value }) => [is, value.text as string]);
}

function isTexts({ members }: Slot): boolean {
  return members?.every(({ value }) => value.text !== null) === true;
}
