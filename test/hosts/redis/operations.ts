import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { createSwarmGuard } from '../../../src/index.ts';
import { NO_CONTROL, type Note, type Request } from '../../../src/stores/board.ts';
import { createRedisStore } from '../../../src/stores/redis.ts';
import { aclRules } from '../../../src/stores/redis-acl.ts';
import type { RedisClient } from '../../../src/stores/redis-client.ts';
import { deloop, newFolder } from '../../cli/run-cli.ts';
import type { RedisServer } from '../redis-server.ts';

const PATIENT = { waitMs: 20_000 };

function request(member: string, first: number, notes: readonly Note[]): Request {
  return { member, first, notes, resent: 0, born: '', control: NO_CONTROL, windowMs: 60_000 };
}

/** What a person does with a swarm, and what a tenant may not. */
export function testOperations(server: RedisServer, nodes: readonly RedisServer[]): void {
  const ends: (() => unknown)[] = [];
  afterAll(() => {
    for (const end of ends) end();
  });
  const url = `redis://127.0.0.1:${server.port}`;

  describe('deloop swarm', () => {
    it('shows, stops, releases, saves, clears and restores a swarm', { timeout: 60_000 }, async () => {
      const client = await createClient({ url }).connect();
      ends.push(() => client.destroy());
      const store = createRedisStore({ client, tenant: 'ops', ...PATIENT });
      const guard = createSwarmGuard({ store, swarm: { name: 'night "shift"', worker: 'ann', ...PATIENT } });
      const call = { tool: 'read_file', args: { path: 'a.txt' } };
      await guard.before(call);
      const swarm = (...words: readonly string[]) =>
        deloop(['swarm', ...words, '--tenant', 'ops'], { env: { DELOOP_REDIS_URL: url }, cwd: folder });
      const folder = newFolder();
      const status = await swarm('status', '--json');
      expect(status).toMatchObject({ status: 0, err: '' });
      expect(JSON.parse(status.out)).toMatchObject({
        tenant: 'ops',
        swarm: 'night "shift"',
        calls: 1,
        active: 1,
      });
      expect((await swarm('halt', 'night "shift"', '--why', 'wrong branch', '--by', 'me')).status).toBe(0);
      expect(await guard.before({ tool: 'bash', args: {} })).toMatchObject({
        action: 'halt',
        message: 'The whole swarm was stopped by me: wrong branch',
      });
      expect((await swarm('status')).out).toMatch(/HALTED by me: wrong branch/);
      expect((await swarm('status', '--metrics')).out).toContain(
        'deloop_swarm_halted{tenant="ops",swarm="night \\"shift\\""} 1',
      );
      await swarm('release', 'night "shift"');
      expect((await guard.before({ tool: 'bash', args: { n: 2 } })).action).toBe('allow');
      expect((await swarm('save', 'night "shift"', 'swarm.json')).status).toBe(0);
      await swarm('clear', 'night "shift"');
      expect(JSON.parse((await swarm('status', 'night "shift"', '--json')).out)).toMatchObject({ calls: 0 });
      expect((await swarm('restore', 'night "shift"', 'swarm.json')).status).toBe(0);
      expect(JSON.parse((await swarm('status', 'night "shift"', '--json')).out)).toMatchObject({ calls: 3 });
      const files = ['--folder', 'states', '--tenant', 'ops'];
      expect(
        (await deloop(['swarm', 'restore', 'copy', 'swarm.json', ...files], { cwd: folder })).status,
      ).toBe(0);
      const copy = await deloop(['swarm', 'status', 'copy', '--json', ...files], { cwd: folder });
      expect(JSON.parse(copy.out)).toMatchObject({ calls: 3 });
      expect((await swarm('status', 'never there')).status).toBe(1);
    });

    it('follows a cluster to the node that has the swarm', { timeout: 60_000 }, async () => {
      for (const [index, { port }] of nodes.entries()) {
        const env = { DELOOP_REDIS_URL: `redis://127.0.0.1:${port}` };
        const halted = await deloop(['swarm', 'halt', 'moved', '--why', `${index}`, '--by', 'me'], { env });
        expect(halted).toMatchObject({ status: 0 });
        const { out } = await deloop(['swarm', 'status', 'moved', '--json'], { env });
        expect(JSON.parse(out)).toMatchObject({ control: { halted: true, why: `${index}` } });
      }
    });

    it('says what is wrong, and never the password', { timeout: 60_000 }, async () => {
      const attempts: readonly (readonly [readonly string[], number, RegExp])[] = [
        [
          ['status'],
          2,
          /name its store with --redis URL, --folder DIR, DELOOP_REDIS_URL or "store" in your config/,
        ],
        [
          ['status', '--redis', 'http://:secret@x'],
          2,
          /begins with http:; it must begin with redis: or rediss:/,
        ],
        [['status', '--redis', 'secret'], 2, /--redis is no URL/],
        [['status', '--redis', `redis://u:secret@127.0.0.1:${server.port}`], 3, /WRONGPASS|AUTH/],
        [['status', '--redis', 'redis://127.0.0.1:1'], 3, /ECONNREFUSED/],
        [['halt', 'x', '--redis', url], 2, /--why/],
        [['restore', 'x', 'no.json', '--redis', url], 3, /there is no such file/],
        [['watch', 'x', '--redis', url, '--poll', '1'], 2, /--poll is "1"/],
      ];
      for (const [words, status, message] of attempts) {
        const finished = await deloop(['swarm', ...words]);
        expect([words, finished.status]).toEqual([words, status]);
        expect(finished.err).toMatch(message);
        expect(finished.err).not.toContain('secret');
      }
    });
  });

  describe('a tenant with rights of its own', () => {
    it('does all that deloop does, and reaches nobody else, whatever it calls itself', {
      timeout: 60_000,
    }, async () => {
      const names = [
        'acme',
        'acme:',
        'acme:x',
        'acme}',
        '{acme',
        '*',
        '?cme',
        '[a]cme',
        'a b',
        'acme\\*',
        '%0041cme',
      ];
      const stores: [string, RedisClient, RedisClient][] = [];
      for (const [index, tenant] of names.entries()) {
        await server.cli(
          'ACL',
          'SETUSER',
          `user${index}`,
          'on',
          `>pass${index}`,
          ...aclRules(tenant).split(' '),
        );
        const node = await createClient({
          url,
          username: `user${index}`,
          password: `pass${index}`,
        }).connect();
        const io = new Redis({ port: server.port, username: `user${index}`, password: `pass${index}` });
        ends.push(
          () => node.destroy(),
          () => io.disconnect(),
        );
        stores.push([tenant, node, io]);
      }
      for (const [tenant, ...clients] of stores) {
        for (const client of clients) {
          const store = createRedisStore({ client, tenant, ...PATIENT });
          const note = { kind: 'call', worker: 'w', key: 'k' } as const;
          const spawn = {
            kind: 'spawn',
            worker: 'w',
            to: 'v',
            depth: 0,
            limits: { children: 9, perDepth: 9, depth: 9 },
          } as const;
          await store.board.tell('s', request(`m${clients.indexOf(client)}`, 1, [note, spawn]));
          await store.board.tell(null, request('m', 1, [note]));
          await store.board.steer('s', { halt: true, why: '', by: '' });
          const state = await store.board.read('s');
          await store.board.write('t', state as never);
          await store.board.clear('t');
          expect((await store.board.swarms()).map(({ swarm }) => swarm)).toContain('s');
          await store.update('x', () => [1, null]);
          expect(await store.list()).toHaveLength(1);
          await store.delete('x');
          for (const other of names.filter((name) => name !== tenant)) {
            const foreign = createRedisStore({ client, tenant: other, ...PATIENT });
            for (const attempt of [
              () => foreign.board.tell('s', request('m', 1, [note])),
              () => foreign.board.read('s'),
              () => foreign.board.steer('s', { halt: false, why: '', by: '' }),
              () => foreign.board.clear('s'),
              () => foreign.board.swarms(),
              () => foreign.list(),
              () => foreign.update('x', () => [1, null]),
            ])
              await expect(attempt(), `${tenant} in ${other}`).rejects.toThrow(/NOPERM|permission|ACL/);
          }
        }
      }
    });

    it('gets its rights from deloop swarm acl', async () => {
      const { out } = await deloop(['swarm', 'acl', '--tenant', 'a*b']);
      expect(out.trim()).toBe(aclRules('a*b'));
      expect(out).toContain('~deloop:{a%002ab:*');
    });
  });
}
