import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants } from 'node:os';
import { UsageError } from '../../exit.ts';
import type { NewSession } from '../guards.ts';
import { type Access, isLoopback, whyRefused } from './access.ts';
import { collected, exchange, isLong, pass } from './exchange.ts';
import { createSessions, isOwnName, type Sessions } from './sessions.ts';
import { createUpstream } from './upstream.ts';
import { whyUnreached } from './why-unreached.ts';

export type HttpProxy = {
  /** Where the server is. */
  readonly url: URL;
  /** Where clients find the proxy: an address of this machine, and a port; 0 = any that is free. */
  readonly host: string;
  readonly port: number;
  readonly access: Access;
  readonly newSession: NewSession;
  readonly process: NodeJS.Process;
  /** Says something to people. */
  readonly say: (text: string) => void;
};

const SESSION_ID = 'mcp-session-id';
/** JSON-RPC leaves codes from -32000 to -32099 to servers. */
const REFUSED = -32000;
/** Such a server names another address for calls, and answers them in the stream that named it. */
const OLD =
  'the server speaks HTTP+SSE, the transport before Streamable HTTP: what it says passes, and its calls are not guarded';
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Stands in front of a server until a signal ends it; gives the exit status. */
export async function proxyHttp(options: HttpProxy): Promise<number> {
  const { url, host, port, access, newSession, process, say } = options;
  const upstream = createUpstream(url);
  const sessions = createSessions(newSession, Date.now);
  /** Told once, until it answers again. */
  let isDown = false;
  /** Told once. */
  let isOld = false;

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const { method, url: target = '' } = request;
    const path = target.split('?', 1)[0];
    if (!target.startsWith('/')) return refuse(response, 400, 'a request must begin with its path');
    if (path !== url.pathname || method !== 'POST' || isLong(request)) {
      const answer = await upstream.send(request, null, signal);
      isDown = false;
      if (path !== url.pathname) return pass(answer, response, same, []);
      if (method === 'DELETE' && isDone(answer)) forgotten(request, sessions);
      const session = method === 'GET' && isDone(answer) ? sessions.of(request.headers, null) : null;
      return pass(
        answer,
        response,
        (message) => session?.fromServer(message) ?? message,
        [],
        (type) => {
          if (type === 'endpoint' && !isOld) say(OLD);
          isOld ||= type === 'endpoint';
        },
      );
    }
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      return refuse(response, 415, 'what is compressed cannot be looked at');
    const body = await collected(request);
    if (body === null) return refuse(response, 413, 'a message this long must tell its length first');
    const session = sessions.of(request.headers, body);
    const isNamed = request.headers[SESSION_ID] !== undefined;
    const begins = !isNamed && body.includes('"initialize"');
    return exchange({
      request,
      response,
      body,
      session,
      upstream,
      signal,
      onAnswer(answer) {
        isDown = false;
        if (isNamed && answer.statusCode === 404) forgotten(request, sessions);
        if (!begins || !isDone(answer)) return [];
        const given = answer.headers[SESSION_ID];
        const name = sessions.named(session, typeof given === 'string' ? given : undefined);
        return given === undefined ? [SESSION_ID, name] : [];
      },
      onFailure: failed,
    });
  }

  function failed(error: unknown): string {
    const why = whyUnreached(url, error);
    if (!isDown) say(why);
    isDown = true;
    return why;
  }

  const server = createServer((request, response) => {
    const leaving = new AbortController();
    // A client may go at any time; what it has asked for goes with it.
    response.on('error', () => {});
    request.on('error', () => {});
    response.once('close', () => leaving.abort());
    const refused = whyRefused(request.headers, access);
    if (refused !== null) return refuse(response, 403, refused);
    respond(request, response, leaving.signal).catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      const why = failed(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 502, why);
    });
  });

  const address = await listening(server, host, port);
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  say(`http://${shown}:${address.port}${url.pathname} is guarded; behind it is ${url.origin}${url.pathname}`);
  if (!isLoopback(shown)) say('it can be reached from other machines, with all that the server can do');
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const one of SIGNALS) process.once(one, resolve);
  });
  server.close();
  server.closeAllConnections();
  upstream.close();
  return 128 + constants.signals[signal];
}

const same = (message: Buffer): Buffer => message;

/** A line for people, in a shape that clients read. */
function refuse(response: ServerResponse, status: number, why: string): void {
  const error = { code: REFUSED, message: `deloop: ${why}` };
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

function isDone({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function forgotten({ headers }: IncomingMessage, sessions: Sessions): void {
  const id = headers[SESSION_ID];
  if (typeof id === 'string' && !isOwnName(id)) sessions.forget(id);
}

async function listening(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'it is taken; choose another, or 0 for any that is free'
          : error.message;
      reject(new UsageError(`--port ${port}: ${why}`));
    });
    server.listen({ host, port }, resolve);
  });
  return server.address() as AddressInfo;
}
