// What the official client of the second generation does, in either wire.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** `mode` = `legacy`, `auto`, or the version to insist on. */
export async function connect(command, mode, elicit = () => ({ action: 'accept', content: { sure: true } })) {
  const asked = [];
  const client = new Client(
    { name: 'tour', version: '2.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: mode === 'legacy' || mode === 'auto' ? mode : { pin: mode } },
    },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return elicit(params);
  });
  await client.connect(transportTo(command));
  return { client, asked };
}

/** A command to start, or an address. */
function transportTo(server) {
  if (server instanceof URL) return new StreamableHTTPClientTransport(server);
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

/** The tour of `modern-server.mjs`. */
export async function tour(command, mode) {
  const { client, asked } = await connect(command, mode);
  const call = (name, args, options) => told(() => client.callTool({ name, arguments: args }, options));
  const progress = [];
  const steps = {
    version: client.getServerVersion(),
    era: client.getNegotiatedProtocolVersion?.(),
    tools: await told(() => client.listTools()),
    prompts: await told(() => client.listPrompts()),
    resources: await told(() => client.listResources()),
    echo: await call('echo', { message: 'hello \u00e9 \u{1F600}' }),
    weather: await call('weather', { city: 'Bern' }),
    confirm: await call('confirm', { what: 'go' }),
    fails: await call('fails', { why: 'so' }),
    counts: await call('counts', { to: 3 }, { onprogress: (one) => progress.push(one) }),
    unknownTool: await call('none', {}),
    wrongArguments: await call('echo', { words: 1 }),
    prompt: await told(() => client.getPrompt({ name: 'greet' })),
    resource: await told(() => client.readResource({ uri: 'note://one' })),
    unknownResource: await told(() => client.readResource({ uri: 'note://two' })),
  };
  await client.close();
  return { steps: JSON.parse(JSON.stringify(steps)), progress, asked };
}

/** What the reference server with everything has for a client that is younger than it. */
export async function tourEverything(command) {
  const { client } = await connect(command, 'auto');
  const call = (name, args) => told(() => client.callTool({ name, arguments: args }));
  const steps = {
    era: client.getNegotiatedProtocolVersion?.(),
    tools: await told(() => client.listTools()),
    prompts: await told(() => client.listPrompts()),
    resources: await told(() => client.listResources()),
    echo: await call('echo', { message: 'hello' }),
    structured: await call('get-structured-content', { location: 'Chicago' }),
    image: await call('get-tiny-image', {}),
    unknownTool: await call('none', {}),
    prompt: await told(() => client.getPrompt({ name: 'simple-prompt' })),
  };
  await client.close();
  return { steps: JSON.parse(JSON.stringify(steps)) };
}
