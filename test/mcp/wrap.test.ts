import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readConfigFile, writeConfigFile } from '../../src/cli/mcp/wrap/config-file.ts';
import { clientNamed, recognise } from '../../src/cli/mcp/wrap/find-client.ts';
import {
  type Chosen,
  type GuardWords,
  unwrappedText,
  wrappedText,
} from '../../src/cli/mcp/wrap/wrap-text.ts';
import { deloop, newFolder } from '../cli/run-cli.ts';

const all = () => true;
/** Servers somewhere else are told of in `wrap-remote.test.ts`. */
const commands: Chosen = ({ fields }) => fields.has('command');
const words: GuardWords = (server) => ({
  run: ['node', 'C:\\deloop "x".js'],
  flags: [`--name=${server}`, '--share'],
});
const RUN = ['node', 'C:\\deloop "x".js', 'mcp'];

type Server = { command?: unknown; args?: unknown };
type Meaning = { readonly [name: string]: Meaning } & Server;

/** What a text says, read by a parser that the code under test has no part in where there is one. */
function meaningOf(path: string, text: string): Meaning {
  if (path.endsWith('.toml')) return parseToml(text) as Meaning;
  const errors: never[] = [];
  const value = parseJsonc(text, errors, { allowTrailingComma: true }) as Meaning;
  expect(errors).toEqual([]);
  return value;
}

function at(meaning: Meaning, steps: readonly string[]): Server {
  return steps.reduce((value, step) => value[step] as Meaning, meaning);
}

/** A file, where its servers stand in it, and what their commands are. */
type Sample = readonly [file: string, text: string, servers: { readonly [path: string]: readonly string[] }];

const SAMPLES: readonly Sample[] = [
  [
    'claude_desktop_config.json',
    '{"mcpServers":{"fs":{"command":"npx","args":["-y","x"]}}}',
    { 'mcpServers fs': ['npx', '-y', 'x'] },
  ],
  [
    'claude_desktop_config.json',
    '\n{\n\t"globalShortcut": "Ctrl+X",\n\t"mcpServers": {\n\t\t"fs": {\n\t\t\t"args": [],\n\t\t\t"env": {"A": "1"},\n\t\t\t"command": "np\\u0078"\n\t\t}\n\t}\n}',
    { 'mcpServers fs': ['npx'] },
  ],
  [
    '.mcp.json',
    '{\r\n  "mcpServers": {\r\n    "a b": {\r\n      "type": "stdio",\r\n      "command": "C:\\\\x y\\\\run.cmd"\r\n    },\r\n    "r": { "type": "http", "url": "https://example.com" }\r\n  }\r\n}\r\n',
    { 'mcpServers a b': ['C:\\x y\\run.cmd'] },
  ],
  [
    '.claude.json',
    '{ "numStartups": 3, "mcpServers": { "top": { "command": "a", "args": [ "b" ] } }, "projects": { "/x/y": { "mcpServers": { "in": { "command": "c" } }, "history": [1.0, 12345678901234567890] }, "/z": {} } }',
    { 'mcpServers top': ['a', 'b'], 'projects /x/y mcpServers in': ['c'] },
  ],
  [
    '.cursor/mcp.json',
    '{\n  // mine\n  "mcpServers": {\n    "fs": {\n      "command": "npx", // the launcher\n      "args": [\n        "-y", // yes\n        "x", /* the server */\n      ],\n    },\n    "alone": { "command": "run" /* no args */, "env": {} },\n  },\n}\n',
    { 'mcpServers fs': ['npx', '-y', 'x'], 'mcpServers alone': ['run'] },
  ],
  [
    '.vscode/mcp.json',
    '{\n    "inputs": [{ "id": "key", "type": "promptString" }],\n    "servers": {\n        "fs": { "type": "stdio", "command": "npx", "args": [ // all of them\n            "$(HOME)" ], "envFile": ".env" }\n    }\n}',
    { 'servers fs': ['npx', '$(HOME)'] },
  ],
  [
    'User/settings.json',
    '{"mcp":{"inputs":[],"servers":{"fs":{"command":"npx"}}}}',
    { 'mcp servers fs': ['npx'] },
  ],
  [
    'a.code-workspace',
    '{"folders":[],"settings":{"mcp":{"servers":{"fs":{"command":"npx"}}}}}',
    { 'settings mcp servers fs': ['npx'] },
  ],
  [
    '.gemini/settings.json',
    '{\n  "theme": "x",\n  "mcpServers": {\n    "fs": { "command": "npx", "args": ["-y",\n      "x"], "cwd": "./s", "timeout": 5, "trust": true },\n    "web": { "httpUrl": "https://example.com" }\n  }\n}\n',
    { 'mcpServers fs': ['npx', '-y', 'x'] },
  ],
  [
    'opencode.jsonc',
    '{\n  "$schema": "x",\n  "mcp": {\n    "fs": { "type": "local", "command": ["npx", "-y", "x"], "environment": { "A": "b" }, "enabled": true },\n    "one": { "type": "local", "command": [\n      "run" // alone\n    ] },\n    "web": { "type": "remote", "url": "https://example.com" },\n    "servers": { "type": "local", "command": [ "s" ] },\n  },\n}\n',
    { 'mcp fs': ['npx', '-y', 'x'], 'mcp one': ['run'], 'mcp servers': ['s'] },
  ],
  [
    'some-client.json',
    '{"mcpServers":{"__proto__":{"command":"a"},"constructor":{"command":"b","args":["--"]}}}',
    { 'mcpServers constructor': ['b', '--'] },
  ],
  [
    '.codex/config.toml',
    'model = "x"\n\n[mcp_servers.fs] # files\ncommand = "npx" # launcher\nargs = ["-y", "x"]\nenv = { A = "b" }\n\n[mcp_servers."my server"]\n  command = \'C:\\bin\\run.exe\'\n  [mcp_servers."my server".env]\n  KEY = "[mcp_servers.x]"\n\n[mcp_servers.web]\nurl = "https://example.com"\n[other]\ncommand = "no"\n',
    { 'mcp_servers fs': ['npx', '-y', 'x'], 'mcp_servers my server': ['C:\\bin\\run.exe'] },
  ],
  [
    '.codex/config.toml',
    'mcp_servers.dotted.command = """a"b"""\r\nmcp_servers.dotted . args=[ # first\r\n  "x", # why\r\n  \'y\',\r\n]\r\nmcp_servers . quoted . "command" = "q"\r\n',
    { 'mcp_servers dotted': ['a"b', 'x', 'y'], 'mcp_servers quoted': ['q'] },
  ],
  [
    'config.toml',
    '[mcp_servers]\ninline = { command = "a", args = [], enabled = true }\nalone = { env = { A = "}" }, command = "b" }\n[[things]]\ncommand = "no"\n[things.mcp_servers.x]\ncommand = "no"\n[mcp_servers.late]\nargs = [\n]\ncommand = "c"',
    { 'mcp_servers inline': ['a'], 'mcp_servers alone': ['b'], 'mcp_servers late': ['c'] },
  ],
];

describe.each(SAMPLES)('%s %j', (file, text, servers) => {
  const { client } = recognise(`/home/me/${file}`, text);
  const wrapped = wrappedText(text, client, commands, words);

  it('runs every server behind the guard, and says nothing else than before', () => {
    const before = meaningOf(file, text);
    const after = meaningOf(file, wrapped);
    for (const [path, own] of Object.entries(servers)) {
      // Names may hold blanks: the list is known, the rest is the name.
      const list = client.lists.map((one) =>
        one.map((step, n) => (step === '*' ? path.split(' ')[n] : step)),
      );
      const steps = list.find((one) => path.startsWith(`${one.join(' ')} `)) as string[];
      const server = [...steps, path.slice(steps.join(' ').length + 1)];
      const [was, is] = [at(before, server), at(after, server)];
      const full = [is.command, is.args ?? []].flat() as string[];
      expect(full.slice(0, 3)).toEqual(RUN);
      expect(full.slice(full.findIndex((word) => word.startsWith('--wrapped')) + 1)).toEqual(own);
      expect(full).toContain(`--name=${server.at(-1)}`);
      is.command = was.command;
      if (was.args === undefined) delete is.args;
      else is.args = was.args;
    }
    expect(after).toEqual(before);
  });

  it('is the same when it is done again', () => {
    expect(wrappedText(wrapped, client, commands, words)).toBe(wrapped);
  });

  it('is restored to the byte', () => {
    expect(unwrappedText(wrapped, client, all)).toBe(text);
    expect(unwrappedText(text, client, all)).toBe(text);
  });

  it('gets new words when they have changed', () => {
    const other: GuardWords = () => ({ run: ['deloop'], flags: ['--shadow', '--log=a b'] });
    const again = wrappedText(wrapped, client, commands, other);
    expect(again).toBe(wrappedText(text, client, commands, other));
    expect(unwrappedText(again, client, all)).toBe(text);
  });
});

describe('whatever the layout', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
    .filter((one) => one !== '__proto__');
  const server = fc.record(
    {
      command: fc.string({ minLength: 1 }).filter((one) => !one.startsWith('-')),
      args: fc.array(fc.string(), { maxLength: 4 }),
      env: fc.dictionary(name, fc.string()),
    },
    { requiredKeys: ['command'] },
  );
  const servers = fc.dictionary(name, server, { minKeys: 1, maxKeys: 4 });

  it('JSON is restored to the byte', () => {
    const client = clientNamed('other');
    fc.assert(
      fc.property(
        servers,
        fc.constantFrom('', '  ', '\t', '      '),
        fc.boolean(),
        (mcpServers, indent, windows) => {
          const plain = JSON.stringify({ before: [1], mcpServers, after: null }, null, indent);
          const text = windows ? plain.replaceAll('\n', '\r\n') : plain;
          const wrapped = wrappedText(text, client, all, words);
          expect(wrapped).not.toBe(text);
          expect(unwrappedText(wrapped, client, all)).toBe(text);
          for (const [key, { command, args = [] }] of Object.entries(mcpServers)) {
            const is = (JSON.parse(wrapped) as { mcpServers: { [name: string]: Server } }).mcpServers[
              key
            ] as Server;
            expect([is.command, is.args].flat().slice(-args.length - 1)).toEqual([command, ...args]);
          }
        },
      ),
    );
  });

  it('TOML is restored to the byte', () => {
    const client = clientNamed('codex');
    const literal = (text: string) => JSON.stringify(text).replaceAll('\x7f', '\\u007f');
    const space = fc.constantFrom('', ' ', '\n', ' # a ] comment, with "quotes\n', '\n\n\t');
    fc.assert(
      fc.property(servers, space, fc.constantFrom('table', 'inline', 'dotted'), (told, gap, style) => {
        const tables = Object.entries(told).map(([key, { command, args, env = {} }]) => {
          const list = args && `[${gap}${args.map((one) => `${literal(one)}${gap}`).join(',')}]`;
          const fields = [
            ['command', literal(command)],
            ...(list === undefined ? [] : [['args', list]]),
            [
              'env',
              `{ ${Object.entries(env)
                .map(([one, value]) => `${literal(one)} = ${literal(value)}`)
                .join(', ')} }`,
            ],
          ];
          if (style === 'inline' && !gap.includes('\n'))
            return `mcp_servers.${literal(key)} = { ${fields.map((field) => field.join(' = ')).join(', ')} }\n`;
          const prefix = style === 'dotted' ? `mcp_servers.${literal(key)}.` : '';
          const head = style === 'dotted' ? '' : `[mcp_servers.${literal(key)}]\n`;
          return `${head}${fields.map(([field, value]) => `${prefix}${field} = ${value}\n`).join('')}`;
        });
        const text = tables.join(gap.includes('\n') ? gap : '\n');
        const wrapped = wrappedText(text, client, all, words);
        expect(wrapped).not.toBe(text);
        expect(unwrappedText(wrapped, client, all)).toBe(text);
        const after = parseToml(wrapped) as { mcp_servers: { [name: string]: Server } };
        for (const [key, { command, args = [] }] of Object.entries(told)) {
          const is = after.mcp_servers[key] as Server;
          const own = [command, ...args].map((one) => one);
          expect([is.command, is.args].flat().slice(-own.length)).toEqual(own);
        }
      }),
    );
  });

  it.each([
    ['reformatted', (text: string) => JSON.stringify(JSON.parse(text), null, 4)],
    ['put on one line', (text: string) => JSON.stringify(JSON.parse(text))],
    ['sorted', (text: string) => sorted(text)],
  ])('a wrapped file that was %s since still says what it said', (_, change) => {
    const client = clientNamed('other');
    const text = '{"mcpServers":{"b":{"env":{},"command":"x"},"a":{"command":"y","args":["1"],"cwd":"."}}}';
    const back = unwrappedText(change(wrappedText(text, client, all, words)), client, all);
    const { mcpServers } = JSON.parse(back) as { mcpServers: { a: Server; b: Server } };
    expect(mcpServers.a).toEqual({ command: 'y', args: ['1'], cwd: '.' });
    expect(mcpServers.b).toMatchObject({ command: 'x', env: {} });
    expect(mcpServers.b.args ?? []).toEqual([]);
  });
});

it('leaves a wrapped file alone that somebody has since changed beyond recognition', () => {
  const client = clientNamed('other');
  const text = '{"mcpServers":{"a":{"command":"x","args":["1"]}}}';
  const changed = wrappedText(text, client, all, words).replace('"x", "1"', '"x" /* , */ , "1"');
  expect(() => unwrappedText(changed, client, all)).toThrow('could not be restored to the byte');
});

function sorted(text: string): string {
  const { mcpServers } = JSON.parse(text) as { mcpServers: { [name: string]: object } };
  const fields = (server: object) => Object.fromEntries(Object.entries(server).sort());
  return JSON.stringify({
    mcpServers: Object.fromEntries(
      Object.entries(mcpServers).map(([name, server]) => [name, fields(server)]),
    ),
  });
}

describe('what cannot be wrapped stays as it is', () => {
  const client = clientNamed('other');
  it.each([
    ['no command', '{"env":{}}'],
    ['a command that begins with a dash', '{"command":"-x"}'],
    ['a command that is no text', '{"command":5}'],
    ['a list as a command', '{"command":["npx"]}'],
    ['args that are no list', '{"command":"npx","args":"-y"}'],
    ['args that are no texts', '{"command":"npx","args":["-p",3000]}'],
    ['deloop, by hand', '{"command":"npx","args":["-y","deloop","mcp","--","npx","x"]}'],
    [
      'deloop, by its path',
      '{"command":"node","args":["/x/node_modules/deloop/dist/cli/main.js","mcp","npx","x"]}',
    ],
  ])('%s', (_, server) => {
    const text = `{"mcpServers":{"odd":${server},"fs":{"command":"a"}}}`;
    const wrapped = wrappedText(text, client, all, words);
    expect(wrapped).toContain(`"odd":${server},`);
    expect(unwrappedText(wrapped, client, all)).toBe(text);
  });
});

describe('a file on disk', { timeout: 30_000 }, () => {
  const TEXT =
    '\uFEFF{\r\n  "mcpServers": {\r\n    "fs": { "command": "npx", "args": ["x"], "env": { "KEY": "hush" } },\r\n    "git": { "command": "uvx" }\r\n  }\r\n}';
  const make = (name: string, text = TEXT) => {
    const folder = newFolder();
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return { folder, path, now: () => readFileSync(path, 'utf8') };
  };

  it('is shown the change first, and changed with --yes alone', async () => {
    const { path, now, folder } = make('.mcp.json');
    for (const flags of [[], ['--dry-run'], ['--dry-run', '--yes']]) {
      const { status, out, err } = await deloop(['mcp', 'wrap', path, ...flags]);
      expect({ status, err }).toEqual({ status: flags.length === 0 ? 1 : 0, err: '' });
      expect(out).toContain('-     "fs": { "command": "npx", "args": ["x"]');
      expect(out).toMatch(/\+ {5}"fs": .*"mcp", "--name=fs", "--share", "--wrapped", "npx", "x"\]/);
      expect(out).toContain('Nothing was changed');
      expect(now()).toBe(TEXT);
    }
    expect((await deloop(['mcp', 'wrap', path, '--yes'])).status).toBe(0);
    expect(now().startsWith('\uFEFF{\r\n')).toBe(true);
    expect(now()).toContain('"--name=git"');
    const again = await deloop(['mcp', 'wrap', path, '--yes']);
    expect(again.out).toContain('nothing was changed');
    expect((await deloop(['mcp', 'unwrap', path, '-y'])).status).toBe(0);
    expect(now()).toBe(TEXT);
    expect((await deloop(['mcp', 'unwrap', path])).out).toContain('No server is behind the guard');
    expect(readdirSync(folder)).toEqual(['.mcp.json']);
  });

  it('is changed for the servers that are named, with the flags that are given', async () => {
    const { path, now, folder } = make('.mcp.json', TEXT.slice(1));
    const flags = [
      '--server',
      'git',
      '--shadow',
      '--preset',
      'koda',
      '--log',
      'a.jsonl',
      '--no-share',
      '--npx',
      '--yes',
    ];
    expect((await deloop(['mcp', 'wrap', path, ...flags], { cwd: folder })).status).toBe(0);
    const { mcpServers } = JSON.parse(now()) as { mcpServers: { fs: Server; git: { args: string[] } } };
    expect(mcpServers.fs).toEqual({ command: 'npx', args: ['x'], env: { KEY: 'hush' } });
    expect(mcpServers.git).toEqual({
      command: 'npx',
      args: [
        '-y',
        expect.stringMatching(/^deloop@\d/),
        'mcp',
        '--name=git',
        '--preset=koda',
        '--shadow',
        `--log=${join(folder, 'a.jsonl')}`,
        '--wrapped-alone',
        'uvx',
      ],
    });
  });

  it('is changed through a link, and keeps its permissions', async () => {
    const { folder, path, now } = make('real.json');
    chmodSync(path, 0o600);
    const link = join(folder, '.mcp.json');
    symlinkSync('real.json', link);
    expect((await deloop(['mcp', 'wrap', link, '--yes'])).status).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(now()).toContain('--wrapped');
    expect((await deloop(['mcp', 'unwrap', link, '--yes'])).status).toBe(0);
    expect(now()).toBe(TEXT);
  });

  it('is not changed when somebody else has changed it in between', () => {
    const { path } = make('.mcp.json');
    const read = readConfigFile(path, null);
    writeFileSync(path, `${TEXT} `);
    expect(() => writeConfigFile(read, 'ours')).toThrow(/changed by somebody else/);
    expect(readFileSync(path, 'utf8')).toBe(`${TEXT} `);
  });

  it.each([
    ['.mcp.json', '{"mcpServers":{"a":{"command":"x"}', '1:35: it is not JSON (CloseBraceExpected)'],
    [
      'claude_desktop_config.json',
      '{\n// no\n"mcpServers":{"a":{"command":"x"}}}',
      '2:1: it is not JSON (InvalidCommentToken)',
    ],
    ['config.toml', '[mcp_servers.a]\ncommand = x\n', '2:11: it is not TOML'],
    ['config.toml', '[profiles]\na = 1\n', 'there are no MCP servers in it'],
    ['x.json', '', 'there are no MCP servers in it'],
    ['x.json', '[]', 'it holds no JSON object'],
    ['x.json', '{"scripts":{"a":"b"}}', 'there are no MCP servers in it'],
    ['x.json', '{"servers":{"a":{"host":"b"}}}', 'there are no MCP servers in it'],
    ['x.yaml', 'mcpServers:\n  a:\n    command: x\n', 'it is not JSON'],
    ['x.json', '['.repeat(100_000), 'nothing was changed'],
  ])('%s with %j is refused', (name, text, why) => {
    const { path, now } = make(name, text);
    expect(() => readConfigFile(path, null)).toThrow(why);
    expect(now()).toBe(text);
  });

  it.each([
    [
      ['--client', 'opencode'],
      'there are no MCP servers in it (looked at mcp, mcp.servers); nothing was changed',
    ],
    [['--client', 'nobody'], '--client is "nobody"; it must be one of'],
    [['--server', 'b'], '--server is "b"; it must be one of'],
    [['--preset', 'none'], 'preset is "none"'],
    [['--store', 'x', '--no-share'], '--store and --no-share exclude each other'],
    [['--config', 'none.json'], 'there is no such file'],
  ])('is refused with %j', async (flags, why) => {
    const { path, now } = make('.mcp.json');
    const { status, err } = await deloop(['mcp', 'wrap', path, '--yes', ...flags]);
    expect({ status, lines: err.trimEnd().split('\n').length }).toEqual({ status: 2, lines: 1 });
    expect(err).toContain(why);
    expect(now()).toBe(TEXT);
  });

  it('is refused when it is read-only, not there, or a folder', async () => {
    const { path, folder } = make('.mcp.json');
    chmodSync(path, 0o400);
    expect((await deloop(['mcp', 'wrap', path, '--yes'])).err).toContain('read-only');
    expect((await deloop(['mcp', 'wrap', join(folder, 'none.json')])).err).toContain('there is no such file');
    expect((await deloop(['mcp', 'wrap', folder])).err).toContain('it is a folder');
  });

  it('is found where clients keep it', async () => {
    const { folder } = make('.cursor/mcp.json', TEXT.slice(1));
    const home = newFolder();
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex', 'config.toml'), '[mcp_servers.a]\ncommand = "x"\n');
    writeFileSync(join(home, '.claude.json'), 'not JSON');
    const { status, out } = await deloop(['mcp', 'wrap'], { cwd: folder, env: { HOME: home } });
    expect(status).toBe(0);
    expect(out).toContain('(Cursor)\n  fs   npx x\n  git  uvx\n');
    expect(out).toContain('(Codex)\n  a  x\n');
    expect(out).toContain('it is not JSON');
  });
});
