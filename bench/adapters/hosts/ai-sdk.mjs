// AI SDK of either major with the provider of OpenAI-compatible servers, over HTTP.
import { deloop } from '../../../dist/adapters/ai-sdk/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

/** `ask` = what runs the agent with settings, and gives its last text. */
export function aiSdkHost({ ask, jsonSchema, createOpenAICompatible, system }, { url, call, options }) {
  const guard = deloop(options);
  const model = createOpenAICompatible({ name: 'fake', baseURL: `${url}/v1` })('fake');
  const tools = Object.fromEntries(
    TOOLS.map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: jsonSchema(parameters), execute: async (args) => call(name, args) },
    ]),
  );
  const settings = (prompt) => ({
    model,
    tools,
    [system]: SYSTEM,
    prompt,
    stopWhen: () => false,
    maxRetries: 0,
  });
  return {
    bare: (prompt) => ask(settings(prompt)),
    guarded: (prompt) => ask(guard(settings(prompt))),
  };
}

export const generated = (generateText) => async (settings) => (await generateText(settings)).text;
export const streamed = (streamText) => async (settings) => await streamText(settings).text;
