import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';

/** A server over HTTP, without sessions, as the second generation has it. */
export function serveModern(createMcpServer, port) {
  const { fetch } = createMcpHandler(createMcpServer);
  const server = createServer(async (request, response) => {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const asked = new Request(new URL(request.url, `http://${request.headers.host}`), {
      method: request.method,
      headers: new Headers(request.headers),
      signal: leaving.signal,
      ...(hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {}),
    });
    const { status, headers, body } = refusal(asked, request.headers.host) ?? (await fetch(asked));
    response.writeHead(status, Object.fromEntries(headers));
    response.flushHeaders();
    if (body === null) response.end();
    else
      Readable.fromWeb(body)
        .on('error', () => response.destroy())
        .pipe(response);
  });
  server.listen(port, '127.0.0.1', () => console.error('listening'));
}

/** A page of another site is not let in. */
export function refusal(asked, host) {
  asked.headers.set('host', host);
  return (
    hostHeaderValidationResponse(asked, localhostAllowedHostnames()) ??
    originValidationResponse(asked, localhostAllowedOrigins())
  );
}
