import type { Client } from './clients.ts';
import { type RemoteEntry, variablesIn } from './remote-entry.ts';
import type { ServerEntry } from './server-entry.ts';
import type { Standing } from './standing.ts';
import type { WrappedRemote } from './wrapped-remote.ts';

/** What an entry says of a server somewhere else, however it is written: to compare it before and after. */
export type RemoteSaying = {
  readonly url: string | null;
  readonly field: string;
  readonly type: string | null;
  /** By name; null = there was no table of them. */
  readonly headers: { readonly [name: string]: string | null } | null;
  readonly fromEnvironment: { readonly [name: string]: string };
  readonly bearer: string | null;
};

const COMMAND: readonly string[] = ['command', 'args'];

export function remoteSaying(remote: RemoteEntry): RemoteSaying {
  const { address, field, type, headers } = remote;
  return {
    url: address.text,
    field,
    type: type?.text ?? null,
    headers:
      headers === undefined
        ? null
        : Object.fromEntries((headers.members ?? []).map(({ is, value }) => [is, value.text])),
    fromEnvironment: Object.fromEntries(variablesIn(remote)),
    bearer: remote.bearer?.text ?? null,
  };
}

export function wrappedSaying(
  wrapped: WrappedRemote,
  { fields }: ServerEntry,
  { words }: Client,
): RemoteSaying {
  const { url, field, type, hasHeaders, headers, bearer, address } = wrapped;
  const members = (fields.get(words.env)?.members ?? []).filter(({ is }) => is !== address.is);
  const own = new Set(members.map(({ is }) => is));
  return {
    url,
    field,
    type,
    bearer,
    headers: hasHeaders
      ? Object.fromEntries(members.map(({ is, value }) => [new Map(headers).get(is), value.text]))
      : null,
    fromEnvironment: Object.fromEntries(
      headers.filter(([variable]) => !own.has(variable)).map(([variable, header]) => [header, variable]),
    ),
  };
}

/** The fields that come and go with the guard. */
export function fieldsChanged(standing: Standing, { words }: Client): readonly string[] {
  if (standing.kind === 'remote')
    return [standing.remote.field, 'type', words.headers, 'bearer_token_env_var', 'env_http_headers'];
  if (standing.kind === 'wrapped-remote') return [...COMMAND, 'type', words.env, 'env_vars'];
  return COMMAND;
}
