// A Redis of the bench's own, and clients of it; needs redis-server in PATH and the packages of test/hosts/redis.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { createClient } = createRequire(new URL('../../test/hosts/redis/package.json', import.meta.url))(
  'redis',
);

export async function startRedis() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'deloop-bench-'));
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  return {
    port,
    stop() {
      server.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function connect(port) {
  for (let n = 0; ; n++) {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    try {
      return await client.connect();
    } catch (error) {
      if (n > 100) throw error;
      await sleep(50);
    }
  }
}

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
