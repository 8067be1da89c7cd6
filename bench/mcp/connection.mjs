import { spawn } from 'node:child_process';

/** A client that does no more than a client must: it writes requests and waits for their results. */
export async function connect([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let ids = 0;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result, method } = JSON.parse(line);
      if (method !== undefined) continue;
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  const request = (method, params) =>
    new Promise((resolve) => {
      ids += 1;
      waiting.set(ids, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ids, method, params })}\n`);
    });
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await request('tools/list', {});
  return {
    pid: child.pid,
    call: (name, args) => request('tools/call', { name, arguments: args }),
    close: () =>
      new Promise((resolve) => {
        child.on('exit', resolve);
        child.stdin.end();
        // The reference server does not always go when its input ends.
        setTimeout(() => child.kill('SIGTERM'), 500).unref();
      }),
  };
}
