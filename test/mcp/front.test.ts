import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { deloop, MAIN, newFolder } from '../cli/run-cli.ts';
import { fronted, gone, type Proxied } from './proxied.ts';
import {
  answersJson,
  type Fields,
  type HttpScript,
  type ScriptedHttp,
  scriptedHttp,
} from './servers/http.ts';

const CLIENT = fileURLToPath(new URL('./servers/client.mjs', import.meta.url));
const RESULT = { content: [{ type: 'text', text: 'the same as ever, word for word, as before' }] };

let server: ScriptedHttp;
let front: Proxied | undefined;
afterEach(async () => {
  front?.child.kill('SIGKILL');
  await front?.ended;
  front = undefined;
  server.close();
});

async function frontOf(script: HttpScript, flags: readonly string[] = [], env = {}): Promise<Proxied> {
  server = await scriptedHttp(script);
  front = fronted(server.url, flags, env);
  return front;
}

const request = (id: unknown, method = 'ping', params: Fields = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const call = (id: unknown, params: Fields = {}) =>
  request(id, 'tools/call', { name: 'read_file', arguments: { path: 'a.txt' }, ...params });
const initialize = (id: unknown = 'hello') =>
  request(id, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const modern = (id: unknown, method: string, params: Fields = {}) =>
  request(id, method, { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } });

/** What the client hears of some messages, in the end. */
async function heardFrom(
  script: HttpScript,
  messages: readonly (object | string)[],
  flags: readonly string[] = [],
) {
  const { send, child, ended } = await frontOf(script, flags);
  for (const message of messages) send(message);
  child.stdin.end();
  const { status, out, err } = await ended;
  const lines = String(out).trim().split('\n').filter(Boolean);
  return { status, err, lines, messages: lines.map((line) => JSON.parse(line) as Fields) };
}

function asJson(response: ServerResponse, message: unknown, headers: Fields = {}, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers } as never);
  response.end(JSON.stringify(message));
}

function asEvents(response: ServerResponse, ...lines: string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(lines.join('\n'));
}

const answerTo = (body: string, result: unknown = RESULT) => ({
  jsonrpc: '2.0',
  id: (JSON.parse(body) as Fields)['id'],
  result,
});

/** A server with sessions, which forgets them when it is told to. */
function forgetful(then: (response: ServerResponse) => void) {
  const known = new Set<string>();
  const script: HttpScript = ({ request: { method, headers }, body }, response) => {
    const id = headers['mcp-session-id'];
    if (method !== 'POST') response.writeHead(method === 'DELETE' ? 200 : 405).end();
    else if (body.includes('"initialize"')) {
      known.add(`session-${known.size + 1}`);
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      };
      asJson(response, answerTo(body, result), { 'Mcp-Session-Id': [...known].at(-1) });
    } else if (!known.has(String(id))) then(response);
    else if (body.includes('"id"')) asJson(response, answerTo(body));
    else response.writeHead(202).end();
  };
  return { script, forget: () => known.clear() };
}

describe('deloop mcp --url, for a client that starts a command', { timeout: 60_000 }, () => {
  it('guards what passes, and gives every message a line of its own', async () => {
    const pretty: HttpScript = ({ body }, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(answerTo(body), null, 2).replaceAll('\n', '\r\n'));
    };
    const { send, until, child, ended } = await frontOf(pretty);
    for (let id = 1; id <= 5; id++) {
      send(call(id));
      await until(`"id":${id === 5 ? '' : ' '}${id},`);
    }
    child.stdin.end();
    const { out, status } = await ended;
    expect(status).toBe(0);
    const lines = String(out).trimEnd().split('\n');
    const seen = lines.map((line) =>
      line.includes('isError') ? 'refused' : line.includes('[deloop]') ? 'nudged' : 'plain',
    );
    expect(seen).toEqual(['plain', 'plain', 'nudged', 'plain', 'refused']);
    expect(server.heard.length).toBe(4);
  });

  it('sends what is asked for by name: session, version, and goodbye', async () => {
    const { script } = forgetful((response) => response.writeHead(500).end());
    const { send, until, child, ended } = await frontOf(script);
    for (const message of [initialize(), INITIALIZED, request(2)]) send(message);
    await until('"id":2');
    while (!server.heard.some(({ request: { method } }) => method === 'GET'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    child.stdin.end();
    await ended;
    const seen = server.heard.map(({ request: { method, headers } }) => [
      method,
      headers['mcp-session-id'],
      headers['mcp-protocol-version'],
    ]);
    expect(seen).toContainEqual(['GET', 'session-1', '2025-11-25']);
    expect(seen.filter(([method]) => method !== 'GET')).toEqual([
      ['POST', undefined, undefined],
      ['POST', 'session-1', '2025-11-25'],
      ['POST', 'session-1', '2025-11-25'],
      ['DELETE', 'session-1', '2025-11-25'],
    ]);
  });

  it.each([
    [401, '', 'has answered 401: it wants a sign-in'],
    [403, 'no', 'has answered 403: what was sent does not permit this'],
    [404, '<html>', 'has answered 404: there is no MCP server at this address'],
    [429, '', 'has answered 429: it was asked too often; again in 7'],
    [500, '{"jsonrpc":', 'has answered 500'],
    [502, '<html>', 'the machine before it cannot reach it'],
    [302, '', 'it has moved: use https://elsewhere.example/mcp'],
  ])('says why a request was refused with %i %j', async (status, body, why) => {
    const { messages, err } = await heardFrom(
      (_, response) => {
        response.writeHead(status, {
          'Retry-After': '7',
          ...(status === 302 ? { Location: 'https://elsewhere.example/mcp' } : {}),
        });
        response.end(body);
      },
      [call(7)],
      ['--no-login'],
    );
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32051, message: expect.stringContaining(why) } },
    ]);
    expect(err).toBe('');
  });

  it.each([
    ['its own id', 7],
    ['no id', null],
  ])('passes an error of the server as it is, with %s', async (_, id) => {
    const error = { code: -32601, message: 'no such method', data: { more: [1.0] } };
    const { messages } = await heardFrom(
      (_heard, response) => asJson(response, { jsonrpc: '2.0', id, error }, {}, 404),
      [request(7)],
    );
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 7, error }]);
  });

  it('answers for a server that is not there, and goes on when it comes', async () => {
    const { send, until, child, ended } = await frontOf((heard, response) => {
      if (heard.body.includes('"die"')) response.destroy();
      else answersJson(heard, response);
    });
    send(request('die'));
    await until('it has cut the connection');
    send(request('lives'));
    await until('"lives","result"');
    server.close();
    send(request('away'));
    await until('"away","error"');
    child.stdin.end();
    const { out, status } = await ended;
    expect(status).toBe(0);
    const answers = String(out)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; error?: Fields });
    expect(answers.map(({ id, error }) => [id, error?.['code']])).toEqual([
      ['die', -32051],
      ['lives', undefined],
      ['away', -32051],
    ]);
  });

  it.each([
    ['404', (response: ServerResponse) => response.writeHead(404).end()],
    [
      'words',
      (response: ServerResponse) =>
        asJson(
          response,
          { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID' } },
          {},
          400,
        ),
    ],
  ])('begins a session anew that the server has forgotten, told by %s', async (_, refuse) => {
    const { script, forget } = forgetful(refuse);
    const { send, until, child, ended } = await frontOf(script);
    send(initialize());
    send(INITIALIZED);
    await until('"hello"');
    forget();
    send(call(2));
    send(call(3, { name: 'other' }));
    await until('"id":2');
    await until('"id":3');
    child.stdin.end();
    const { out, err } = await ended;
    expect(String(out).trim().split('\n')).toHaveLength(3);
    expect(String(out)).not.toContain('error');
    expect(err).toContain('has forgotten the session; a new one was begun');
    expect(server.heard.filter(({ body }) => body.includes('"initialize"'))).toHaveLength(2);
  });

  it('says so when it cannot be begun anew', async () => {
    let isOpen = true;
    const { script, forget } = forgetful((response) => response.writeHead(404).end());
    const { send, until } = await frontOf((heard, response) => {
      if (isOpen || !heard.body.includes('"initialize"')) script(heard, response);
      else response.writeHead(503).end();
    });
    send(initialize());
    await until('"hello"');
    isOpen = false;
    forget();
    send(call(2));
    await until('does not know this session any more: connect to it anew');
  });

  it('comes back for an answer whose stream was cut, with what it has heard last', async () => {
    const { messages } = await heardFrom(
      ({ request: { method, headers }, body }, response) => {
        if (method === 'POST') {
          asEvents(
            response,
            'id: a',
            'retry: 5',
            'data: ',
            '',
            'id: b',
            `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/one' })}`,
            '',
            '',
          );
          setTimeout(() => (body.includes('"cut"') ? response.destroy() : response.end()), 20);
        } else {
          const id = headers['last-event-id'] === 'b' ? 'ended' : 'cut';
          asEvents(
            response,
            'id: c',
            `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: RESULT })}`,
            '',
            '',
          );
          response.end();
        }
      },
      [request('ended')],
    );
    expect(messages.map(({ id, method }) => method ?? id)).toEqual(['notifications/one', 'ended']);
    expect(
      server.heard.map(({ request: { method, headers } }) => [method, headers['last-event-id']]),
    ).toEqual([
      ['POST', undefined],
      ['GET', 'b'],
    ]);
  });

  it.each([
    ['cannot be taken up', ''],
    ['is refused each time', 'id: x\nretry: 1\ndata: \n\n'],
  ])('answers for a stream that was cut and %s', async (_, first) => {
    const { messages } = await heardFrom(
      ({ request: { method } }, response) => {
        if (method !== 'POST') {
          response.writeHead(404).end();
          return;
        }
        asEvents(response, first);
        setTimeout(() => response.end(), 10);
      },
      [call(1)],
    );
    expect(messages).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32051, message: expect.stringContaining('closed its stream before it answered') },
      },
    ]);
    expect(server.heard.length).toBe(first === '' ? 1 : 6);
  });

  it('listens, and comes back with what it has heard last', async () => {
    let times = 0;
    const note = (n: number) =>
      `id: n${n}\nretry: 1\ndata: {"jsonrpc":"2.0","method":"notifications/n${n}"}\n\n`;
    const { send, until } = await frontOf((heard, response) => {
      if (heard.request.method !== 'GET') return answersJson(heard, response);
      times += 1;
      asEvents(response, note(times));
      if (times < 3) response.end();
    });
    send(initialize());
    send(INITIALIZED);
    await until('notifications/n3');
    expect(
      server.heard
        .filter(({ request: { method } }) => method === 'GET')
        .map(({ request: { headers } }) => headers['last-event-id']),
    ).toEqual([undefined, 'n1', 'n2']);
  });

  it('keeps the order in which notifications and what follows them were said', async () => {
    const notes = Array.from({ length: 20 }, (_, n) => ({ jsonrpc: '2.0', method: `notifications/n${n}` }));
    const { messages } = await heardFrom(
      ({ body }, response) => {
        if (body.includes('"id"')) asJson(response, answerTo(body));
        else setTimeout(() => response.writeHead(202).end(), 3);
      },
      [...notes, request(1)],
    );
    expect(messages).toHaveLength(1);
    expect(server.heard.map(({ body }) => (JSON.parse(body) as Fields)['method'])).toEqual([
      ...notes.map(({ method }) => method),
      'ping',
    ]);
  });

  it('passes batches, what is no JSON, ids of any kind, and what is compressed', async () => {
    const texts = [
      '[{"jsonrpc":"2.0","id":1.0,"method":"ping"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"1","method":"ping"}]',
      '{"jsonrpc',
      '{"jsonrpc":"2.0","id":{"a":[12345678901234567890]},"method":"ping"}',
    ];
    const { lines } = await heardFrom(
      ({ body }, response) => {
        const answer = body.startsWith('[')
          ? '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"1","result":{}}]'
          : body === texts[1]
            ? '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
            : '{"jsonrpc":"2.0","id":{"a":[12345678901234567890]},"result":{}}';
        response.writeHead(body === texts[1] ? 400 : 200, {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
        });
        response.end(gzipSync(answer));
      },
      texts.map((text) => `${text}\n`),
    );
    expect(server.heard.map(({ body }) => body).sort()).toEqual([...texts].sort());
    expect(lines.sort()).toEqual(
      [
        '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"1","result":{}}]',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
        '{"jsonrpc":"2.0","id":{"a":[12345678901234567890]},"result":{}}',
      ].sort(),
    );
  });

  it('takes 50 MB either way', async () => {
    const long = 'x'.repeat(50 * 1024 * 1024);
    const { lines } = await heardFrom(
      ({ body }, response) => asJson(response, answerTo(body, { content: [{ type: 'text', text: long }] })),
      [call(1, { arguments: { long } })],
    );
    expect(lines[0]?.length).toBeGreaterThan(long.length);
    expect(server.heard[0]?.body.length).toBeGreaterThan(long.length);
  });

  it('says in headers what requests of 2026-07-28 say, and hangs up on one that is cancelled', async () => {
    const schema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
      },
    };
    let hungUp = () => {};
    const left = new Promise<void>((resolve) => {
      hungUp = resolve;
    });
    const { send, until } = await frontOf(({ body }, response) => {
      if (body.includes('"tools/list"'))
        asJson(
          response,
          answerTo(body, { resultType: 'complete', tools: [{ name: 'où', inputSchema: schema }] }),
        );
      else if (body.includes('"slow"')) response.once('close', hungUp);
      else asJson(response, answerTo(body));
    });
    send(modern(1, 'tools/list'));
    await until('"id":1');
    send(modern(2, 'tools/call', { name: 'où', arguments: { region: ' eu', deep: { n: 4 } } }));
    await until('"id":2');
    send(modern(3, 'tools/call', { name: 'slow' }));
    while (server.heard.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
    await left;
    const [list, called] = server.heard.map(({ request: { headers } }) => headers);
    expect(list).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' });
    expect(called).toMatchObject({
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?b8O5?=',
      'mcp-param-region': '=?base64?IGV1?=',
      'mcp-param-n': '4',
    });
    expect(server.heard).toHaveLength(3);
  });

  it('sends headers from flags and from the environment, and tells nobody', async () => {
    const { send, child, ended, folder } = await frontOf(
      answersJson,
      [
        '--header',
        'X-Region: eu:west',
        '--header',
        'content-type: text/plain',
        '--header-env',
        'Authorization=TOKEN',
        '--log',
        'log.jsonl',
        '--preset',
        'zagens',
      ],
      { TOKEN: 'Bearer very-secret' },
    );
    for (let id = 1; id <= 3; id++) send(call(id));
    child.stdin.end();
    const { err } = await ended;
    expect(server.heard[0]?.request.headers).toMatchObject({
      'x-region': 'eu:west',
      authorization: 'Bearer very-secret',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    const log = readFileSync(join(folder, 'log.jsonl'), 'utf8');
    expect(log).toContain('block');
    expect(err + log).not.toContain('secret');
  });

  it('runs a command for headers, and again when they are refused', async () => {
    const helper =
      'n=$(cat runs 2>/dev/null || echo 0); n=$((n+1)); echo $n > runs; echo "{\\"Authorization\\":\\"Bearer $n\\",\\"X-Name\\":\\"$CLAUDE_CODE_MCP_SERVER_NAME\\"}"';
    let valid = 'Bearer 1';
    const { send, until, folder } = await frontOf(
      (heard, response) => {
        const { authorization, 'x-name': name } = heard.request.headers;
        if (authorization !== valid || name !== 'far') response.writeHead(401).end();
        else answersJson(heard, response);
      },
      ['--headers-helper', helper, '--name', 'far'],
    );
    send(request(1));
    await until('"id":1,"result"');
    valid = 'Bearer 2';
    send(request(2));
    await until('"id":2,"result"');
    send(request(3));
    await until('"id":3,"result"');
    expect(readFileSync(join(folder, 'runs'), 'utf8').trim()).toBe('2');
  });

  it.each([
    ['false', 'has failed'],
    ['echo nothing', 'has printed no headers'],
    ['echo \'{"a b":"very-secret"}\'', 'has printed no headers'],
  ])('says that a command for headers does not work: %s', async (helper, why) => {
    const { err, messages } = await heardFrom(
      (_, response) => response.writeHead(401).end(),
      [request(1)],
      ['--headers-helper', helper],
    );
    expect(err).toContain(why);
    expect(err).not.toContain('secret');
    expect(messages).toMatchObject([{ id: 1, error: { message: expect.stringContaining('401') } }]);
  });

  it('follows the server to another address of its own, and nowhere else', async () => {
    const { messages } = await heardFrom(
      (heard, response) => {
        if (heard.request.url === '/mcp') response.writeHead(307, { Location: '/mcp/' }).end();
        else answersJson(heard, response);
      },
      [request(1), request(2)],
    );
    expect(messages.map(({ result }) => result)).toEqual([RESULT, RESULT]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('says goodbye on %s', async (signal) => {
    const { script } = forgetful(() => {});
    const { send, until, child, ended } = await frontOf(script);
    send(initialize());
    await until('"hello"');
    child.kill(signal);
    expect((await ended).status).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect(server.heard.at(-1)?.request.method).toBe('DELETE');
  });

  it('is gone when its client was killed, with a call under way', async () => {
    server = await scriptedHttp(({ body }, response) => {
      if (body.includes('"ping"')) asJson(response, answerTo(body));
    });
    const pidFile = join(newFolder(), 'pid');
    const words = [CLIENT, pidFile, process.execPath, MAIN, 'mcp', '--url', String(server.url)];
    const client = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(client.stdout, 'data');
    client.kill('SIGKILL');
    await gone(Number(readFileSync(pidFile, 'utf8')));
  });

  it('tells a client that goes without waiting nothing, and one that waits everything', async () => {
    const { messages } = await heardFrom(
      ({ body }, response) => {
        setTimeout(() => asJson(response, answerTo(body)), 300);
      },
      [request(1), request(2)],
    );
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('judges servers over HTTP together with the others of their client', async () => {
    server = await scriptedHttp(answersJson);
    const store = join(newFolder(), 'store');
    const flags = ['--store', store, '--session', 'one', '--preset', 'koda'];
    const [one, other] = [
      fronted(server.url, [...flags, '--name', 'a']),
      fronted(server.url, [...flags, '--name', 'b']),
    ];
    for (let id = 1; id <= 10; id++) {
      one.send(call(id));
      await one.until(`"id":${id},`);
    }
    other.send(call(1));
    await other.until('This session is stopped');
    for (const { child, ended } of [one, other]) {
      child.stdin.end();
      await ended;
    }
  });

  it('answers every request once, whatever the server says', async () => {
    const own = (body: string) => JSON.stringify(answerTo(body));
    const bodies = [
      '',
      '{',
      'null',
      '[]',
      '[1]',
      '"x"',
      '{}',
      '<html>',
      '{"id":null}',
      '{"jsonrpc":"2.0","id":"z","result":{}}',
      '\u0000\uffff',
    ];
    const types = [
      'application/json',
      'text/event-stream',
      'text/html',
      '',
      'application/json; charset=x',
      'TEXT/EVENT-STREAM',
    ];
    const statuses = [200, 201, 202, 204, 301, 307, 400, 401, 403, 404, 405, 418, 429, 500, 503];
    const cases = fc.sample(
      fc.record({
        status: fc.constantFrom(...statuses),
        type: fc.constantFrom(...types),
        body: fc.oneof(fc.constantFrom(...bodies), fc.string(), fc.constant('own')),
        asEvent: fc.constantFrom('', 'data: ', 'event: x\ndata: ', 'id: 1\nretry: 1\ndata: ', 'data'),
        how: fc.constantFrom('end', 'end', 'destroy', 'coded'),
      }),
      { numRuns: 120, seed: 7 },
    );
    const script: HttpScript = ({ request: { method }, body }, response) => {
      const number = method === 'POST' ? Number((JSON.parse(body) as Fields)['id']) : 0;
      const { status, type, body: words, asEvent, how } = cases[number] as (typeof cases)[number];
      const text = `${asEvent}${words === 'own' && method === 'POST' ? own(body) : words}${asEvent === '' ? '' : '\n\n'}`;
      const coded = how === 'coded' ? { 'Content-Encoding': 'gzip' } : {};
      response.writeHead(status, { ...(type === '' ? {} : { 'Content-Type': type }), ...coded });
      response.write(text);
      if (how === 'destroy') response.destroy();
      else response.end();
    };
    const { messages } = await heardFrom(
      script,
      cases.map((_, id) => request(id)),
      ['--no-login', '--via', 'http'],
    );
    const answered = messages
      .flat()
      .filter(({ id, method }) => typeof id === 'number' && method === undefined);
    expect(answered.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual(
      cases.map((_, id) => id),
    );
  });

  describe('over HTTP+SSE', () => {
    /** Streams that are open, the last one last. */
    const oldServer = () => {
      const streams: ServerResponse[] = [];
      const script: HttpScript = ({ request: { method, url }, body }, response) => {
        if (method === 'GET') {
          asEvents(response, 'event: endpoint', `data: /message?session=${streams.length}`, '', '');
          streams.push(response);
        } else if (url === '/mcp') response.writeHead(405).end();
        else {
          response.writeHead(202).end();
          const stream = streams[Number(url?.split('=')[1])];
          if (body.includes('"id"') && !body.includes('"never"'))
            stream?.write(`event: message\ndata: ${JSON.stringify(answerTo(body))}\n\n`);
        }
      };
      return { streams, script };
    };

    it('answers for a stream that is cut, and begins anew', async () => {
      const { streams, script } = oldServer();
      const { send, until, child, ended } = await frontOf(script);
      send(initialize());
      send(INITIALIZED);
      send(request('never'));
      while (!server.heard.some(({ body }) => body.includes('"never"')))
        await new Promise((resolve) => setTimeout(resolve, 10));
      streams[0]?.destroy();
      await until('closed its stream before it answered');
      send(call(2));
      await until('"id":2');
      child.stdin.end();
      const { out, err } = await ended;
      expect(err).toContain('has closed the session; a new one was begun');
      expect(String(out).match(/"hello"/g)).toHaveLength(1);
      expect(
        server.heard.map(({ request: { url } }) => url).filter((url) => url?.endsWith('=1')),
      ).toHaveLength(3);
    });

    it('sends nothing to another host', async () => {
      const { messages } = await heardFrom(
        (_, response) =>
          asEvents(response, 'event: endpoint', 'data: https://elsewhere.example/message', '', ''),
        [initialize()],
        ['--via', 'sse', '--header', 'Authorization: Bearer secret'],
      );
      expect(messages).toMatchObject([
        { id: 'hello', error: { message: expect.stringContaining('does not say where messages go') } },
      ]);
    });
  });

  it.each([
    [['--url', 'http://x/mcp', '--header', 'nonsense'], '--header must be a name and a value'],
    [['--url', 'http://x/mcp', '--header', 'a b: secret'], '"a b" is no name of a header'],
    [['--url', 'http://x/mcp', '--header-env', 'A'], 'it must be a name and a variable'],
    [['--url', 'http://x/mcp', '--header-env', 'A=NOT_THERE'], 'the environment has no variable NOT_THERE'],
    [
      ['--url', 'http://x/mcp', '--via', 'carrier-pigeon'],
      '--via is "carrier-pigeon"; it must be one of auto, http, sse',
    ],
    [['--url', 'http://x/mcp', '--port', '0', '--header', 'A: b'], '--header and --port exclude each other'],
    [['--url', 'http://x/mcp', '--host', '::1'], '--host is for a guard that listens: it needs --port'],
    [['--header', 'A: b', '--', 'x'], '--header is for a server over HTTP: it needs --url'],
    [['--url-env', 'NOT_THERE'], 'the environment has no such variable'],
    [['--url', 'http://x/mcp', '--url-env', 'A'], '--url and --url-env exclude each other'],
  ])('is refused with %j', async (flags, why) => {
    server = await scriptedHttp(answersJson);
    const { status, err } = await deloop(['mcp', ...flags]);
    expect({ status, lines: err.trimEnd().split('\n').length }).toEqual({ status: 2, lines: 1 });
    expect(err).toContain(why);
    expect(err).not.toContain('secret');
  });
});
