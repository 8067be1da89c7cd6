import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { deloop, jsonLines } from '../cli/run-cli.ts';
import { type HttpProxied, httpProxied } from './http-proxied.ts';
import { residentBytes } from './resident-bytes.ts';
import {
  answersEvents,
  answersJson,
  type Fields,
  type HttpScript,
  type ScriptedHttp,
  scriptedHttp,
  untilDown,
} from './servers/http.ts';

const CALL = { name: 'read_file', arguments: { path: 'a.txt' } };
const BOTH = 'application/json, text/event-stream';

let server: ScriptedHttp | undefined;
let proxy: HttpProxied | undefined;
afterEach(async () => {
  await proxy?.stop();
  server?.close();
  proxy = undefined;
  server = undefined;
});

async function between(script: HttpScript, flags: readonly string[] = []): Promise<HttpProxied> {
  server = await scriptedHttp(script);
  proxy = await httpProxied(server.url, flags);
  return proxy;
}

function post(
  url: URL,
  message: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<Response> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', Accept: BOTH, ...headers },
  });
}

const call = (id: unknown, params: Fields = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { ...CALL, ...params },
});

/** What the client sees of the same call, again and again. */
async function loop(
  url: URL,
  times: number,
  headers: { readonly [name: string]: string } = {},
): Promise<string[]> {
  const seen: string[] = [];
  for (let id = 1; id <= times; id++) {
    const text = await (await post(url, call(id), headers)).text();
    seen.push(text.includes('"isError":true') ? 'refused' : text.includes('[deloop]') ? 'nudged' : 'plain');
  }
  return seen;
}
const LOOP = ['plain', 'plain', 'nudged', 'plain', 'refused'];

const initialize = (capabilities: Fields = {}) => ({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } },
});

async function nameOf(url: URL, capabilities: Fields = {}): Promise<string> {
  return (await post(url, initialize(capabilities))).headers.get('mcp-session-id') ?? '';
}

describe('deloop mcp --url', { timeout: 60_000 }, () => {
  it('nudges and blocks what comes back as JSON', async () => {
    const { url } = await between(answersJson);
    expect(await loop(url, 5)).toEqual(LOOP);
  });

  it.each([
    ['\n', 'LF'],
    ['\r\n', 'CR LF'],
    ['\r', 'CR'],
  ])('nudges and blocks what comes back as events that end with %j', async (lineEnd) => {
    const { url } = await between(answersEvents(lineEnd));
    const first = await (await post(url, call(0, { name: 'other' }))).text();
    expect(first).toContain(
      [': welcome', '', 'id: 1', 'data: ', '', 'event: message', 'id: 2'].join(lineEnd),
    );
    expect(first).toContain(['data: {', 'data:  "jsonrpc": "2.0",'].join(lineEnd));
    expect(await loop(url, 5)).toEqual(LOOP);
    const nudged = await (await post(url, call(9, { name: 'another' }))).text();
    expect(nudged).not.toContain('[deloop]');
  });

  it('keeps sessions apart, by the name that the server gives, and forgets one that is deleted', async () => {
    const { url } = await between(({ request, body }, response) => {
      if (request.method === 'DELETE') response.writeHead(200).end();
      else answersJson({ request, body }, response);
    });
    expect(await loop(url, 5, { 'Mcp-Session-Id': 'one' })).toEqual(LOOP);
    expect(await loop(url, 2, { 'Mcp-Session-Id': 'two' })).toEqual(['plain', 'plain']);
    await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'one' } });
    expect(await loop(url, 2, { 'Mcp-Session-Id': 'one' })).toEqual(['plain', 'plain']);
  });

  it('passes on the name of a session, and makes one up for a server that gives none', async () => {
    const { url } = await between(({ request, body }, response) => {
      const { id } = JSON.parse(body) as Fields;
      const name = request.headers['x-named'] === undefined ? {} : { 'Mcp-Session-Id': 'theirs' };
      response.writeHead(200, { 'Content-Type': 'application/json', ...name });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
    const theirs = await post(url, initialize(), { 'X-Named': 'yes' });
    expect(theirs.headers.get('mcp-session-id')).toBe('theirs');
    const ours = await nameOf(url);
    expect(ours).toMatch(/^deloop-[0-9a-f-]{36}$/);
    await post(url, call(1), { 'Mcp-Session-Id': ours });
    await post(url, call(1), { 'Mcp-Session-Id': 'theirs' });
    expect(server?.heard.slice(2).map(({ request }) => request.headers['mcp-session-id'])).toEqual([
      undefined,
      'theirs',
    ]);
  });

  it('passes headers on, to the server and back, and writes none of them down', async () => {
    const { url, said, folder } = await between(
      ({ body }, response) => {
        const { id } = JSON.parse(body) as Fields;
        response.setHeader('Set-Cookie', ['a=1', 'b=2']);
        response.setHeader('WWW-Authenticate', 'Bearer realm="x"');
        response.writeHead(id === 1 ? 401 : 200, 'As it is', { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
      },
      ['--log', 'log.jsonl', '--preset', 'zagens'],
    );
    const secrets = {
      Authorization: 'Bearer very-secret',
      'Mcp-Session-Id': 'secret-name',
      'X-Own': 'secret',
    };
    const first = await post(url, call(1), secrets);
    expect([first.status, first.statusText]).toEqual([401, 'As it is']);
    expect(first.headers.get('www-authenticate')).toBe('Bearer realm="x"');
    expect(first.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    for (let id = 2; id <= 4; id++) await post(url, call(id), secrets);
    expect(server?.heard[0]?.request.headers).toMatchObject({
      authorization: 'Bearer very-secret',
      'mcp-session-id': 'secret-name',
      'x-own': 'secret',
      host: server?.url.host,
      accept: BOTH,
    });
    const log = readFileSync(join(folder, 'log.jsonl'), 'utf8');
    expect(jsonLines(log).at(-1)).toMatchObject({
      action: 'block',
      session: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(said() + log).not.toMatch(/secret|a\.txt/);
  });

  it('passes other paths of the server as they are, and a query', async () => {
    server = await scriptedHttp(({ request }, response) => response.end(request.url));
    const withQuery = new URL(server.url);
    withQuery.search = '?key=1';
    proxy = await httpProxied(withQuery);
    const words = async (path: string) => (await fetch(new URL(path, proxy?.url))).text();
    expect(await words('/.well-known/oauth-protected-resource')).toBe(
      '/.well-known/oauth-protected-resource',
    );
    expect(await words('/mcp')).toBe('/mcp?key=1');
    expect(await words('/mcp?key=2')).toBe('/mcp?key=2');
    expect(proxy.said()).not.toContain('key=1');
  });

  it.each([
    [{ Host: 'evil.example' }, 403, '--allow-host'],
    [{ Host: 'evil.example:80' }, 403, '--allow-host'],
    [{ Host: '127.0.0.1.evil.example' }, 403, '--allow-host'],
    [{ Origin: 'http://evil.example' }, 403, '--allow-origin'],
    [{ Origin: 'null' }, 403, '--allow-origin'],
    [{ Origin: 'http://localhost.evil.example' }, 403, '--allow-origin'],
    [{ Host: 'localhost:9' }, 405, ''],
    [{ Host: '[::1]' }, 405, ''],
    [{ Origin: 'http://localhost:6274' }, 405, ''],
    [{ Host: 'inside.example:7' }, 405, ''],
    [{ Origin: 'https://app.example' }, 405, ''],
  ])('lets in whom it should: %j', async (headers, status, words) => {
    const { url } = await between(answersJson, [
      '--allow-host',
      'inside.example',
      '--allow-origin',
      'https://app.example',
    ]);
    const sent = requestHttp(url, { headers });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    expect(answer.statusCode).toBe(status);
    expect(text).toContain(words);
    expect(server?.heard.length).toBe(status === 405 ? 1 : 0);
  });

  it('listens on this machine alone', async () => {
    const { url } = await between(answersJson);
    expect(url.hostname).toBe('127.0.0.1');
  });

  it('holds a call while a person is asked, in a stream, and lets it go on', async () => {
    const { url } = await between(answersJson);
    const named = { 'Mcp-Session-Id': await nameOf(url, { elicitation: {} }) };
    await loop(url, 6, named);
    const before = server?.heard.length;
    const held = await post(url, call(7), named);
    expect(held.headers.get('content-type')).toBe('text/event-stream');
    const reader = (held.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader();
    const asked = String((await reader.read()).value);
    const { id, method } = JSON.parse(asked.slice(asked.indexOf('{'))) as Fields;
    expect(method).toBe('elicitation/create');
    expect(server?.heard.length).toBe(before);
    const answer = await post(url, { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } }, named);
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += String(read.value);
    expect(rest).toMatch(/^event: message\ndata: \{"jsonrpc":"2.0","id":7,"result".*\n\n$/);
  });

  it('ends the stream of a call that is held when it is cancelled', async () => {
    const { url } = await between(answersJson);
    const named = { 'Mcp-Session-Id': await nameOf(url, { elicitation: {} }) };
    await loop(url, 6, named);
    const held = await post(url, call(7), named);
    const cancelled = await post(
      url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
      named,
    );
    expect(cancelled.status).toBe(202);
    expect(await held.text()).toContain('notifications/cancelled');
    expect(server?.heard.filter(({ body }) => body.includes('"id":7'))).toEqual([]);
  });

  it('asks again when the one who was asked has gone', async () => {
    const { url } = await between(answersJson);
    const named = { 'Mcp-Session-Id': await nameOf(url, { elicitation: {} }) };
    await loop(url, 6, named);
    for (let id = 7; id <= 8; id++) {
      const leaving = new AbortController();
      const held = await fetch(url, {
        method: 'POST',
        body: JSON.stringify(call(id)),
        headers: { Accept: BOTH, ...named },
        signal: leaving.signal,
      });
      const reader = (held.body as ReadableStream<Uint8Array>).getReader();
      expect(String(Buffer.from((await reader.read()).value ?? []))).toContain('elicitation/create');
      leaving.abort();
      await reader.read().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  it('refuses where a question cannot be asked, because no events are accepted', async () => {
    const { url } = await between(answersJson);
    const named = { 'Mcp-Session-Id': await nameOf(url, { elicitation: {} }), Accept: 'application/json' };
    expect((await loop(url, 7, named)).at(-1)).toBe('refused');
  });

  it('judges a result that comes after the stream was resumed', async () => {
    const results = new Map<string, number>();
    const { url } = await between(({ request, body }, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (request.method === 'POST') {
        const { id } = JSON.parse(body) as { id: number };
        results.set(`event ${id}`, id);
        response.end(`id: event ${id}\ndata: \n\n`);
        return;
      }
      const id = results.get(String(request.headers['last-event-id']));
      const result = { content: [{ type: 'text', text: 'the same as ever, word for word' }] };
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
    const named = { 'Mcp-Session-Id': 'one' };
    const seen: boolean[] = [];
    for (let id = 1; id <= 3; id++) {
      await (await post(url, call(id), named)).text();
      const resumed = await fetch(url, {
        headers: { ...named, Accept: BOTH, 'Last-Event-ID': `event ${id}` },
      });
      seen.push((await resumed.text()).includes('[deloop]'));
    }
    expect(seen).toEqual([false, false, true]);
  });

  it('says when the server is down, once, and goes on when it is back', async () => {
    const { url, said } = await between(answersJson);
    const address = server?.url as URL;
    server?.close();
    await untilDown(address);
    for (let n = 1; n <= 2; n++) {
      const answer = await post(url, { jsonrpc: '2.0', id: n, method: 'ping' });
      expect(answer.status).toBe(502);
      expect(await answer.text()).toContain(`${address} cannot be reached: nobody listens there`);
    }
    expect(said().match(/cannot be reached/g)).toHaveLength(1);
  });

  it('cuts a stream that the server cuts', async () => {
    const { url } = await between((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n', () =>
        response.destroy(),
      );
    });
    const answer = await post(url, call(1));
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect((await post(url, call(2))).status).toBe(200);
  });

  it('leaves the server when the client leaves', async () => {
    let left: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { url } = await between((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': slow\n\n');
      response.once('close', () => left?.());
    });
    const leaving = new AbortController();
    const answer = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal: leaving.signal });
    expect(answer.status).toBe(200);
    leaving.abort();
    await gone;
  });

  it('gives events as they come, and comments', async () => {
    let next: ((text: string) => void) | undefined;
    const { url } = await between((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      next = (text) => response.write(text);
    });
    const answer = await fetch(url, { headers: { Accept: 'text/event-stream' } });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    for (const text of [
      ': ping\n\n',
      'data: {"jsonrpc":"2.0","method":"x"}\n\n',
      'event: other\ndata: 1\n\n',
    ]) {
      next?.(text);
      expect(String(Buffer.from((await reader.read()).value ?? []))).toBe(text);
    }
    await reader.cancel();
  });

  it('says that it does not guard a server with the transport of old', async () => {
    const { url, said } = await between((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end('event: endpoint\ndata: /message?sessionId=1\n\n');
    });
    for (let n = 1; n <= 2; n++)
      expect(await (await fetch(url)).text()).toBe('event: endpoint\ndata: /message?sessionId=1\n\n');
    expect(said().match(/its calls are not guarded/g)).toHaveLength(1);
  });

  it('passes bodies of 50 MB, both ways, and judges them', async () => {
    const large = 'y'.repeat(50_000_000);
    const { url } = await between(({ body }, response) => {
      const { id } = JSON.parse(body) as { id: number };
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: id === 0 ? 'done' : large }] },
      });
      const isStream = id % 2 === 0;
      response.writeHead(200, { 'Content-Type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(isStream ? `data: ${text}\n\n` : text);
    });
    await (await post(url, call(0, { name: 'write_file', arguments: { path: 'b', content: large } }))).text();
    expect(server?.heard[0]?.body.length).toBeGreaterThan(large.length);
    for (let id = 1; id <= 3; id++) {
      const text = await (await post(url, call(id))).text();
      expect(text.length).toBeGreaterThan(large.length);
      expect(text.includes('[deloop]')).toBe(id === 3);
    }
  });

  it('does not fill up when a client does not read', async () => {
    let written = 0;
    const { url, child } = await between((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const event = `data: {"jsonrpc":"2.0","method":"${'z'.repeat(100_000)}"}\n\n`;
      const more = () => {
        do written += event.length;
        while (written < 400_000_000 && response.write(event));
      };
      response.on('drain', more);
      more();
    });
    const socket = connect(Number(url.port), '127.0.0.1');
    socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
    await once(socket, 'readable');
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(written).toBeLessThan(60_000_000);
    expect(residentBytes(child.pid as number)).toBeLessThan(250_000_000);
    socket.destroy();
  });

  it('passes what is no JSON to the server, which knows what to say', async () => {
    const { url } = await between(({ body }, response) => response.writeHead(400).end(body));
    const answer = await post(url, '{"no');
    expect([answer.status, await answer.text()]).toEqual([400, '{"no']);
  });

  it('refuses a request that it cannot look into', async () => {
    const { url } = await between(answersJson);
    expect((await post(url, 'x', { 'Content-Encoding': 'gzip' })).status).toBe(415);
    expect(server?.heard).toEqual([]);
  });

  it('ends with a signal, and leaves nobody waiting', async () => {
    const { url, stop } = await between((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
    });
    const answer = await fetch(url, { headers: { Accept: 'text/event-stream' } });
    expect(await stop()).toBe(128 + 15);
    await expect(answer.text()).rejects.toThrow();
  });

  it.each([
    [['--url', 'localhost:3001'], '--url is "localhost:3001"; it must be an address such as'],
    [['--url', 'ftp://x/'], '--url is "ftp://x/"'],
    [['--url', 'http://user:pass@x/'], '--url must hold no password'],
    [['--url', 'http://x/', '--port', '70000'], '--port is "70000"; it must be a whole number from 0'],
    [['--url', 'http://x/', '--port', 'x'], '--port is "x"'],
    [['--url', 'http://x/', '--port', '0', '--allow-origin', 'x'], '--allow-origin is "x"'],
    [['--url', 'http://x/', '--', 'npx', 'y'], '--url and a command exclude each other: npx y'],
    [['--port', '1', '--', 'npx', 'y'], '--port is for a server over HTTP: it needs --url'],
  ])('answers wrong usage %j with one line and exit status 2', async (args, message) => {
    const { status, out, err } = await deloop(['mcp', ...args]);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
    expect(err).not.toContain('pass@');
  });

  it('says when its port is taken', async () => {
    const { url } = await between(answersJson);
    const { status, err } = await deloop(['mcp', '--url', String(url), '--port', url.port]);
    expect(status).toBe(2);
    expect(err).toBe(`deloop: --port ${url.port}: it is taken; choose another, or 0 for any that is free\n`);
  });
});
