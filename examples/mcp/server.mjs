// A small MCP server on standard input and output: two tools, and nothing but Node.
import { createInterface } from 'node:readline';

const tools = [
  {
    name: 'read_page',
    description: 'Reads a page of the handbook.',
    inputSchema: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'search',
    description: 'Searches the handbook.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' }, requestId: { type: 'string' } } },
    // Two searches are the same when the query is; the id is another each time.
    _meta: { 'deloop/identity': ['query'] },
  },
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'handbook', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { page, query } }) => ({
    content: [
      { type: 'text', text: name === 'search' ? `Nothing about ${query}.` : `Page ${page} is empty.` },
    ],
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = answers[method];
  if (id !== undefined && answer !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(params) })}\n`);
});
