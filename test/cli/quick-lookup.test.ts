import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { quickLookup } from '../../src/cli/swarm/quick-lookup.ts';

it('finds hosts of the hosts file, without asking anybody', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address() as { port: number };
  const said = await new Promise((done, fail) => {
    const socket = connect({ host: 'localhost', port, lookup: quickLookup(1000) });
    socket.once('data', (bytes) => done(bytes.toString()));
    socket.once('error', fail);
  });
  server.close();
  expect(said).toBe('hello');
});

it.each([true, false])('says that there is no such host (all: %s)', async (all) => {
  const error = await new Promise((done) =>
    quickLookup(200)('no-such-host.invalid', { all }, (failure) => done(failure)),
  );
  expect(error).toMatchObject({
    code: 'ENOTFOUND',
    message: expect.stringContaining('no-such-host.invalid'),
  });
});
