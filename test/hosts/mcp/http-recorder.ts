import { createServer, request as requestHttp, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request, and what came back for it. */
export type Recorded = {
  readonly method: string;
  readonly headers: { readonly [name: string]: unknown };
  readonly sent: string;
  status: number;
  answered: string;
  answerHeaders: { readonly [name: string]: unknown };
};
export type Recorder = { readonly url: URL; readonly records: readonly Recorded[]; close(): void };

/** Stands in front of an address, passes everything on, and writes it down. */
export async function recorder(to: URL): Promise<Recorder> {
  const records: Recorded[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', headers } = request;
      const record: Recorded = {
        method,
        headers,
        sent: String(body),
        status: 0,
        answered: '',
        answerHeaders: {},
      };
      records.push(record);
      const passed = requestHttp(to, { method, headers: { ...headers, host: to.host } }, (answer) => {
        record.status = answer.statusCode ?? 0;
        record.answerHeaders = answer.headers;
        response.writeHead(record.status, answer.headers);
        response.flushHeaders();
        answer.setEncoding('utf8').on('data', (text: string) => {
          record.answered += text;
          response.write(text);
        });
        answer.on('end', () => response.end());
        answer.on('error', () => response.destroy());
      });
      passed.on('error', () => response.destroy());
      response.on('close', () => passed.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(to.pathname, `http://127.0.0.1:${port}`),
    records,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
