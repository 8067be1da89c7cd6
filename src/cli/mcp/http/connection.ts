import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';

/** The way to one host, on which connections are used again. */
export type Connection = {
  /** Opens a request, which `write` gives its body; gives the answer as soon as its headers are there. */
  open(
    wanted: Wanted,
    write: (sent: ClientRequest, reject: (error: unknown) => void) => void,
  ): Promise<IncomingMessage>;
  close(): void;
};

type Wanted = {
  readonly method: string;
  readonly path: string;
  /** Names and values, in turns. */
  readonly headers: readonly string[];
  readonly signal: AbortSignal;
};

/** Servers close what is idle, the quickest after five seconds; a request must not run into that. */
const IDLE_MS = 2000;
/** Who cannot be reached within this time is not there. */
const CONNECT_MS = 20_000;

export function createConnection(url: URL): Connection {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);
  const start = isSecure ? requestHttps : requestHttp;
  const host = url.hostname.replace(/^\[|\]$/g, '');

  return {
    open({ headers, ...wanted }, write) {
      return new Promise((resolve, reject) => {
        const sent = start({ ...wanted, agent, host, port: url.port, headers: [...headers] }, resolve);
        sent.on('error', reject);
        boundConnecting(sent);
        write(sent, reject);
      });
    },
    close: () => agent.destroy(),
  };
}

function boundConnecting(sent: ClientRequest): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = setTimeout(
      () => sent.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
      CONNECT_MS,
    );
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late));
  });
}
