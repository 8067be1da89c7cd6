// As little of an MCP client as a looping agent needs.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const SERVER = [process.execPath, here('./server.mjs')];

/** Starts `deloop mcp` with these flags in front of the server. `answer` is what a person says; without it nobody can be asked. */
export async function connect(flags, { answer, wire = () => {} } = {}) {
  const command = [here('../../dist/cli/main.js'), 'mcp', ...flags, '--', ...SERVER];
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let ids = 0;

  function send(message) {
    const line = JSON.stringify({ jsonrpc: '2.0', ...message });
    wire('>', line);
    child.stdin.write(`${line}\n`);
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    wire('<', line);
    const { id, method, result } = JSON.parse(line);
    if (method === 'elicitation/create') send({ id, result: { action: answer } });
    else waiting.get(id)?.(result);
  });
  function request(method, params) {
    ids += 1;
    send({ id: ids, method, params });
    return new Promise((resolve) => waiting.set(ids, resolve));
  }

  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: answer === undefined ? {} : { elicitation: {} },
    clientInfo: { name: 'example', version: '1.0.0' },
  });
  send({ method: 'notifications/initialized' });
  await request('tools/list', {});
  return {
    /** What the model gets to read, and in short what became of the call. */
    async call(name, args) {
      const { content, isError } = await request('tools/call', { name, arguments: args });
      const texts = content.map(({ text }) => text);
      const nudged = texts.at(-1).startsWith('[deloop] ');
      return { outcome: isError ? 'refused' : nudged ? 'nudged' : 'ran', text: texts.at(-1) };
    },
    close() {
      child.stdin.end();
      return new Promise((resolve) => child.once('close', resolve));
    },
  };
}
