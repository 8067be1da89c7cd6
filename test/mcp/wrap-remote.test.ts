// biome-ignore-all lint/suspicious/noTemplateCurlyInString: clients fill these in themselves.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { clientNamed, recognise } from '../../src/cli/mcp/wrap/find-client.ts';
import { standingOf } from '../../src/cli/mcp/wrap/standing.ts';
import { type GuardWords, unwrappedText, wrappedText } from '../../src/cli/mcp/wrap/wrap-text.ts';
import { deloop, newFolder } from '../cli/run-cli.ts';

type Fields = { [name: string]: unknown };

const RUN = ['/usr/bin/node', '/opt/deloop/main.js'];
const words: GuardWords = (server) => ({ run: RUN, flags: [`--name=${server}`, '--share'] });
const all = () => true;

/** A config; the server in it, by its path; what its entry becomes, beside the words of the guard. */
type Sample = readonly [
  file: string,
  text: string,
  path: readonly string[],
  flags: readonly string[],
  rest: Fields,
];

const SAMPLES: readonly Sample[] = [
  [
    '.mcp.json',
    '{"mcpServers":{"a":{"type":"http","url":"https://x.example/mcp","headersHelper":"./token.sh --for=x"}}}',
    ['mcpServers', 'a'],
    ['--via=http', '--headers-helper=./token.sh --for=x', '--wrapped-type=http', '--wrapped-remote=url'],
    { type: 'stdio', env: { DELOOP_MCP_URL: 'https://x.example/mcp' }, headersHelper: './token.sh --for=x' },
  ],
  [
    '.mcp.json',
    '{\n  "mcpServers": {\n    "issues": {\n      "type": "http",\n      "url": "https://x.example/mcp?key=1",\n      "headers": {\n        "Authorization": "Bearer ${TOKEN:-none}",\n        "X-Api-Key": "k"\n      }\n    }\n  }\n}\n',
    ['mcpServers', 'issues'],
    [
      '--via=http',
      '--header-env=Authorization=DELOOP_HEADER_AUTHORIZATION',
      '--header-env=X-Api-Key=DELOOP_HEADER_X_API_KEY',
      '--wrapped-type=http',
      '--wrapped-remote=url+headers',
    ],
    {
      type: 'stdio',
      env: {
        DELOOP_MCP_URL: 'https://x.example/mcp?key=1',
        DELOOP_HEADER_AUTHORIZATION: 'Bearer ${TOKEN:-none}',
        DELOOP_HEADER_X_API_KEY: 'k',
      },
    },
  ],
  [
    '.mcp.json',
    '{"mcpServers":{"old":{"url":"${BASE}/sse","type":"sse"}}}',
    ['mcpServers', 'old'],
    ['--via=sse', '--wrapped-type=sse', '--wrapped-remote=url'],
    { type: 'stdio', env: { DELOOP_MCP_URL: '${BASE}/sse' } },
  ],
  [
    '.claude.json',
    '{"numStartups":1,"projects":{"/home/me/x":{"mcpServers":{"a":{"type" : "http","url" : "https://x.example/mcp" , "headers" : {}}}}}}',
    ['projects', '/home/me/x', 'mcpServers', 'a'],
    ['--via=http', '--wrapped-type=http', '--wrapped-remote=url+headers'],
    { type: 'stdio', env: { DELOOP_MCP_URL: 'https://x.example/mcp' } },
  ],
  [
    'claude_desktop_config.json',
    '{\r\n\t"mcpServers": {\r\n\t\t"a": { "url": "https://x.example/mcp" }\r\n\t}\r\n}',
    ['mcpServers', 'a'],
    ['--wrapped-remote=url'],
    { env: { DELOOP_MCP_URL: 'https://x.example/mcp' } },
  ],
  [
    '.cursor/mcp.json',
    '{ // mine\n  "mcpServers": {\n    "a": {\n      "headers": { "API_KEY": "${env:KEY}", "api-key": "two" /* why */, }, // keys\n      "url": "https://x.example/mcp",\n    },\n  },\n}',
    ['mcpServers', 'a'],
    [
      '--header-env=API_KEY=DELOOP_HEADER_API_KEY',
      '--header-env=api-key=DELOOP_HEADER_API_KEY_2',
      '--wrapped-remote=url+headers',
    ],
    {
      env: {
        DELOOP_MCP_URL: 'https://x.example/mcp',
        DELOOP_HEADER_API_KEY: '${env:KEY}',
        DELOOP_HEADER_API_KEY_2: 'two',
      },
    },
  ],
  [
    '.vscode/mcp.json',
    '{\n\t"inputs": [{ "id": "token", "type": "promptString", "password": true }],\n\t"servers": {\n\t\t// where issues are\n\t\t"a": {\n\t\t\t"type": "http",\n\t\t\t"url": "https://x.example/mcp",\n\t\t\t"headers": { "Authorization": "Bearer ${input:token}" }\n\t\t}\n\t}\n}\n',
    ['servers', 'a'],
    [
      '--via=http',
      '--header-env=Authorization=DELOOP_HEADER_AUTHORIZATION',
      '--wrapped-type=http',
      '--wrapped-remote=url+headers',
    ],
    {
      type: 'stdio',
      env: { DELOOP_MCP_URL: 'https://x.example/mcp', DELOOP_HEADER_AUTHORIZATION: 'Bearer ${input:token}' },
    },
  ],
  [
    '.gemini/settings.json',
    '{"mcpServers":{"a":{"httpUrl":"https://x.example/mcp","headers":{"Authorization":"Bearer $TOKEN"},"timeout":5000,"trust":true}}}',
    ['mcpServers', 'a'],
    [
      '--via=http',
      '--header-env=Authorization=DELOOP_HEADER_AUTHORIZATION',
      '--wrapped-remote=httpUrl+headers',
    ],
    {
      env: { DELOOP_MCP_URL: 'https://x.example/mcp', DELOOP_HEADER_AUTHORIZATION: 'Bearer $TOKEN' },
      timeout: 5000,
      trust: true,
    },
  ],
  [
    'mcp_config.json',
    '{"mcpServers":{"a":{"serverUrl":"https://x.example/mcp","disabled":false}}}',
    ['mcpServers', 'a'],
    ['--wrapped-remote=serverUrl'],
    { env: { DELOOP_MCP_URL: 'https://x.example/mcp' }, disabled: false },
  ],
  [
    'opencode.json',
    '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "a": {\n      "type": "remote",\n      "url": "https://x.example/mcp",\n      "enabled": true,\n      "headers": {\n        "Authorization": "Bearer {env:TOKEN}"\n      }\n    }\n  }\n}',
    ['mcp', 'a'],
    [
      '--header-env=Authorization=DELOOP_HEADER_AUTHORIZATION',
      '--wrapped-type=remote',
      '--wrapped-remote=url+headers',
    ],
    {
      type: 'local',
      enabled: true,
      environment: {
        DELOOP_MCP_URL: 'https://x.example/mcp',
        DELOOP_HEADER_AUTHORIZATION: 'Bearer {env:TOKEN}',
      },
    },
  ],
  [
    'opencode.jsonc',
    '{"mcp":{"servers":{"a":{"type":"remote","url":"https://x.example/mcp"}}}}',
    ['mcp', 'servers', 'a'],
    ['--wrapped-type=remote', '--wrapped-remote=url'],
    { type: 'local', environment: { DELOOP_MCP_URL: 'https://x.example/mcp' } },
  ],
  [
    'config.toml',
    'model = "x"\n\n[mcp_servers.a] # one\nurl="https://x.example/mcp" # there\nbearer_token_env_var = "TOKEN"\nenabled = true\n',
    ['mcp_servers', 'a'],
    ['--bearer-env=TOKEN', '--wrapped-remote=url'],
    { env: { DELOOP_MCP_URL: 'https://x.example/mcp' }, env_vars: ['TOKEN'], enabled: true },
  ],
  [
    'config.toml',
    '[mcp_servers.a]\r\n  url = "https://x.example/mcp"\r\n  http_headers = { "X-A" = "b", c = "d" }\r\n  env_http_headers = { "X-T" = "T1", U = "T2" } # names\r\n  bearer_token_env_var = "TOKEN"\r\n[mcp_servers.b]\r\ncommand = "x"\r\n',
    ['mcp_servers', 'a'],
    [
      '--header-env=X-A=DELOOP_HEADER_X_A',
      '--header-env=c=DELOOP_HEADER_C',
      '--header-env=X-T=T1',
      '--header-env=U=T2',
      '--bearer-env=TOKEN',
      '--wrapped-remote=url+headers',
    ],
    {
      env: { DELOOP_MCP_URL: 'https://x.example/mcp', DELOOP_HEADER_X_A: 'b', DELOOP_HEADER_C: 'd' },
      env_vars: ['TOKEN', 'T1', 'T2'],
    },
  ],
  [
    'config.toml',
    '[mcp_servers.a]\nurl = "https://x.example/mcp"\ntool_timeout_sec = 9.5\n\n[mcp_servers.a.http_headers] # h\nX-A = "b"\n# between\n"y z" = "d"\n\n[mcp_servers.a.env_http_headers]\nX-T = "T1"\n\n[other]\nkey = 1\n',
    ['mcp_servers', 'a'],
    [
      '--header-env=X-A=DELOOP_HEADER_X_A',
      '--header-env=y z=DELOOP_HEADER_Y_Z',
      '--header-env=X-T=T1',
      '--wrapped-remote=url+headers',
    ],
    {
      env: { DELOOP_MCP_URL: 'https://x.example/mcp', DELOOP_HEADER_X_A: 'b', DELOOP_HEADER_Y_Z: 'd' },
      env_vars: ['T1'],
      tool_timeout_sec: 9.5,
    },
  ],
  [
    'config.toml',
    '[mcp_servers]\na = { url = "https://x.example/mcp", http_headers = { A = "b" }, enabled = true }\n',
    ['mcp_servers', 'a'],
    ['--header-env=A=DELOOP_HEADER_A', '--wrapped-remote=url+headers'],
    { env: { DELOOP_MCP_URL: 'https://x.example/mcp', DELOOP_HEADER_A: 'b' }, enabled: true },
  ],
  [
    'config.toml',
    'mcp_servers.a.url = "https://x.example/mcp"\nmcp_servers.a.http_headers = { A = "b" }\n',
    ['mcp_servers', 'a'],
    ['--header-env=A=DELOOP_HEADER_A', '--wrapped-remote=url+headers'],
    { env: { DELOOP_MCP_URL: 'https://x.example/mcp', DELOOP_HEADER_A: 'b' } },
  ],
];

function meaningOf(file: string, text: string): unknown {
  return file.endsWith('.toml') ? parseToml(text) : parseJsonc(text);
}

function at(value: unknown, path: readonly string[]): Fields {
  return path.reduce((found: unknown, step) => (found as Fields)[step], value) as Fields;
}

describe.each(SAMPLES)('%s %j', (file, text, path, flags, rest) => {
  const { client } = recognise(`/home/me/${file}`, text);
  const wrapped = wrappedText(text, client, all, words);

  it('makes a command of a server somewhere else, and keeps its secrets out of it', () => {
    const { command, args = [], ...others } = at(meaningOf(file, wrapped), path);
    expect([command, args].flat()).toEqual([
      ...RUN,
      'mcp',
      `--name=${path.at(-1)}`,
      '--share',
      '--url-env=DELOOP_MCP_URL',
      ...flags,
    ]);
    expect(others).toEqual(rest);
  });

  it('is restored to the byte, and the same when it is done again', () => {
    expect(unwrappedText(wrapped, client, all)).toBe(text);
    expect(wrappedText(wrapped, client, all, words)).toBe(wrapped);
    expect(recognise(`/home/me/${file}`, wrapped).client).toBe(client);
  });
});

describe('whatever the layout', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
    .filter((one) => one !== '__proto__');
  const header = fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/);
  const server = fc.record(
    {
      type: fc.constantFrom('http', 'sse', 'streamable-http'),
      url: fc.webUrl({ withQueryParameters: true }),
      headers: fc.dictionary(header, fc.string(), { maxKeys: 4, noNullPrototype: true }),
      note: fc.jsonValue(),
    },
    { requiredKeys: ['url'], noNullPrototype: true },
  );
  const servers = fc.dictionary(name, server, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

  it('JSON is restored to the byte', () => {
    const client = clientNamed('other');
    const layout = fc.constantFrom('', '  ', '\t');
    fc.assert(
      fc.property(servers, layout, fc.boolean(), (mcpServers, indent, windows) => {
        const plain = JSON.stringify({ before: [1], mcpServers, after: null }, null, indent);
        const text = windows ? plain.replaceAll('\n', '\r\n') : plain;
        const wrapped = wrappedText(text, client, all, words);
        for (const [key, { url, headers = {} }] of Object.entries(mcpServers)) {
          const { args, env } = at(JSON.parse(wrapped), ['mcpServers', key]) as {
            args: string[];
            env: Fields;
          };
          expect(env['DELOOP_MCP_URL']).toBe(url);
          const sent = args
            .filter((word) => word.startsWith('--header-env='))
            .map((word) => {
              const [sentName = '', variable = ''] = word.slice('--header-env='.length).split('=');
              return [sentName, env[variable]];
            });
          expect(Object.fromEntries(sent)).toEqual(headers);
        }
        expect(unwrappedText(wrapped, client, all)).toBe(text);
      }),
    );
  });

  it('TOML is restored to the byte', () => {
    const client = clientNamed('codex');
    const literal = (one: string) => JSON.stringify(one).replaceAll('\x7f', '\\u007f');
    const variable = fc.stringMatching(/^[A-Z_]{1,8}$/);
    const told = fc.record({
      url: fc.webUrl(),
      headers: fc.option(fc.dictionary(header, fc.string(), { maxKeys: 3, noNullPrototype: true })),
      bearer: fc.option(variable),
      fromEnvironment: fc.option(
        fc.dictionary(header, variable, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      ),
    });
    const gap = fc.constantFrom('\n', '\n\n', ' # a "comment" ]\n', '\r\n');
    fc.assert(
      fc.property(
        fc.dictionary(name, told, { minKeys: 1, maxKeys: 3 }),
        gap,
        fc.boolean(),
        (entries, end, block) => {
          const pairs = (table: { readonly [name: string]: string }, joint: string) =>
            Object.entries(table)
              .map(([one, value]) => `${literal(one)} = ${literal(value)}`)
              .join(joint);
          const text = Object.entries(entries)
            .map(([key, { url, headers, bearer, fromEnvironment }]) => {
              const table = (field: string, held: { readonly [name: string]: string } | null) =>
                held === null
                  ? ''
                  : block
                    ? `[mcp_servers.${literal(key)}.${field}]${end}${pairs(held, end)}${end}`
                    : `${field} = { ${pairs(held, ', ')} }${end}`;
              return [
                `[mcp_servers.${literal(key)}]${end}`,
                `url = ${literal(url)}${end}`,
                bearer === null ? '' : `bearer_token_env_var = ${literal(bearer)}${end}`,
                table('http_headers', headers),
                table('env_http_headers', fromEnvironment),
              ].join('');
            })
            .join('');
          const wrapped = wrappedText(text, client, all, words);
          const after = parseToml(wrapped) as { mcp_servers: { [name: string]: Fields } };
          for (const [key, { url }] of Object.entries(entries)) {
            expect(Object.keys(after.mcp_servers[key] ?? {}).sort()).not.toContain('url');
            expect(after.mcp_servers[key]?.['env']).toMatchObject({ DELOOP_MCP_URL: url });
          }
          expect(unwrappedText(wrapped, client, all)).toBe(text);
        },
      ),
    );
  });

  it.each([
    ['reformatted', (text: string) => JSON.stringify(JSON.parse(text), null, 4)],
    ['put on one line', (text: string) => JSON.stringify(JSON.parse(text))],
    ['sorted', (text: string) => JSON.stringify(sorted(JSON.parse(text)))],
    ['given another token', (text: string) => text.replace('Bearer a', 'Bearer b')],
    ['given more', (text: string) => text.replace('"note"', '"disabled": true, "note"')],
  ])('a wrapped file that was %s since still says what it said', (what, change) => {
    const client = clientNamed('other');
    const text =
      '{"mcpServers":{"a":{"note":1,"type":"http","url":"https://x/","headers":{"A":"Bearer a","B":"b"}},"b":{"url":"https://y/","z":2}}}';
    const back = unwrappedText(change(wrappedText(text, client, all, words)), client, all);
    const expected = JSON.parse(
      text.replace('Bearer a', what === 'given another token' ? 'Bearer b' : 'Bearer a'),
    ) as { mcpServers: { a: Fields } };
    if (what === 'given more') expected.mcpServers.a['disabled'] = true;
    expect(JSON.parse(back)).toEqual(expected);
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

describe('what cannot be wrapped stays as it is', () => {
  it.each([
    ['.mcp.json', '{"url":"https://x/","oauth":{"clientId":"a"}}', 'by settings of its own (oauth)'],
    ['.mcp.json', '{"url":"https://x/","headersHelper":["./token.sh"]}', 'its headersHelper is no text'],
    ['.mcp.json', '{"url":"https://x/","env":{"A":"b"}}', 'it has env, as a command does'],
    ['.mcp.json', '{"url":"https://x/","headers":{"A":1}}', 'its headers are not all texts'],
    ['.mcp.json', '{"url":"https://x/","headers":"A: b"}', 'its headers are not all texts'],
    ['.mcp.json', '{"url":5}', 'its address is no text'],
    ['.mcp.json', '{"url":"wss://x/","type":"ws"}', 'its type is none that is known'],
  ])('%s: %s', (file, server, why) => {
    const text = `{"mcpServers":{"odd":${server},"fs":{"command":"a"}}}`;
    const { client, entries } = recognise(`/home/me/${file}`, text);
    expect(standingOf(entries[0] as never, client)).toMatchObject({
      kind: 'odd',
      why: expect.stringContaining(why),
    });
    const wrapped = wrappedText(text, client, all, words);
    expect(wrapped).toContain(`"odd":${server},`);
    expect(unwrappedText(wrapped, client, all)).toBe(text);
  });

  it('a wrapped one that has got variables of its own since', () => {
    const client = clientNamed('other');
    for (const headers of ['', ',"headers":{"A":"b"}']) {
      const wrapped = wrappedText(`{"mcpServers":{"a":{"url":"https://x/"${headers}}}}`, client, all, words);
      const changed = wrapped.replace('"DELOOP_MCP_URL"', '"MINE": "x", "DELOOP_MCP_URL"');
      expect(() => unwrappedText(changed, client, all)).toThrow('could not be restored to the byte');
    }
  });

  it('a token in a table on one line: there is no place to keep its name', () => {
    const text = '[mcp_servers]\na = { url = "https://x/", bearer_token_env_var = "T" }\n';
    expect(wrappedText(text, clientNamed('codex'), all, words)).toBe(text);
  });
});

it('shows the change without the values of headers', async () => {
  const path = join(newFolder(), '.mcp.json');
  const text =
    '{"mcpServers":{"a":{"url":"https://x.example/mcp?key=hush","headers":{"A":"Bearer hush","B":""}}}}';
  writeFileSync(path, text);
  for (const verb of ['wrap', 'unwrap']) {
    const { out, status } = await deloop(['mcp', verb, path, '--yes']);
    expect(status).toBe(0);
    expect(out).toContain('"…"');
    expect(out).toContain('https://x.example/mcp');
    expect(out).not.toContain('hush');
  }
  expect(readFileSync(path, 'utf8')).toBe(text);
});
