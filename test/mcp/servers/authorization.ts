import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answersJson, type Fields, type HttpScript, type ScriptedHttp, scriptedHttp } from './http.ts';

/** A server that lets in only who has signed in, and the authorization server that it trusts, in one. */
export type Guarded = ScriptedHttp & {
  /** What was asked of the authorization server: `register`, `authorize`, `token authorization_code`, `token refresh_token`. */
  readonly asked: readonly string[];
  /** Tokens for access do not count any more. */
  expire(): void;
  /** What it gives at the end: a code, or an error. */
  refuse(error: string): void;
  /** From now on it wants this scope. */
  demand(scope: string): void;
  readonly secrets: readonly string[];
};

type Code = {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly scope: string;
};

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, as strict as it may be. */
export async function guardedServer(): Promise<Guarded> {
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Code>();
  let access = new Map<string, string>();
  const renewals = new Map<string, string>();
  const asked: string[] = [];
  const secrets: string[] = [];
  let error: string | null = null;
  let wanted = '';

  function json(response: ServerResponse, value: unknown, status = 200): void {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  }

  function origin({ headers }: IncomingMessage): string {
    return `http://${headers.host}`;
  }

  function metadata(issuer: string): Fields {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  function authorize(asks: URLSearchParams, issuer: string, response: ServerResponse): void {
    asked.push('authorize');
    const [client = '', redirect = '', challenge = ''] = ['client_id', 'redirect_uri', 'code_challenge'].map(
      (name) => asks.get(name) ?? '',
    );
    const isFit =
      clients.get(client)?.includes(redirect) === true &&
      asks.get('code_challenge_method') === 'S256' &&
      asks.get('resource') === `${issuer}/mcp`;
    if (!isFit) {
      json(response, { error: 'invalid_request' }, 400);
      return;
    }
    const back = new URL(redirect);
    back.searchParams.set('state', asks.get('state') ?? '');
    back.searchParams.set('iss', issuer);
    if (error === null) {
      const code = randomUUID();
      codes.set(code, { client, redirect, challenge, scope: asks.get('scope') ?? '' });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', error);
    response.writeHead(302, { Location: back.href }).end();
  }

  function token(body: string, response: ServerResponse): void {
    const form = new URLSearchParams(body);
    const grant = form.get('grant_type') ?? '';
    asked.push(`token ${grant}`);
    const [code, renewal] = [form.get('code') ?? '', form.get('refresh_token') ?? ''];
    const known = codes.get(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isFit =
      grant === 'refresh_token'
        ? renewals.has(renewal)
        : known?.challenge === verifier &&
          known.redirect === form.get('redirect_uri') &&
          known.client === form.get('client_id');
    if (!isFit) {
      json(response, { error: 'invalid_grant' }, 400);
      return;
    }
    const scope = known?.scope ?? renewals.get(renewal) ?? '';
    codes.delete(code);
    renewals.delete(renewal);
    const [next, later] = [`access-${randomUUID()}`, `renewal-${randomUUID()}`];
    secrets.push(next, later);
    access.set(next, scope);
    renewals.set(later, scope);
    json(response, {
      access_token: next,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: later,
      scope,
    });
  }

  const script: HttpScript = (heard, response) => {
    const { request, body } = heard;
    const issuer = origin(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(response, { resource: `${issuer}/mcp`, authorization_servers: [issuer] });
    if (pathname === '/.well-known/oauth-authorization-server') return json(response, metadata(issuer));
    if (pathname === '/register') {
      asked.push('register');
      const told = JSON.parse(body) as { redirect_uris: string[] };
      const client_id = randomUUID();
      clients.set(client_id, told.redirect_uris);
      return json(response, { ...told, client_id }, 201);
    }
    if (pathname === '/authorize') return authorize(searchParams, issuer, response);
    if (pathname === '/token') return token(body, response);
    const scope = access.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    const resource = `resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined) response.writeHead(401, { 'WWW-Authenticate': `Bearer ${resource}` }).end();
    else if (wanted !== '' && !scope.split(' ').includes(wanted))
      response
        .writeHead(403, {
          'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${wanted}", ${resource}`,
        })
        .end();
    else answersJson(heard, response);
  };
  const server = await scriptedHttp(script);
  return {
    ...server,
    asked,
    secrets,
    expire() {
      access = new Map();
    },
    refuse(told) {
      error = told;
    },
    demand(scope) {
      wanted = scope;
    },
  };
}
