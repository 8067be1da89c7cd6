import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { installStatus } from '../../src/cli/install/install-status.ts';
import { INSTALLABLE } from '../../src/cli/install/installables.ts';
import { PLUGIN_HOSTS } from '../../src/cli/install/plugin-hosts.ts';
import { fileOf, install, newContext, of, uninstall } from './contexts.ts';

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file and folder under a folder but our own state, with what is in it. */
function snapshot(folder: string): { readonly [path: string]: string } {
  const all: { [path: string]: string } = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(folder, 'state'))) continue;
    const link = entry.isSymbolicLink();
    all[path] = entry.isFile()
      ? `${statSync(path).mode} ${readFileSync(path, 'latin1')}`
      : link
        ? 'link'
        : 'folder';
  }
  return all;
}

const HOOKED = '{"type":"command","command":"./check.sh"}';

/** Settings as people have them, by name; those with comments only where the host reads them. */
const STRICT: { readonly [name: string]: string } = {
  'an empty object': '{}',
  'an empty object with a line': '{}\n',
  'an object with room': '{\n}\n',
  'one line': '{"model":"x","env":{"A":"1"}}',
  'two spaces': '{\n  "model": "x"\n}\n',
  'four spaces': '{\n    "model": "x",\n    "env": {\n        "A": "1"\n    }\n}\n',
  tabs: '{\n\t"model": "x"\n}\n',
  'no line at the end': '{\n  "model": "x"\n}',
  'lines of Windows': '{\r\n  "model": "x"\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "model": "x"\n}\n',
  'strange indentation': '{ "model": "x",\n      "env": { "A": "1",\n  "B": "2" } }\n\n\n',
  'no hooks yet': '{\n  "hooks": {},\n  "model": "x"\n}\n',
  'hooks of others': `{\n  "hooks": {\n    "Stop": [\n      { "hooks": [${HOOKED}] }\n    ]\n  }\n}\n`,
  'hooks of others on our events': `{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [${HOOKED}] }\n    ],\n    "BeforeTool": [{ "hooks": [${HOOKED}] }]\n  },\n  "model": "x"\n}\n`,
  'empty lists': '{\n  "hooks": {\n    "PreToolUse": [],\n    "BeforeTool": [\n    ]\n  }\n}\n',
  'hooks in one line': `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[${HOOKED}]}]}}`,
  'texts with brackets and slashes': '{\n  "a": "} // { [",\n  "b": "\\"quoted\\" /* no */"\n}\n',
  'numbers and nothing': '{"a":1e3,"b":-0.50,"c":null,"d":[],"e":[[1,2],[ 3 ]]}\n',
  'names twice': '{\n  "a": 1,\n  "a": 2\n}\n',
  umlauts: '{\n  "grüße": "schön – ☃"\n}\n',
  'a large file': `{\n${Array.from({ length: 3000 }, (_, n) => `  "key-${n}": "value ${n}"`).join(',\n')}\n}\n`,
};
const LENIENT: { readonly [name: string]: string } = {
  comments:
    '// mine\n{\n  // the model\n  "model": "x", // keep\n  /* more */\n  "env": {} /* last */\n  // end\n}\n// after\n',
  'commas at the end':
    '{\n  "model": "x",\n  "hooks": {\n    "BeforeTool": [\n      { "hooks": [] },\n    ],\n  },\n}\n',
  'nothing but a comment': '{\n  // nothing yet\n}\n',
  'hooks that are commented out': '{\n  "hooks": {\n    // "BeforeTool": []\n  }\n}\n',
  'a comment in one line': '{ "model": "x" /* why */ }',
};

const CASES = [
  ...['claude-code', 'codex', 'gemini-cli', 'qwen-code', 'cursor'].flatMap((agent) =>
    Object.entries(STRICT).map(([name, text]) => ({ agent, name, text })),
  ),
  ...['gemini-cli', 'qwen-code'].flatMap((agent) =>
    Object.entries(LENIENT).map(([name, text]) => ({ agent, name, text })),
  ),
];

describe.each(CASES)('$agent, $name', ({ agent, text }) => {
  it('is put back to the byte', () => {
    const context = newContext();
    const path = fileOf(agent, context);
    put(path, text);
    const before = snapshot(context.home);
    expect(install(agent, context)).toHaveLength(1);
    const installed = readFileSync(path, 'utf8');
    const value = parse(installed.replace('\uFEFF', ''), [], { allowTrailingComma: true }) as {
      hooks: object;
    };
    const { hooks, version, ...rest } = value as unknown as { [name: string]: unknown };
    const was = parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }) as {
      [name: string]: unknown;
    };
    const { hooks: _, ...others } = was;
    expect(rest).toEqual(others);
    expect(installStatus(of(agent), context)).toMatchObject({ installed: true, shadow: false });
    // A second time changes nothing.
    expect(install(agent, context)).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(installed);
    uninstall(agent, context);
    expect(snapshot(context.home)).toEqual(before);
    expect(uninstall(agent, context)).toEqual([]);
  });

  it('keeps what others change while it is installed', () => {
    const context = newContext();
    const path = fileOf(agent, context);
    put(path, text);
    install(agent, context);
    const changed = readFileSync(path, 'utf8').replace('{', '{ "theirs": true,');
    writeFileSync(path, changed);
    uninstall(agent, context);
    const left = readFileSync(path, 'utf8').replace('\uFEFF', '');
    const errors: object[] = [];
    const value = parse(left, errors as never, { allowTrailingComma: true }) as object;
    expect(errors).toEqual([]);
    const was = parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }) as object;
    expect(value).toEqual({ theirs: true, ...was });
    const blank = (one: string) => one.replaceAll(/\s/g, '').replace(/"theirs":true,?/, '');
    expect(blank(left)).toBe(blank(text.replace('\uFEFF', '')));
  });
});

describe.each(INSTALLABLE.map(({ agent }) => agent))('%s', (agent) => {
  it.each(['user', 'project'] as const)('where nothing is, leaves nothing: %s', (scope) => {
    const context = newContext({ scope });
    const before = snapshot(context.home);
    expect(install(agent, context).length).toBeGreaterThan(0);
    expect(installStatus(of(agent), context)).toMatchObject({ installed: true });
    expect(install(agent, context)).toEqual([]);
    uninstall(agent, context);
    expect(snapshot(context.home)).toEqual(before);
  });

  it('takes the place of another deloop, and of itself with other flags', () => {
    const context = newContext();
    const before = snapshot(context.home);
    install(agent, { ...context, hook: '/old/place/dist/hook.cjs', node: '/old/node' });
    expect(installStatus(of(agent), context).problems.length).toBeGreaterThan(0);
    install(agent, { ...context, shadow: true });
    expect(installStatus(of(agent), context)).toMatchObject({ shadow: true });
    install(agent, context);
    expect(JSON.stringify(snapshot(context.home))).not.toContain('/old/');
    expect(installStatus(of(agent), context)).toMatchObject({ installed: true, shadow: false });
    uninstall(agent, context);
    expect(snapshot(context.home)).toEqual(before);
  });

  it('can be uninstalled without a record of how it was', () => {
    const context = newContext();
    install(agent, context);
    uninstall(agent, { ...context, state: join(context.home, 'state', 'other') });
    expect(installStatus(of(agent), context)).toMatchObject({ installed: false, problems: [] });
  });

  it('says when the package or Node is gone', () => {
    const context = newContext({ node: '/gone/bin/node', hook: '/gone/dist/hook.cjs' });
    install(agent, context);
    const plugin = PLUGIN_HOSTS.some((one) => one.agent === agent);
    const code = plugin ? `plugins/${agent}.js` : 'hook.cjs';
    expect(
      installStatus(of(agent), context).problems.filter((problem) => problem.includes(' is gone')),
    ).toEqual([
      expect.stringContaining(`/gone/dist/${code} is gone`),
      ...(plugin ? [] : [expect.stringContaining('/gone/bin/node is gone')]),
    ]);
  });
});

describe('files that cannot be changed safely', () => {
  const refused = (agent: string, prepare: (path: string) => void, why: RegExp) => {
    const context = newContext();
    const path = fileOf(agent, context);
    mkdirSync(dirname(path), { recursive: true });
    prepare(path);
    const before = snapshot(context.home);
    expect(() => install(agent, context)).toThrow(why);
    expect(snapshot(context.home)).toEqual(before);
  };

  it.each([
    ['not JSON', '{ "a": ', /is not JSON/],
    ['half a file', '{\n  "a": 1,\n  "b": [1, 2\n', /:4:1 is not JSON|is not JSON/],
    ['a list', '[1, 2]', /holds no JSON object/],
    ['a text', '"settings"', /holds no JSON object/],
    ['hooks that are none', '{"hooks": []}', /"hooks" that are no object/],
    ['an event that is none', '{"hooks": {"PreToolUse": {}}}', /"hooks.PreToolUse" that is no list/],
    ['comments that the host does not read', '{\n  // mine\n  "a": 1\n}', /:2:3 is not JSON/],
    ['commas that the host does not read', '{"a": 1,}', /is not JSON/],
  ])('are refused: %s', (_, text, why) => {
    refused('claude-code', (path) => writeFileSync(path, text), why);
  });

  it('are refused: not UTF-8, a folder, read-only, a link to nowhere, far too large', () => {
    refused('codex', (path) => writeFileSync(path, Buffer.from('{"a":"\xff\xfe"}', 'latin1')), /not UTF-8/);
    refused('codex', (path) => mkdirSync(path), /it is a folder/);
    refused('codex', (path) => symlinkSync('/nowhere/at/all.json', path), /leads nowhere/);
    refused(
      'codex',
      (path) => writeFileSync(path, `{"a":"${'x'.repeat(6_000_000)}"}`),
      /larger than settings are/,
    );
    refused(
      'codex',
      (path) => {
        writeFileSync(path, '{}');
        chmodSync(path, 0o444);
      },
      /read-only/,
    );
  });

  it('are refused: a hook of somebody else under our name', () => {
    refused(
      'cline',
      (path) => writeFileSync(path, '#!/bin/sh\necho mine\n'),
      /is there already, and not of deloop/,
    );
    refused('copilot-cli', (path) => writeFileSync(path, '{"version":1,"hooks":{}}'), /is there already/);
  });

  it('are all left as they were when one of several is refused', () => {
    const context = newContext();
    const [, second] = of('cline').targets(context);
    put(second?.path as string, '#!/bin/sh\necho mine\n');
    const before = snapshot(context.home);
    expect(() => install('cline', context)).toThrow(/not of deloop/);
    expect(snapshot(context.home)).toEqual(before);
  });
});

describe('links and permissions', () => {
  it('are kept', () => {
    const context = newContext();
    const path = fileOf('gemini-cli', context);
    const real = join(context.home, 'dotfiles', 'gemini.json');
    put(real, '{\n  "model": "x"\n}\n');
    chmodSync(real, 0o600);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(real, path);
    const before = snapshot(context.home);
    install('gemini-cli', context);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(readFileSync(real, 'utf8')).toContain('hook.cjs');
    uninstall('gemini-cli', context);
    expect(snapshot(context.home)).toEqual(before);
  });

  it('of what records hold are for their owner alone', () => {
    const context = newContext();
    put(fileOf('claude-code', context), '{"env":{"TOKEN":"secret"}}');
    install('claude-code', context);
    const folder = join(context.state, 'installs');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    uninstall('claude-code', context);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('places', () => {
  it('follow the settings of the host', () => {
    const context = newContext({
      env: {
        CLAUDE_CONFIG_DIR: '/c',
        CODEX_HOME: '/x',
        GEMINI_CLI_HOME: '/g',
        QWEN_HOME: '/q',
        CLINE_DIR: '/l',
      },
    });
    const paths = ['claude-code', 'codex', 'gemini-cli', 'qwen-code', 'cline'].map((agent) =>
      fileOf(agent, context),
    );
    expect(paths).toEqual([
      '/c/settings.json',
      '/x/hooks.json',
      '/g/.gemini/settings.json',
      '/q/settings.json',
      '/l/hooks/PreToolUse.sh',
    ]);
  });

  it('of a project lie in it', () => {
    const context = newContext({ scope: 'project' });
    for (const { targets } of INSTALLABLE)
      for (const { path } of targets(context)) expect(path.startsWith(`${context.cwd}/`)).toBe(true);
    expect(fileOf('claude-code', context)).toBe(join(context.cwd, '.claude', 'settings.local.json'));
  });

  it('are quoted for the shell that runs them', () => {
    const odd = { node: "/a b/it's/node", hook: '/c d/dist/hook.cjs' };
    const commands = (platform: string, agent: string) =>
      JSON.stringify(of(agent).targets(newContext({ ...odd, platform })));
    expect(commands('linux', 'gemini-cli')).toContain(
      String.raw`test -x '/a b/it'\\''s/node' && '/a b/it'\\''s/node' --v8-pool-size=0 --preserve-symlinks-main '/c d/dist/hook.cjs' gemini-cli 2>/dev/null || node --v8-pool-size=0 --preserve-symlinks-main '/c d/dist/hook.cjs' gemini-cli`,
    );
    expect(commands('win32', 'gemini-cli')).toContain(
      "$n='/a b/it''s/node'; if (!(Test-Path $n)) { $n='node' }; try { $input | & $n --v8-pool-size=0 --preserve-symlinks-main '/c d/dist/hook.cjs' gemini-cli",
    );
    expect(commands('win32', 'codex')).toContain('commandWindows');
    expect(commands('linux', 'codex')).not.toContain('commandWindows');
    expect(of('cline').targets(newContext({ platform: 'win32' }))[0]?.path).toMatch(/PreToolUse\.cjs$/);
  });
});

it('makes executables of what a host executes', () => {
  const context = newContext();
  install('cline', context);
  for (const { path } of of('cline').targets(context)) {
    expect(statSync(path).mode & 0o111).not.toBe(0);
    expect(existsSync(path)).toBe(true);
  }
});
