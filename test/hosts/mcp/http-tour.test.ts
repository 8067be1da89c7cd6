import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpProxied, httpProxied } from '../../mcp/http-proxied.ts';
import { hasHosts, INSPECTOR, load } from './hosts.ts';
import { type Recorded, recorder } from './http-recorder.ts';
import { everythingOverHttp, type HttpServer, modernOverHttp } from './http-servers.ts';

type Steps = { readonly steps: { readonly [name: string]: unknown } };
type Tours = { tourEverything(server: URL): Promise<Steps>; tourTask(server: URL): Promise<unknown> };
type ModernTours = {
  tour(server: URL, mode: string): Promise<Steps>;
  tourEverything(server: URL): Promise<Steps>;
};

const run = promisify(execFile);
const NOISE =
  /\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d(?: [AP]M)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:_\S+)?|[0-9a-f]{32}/g;

/** A tour with a record on both sides of the guard: what is posted and what comes back is the same, to the byte. */
async function throughGuard<Result>(
  server: URL,
  tour: (server: URL) => Promise<Result>,
): Promise<{
  readonly result: Result;
  readonly near: readonly Recorded[];
  readonly far: readonly Recorded[];
}> {
  const far = await recorder(server);
  const proxy = await httpProxied(far.url, ['--log', 'log.jsonl']);
  const near = await recorder(proxy.url);
  const result = await tour(near.url);
  near.close();
  await proxy.stop();
  far.close();
  const posted = (records: readonly Recorded[]) =>
    records
      .filter(({ method }) => method === 'POST')
      .map(({ sent, status, answered }) => `${sent} ${status} ${answered}`)
      .sort();
  expect(posted(near.records).length).toBeGreaterThan(5);
  expect(posted(near.records)).toEqual(posted(far.records));
  const streams = (records: readonly Recorded[]) => records.filter(({ method }) => method === 'GET');
  streams(near.records).forEach(({ status, answered }, index) => {
    const behind = streams(far.records)[index];
    expect(behind?.status).toBe(status);
    // The client may go before it has heard all that the server said.
    expect(behind?.answered.startsWith(answered)).toBe(true);
  });
  expect(proxy.said() + readFileSync(join(proxy.folder, 'log.jsonl'), 'utf8')).not.toContain('very-secret');
  return { result, near: near.records, far: far.records };
}

/** Everything that was posted and everything that came back, apart from times and names. */
function messagesIn(records: readonly Recorded[]): readonly string[] {
  return records
    .filter(({ method }) => method === 'POST')
    .map(({ sent, status, answered }) => `${sent} ${status} ${answered}`.replaceAll(NOISE, 'NOISE'))
    .sort();
}

describe.runIf(hasHosts)(
  'over HTTP, the tour is the same with and without the guard',
  { timeout: 120_000 },
  () => {
    let everything: HttpServer;
    let modern: HttpServer;
    const proxies: HttpProxied[] = [];
    beforeAll(async () => {
      [everything, modern] = await Promise.all([everythingOverHttp(), modernOverHttp()]);
    });
    afterAll(async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      everything.child.kill('SIGKILL');
      modern.child.kill('SIGKILL');
    });

    it('v1 client, server-everything: every result, every message', async () => {
      const { tourEverything } = await load<Tours>('./tour-v1.mjs');
      const direct = await recorder(everything.url);
      const expected = await tourEverything(direct.url);
      const { result, near, far } = await throughGuard(everything.url, tourEverything);
      direct.close();
      expect(result).toEqual(expected);
      expect(Object.keys(expected.steps).length).toBeGreaterThan(30);
      expect(messagesIn(near)).toEqual(messagesIn(direct.records));
      for (const { headers } of far) expect(headers['authorization']).toBe('Bearer very-secret');
      expect(near.some(({ answerHeaders }) => 'mcp-session-id' in answerHeaders)).toBe(true);
    });

    it('v1 client, server-everything: a task', async () => {
      const { tourTask } = await load<Tours>('./tour-v1.mjs');
      const [direct, { result }] = await Promise.all([
        tourTask(everything.url),
        throughGuard(everything.url, tourTask),
      ]);
      expect(result).toEqual(direct);
    });

    it('v2 client, server-everything', async () => {
      const { tourEverything } = await load<ModernTours>('./tour-v2.mjs');
      const { result } = await throughGuard(everything.url, tourEverything);
      expect(result.steps).toEqual((await tourEverything(everything.url)).steps);
    });

    it.each(['legacy', 'auto', '2026-07-28'])('v2 client, v2 server, %s', async (mode) => {
      const { tour } = await load<ModernTours>('./tour-v2.mjs');
      const direct = await tour(modern.url, mode);
      const { result } = await throughGuard(modern.url, (server) => tour(server, mode));
      expect(result.steps).toEqual(direct.steps);
      expect(direct.steps['era']).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
    });

    it('inspector', async () => {
      const proxy = await httpProxied(everything.url);
      proxies.push(proxy);
      const [program, ...flags] = INSPECTOR as readonly [string, ...string[]];
      const words = [
        '--transport',
        'http',
        '--method',
        'tools/call',
        '--tool-name',
        'echo',
        '--tool-arg',
        'message=hi',
      ];
      const output = async (url: URL) => (await run(program, [...flags, String(url), ...words])).stdout;
      const [direct, behind] = await Promise.all([output(everything.url), output(proxy.url)]);
      expect(direct).toContain('Echo: hi');
      expect(behind).toBe(direct);
    });
  },
);
