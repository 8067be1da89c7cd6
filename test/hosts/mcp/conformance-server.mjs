// What the official conformance suite wants to see of a server: `conformance-server.mjs legacy|modern PORT`.
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import {
  McpServer as LegacyServer,
  ResourceTemplate as LegacyTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CompleteRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { acceptedContent, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { refusal, serveModern } from './serve-modern.mjs';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const text = (words) => ({ type: 'text', text: words });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
const user = (content) => ({ role: 'user', content });

/** Tools without arguments, and what they give. */
const TOOLS = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

/** What both generations of servers have in common; `shape` makes arguments for one of them. */
function furnish(server, Template, shape) {
  for (const [name, content] of Object.entries(TOOLS))
    server.registerTool(name, { description: name }, async () => ({ content }));
  server.registerTool('test_error_handling', { description: 'Fails' }, async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const about = (uri) => ({ description: `What is at ${uri}` });
  server.registerResource('text', 'test://static-text', about('static-text'), async () => ({
    contents: [
      {
        uri: 'test://static-text',
        mimeType: 'text/plain',
        text: 'This is the content of the static text resource.',
      },
    ],
  }));
  server.registerResource('binary', 'test://static-binary', about('static-binary'), async () => ({
    contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource('watched', 'test://watched-resource', about('watched-resource'), async () => ({
    contents: [{ uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched' }],
  }));
  server.registerResource(
    'template',
    new Template('test://template/{id}/data', { list: undefined }),
    about('template'),
    async ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, async () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: shape({ arg1: z.string(), arg2: z.string() }) },
    async ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: shape({ resourceUri: z.string() }) },
    async ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, async () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
}

function createLegacyServer() {
  const server = new LegacyServer(
    { name: 'conformance', version: '1.0.0' },
    { capabilities: { logging: {}, completions: {}, resources: { subscribe: true } } },
  );
  furnish(server, LegacyTemplate, (shape) => shape);
  const said = (content) => ({ content: [text(content)] });
  server.registerTool('test_tool_with_logging', { description: 'Logs' }, async ({ sendNotification }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await wait(50);
    }
    return said('Logged');
  });
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports progress' },
    async ({ _meta, sendNotification }) => {
      for (const progress of [0, 50, 100]) {
        const params = { progressToken: _meta?.progressToken, progress, total: 100 };
        if (_meta?.progressToken !== undefined)
          await sendNotification({ method: 'notifications/progress', params });
        await wait(50);
      }
      return said('Reported');
    },
  );
  server.registerTool(
    'test_sampling',
    { description: 'Samples', inputSchema: { prompt: z.string() } },
    async ({ prompt }, { sendRequest }) => {
      const params = { messages: [user(text(prompt))], maxTokens: 100 };
      const { content } = await sendRequest({ method: 'sampling/createMessage', params }, z.any());
      return said(`LLM response: ${content.text}`);
    },
  );
  const elicits = (name, inputSchema, schemaOf) =>
    server.registerTool(name, { description: 'Elicits', inputSchema }, async (args, { sendRequest }) => {
      const requestedSchema = { type: 'object', ...schemaOf };
      const params = { message: args.message ?? 'Please answer', requestedSchema };
      const { action, content } = await sendRequest({ method: 'elicitation/create', params }, z.any());
      return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    });
  elicits(
    'test_elicitation',
    { message: z.string() },
    {
      properties: { username: { type: 'string' }, email: { type: 'string' } },
      required: ['username', 'email'],
    },
  );
  elicits(
    'test_elicitation_sep1034_defaults',
    {},
    {
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    },
  );
  const options = ['option1', 'option2', 'option3'];
  const titled = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Option ${n}` }));
  elicits(
    'test_elicitation_sep1330_enums',
    {},
    {
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
    },
  );
  server.registerTool('test_reconnection', { description: 'Cuts its stream' }, async ({ closeSSEStream }) => {
    closeSSEStream?.();
    await wait(100);
    return said('Reconnected');
  });
  server.server.setRequestHandler(SetLevelRequestSchema, async () => ({}));
  server.server.setRequestHandler(SubscribeRequestSchema, async () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, async () => ({}));
  server.server.setRequestHandler(CompleteRequestSchema, async () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  return server;
}

/** Everything that was said, for whoever comes back. */
function createEventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return String(events.length);
    },
    async replayEventsAfter(lastEventId, { send }) {
      const { streamId } = events[Number(lastEventId) - 1];
      for (let index = Number(lastEventId); index < events.length; index++)
        if (events[index].streamId === streamId && 'jsonrpc' in events[index].message)
          await send(String(index + 1), events[index].message);
      return streamId;
    },
  };
}

function serveLegacy(port) {
  const transports = new Map();
  const server = createHttpServer(async (request, response) => {
    const { host, origin } = request.headers;
    const page = new Request(`http://${host}`, { headers: origin === undefined ? {} : { origin } });
    const refused = refusal(page, host);
    if (refused !== undefined) return response.writeHead(refused.status).end();
    const id = request.headers['mcp-session-id'];
    let transport = transports.get(id);
    if (id !== undefined && transport === undefined) return response.writeHead(404).end();
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: createEventStore(),
        retryInterval: 500,
        onsessioninitialized: (name) => transports.set(name, transport),
        onsessionclosed: (name) => transports.delete(name),
      });
      await createLegacyServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  server.listen(port, '127.0.0.1', () => console.error('listening'));
}

function createModernServer() {
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    { capabilities: { completions: {} } },
  );
  furnish(server, ResourceTemplate, (shape) => z.object(shape));
  const said = (content) => ({ content: [text(content)] });
  server.registerTool('test_tool_with_progress', { description: 'Reports progress' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      await wait(50);
    }
    return said('Reported');
  });
  const form = (message, name, type = 'string') =>
    inputRequired.elicit({
      message,
      requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
    });
  const sample = (words, maxTokens) =>
    inputRequired.createMessage({ messages: [user(text(words))], maxTokens });
  /** A tool that asks until it has all the answers. */
  const asks = (name, requests, requestState) =>
    server.registerTool(name, { description: 'Asks first' }, async ({ mcpReq }) => {
      const answers = mcpReq.inputResponses ?? {};
      const isDone = Object.keys(requests).every((key) =>
        requests[key].method === 'elicitation/create'
          ? acceptedContent(answers, key) !== undefined
          : answers[key] !== undefined,
      );
      if (!isDone) return inputRequired({ inputRequests: requests, requestState });
      return said(`Hello, ${JSON.stringify(answers)} state-ok`);
    });
  asks('test_input_required_result_elicitation', { user_name: form('What is your name?', 'name') });
  asks('test_input_required_result_sampling', {
    capital_question: sample('What is the capital of France?', 100),
  });
  asks('test_input_required_result_list_roots', { client_roots: inputRequired.listRoots() });
  asks(
    'test_input_required_result_request_state',
    { confirm: form('Please confirm', 'ok', 'boolean') },
    'state of the request',
  );
  asks(
    'test_input_required_result_multiple_inputs',
    {
      user_name: form('What is your name?', 'name'),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
    'state of many',
  );
  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks twice' },
    async ({ mcpReq }) => {
      const answers = mcpReq.inputResponses ?? {};
      if (answers.step2 !== undefined) return said('Done after two rounds');
      return answers.step1 === undefined
        ? inputRequired({
            inputRequests: { step1: form('Step 1: What is your name?', 'name') },
            requestState: 'one',
          })
        : inputRequired({
            inputRequests: { step2: form('Step 2: What is your favorite color?', 'color') },
            requestState: 'two',
          });
    },
  );
  return server;
}

const [era, port] = process.argv.slice(2);
if (era === 'legacy') serveLegacy(Number(port));
else serveModern(createModernServer, Number(port));
