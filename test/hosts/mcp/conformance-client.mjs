// What the official conformance suite wants to see of a client: `conformance-client.mjs [deloop's main file [front]] URL`,
// behind a guard that speaks HTTP to it, or `front`: standard input and output.
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const ARGUMENTS = { add_numbers: { a: 5, b: 3 } };
const words = process.argv.slice(2);
const server = words.pop();
const [main, front] = words;
const proxy = main === undefined || front !== undefined ? null : await guarded(main, server);

const client = new Client(
  { name: 'conformance', version: '1.0.0' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
await client.connect(
  front === undefined
    ? new StreamableHTTPClientTransport(new URL(proxy?.url ?? server))
    : new StdioClientTransport({ command: process.execPath, args: [main, 'mcp', '--url', server] }),
);
const { tools } = await client.listTools();
for (const { name } of tools) await client.callTool({ name, arguments: ARGUMENTS[name] ?? {} });
await client.close();
proxy?.child.kill();

/** The guard in front of the server. */
async function guarded(main, url) {
  const child = spawn(process.execPath, [main, 'mcp', '--url', url, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const text of child.stderr.setEncoding('utf8')) {
    const [found] = /http:\S+/.exec(text) ?? [];
    if (found !== undefined) return { child, url: found };
  }
  throw new Error('the guard does not start');
}
