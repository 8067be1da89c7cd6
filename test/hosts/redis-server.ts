import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { announce } from '../announce.ts';
import { inPath, installPackage } from '../programs.ts';

const execute = promisify(execFile);
const NAMES = ['redis-server', 'valkey-server'];
const START_MS = 20_000;

/** A test that is ended must not leave a server behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The server of this machine, installed if that can be done; undefined = there is none, and the log says why. */
export function findRedis(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const found = inPath(env, NAMES) ?? (installPackage('redis-server') ? inPath(env, NAMES) : undefined);
  if (found !== undefined) return found;
  const why = `No Redis: neither of ${NAMES.join(', ')} is in PATH, and apt-get could not install one.`;
  if (env['CI'] === 'true') throw new Error(why);
  announce(`\n!!! ${why} The tests with Redis are SKIPPED. !!!\n`);
  return undefined;
}

export type RedisServer = {
  readonly port: number;
  readonly folder: string;
  readonly process: ChildProcess;
  /** What `redis-cli` answers. */
  cli(...args: readonly string[]): Promise<string>;
  /** Ends at once, as in a power cut. */
  kill(): Promise<void>;
  /** The same port and folder again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** A server of its own on a free port of the loopback. */
export async function startRedis(
  program: string,
  options: readonly string[] = [],
  port?: number,
  config?: readonly string[],
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-redis-'));
  const own = port ?? (await freePort());
  const file = join(folder, 'redis.conf');
  if (config !== undefined) writeFileSync(file, config.join('\n'));
  const given = ['--port', String(own), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...options];
  const args = config === undefined ? given : [file, ...options];
  let child = await started(program, args, own);
  return {
    port: own,
    folder,
    get process() {
      return child;
    },
    cli: (...words) => cli(program, own, words),
    async kill() {
      await ended(child, 'SIGKILL');
    },
    async restart() {
      child = await started(program, args, own);
    },
    async stop() {
      await ended(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Three masters on the loopback that share all slots. */
export async function startCluster(program: string): Promise<readonly RedisServer[]> {
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--appendonly', 'no'];
  const servers: RedisServer[] = [];
  for (let n = 0; n < 3; n++) servers.push(await startRedis(program, options, await freePort(10_000)));
  const [first, ...others] = servers as [RedisServer, ...RedisServer[]];
  const share = Math.ceil(16_384 / servers.length);
  for (const [index, server] of servers.entries()) {
    const to = Math.min(16_383, (index + 1) * share - 1);
    await server.cli('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(to));
    await server.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const { port } of others) await first.cli('CLUSTER', 'MEET', '127.0.0.1', String(port));
  const until = Date.now() + START_MS;
  for (;;) {
    const infos = await Promise.all(servers.map((server) => server.cli('CLUSTER', 'INFO')));
    if (infos.every((info) => /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(info))) return servers;
    if (Date.now() > until) throw new Error(`the cluster did not come together: ${infos[0]}`);
    await sleep(50);
  }
}

async function started(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const listen = (text: Buffer) => {
    said = (said + text.toString()).slice(-4000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  running.add(child);
  child.once('close', () => running.delete(child));
  const until = Date.now() + START_MS;
  for (;;) {
    const answer = await cli(program, port, ['PING']).catch(() => '');
    if (/PONG|NOAUTH|Permission|NOPERM/.test(answer)) return child;
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`redis-server did not start:\n${said}`);
    await sleep(20);
  }
}

async function cli(program: string, port: number, words: readonly string[]): Promise<string> {
  const { stdout } = await execute(program.replace(/server$/, 'cli'), ['-p', String(port), ...words]);
  return stdout.trim();
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((done) => child.once('close', done));
  child.kill(signal);
  await closed;
}

/** `room` = that many above it must be a port, too: a node of a cluster talks to the others there. */
export async function freePort(room = 0): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = await new Promise<number>((done, fail) => {
      server.once('error', fail);
      server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port));
    });
    await new Promise((done) => server.close(done));
    if (port + room < 65_536) return port;
  }
}
