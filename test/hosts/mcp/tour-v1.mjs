// Everything that the official client of the first generation can do with the two reference servers.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** A connected client; `asked` are the requests and notifications of the server. */
export async function connect(
  command,
  { elicit = () => ({ action: 'accept', content: { name: 'Ann' } }), capabilities } = {},
) {
  const asked = [];
  const client = new Client(
    { name: 'tour', version: '1.0.0' },
    {
      capabilities: capabilities ?? {
        elicitation: { form: {}, url: {} },
        sampling: {},
        roots: { listChanged: true },
        tasks: { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
      },
    },
  );
  const declared = capabilities ?? { elicitation: {}, sampling: {}, roots: {} };
  if (declared.elicitation)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(['elicitation', params.message]);
      return elicit(params);
    });
  if (declared.sampling)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
      asked.push(['sampling', params.maxTokens]);
      return { role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } };
    });
  let logged;
  /** The next time that the server has taken note of the roots. */
  const rootsNoted = () =>
    new Promise((resolve) => {
      logged = resolve;
    });
  const roots = rootsNoted();
  if (declared.roots)
    client.setRequestHandler(ListRootsRequestSchema, async () => {
      asked.push(['roots']);
      return { roots: [{ uri: 'file:///tmp', name: 'tmp' }] };
    });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    asked.push(['log', params.level]);
    if (String(params.data).startsWith('Roots updated')) logged();
  });
  await client.connect(transportTo(command));
  return { client, asked, roots, rootsNoted };
}

/** A command to start, or an address. */
function transportTo(server) {
  if (server instanceof URL)
    return new StreamableHTTPClientTransport(server, {
      requestInit: { headers: { Authorization: 'Bearer very-secret' } },
    });
  const [command, ...args] = server;
  return new StdioClientTransport({ command, args, env: { ...process.env }, stderr: 'ignore' });
}

async function told(run) {
  try {
    return await run();
  } catch (error) {
    return { error: error.message, code: error.code };
  }
}

/** The reference server with everything. */
export async function tourEverything(command) {
  const { client, asked, roots, rootsNoted } = await connect(command);
  // The server asks for them a while after the start; whatever follows then comes in one order.
  await roots;
  const call = (name, args, options) =>
    told(() => client.callTool({ name, arguments: args ?? {} }, undefined, options));
  const progress = [];
  const steps = {
    version: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions()?.length,
    ping: await client.ping(),
    tools: await client.listTools(),
    prompts: await client.listPrompts(),
    resources: await client.listResources(),
    templates: await client.listResourceTemplates(),
    echo: await call('echo', { message: 'hello \u00e9 \u{1F600} "quoted" \\ \n' }),
    sum: await call('get-sum', { a: 1, b: 2.5 }),
    image: await call('get-tiny-image'),
    links: await call('get-resource-links', { count: 3 }),
    reference: await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
    structured: await call('get-structured-content', { location: 'New York' }),
    annotated: await call('get-annotated-message', { messageType: 'error', includeImage: true }),
    rootsList: await call('get-roots-list'),
    elicitation: await call('trigger-elicitation-request'),
    urlElicitation: await call('trigger-url-elicitation', {
      url: 'https://example.com',
      elicitationId: 'one',
    }),
    sampling: await call('trigger-sampling-request', { prompt: 'hi', maxTokens: 5 }),
    progress: await call(
      'trigger-long-running-operation',
      { duration: 0.2, steps: 4 },
      { onprogress: (one) => progress.push(one) },
    ),
    cancelled: await told(async () => {
      const controller = new AbortController();
      const running = client.callTool(
        { name: 'trigger-long-running-operation', arguments: { duration: 3, steps: 3 } },
        undefined,
        { signal: controller.signal },
      );
      setTimeout(() => controller.abort('enough'), 50);
      return running;
    }),
    unknownTool: await call('no-such-tool'),
    wrongArguments: await call('get-sum', { a: 'one' }),
    prompt: await told(() => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Bern' } })),
    unknownPrompt: await told(() => client.getPrompt({ name: 'none' })),
    completion: await told(() =>
      client.complete({
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      }),
    ),
    resource: await told(() => client.readResource({ uri: 'demo://resource/dynamic/text/1' })).then(
      withoutTimes,
    ),
    unknownResource: await told(() => client.readResource({ uri: 'none://x' })),
    subscribe: await told(() => client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' })),
    unsubscribe: await told(() => client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' })),
    level: await told(() => client.setLoggingLevel('debug')),
    rootsChanged: await told(async () => {
      const noted = rootsNoted();
      await client.sendRootsListChanged();
      await noted;
    }),
    unknownMethod: await told(() => client.request({ method: 'no/such/method' }, anything)),
  };
  await client.close();
  // The client drops a report of progress that comes with the result, so they are counted on the wire alone.
  return { steps: withoutTimes(steps), reported: progress.length > 0, asked: asked.map(String).sort() };
}

/** A task, which is polled: how often depends on the time. */
export async function tourTask(command) {
  const { client, roots } = await connect(command);
  await roots;
  const seen = [];
  const stream = client.experimental.tasks.callToolStream(
    { name: 'simulate-research-query', arguments: { topic: 'loops', ambiguous: false } },
    undefined,
    { task: { ttl: 60_000 } },
  );
  for await (const message of stream) seen.push(message.type === 'result' ? message.result : message.type);
  await client.close();
  return { first: seen[0], last: withoutTimes(seen.at(-1)) };
}

/** The reference server for files, in a folder of its own. */
export async function tourFiles(command, folder) {
  const { client } = await connect(command, { capabilities: {} });
  const call = (name, args = {}) => told(() => client.callTool({ name, arguments: args }));
  const file = `${folder}/a.txt`;
  const steps = {
    tools: await client.listTools(),
    allowed: await call('list_allowed_directories'),
    write: await call('write_file', { path: file, content: 'one\ntwo\nthree\n' }),
    read: await call('read_text_file', { path: file }),
    head: await call('read_text_file', { path: file, head: 1 }),
    edit: await call('edit_file', { path: file, edits: [{ oldText: 'two', newText: 'zwei' }] }),
    again: await call('read_text_file', { path: file }),
    made: await call('create_directory', { path: `${folder}/sub` }),
    list: await call('list_directory', { path: folder }),
    tree: await call('directory_tree', { path: folder }),
    move: await call('move_file', { source: file, destination: `${folder}/sub/b.txt` }),
    search: await call('search_files', { path: folder, pattern: '**/*.txt' }),
    missing: await call('read_text_file', { path: file }),
    outside: await call('read_text_file', { path: '/etc/hostname' }),
    wrong: await call('read_text_file', { file }),
  };
  await client.close();
  return { steps };
}

/** Whatever comes is right. */
const anything = { parse: (value) => value, safeParse: (data) => ({ success: true, data }) };

function withoutTimes(value) {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, 'TIME')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replaceAll(/[0-9a-f]{32}/g, 'ID'),
  );
}
