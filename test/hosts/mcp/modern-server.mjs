// A server of the second generation, which speaks both wires; with a port behind its name, over HTTP.
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';
import { serveModern } from './serve-modern.mjs';

const text = (words) => ({ content: [{ type: 'text', text: words }] });

export function createServer() {
  const server = new McpServer(
    { name: 'modern', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {}, prompts: {}, resources: {} } },
  );
  server.registerTool(
    'echo',
    {
      description: 'Says it again',
      inputSchema: z.object({ message: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ message }) => text(`Echo: ${message}, and some more words so that it tells something`),
  );
  server.registerTool(
    'weather',
    {
      description: 'Structured',
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ city: z.string(), degrees: z.number() }),
    },
    async ({ city }) => {
      const structuredContent = { city, degrees: 21.5 };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
  );
  server.registerTool(
    'confirm',
    { description: 'Asks first', inputSchema: z.object({ what: z.string() }) },
    async ({ what }, context) => {
      const answer = context.mcpReq.inputResponses?.confirm;
      if (answer?.action !== 'accept')
        return inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({
              message: `Really ${what}?`,
              requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
            }),
          },
          requestState: `state of ${what}`,
        });
      return text(`Confirmed: ${what}`);
    },
  );
  server.registerTool(
    'fails',
    { description: 'Never works', inputSchema: z.object({ why: z.string() }) },
    async ({ why }) => ({ ...text(`It does not work: ${why}`), isError: true }),
  );
  server.registerTool(
    'counts',
    { description: 'Reports progress', inputSchema: z.object({ to: z.number() }) },
    async ({ to }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to && progressToken !== undefined; progress++)
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: to },
        });
      return text(`Counted to ${to}`);
    },
  );
  server.registerTool(
    'fetch',
    {
      description: 'Pages of one place',
      inputSchema: z.object({ url: z.string(), page: z.number() }),
      _meta: { 'deloop/identity': ['url'] },
    },
    async ({ url }) => text(`Everything there is to know about ${url}, from the first word to the last.`),
  );
  server.registerPrompt('greet', { description: 'A greeting' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  server.registerResource('note', 'note://one', { description: 'A note' }, async () => ({
    contents: [{ uri: 'note://one', text: 'noted' }],
  }));
  return server;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [port] = process.argv.slice(2);
  if (port === undefined) serveStdio(createServer);
  else serveModern(createServer, Number(port));
}
