import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpProxied, httpProxied } from '../../mcp/http-proxied.ts';
import { hasHosts, load } from './hosts.ts';
import { everythingOverHttp, type HttpServer, modernOverHttp } from './http-servers.ts';
import { accept, decline, type Legacy, LOOP, loop, type Modern } from './looping.ts';

const SAME = { message: 'the same words again and again and again' };

describe.runIf(hasHosts)('over HTTP, a client that goes round in circles', { timeout: 60_000 }, () => {
  let everything: HttpServer;
  let modern: HttpServer;
  let proxy: HttpProxied;
  beforeAll(async () => {
    [everything, modern] = await Promise.all([everythingOverHttp(), modernOverHttp()]);
  });
  afterEach(() => proxy.stop());
  afterAll(() => {
    everything.child.kill('SIGKILL');
    modern.child.kill('SIGKILL');
  });

  it('v1: is nudged and blocked, and another client is not', async () => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    proxy = await httpProxied(everything.url);
    const [one, other] = await Promise.all([1, 2].map(() => connect(proxy.url, { capabilities: {} })));
    if (one === undefined || other === undefined) throw new Error('nobody is connected');
    await one.client.listTools();
    expect(await loop(one, 6, 'get-structured-content', { location: 'Chicago' })).toEqual(LOOP);
    expect(await loop(other, 1, 'get-structured-content', { location: 'Chicago' })).toEqual(['plain']);
    await Promise.all([one.client.close(), other.client.close()]);
  });

  it('v1: is halted until a new session begins', async () => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    proxy = await httpProxied(everything.url, ['--preset', 'koda']);
    const halted = await connect(proxy.url, { capabilities: {} });
    expect((await loop(halted, 11, 'echo', SAME)).slice(8)).toEqual(['plain', 'refused', 'refused']);
    expect(await loop(halted, 1, 'get-sum', { a: 1, b: 2 })).toEqual(['refused']);
    await halted.client.close();
    const begun = await connect(proxy.url, { capabilities: {} });
    expect(await loop(begun, 1, 'echo', SAME)).toEqual(['plain']);
    await begun.client.close();
  });

  it.each([
    ['goes on', accept, 'plain', 'plain'],
    ['is stopped', decline, 'refused', 'refused'],
  ] as const)('v1: a person is asked at the seventh call, and it %s', async (_, elicit, seventh, other) => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    proxy = await httpProxied(everything.url);
    const connection = await connect(proxy.url, { elicit, capabilities: { elicitation: {} } });
    expect(await loop(connection, 7, 'echo', SAME)).toEqual([...LOOP, seventh]);
    expect(connection.asked).toHaveLength(1);
    expect(await loop(connection, 1, 'get-sum', { a: 1, b: 2 })).toEqual([other]);
    await connection.client.close();
  });

  it.each([
    ['legacy', 'goes on', accept, 'plain', 'plain'],
    ['legacy', 'is stopped', decline, 'refused', 'refused'],
    ['2026-07-28', 'goes on', accept, 'plain', 'plain'],
    ['2026-07-28', 'is stopped', decline, 'refused', 'refused'],
  ] as const)('v2, %s: a person is asked, and it %s', async (mode, _, elicit, seventh, other) => {
    const { connect } = await load<Modern>('./tour-v2.mjs');
    proxy = await httpProxied(modern.url);
    const connection = await connect(proxy.url, mode, elicit);
    expect(await loop(connection, 7, 'echo', SAME)).toEqual([...LOOP, seventh]);
    expect(connection.asked).toEqual([expect.stringContaining('The agent may be stuck')]);
    expect(await loop(connection, 1, 'counts', { to: 2 })).toEqual([other]);
    await connection.client.close();
  });

  it('v2: answers to questions of the server are no repeats', async () => {
    const { connect } = await load<Modern>('./tour-v2.mjs');
    proxy = await httpProxied(modern.url, ['--preset', 'zagens']);
    const connection = await connect(proxy.url, '2026-07-28');
    expect(await loop(connection, 3, 'confirm', { what: 'go' })).toEqual(['plain', 'plain', 'refused']);
    expect(connection.asked).toEqual(['Really go?', 'Really go?']);
    await connection.client.close();
  });
});
