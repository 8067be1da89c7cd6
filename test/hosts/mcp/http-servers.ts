import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Command, EVERYTHING, MODERN } from './hosts.ts';

const CONFORMANCE = fileURLToPath(new URL('conformance-server.mjs', import.meta.url));

export type HttpServer = { readonly url: URL; readonly child: ChildProcess };

/** The reference server with everything, over Streamable HTTP, with sessions. */
export async function everythingOverHttp(): Promise<HttpServer> {
  return started([...EVERYTHING, 'streamableHttp'], await freePort());
}

/** The same over HTTP+SSE, the transport before it. */
export async function everythingOverSse(): Promise<HttpServer> {
  const { url, child } = await started([...EVERYTHING, 'sse'], await freePort());
  return { url: new URL('/sse', url), child };
}

/** The one of the second generation, which has none. */
export async function modernOverHttp(): Promise<HttpServer> {
  const port = await freePort();
  return started([...MODERN, String(port)], port);
}

/** What the conformance suite wants to see, in either wire: `legacy` or `modern`. */
export async function conformanceServer(era: string): Promise<HttpServer> {
  const port = await freePort();
  return started([process.execPath, CONFORMANCE, era, String(port)], port);
}

async function started([program = '', ...args]: Command, port: number): Promise<HttpServer> {
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!/listening|running on/.test(said)) {
    if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), child };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
