import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { deloop, jsonLines, MAIN, newFolder } from '../cli/run-cli.ts';
import { gone, isAlive, proxied, SCRIPTED, scripted } from './proxied.ts';

const CLIENT = fileURLToPath(new URL('./servers/client.mjs', import.meta.url));
const TIMEOUT = { timeout: 60_000 };
const call = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'read_file', arguments: { path: 'a.txt' } },
});

describe('deloop mcp', TIMEOUT, () => {
  it('passes what both sides say, and ends with the server', async () => {
    const { send, until, child, ended } = scripted('answers');
    send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await until('"id":1');
    send('no JSON at all\n');
    await until('not JSON: no JSON at all\n');
    child.stdin.end();
    expect(await ended).toMatchObject({ status: 0, signal: null, err: '' });
  });

  it('passes bytes that are no message, from either side, to the last one', async () => {
    const words = Buffer.from([...Buffer.from('{"a":1}\r\n\n\xff\xfe{"method":'), 0, 0xff, 0x0a, 0x7b]);
    expect((await scripted('says', words.toString('base64')).ended).out).toEqual(words);
    const { child, ended } = scripted('mirrors');
    child.stdin.end(words);
    expect((await ended).out).toEqual(words);
  });

  it('nudges, blocks and keeps a log of digests', async () => {
    const { send, until, child, ended, folder } = scripted('answers', '', ['--log', 'log.jsonl']);
    for (let id = 1; id <= 6; id++) {
      send(call(id));
      await until(`"id":${id}`);
    }
    child.stdin.end();
    const { out, err } = await ended;
    const answers = jsonLines(String(out)) as {
      id: number;
      result: { content: unknown[]; isError?: boolean };
    }[];
    expect(answers.map(({ result }) => (result.isError ? 'error' : result.content.length))).toEqual([
      1,
      1,
      2,
      1,
      'error',
      'error',
    ]);
    const text = readFileSync(join(folder, 'log.jsonl'), 'utf8');
    expect(jsonLines(text).map(({ call, tool, action, detector }) => [call, tool, action, detector])).toEqual(
      [
        [3, 'read_file', 'nudge', 'no-progress'],
        [5, 'read_file', 'block', 'no-progress'],
        [6, 'read_file', 'block', 'no-progress'],
      ],
    );
    expect(text).not.toContain('a.txt');
    expect(statSync(join(folder, 'log.jsonl')).mode & 0o777).toBe(0o600);
    expect(err).toBe('');
  });

  it('tells decisions on stderr without a log, and changes nothing with --shadow', async () => {
    const { send, until, child, ended } = scripted('answers', '', ['--shadow', '--preset', 'zagens']);
    for (let id = 1; id <= 3; id++) {
      send(call(id));
      await until(`"id":${id}`);
    }
    child.stdin.end();
    const { out, err } = await ended;
    expect(String(out)).not.toContain('isError');
    expect(err).toBe('deloop: block at call 3 of read_file: call-count, 3\n');
  });

  it('gives the exit status of the server, and says when it is not 0', async () => {
    expect(await scripted('exits', '0').ended).toMatchObject({ status: 0, err: '' });
    const { status, err } = await scripted('exits', '3').ended;
    expect(status).toBe(3);
    expect(err).toMatch(/^deloop: \S+ has ended with status 3\n$/);
  });

  it('says when the server is killed, and what it has left open', async () => {
    const { send, until, pid, ended } = scripted('answers');
    send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await until('"id":1');
    process.kill(pid(), 'SIGKILL');
    const { status, err } = await ended;
    expect(status).toBe(128 + 9);
    expect(err).toMatch(/^deloop: \S+ has ended by SIGKILL\n$/);
    const crashing = scripted('crashes');
    crashing.send({ jsonrpc: '2.0', method: 'crash' });
    crashing.send(call(1));
    const crashed = await crashing.ended;
    expect(crashed.status).toBe(128 + 9);
    expect(crashed.err).toMatch(/has ended by SIGKILL(, 1 request unanswered)?\n$/);
  });

  it.each(['stays', 'answers'])(
    'leaves nobody behind when the client is killed: a server that %s',
    async (mode) => {
      const folder = newFolder();
      const files = ['proxy', 'server'].map((name) => join(folder, name)) as [string, string];
      const client = spawn(
        process.execPath,
        [CLIENT, files[0], process.execPath, MAIN, 'mcp', '--', process.execPath, SCRIPTED, mode, files[1]],
        { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], HOME: folder } },
      );
      await once(client.stdout, 'data');
      const pids = files.map((file) => Number(readFileSync(file, 'utf8')));
      expect(pids.every(isAlive)).toBe(true);
      client.kill('SIGKILL');
      for (const pid of pids) await gone(pid);
    },
  );

  it('leaves nothing of a server behind that a launcher has started', async () => {
    const { send, until, child, ended, folder } = scripted('launcher', 'inner');
    send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await until('"id":1');
    const inner = Number(readFileSync(join(folder, 'inner'), 'utf8'));
    child.kill('SIGTERM');
    await ended;
    await gone(inner);
  });

  it('ends a server that has nothing to do and does not go', async () => {
    const { send, until, child, ended, pid } = scripted('stays');
    send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await until('"id":1');
    child.stdin.end();
    const { status, err } = await ended;
    expect(status).toBe(128 + 9);
    expect(err).toContain('the client is gone');
    await gone(pid());
  });

  it('waits for a server that finishes what it was asked', async () => {
    const { child, send, ended } = scripted('finishes');
    send(call(1));
    child.stdin.end();
    const { status, out, err } = await ended;
    expect([status, err]).toEqual([0, '']);
    expect(String(out)).toContain('at last');
  });

  it('passes a signal on, and what the server still says', async () => {
    const { send, until, child, ended } = scripted('tidies');
    send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await until('"id":1');
    child.kill('SIGTERM');
    const { status, out } = await ended;
    expect(status).toBe(7);
    expect(String(out)).toContain('tidied\n');
  });

  it('passes messages of 50 MB, both ways, and judges them', async () => {
    const size = 50_000_000;
    const { child, until, send, ended } = scripted('large', String(size));
    await until('"id":"large"');
    const text = 'y'.repeat(size);
    const large = { ...call(1), params: { name: 'write_file', arguments: { content: text } } };
    for (let id = 1; id <= 2; id++) {
      send({ ...large, id });
      await until(`"id":${id}`);
    }
    child.stdin.end();
    const { status, out, err } = await ended;
    expect([status, err]).toEqual([0, '']);
    expect(out.length).toBeGreaterThan(size);
  });

  it('does not fill up when a server does not read', async () => {
    const { child, ended } = scripted('deaf');
    const chunk = Buffer.alloc(1_000_000, 'a');
    chunk[chunk.length - 1] = 0x0a;
    let taken = 0;
    while (child.stdin.write(chunk) || child.stdin.writableLength < 40_000_000) {
      taken += 1;
      if (taken > 60) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // What the proxy has not taken waits with the client.
    expect(child.stdin.writableLength).toBeGreaterThan(30_000_000);
    child.kill('SIGTERM');
    await ended;
  });

  it('says what cannot be started', async () => {
    const { status, out, err } = await proxied(['no-such-command-here']).ended;
    expect([status, String(out)]).toEqual([2, '']);
    expect(err).toBe('deloop: no-such-command-here could not be started: there is no such command\n');
  });

  it.each([
    [[], 'mcp needs the command of a server'],
    [['--'], 'mcp needs the command of a server'],
    [['--prest', 'x', '--', 'y'], "Unknown option '--prest'"],
    [['--preset', 'kodda', '--', 'y'], '--preset is "kodda"; it must be one of koda, '],
    [['--config', 'none.json', '--', 'y'], 'none.json: there is no such file'],
    [['--port', '99', '--', 'y'], '--port is for a server over HTTP: it needs --url'],
    [['--name=', '--', 'y'], '--name is ""'],
    [['--log', 'none/x', '--', 'y'], '--log none/x: its folder is not there'],
  ])('answers wrong usage %j with one line and exit status 2', async (args, message) => {
    const { status, out, err } = await deloop(['mcp', ...args]);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
  });

  it('shows its help', async () => {
    const { status, out } = await deloop(['mcp', '--help']);
    expect(status).toBe(0);
    expect(out).toContain('deloop mcp [options] -- COMMAND');
  });

  it('takes a command without --, which some clients drop', async () => {
    const { status, out } = await deloop([
      'mcp',
      '--shadow',
      process.execPath,
      SCRIPTED,
      'says',
      '',
      'aGVsbG8=',
    ]);
    expect([status, out]).toEqual([0, 'hello']);
  });
});
