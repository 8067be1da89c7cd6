import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { clientProcess, lookUpFor, type ProcessFacts } from '../../src/cli/mcp/share/client-process.ts';
import { MAIN, newFolder } from '../cli/run-cli.ts';
import { SCRIPTED } from './proxied.ts';
import { type Fields, textsOf } from './talk.ts';

/** A proxy in front of a server of its own, as a client has it. */
type Server = {
  /** What the client gets for a call: nothing special, a nudge, or a refusal. */
  call(tool: string, args?: object): Promise<'plain' | 'nudged' | 'refused' | 'stopped'>;
  request(method: string, params: object): Promise<Fields>;
  /** Answers every question so. */
  answers(action: string): void;
  readonly err: () => string;
};

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.stdin?.end();
});

function start(home: string, flags: readonly string[], by: readonly string[] = []): Server {
  const words = [...by, process.execPath, MAIN, 'mcp', ...flags, '--', process.execPath, SCRIPTED, 'answers'];
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home };
  const child = spawn(words[0] as string, words.slice(1), { cwd: home, env, stdio: 'pipe' });
  running.push(child);
  const waiting = new Map<unknown, (answer: Fields) => void>();
  let ids = 0;
  let err = '';
  let action = '';
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Fields;
    if (message['method'] === undefined) waiting.get(message['id'])?.(message);
    else send({ jsonrpc: '2.0', id: message['id'], result: { action } });
  });
  const request: Server['request'] = (method, params) => {
    ids += 1;
    send({ jsonrpc: '2.0', id: ids, method, params });
    return new Promise((resolve) => waiting.set(ids, resolve));
  };
  return {
    async call(tool, args = {}) {
      const { texts, isError } = textsOf(await request('tools/call', { name: tool, arguments: args }));
      if (isError) return texts.at(-1)?.includes('This session is stopped') === true ? 'stopped' : 'refused';
      return texts.at(-1)?.startsWith('[deloop]') === true ? 'nudged' : 'plain';
    },
    request,
    answers(given) {
      action = given;
    },
    err: () => err,
  };
}

/** Every server is asked the same, in turn. */
async function roundRobin(servers: readonly Server[], times: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let n = 0; n < times; n++)
    seen.push(await (servers[n % servers.length] as Server).call('get_page', { id: 1 }));
  return seen;
}
const plain = (times: number) => Array.from({ length: times }, () => 'plain');

describe('several proxies of one client', { timeout: 60_000 }, () => {
  it('see a loop that goes over all of them, and none of them would see alone', async () => {
    const home = newFolder();
    const named = (flags: readonly string[]) =>
      ['a', 'b', 'c'].map((name) => start(home, [`--name=${name}`, ...flags]));
    expect(await roundRobin(named(['--share']), 6)).toEqual([...plain(5), 'nudged']);
    expect(await roundRobin(named([]), 6)).toEqual(plain(6));
  });

  it('see a ping-pong, and stop together; who lets one go on lets all go on', async () => {
    const home = newFolder();
    const flags = ['--share', '--preset', 'openhands-sdk'];
    const [a, b] = [start(home, ['--name=a', ...flags]), start(home, ['--name=b', ...flags])];
    await b.request('initialize', { capabilities: { elicitation: {} } });
    expect(await roundRobin([a, b], 6)).toEqual([...plain(5), 'nudged']);
    expect(await a.call('anything')).toBe('stopped');
    b.answers('accept');
    expect(await b.call('something')).toBe('plain');
    expect(await a.call('anything')).toBe('plain');
    b.answers('decline');
  });

  it('know that what one has changed is new to the other', async () => {
    const home = newFolder();
    const work = async (flags: readonly string[]) => {
      const [reads, writes] = [start(home, ['--name=a', ...flags]), start(home, ['--name=b', ...flags])];
      const seen: string[] = [];
      for (let n = 1; n <= 4; n++) {
        seen.push(await reads.call('read_file', { path: 'a' }));
        await writes.call('write_file', { path: 'a', content: `${n}` });
      }
      return seen;
    };
    expect(await work(['--share'])).toEqual(plain(4));
    expect(await work([])).toEqual(['plain', 'plain', 'nudged', 'plain']);
  });

  it('tell tools of the same name apart by the server', async () => {
    const home = newFolder();
    const flags = ['--share', '--preset', 'zagens'];
    const pair = [start(home, ['--name=a', ...flags]), start(home, ['--name=b', ...flags])];
    expect(await roundRobin(pair, 6)).toEqual([...plain(4), 'refused', 'refused']);
    const nameless = [start(home, [...flags, '--session=s']), start(home, [...flags, '--session=s'])];
    expect(await roundRobin(nameless, 3)).toEqual([...plain(2), 'refused']);
  });

  it('go on counting when one of them begins anew', async () => {
    const home = newFolder();
    const flags = ['--share', '--preset', 'zagens'];
    const first = start(home, flags);
    expect(await roundRobin([first], 2)).toEqual(plain(2));
    const second = start(home, flags);
    await second.request('initialize', { capabilities: {} });
    await first.request('initialize', { capabilities: {} });
    expect(await second.call('get_page', { id: 1 })).toBe('refused');
  });

  // A machine that stands still for longer than anybody waits makes one of them go on alone.
  it('count every call, however many come at once', { retry: 3 }, async () => {
    const home = newFolder();
    const store = join(home, 'store');
    const flags = ['--store', store, '--session', 'together', '--shadow'];
    const servers = [start(home, flags), start(home, flags), start(home, flags)];
    for (let lap = 0; lap < 4; lap++)
      await Promise.all(
        servers.flatMap((server, s) =>
          Array.from({ length: 5 }, (_, n) => server.call('get', { lap, n, s })),
        ),
      );
    const [, state = ''] = readFileSync(join(store, 'together.json'), 'utf8').split('\n');
    expect((JSON.parse(state) as { calls: number }).calls).toBe(60);
    expect(servers.map(({ err }) => err())).toEqual(['', '', '']);
  });
});

describe('who the client is', { timeout: 60_000 }, () => {
  const flags = ['--share', '--preset', 'zagens'];

  it('is the one that started a shell to start the server', async () => {
    const home = newFolder();
    const pair = [start(home, flags), start(home, flags, ['sh', '-c', '"$0" "$@"; exit $?'])];
    expect(await roundRobin(pair, 3)).toEqual([...plain(2), 'refused']);
  });

  it('is another when another program started the server, unless a session is named', async () => {
    const home = newFolder();
    const program = join(home, 'client.mjs');
    writeFileSync(
      program,
      "import { spawn } from 'node:child_process';\nspawn(process.argv[2], process.argv.slice(3), { stdio: 'inherit' });\n",
    );
    const other = [process.execPath, program];
    expect(await roundRobin([start(home, flags), start(home, flags, other)], 4)).toEqual(plain(4));
    const named = [...flags, '--session', 'one'];
    expect(await roundRobin([start(home, named), start(home, named, other)], 3)).toEqual([
      ...plain(2),
      'refused',
    ]);
  });

  it('is found by process number, start and parents', () => {
    const processes: { readonly [pid: number]: ProcessFacts } = {
      5: { parent: 4, name: 'sh', started: 'e' },
      4: { parent: 3, name: 'npm exec deloop', started: 'd' },
      3: { parent: 2, name: 'some-client', started: 'c' },
      2: { parent: 1, name: 'bash', started: 'b' },
      9: { parent: 9, name: 'sh', started: 'i' },
    };
    const lookUp = (pid: number) => processes[pid] ?? null;
    expect(clientProcess(5, lookUp)).toBe('client-3-c');
    expect(clientProcess(3, lookUp)).toBe('client-3-c');
    expect(clientProcess(2, lookUp)).toBe('client-2-b');
    expect(clientProcess(7, lookUp)).toBe('client-7');
    expect(clientProcess(9, lookUp)).toBe('client-9');
    expect(clientProcess(5, lookUpFor('win32'))).toBe('client-5');
  });

  it.runIf(process.platform === 'linux')('is read the same from /proc and from ps', () => {
    const [proc, ps] = [lookUpFor('linux')(process.pid), lookUpFor('darwin')(process.pid)];
    expect(proc?.parent).toBe(process.ppid);
    expect(proc?.started).toMatch(/^[0-9a-f]{8}-\d+$/);
    // A bare machine has no ps.
    if (ps !== null)
      expect({ ...ps, started: '' }).toEqual({ parent: process.ppid, name: proc?.name, started: '' });
  });
});

describe('a store that cannot be used', { timeout: 60_000 }, () => {
  const alone = [...plain(2), 'nudged', 'plain', 'refused'];

  it('leaves the server guarded on its own, and that is said once', async () => {
    const home = newFolder({ file: '' });
    const server = start(home, ['--store', join(home, 'file', 'below')]);
    expect(await roundRobin([server], 5)).toEqual(alone);
    expect(server.err().match(/guarded on its own/g)).toHaveLength(1);
  });

  it('is taken up again when it works, from where the server is', async () => {
    const home = newFolder();
    const store = join(home, 'store');
    mkdirSync(store);
    // Held by one who lives: this very process.
    const lock = join(store, 'one.lock');
    writeFileSync(lock, `${JSON.stringify({ pid: process.pid, host: hostname(), session: 'one' })}\n`);
    const flags = ['--store', store, '--session', 'one'];
    const server = start(home, flags);
    expect(await roundRobin([server], 2)).toEqual(plain(2));
    expect(server.err()).toContain('guarded on its own');
    rmSync(lock);
    while (!readdirSync(store).includes('one.json')) {
      await server.call('other_tool', { at: Date.now() });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const [, state = ''] = readFileSync(join(store, 'one.json'), 'utf8').split('\n');
    expect((JSON.parse(state) as { calls: number }).calls).toBeGreaterThan(2);
  });

  it.each([
    ['damaged', 'not a state'],
    ['of something else', '{"deloop":1,"at":99999999999999,"session":"one"}\n{"version":1}'],
  ])('because its state is %s is started anew', async (_, text) => {
    const home = newFolder();
    const store = join(home, 'store');
    mkdirSync(store);
    writeFileSync(join(store, 'one.json'), text);
    const server = start(home, ['--store', store, '--session', 'one']);
    expect(await roundRobin([server], 5)).toEqual(alone);
    expect(server.err()).toMatch(/damaged/);
    expect(server.err()).not.toContain('on its own');
  });

  it('is not needed where nobody can tell whose it is', async () => {
    const home = newFolder();
    const child = spawn(
      process.execPath,
      [MAIN, 'mcp', '--share', '--url', 'http://127.0.0.1:9/mcp', '--port', '0'],
      {
        env: { PATH: process.env['PATH'], HOME: home },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('--session NAME') });
  });
});
