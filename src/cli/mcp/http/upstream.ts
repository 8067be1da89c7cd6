import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createConnection } from './connection.ts';
import { isOwnName } from './sessions.ts';

/** The server behind the proxy. */
export type Upstream = {
  /** Sends a request on, with another body or with its own; gives the answer as soon as its headers are there. */
  send(request: IncomingMessage, body: Buffer | null, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
};

/** They are between two neighbours, not between client and server. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function createUpstream(url: URL): Upstream {
  const connection = createConnection(url);
  return {
    send(request, body, signal) {
      const wanted = {
        method: request.method ?? '',
        path: targetOf(request, url),
        headers: headersFor(request, body, url),
        signal,
      };
      return connection.open(wanted, (sent, reject) => {
        if (body !== null || !hasBody(request)) sent.end(body ?? undefined);
        else pipeline(request, sent).catch(reject);
      });
    },
    close: connection.close,
  };
}

/** What the client is told of an answer, apart from what holds between neighbours. */
export function headersOf(answer: IncomingMessage, without: readonly string[] = []): string[] {
  return pairsOf(answer).flatMap(([name, value]) =>
    HOP_BY_HOP.has(name.toLowerCase()) || without.includes(name.toLowerCase()) ? [] : [name, value],
  );
}

function headersFor(request: IncomingMessage, body: Buffer | null, url: URL): string[] {
  const headers = pairsOf(request).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || lower === 'host' || lower === 'accept-encoding') return [];
    if (lower === 'content-length' && body !== null) return [];
    if (lower === 'mcp-session-id' && isOwnName(value)) return [];
    return [name, value];
  });
  // What is compressed cannot be looked at.
  headers.push('Host', url.host, 'Accept-Encoding', 'identity');
  if (body !== null) headers.push('Content-Length', String(body.length));
  else if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  return headers;
}

function pairsOf({ rawHeaders }: IncomingMessage): readonly (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string] as const] : [],
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The query of our own URL is the client's where it has none. */
function targetOf({ url: target = '/' }: IncomingMessage, { pathname, search }: URL): string {
  return target === pathname ? pathname + search : target;
}
