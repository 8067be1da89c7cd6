import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whyRefused } from '../http/access.ts';

/** Where the authorization server sends people back to, on this machine. */
export type Callback = {
  readonly url: string;
  /** What came back, for whoever brings this state. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
};

const PATH = '/callback';
const HERE = '127.0.0.1';

/** Listens on a port of the loopback address; 0 = any that is free. Null = it is taken. */
export async function openCallback(port: number): Promise<Callback | null> {
  let heard: ((answer: URLSearchParams) => void) | null = null;
  let expected = '';
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HERE}`);
    const refused = whyRefused(request.headers, { hosts: [], origins: [] });
    const isMeant = pathname === PATH && expected !== '' && searchParams.get('state') === expected;
    const isDone = refused === null && isMeant;
    const words = isDone
      ? 'You can close this window and go back to your agent.'
      : 'Nothing is expected here.';
    response.writeHead(isDone ? 200 : 404, {
      'Content-Type': 'text/plain; charset=utf-8',
      Connection: 'close',
    });
    response.end(`deloop: ${words}\n`);
    if (isDone) heard?.(searchParams);
  });
  const isOpen = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, HERE, () => resolve(true));
  });
  if (!isOpen) return null;
  // Whoever is started for a client must not be kept by it.
  server.unref();
  return {
    url: `http://${HERE}:${(server.address() as AddressInfo).port}${PATH}`,
    answer(state, signal) {
      expected = state;
      return new Promise((resolve, reject) => {
        heard = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
