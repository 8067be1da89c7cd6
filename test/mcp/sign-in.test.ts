import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPage } from '../../src/cli/mcp/sign-in/browser.ts';
import { openCallback } from '../../src/cli/mcp/sign-in/callback.ts';
import { deloop, newFolder } from '../cli/run-cli.ts';
import { fronted, type Proxied } from './proxied.ts';
import { type Guarded, guardedServer } from './servers/authorization.ts';
import { answersJson, scriptedHttp, untilDown } from './servers/http.ts';

let server: Guarded;
let folder: string;
let fronts: Proxied[];
beforeEach(async () => {
  server = await guardedServer();
  folder = newFolder();
  fronts = [];
  // Whoever is sent there signs in at once.
  const browser = `#!${process.execPath}\nrequire('node:fs').appendFileSync(${JSON.stringify(join(folder, 'opened'))}, process.argv[2] + '\\n');\nfetch(process.argv[2]);\n`;
  writeFileSync(join(folder, 'browser.cjs'), browser);
  chmodSync(join(folder, 'browser.cjs'), 0o755);
});
afterEach(async () => {
  for (const { child, ended } of fronts) {
    child.kill('SIGKILL');
    await ended;
  }
  server.close();
});

const environment = (browser = join(folder, 'browser.cjs')) => ({
  BROWSER: browser,
  DELOOP_STATE_DIR: join(folder, 'state'),
});

function start(browser?: string, flags: readonly string[] = []): Proxied {
  const front = fronted(server.url, flags, environment(browser));
  fronts.push(front);
  return front;
}

const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

/** All that is kept of sign-ins. */
function kept(): readonly string[] {
  const place = join(folder, 'state', 'sign-ins');
  return existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : [];
}

function pagesOpened(): number {
  const file = join(folder, 'opened');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

describe('a server that wants a sign-in', { timeout: 60_000 }, () => {
  it('is signed in to in a browser, once; what is kept is for its owner alone, and said nowhere', async () => {
    const first = start(undefined, ['--log', 'log.jsonl']);
    first.send(ping(1));
    await first.until('"id":1,"result"');
    expect(server.asked).toEqual(['register', 'authorize', 'token authorization_code']);
    const [file = '', ...others] = kept();
    expect(others).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state', 'sign-ins')).mode & 0o777).toBe(0o700);
    first.child.stdin.end();
    const { err } = await first.ended;
    for (const secret of server.secrets) expect(err).not.toContain(secret);

    const second = start();
    second.send(ping(2));
    await second.until('"id":2,"result"');
    expect(pagesOpened()).toBe(1);

    server.expire();
    second.send(ping(3));
    await second.until('"id":3,"result"');
    expect(server.asked.slice(3)).toEqual(['token refresh_token']);
    expect(pagesOpened()).toBe(1);
  });

  it('is signed in to by one of several that are started at once', async () => {
    const both = [start(), start()];
    for (const { send } of both) send(ping(1));
    for (const { until } of both) await until('"id":1,"result"');
    expect(pagesOpened()).toBe(1);
    expect(server.asked).toEqual(['register', 'authorize', 'token authorization_code']);
    server.expire();
    for (const { send } of both) send(ping(2));
    for (const { until } of both) await until('"id":2,"result"');
    expect(server.asked.slice(3)).toEqual(['token refresh_token']);
  });

  it('is signed in to anew where it wants more than before', async () => {
    const front = start();
    front.send(ping(1));
    await front.until('"id":1,"result"');
    server.demand('files:write');
    front.send(ping(2));
    await front.until('"id":2,"result"');
    expect(server.asked.slice(3)).toEqual(['authorize', 'token authorization_code']);
  });

  it('is told of where there is no browser', async () => {
    const front = start('none');
    front.send(ping(1));
    await front.until('"id":1,"error"');
    front.child.stdin.end();
    const { out, err } = await front.ended;
    expect(String(out)).toContain('run deloop mcp login');
    expect(err).toContain(`deloop mcp login ${server.url}`);
    expect(kept().filter((file) => file.endsWith('.lock'))).toEqual([]);
  });

  it('is told of where the sign-in is refused, and nobody is asked again', async () => {
    server.refuse('access_denied');
    const front = start();
    front.send(ping(1));
    await front.until('"id":1,"error"');
    front.send(ping(2));
    await front.until('"id":2,"error"');
    front.child.stdin.end();
    expect((await front.ended).err).toContain('the sign-in was refused: access_denied');
    expect(pagesOpened()).toBe(1);
  });

  it('is not signed in to with a header of the user, nor with --no-login', async () => {
    for (const flags of [['--no-login'], ['--header', 'Authorization: Bearer mine']]) {
      const front = start(undefined, flags);
      front.send(ping(1));
      await front.until('it wants a sign-in');
    }
    expect(server.asked).toEqual([]);
  });

  it('deloop mcp login and logout', async () => {
    const login = await deloop(['mcp', 'login', String(server.url)], { env: environment() });
    expect(login).toMatchObject({ status: 0, err: '', out: expect.stringContaining('Signed in to') });
    const front = start('none');
    front.send(ping(1));
    await front.until('"id":1,"result"');
    const logout = await deloop(['mcp', 'logout', String(server.url)], { env: environment() });
    expect(logout).toMatchObject({ status: 0, out: expect.stringContaining('is forgotten') });
    expect(kept()).toEqual([]);
    front.send(ping(2));
    await front.until('"id":2,"error"');
    const again = await deloop(['mcp', 'logout', String(server.url)], { env: environment() });
    expect(again.out).toContain('There was no sign-in');
    server.refuse('access_denied');
    const refused = await deloop(['mcp', 'login', String(server.url)], { env: environment() });
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('the sign-in was refused') });
  });

  it('deloop mcp login says what is wrong', async () => {
    const open = await scriptedHttp(answersJson);
    expect((await deloop(['mcp', 'login', String(open.url)])).out).toContain('wants no sign-in');
    open.close();
    await untilDown(open.url);
    expect(await deloop(['mcp', 'login', String(open.url)])).toMatchObject({
      status: 2,
      err: expect.stringContaining('nobody listens there'),
    });
    expect(await deloop(['mcp', 'login'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('needs the address of one server'),
    });
    expect(await deloop(['mcp', 'login', 'x', '--odd'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('--odd'),
    });
    expect((await deloop(['mcp', 'login', '--help'])).out).toContain('Usage: deloop mcp login URL');
  });
});

describe('the way back from a browser', () => {
  it('is open for the one who was sent there, and for nobody else', async () => {
    const callback = await openCallback(0);
    if (callback === null) throw new Error('no port is free');
    const over = new AbortController();
    const answer = callback.answer('expected', over.signal);
    const status = async (query: string, headers = {}) =>
      (await fetch(`${callback.url}${query}`, { headers })).status;
    expect(await status('')).toBe(404);
    expect(await status('?state=other&code=1')).toBe(404);
    expect(await status('?state=expected&code=1', { Origin: 'https://evil.example' })).toBe(404);
    expect(await status('?state=expected&code=2')).toBe(200);
    expect((await answer).get('code')).toBe('2');
    callback.close();
  });

  it.each([
    ['https://sign.example/in', true],
    ['http://127.0.0.1:1/in', true],
    ['http://sign.example/in', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
  ])('%s may be opened: %s', (url, may) => {
    expect(isPage(new URL(url))).toBe(may);
  });
});
