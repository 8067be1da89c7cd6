import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, newFolder } from '../../cli/run-cli.ts';
import { type Command, hasHosts, load, recorded } from './hosts.ts';
import { type Recorded, recorder } from './http-recorder.ts';
import { everythingOverHttp, everythingOverSse, type HttpServer, modernOverHttp } from './http-servers.ts';
import { accept, decline, type Legacy, LOOP, loop, type Modern } from './looping.ts';

type Steps = { readonly steps: { readonly [name: string]: unknown } };
type Tours = {
  tourEverything(server: Command | URL): Promise<Steps>;
  tourTask(server: Command | URL): Promise<unknown>;
};
type ModernTours = {
  tour(server: Command | URL, mode: string): Promise<Steps>;
  tourEverything(server: Command | URL): Promise<Steps>;
};

const SAME = { message: 'the same words again and again and again' };
const NOISE =
  /\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d(?: [AP]M)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:_\S+)?|[0-9a-f]{32}/g;

/** A command that a client starts, in front of a server over HTTP. */
function front(url: URL, ...flags: string[]): Command {
  return [process.execPath, MAIN, 'mcp', '--url', String(url), ...flags];
}

/** The messages that clients post, one a line, apart from times and names. */
function postedIn(records: readonly Recorded[]): readonly string[] {
  return records
    .filter(({ method }) => method === 'POST')
    .map(({ sent, status }) => `${sent} ${status}`.replaceAll(NOISE, 'NOISE'))
    .sort();
}

describe.runIf(hasHosts)(
  'a client on standard input and output, a server over HTTP',
  { timeout: 120_000 },
  () => {
    let everything: HttpServer;
    let old: HttpServer;
    let modern: HttpServer;
    beforeAll(async () => {
      [everything, old, modern] = await Promise.all([
        everythingOverHttp(),
        everythingOverSse(),
        modernOverHttp(),
      ]);
    });
    afterAll(() => {
      for (const { child } of [everything, old, modern]) child.kill('SIGKILL');
    });

    it('v1 client, server-everything: the tour is the one of a client over HTTP, message by message', async () => {
      const { tourEverything } = await load<Tours>('./tour-v1.mjs');
      const [direct, far] = [await recorder(everything.url), await recorder(everything.url)];
      const near = join(newFolder(), 'near');
      const [expected, result] = await Promise.all([
        tourEverything(direct.url),
        tourEverything(recorded(front(far.url, '--header', 'Authorization: Bearer very-secret'), near)),
      ]);
      direct.close();
      far.close();
      expect(result).toEqual(expected);
      expect(Object.keys(expected.steps).length).toBeGreaterThan(30);
      expect(postedIn(far.records)).toEqual(postedIn(direct.records));
      const words = (text: string) => text.trim().split('\n').sort();
      expect(words(readFileSync(`${near}.in`, 'utf8'))).toEqual(
        far.records
          .filter(({ method }) => method === 'POST')
          .map(({ sent }) => sent.trim())
          .sort(),
      );
      for (const { headers } of far.records) expect(headers['authorization']).toBe('Bearer very-secret');
      // The one over HTTP leaves without a word.
      expect(far.records.map(({ method }) => method).filter((method) => method !== 'POST')).toEqual([
        'GET',
        'DELETE',
      ]);
      const session = far.records[0]?.answerHeaders['mcp-session-id'];
      for (const { headers } of far.records.slice(1))
        expect(headers).toMatchObject({ 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' });
    });

    it('v1 client, server-everything: a task', async () => {
      const { tourTask } = await load<Tours>('./tour-v1.mjs');
      const [direct, behind] = await Promise.all([tourTask(everything.url), tourTask(front(everything.url))]);
      expect(behind).toEqual(direct);
    });

    it.each([
      ['by itself', []],
      ['when told so', ['--via', 'sse']],
    ])('v1 client, server-everything over HTTP+SSE, found %s', async (_, flags) => {
      const { tourEverything } = await load<Tours>('./tour-v1.mjs');
      const [direct, behind] = await Promise.all([
        tourEverything(everything.url),
        tourEverything(front(old.url, ...flags)),
      ]);
      expect(behind).toEqual(direct);
    });

    it('v2 client, server-everything', async () => {
      const { tourEverything } = await load<ModernTours>('./tour-v2.mjs');
      const [direct, behind] = await Promise.all([
        tourEverything(everything.url),
        tourEverything(front(everything.url)),
      ]);
      expect(behind.steps).toEqual(direct.steps);
    });

    it.each(['legacy', 'auto', '2026-07-28'])('v2 client, v2 server, %s', async (mode) => {
      const { tour } = await load<ModernTours>('./tour-v2.mjs');
      const [direct, behind] = await Promise.all([tour(modern.url, mode), tour(front(modern.url), mode)]);
      // The client drops a report of progress that comes with the result.
      expect(behind.steps).toEqual(direct.steps);
      expect(direct.steps['era']).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
    });

    it.each([
      ['HTTP', () => everything.url],
      ['HTTP+SSE', () => old.url],
    ])('v1 client over %s: is nudged, blocked and halted, until a new session begins', async (_, url) => {
      const { connect } = await load<Legacy>('./tour-v1.mjs');
      const blocked = await connect(front(url()), { capabilities: {} });
      await blocked.client.listTools();
      expect(await loop(blocked, 6, 'get-structured-content', { location: 'Chicago' })).toEqual(LOOP);
      expect(await loop(blocked, 1, 'get-sum', { a: 1, b: 2 })).toEqual(['plain']);
      await blocked.client.close();
      const halted = await connect(front(url(), '--preset', 'koda'), { capabilities: {} });
      expect((await loop(halted, 11, 'echo', SAME)).slice(8)).toEqual(['plain', 'refused', 'refused']);
      expect(await loop(halted, 1, 'get-sum', { a: 1, b: 2 })).toEqual(['refused']);
      await halted.client.close();
      const begun = await connect(front(url(), '--preset', 'koda'), { capabilities: {} });
      expect(await loop(begun, 1, 'echo', SAME)).toEqual(['plain']);
      await begun.client.close();
    });

    it.each([
      ['legacy', 'goes on', accept, 'plain', 'plain'],
      ['legacy', 'is stopped', decline, 'refused', 'refused'],
      ['2026-07-28', 'goes on', accept, 'plain', 'plain'],
      ['2026-07-28', 'is stopped', decline, 'refused', 'refused'],
    ] as const)('v2 client, %s: a person is asked, and it %s', async (mode, _, elicit, seventh, other) => {
      const { connect } = await load<Modern>('./tour-v2.mjs');
      const connection = await connect(front(modern.url), mode, elicit);
      expect(await loop(connection, 7, 'echo', SAME)).toEqual([...LOOP, seventh]);
      expect(connection.asked).toEqual([expect.stringContaining('The agent may be stuck')]);
      expect(await loop(connection, 1, 'counts', { to: 2 })).toEqual([other]);
      await connection.client.close();
    });
  },
);
