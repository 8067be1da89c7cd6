import type { IncomingMessage } from 'node:http';
import { fieldsOf, isFields } from '../../../mcp/fields.ts';
import { isBatch, readMessages, writtenOf } from '../../../mcp/message.ts';
import { idKey } from '../../../mcp/requests.ts';
import { collected } from '../http/exchange.ts';
import { decoded } from './decoded.ts';
import type { Outgoing } from './outgoing.ts';

/** Why a server has refused a message: words for it, and its own error for the request where it has told one. */
export type Refusal = { readonly why: string; readonly answer: Buffer | null };

/** What a page of somebody else's, such as one of a gateway, may add to our own words. */
const MAX_QUOTED = 200;
const WORDS: { readonly [status: number]: string } = {
  400: 'it does not understand the request',
  401: 'it wants a sign-in: give it a header (--header, --header-env), or run deloop mcp login',
  403: 'what was sent does not permit this',
  404: 'there is no MCP server at this address',
  405: 'there is no MCP server of this kind at this address',
  407: 'a proxy in between wants a sign-in',
  413: 'the message is too long for it',
  415: 'it does not take JSON',
  429: 'it was asked too often',
  502: 'the machine before it cannot reach it',
  503: 'it is not ready',
  504: 'the machine before it has waited too long for it',
};

/** Reads an answer that is none of success. */
export async function refusalOf(answer: IncomingMessage, url: URL, message: Outgoing): Promise<Refusal> {
  const { statusCode = 0, headers } = answer;
  const body = (await collected(decoded(answer)).catch(() => null)) ?? Buffer.alloc(0);
  const error = errorIn(body, message);
  const location = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
  const why = location === undefined ? WORDS[statusCode] : `it has moved: use ${shortOf(location)}`;
  const quoted = typeof error.message === 'string' ? ` (${error.message.slice(0, MAX_QUOTED)})` : '';
  const later = headers['retry-after'] === undefined ? '' : `; again in ${shortOf(headers['retry-after'])}`;
  const words = `${url.origin}${url.pathname} has answered ${statusCode}${why === undefined ? '' : `: ${why}`}${quoted}${later}`;
  return { why: words, answer: error.answer };
}

/** The error that a server has told in JSON-RPC: as it is for our request, or for nobody in particular. */
function errorIn(
  body: Buffer,
  { message, open }: Outgoing,
): { readonly message: unknown; readonly answer: Buffer | null } {
  const read = readMessages(body);
  if (read === null || isBatch(read) || !isFields(read.fields['error']))
    return { message: undefined, answer: null };
  const { id, error } = read.fields;
  const { message: words } = fieldsOf(error);
  // What is no JSON has no id, and what is said to it has none either.
  if (message === null) return { message: words, answer: open.size === 0 ? body : null };
  const own = message.fields['id'];
  if (own === undefined) return { message: words, answer: null };
  if (id !== undefined && id !== null)
    return { message: words, answer: idKey(id) === idKey(own) ? body : null };
  const text = `{"jsonrpc":"2.0","id":${writtenOf(message, 'id')},"error":${writtenOf(read, 'error')}}`;
  return { message: words, answer: Buffer.from(text) };
}

function shortOf(text: string): string {
  return text.slice(0, MAX_QUOTED);
}
