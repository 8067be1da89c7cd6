import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export type Fields = { readonly [name: string]: unknown };
/** What came to the server. */
type Heard = { readonly request: IncomingMessage; readonly body: string };
export type HttpScript = (heard: Heard, response: ServerResponse) => void;
export type ScriptedHttp = {
  readonly url: URL;
  readonly heard: readonly Heard[];
  close(): void;
};

/** A server over HTTP that does what a test says. */
export async function scriptedHttp(script: HttpScript): Promise<ScriptedHttp> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = { request, body: String(Buffer.concat(chunks)) };
    heard.push(one);
    script(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    heard,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Resolves when nobody listens there: a process that another thread is about to start still holds a closed socket for a moment. */
export async function untilDown({ hostname, port }: URL): Promise<void> {
  for (let isUp = true; isUp; ) {
    const socket = connect(Number(port), hostname);
    isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED'));
    });
    socket.destroy();
  }
}

/** Answers every request with the same words, as JSON. */
export const answersJson: HttpScript = ({ request, body }, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const { id, method } = JSON.parse(body) as Fields;
  if (id === undefined || method === undefined) {
    response.writeHead(202).end();
    return;
  }
  const session = method === 'initialize' ? { 'Mcp-Session-Id': 'a-secret-name' } : {};
  response.writeHead(200, { 'Content-Type': 'application/json', ...session });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: RESULT }));
};

/** Answers as a stream of events, with the line ends of choice. */
export function answersEvents(lineEnd: string): HttpScript {
  return ({ request, body }, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const { id } = JSON.parse(body) as Fields;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const lines = [': welcome', '', 'id: 1', 'data: ', '', 'event: message', 'id: 2'];
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: RESULT }, null, 1);
    lines.push(...text.split('\n').map((line) => `data: ${line}`), '', '');
    response.end(lines.join(lineEnd));
  };
}

const RESULT = { content: [{ type: 'text', text: 'the same as ever, word for word, as before' }] };
